package tradeoff

import (
	"cmp"
	"fmt"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/results"
)

// table has a line for each structure that can be made for a window and a rate: first
// those that keep both for ever, then those of a fixed capacity, the smallest first.
func table(c results.Cells) results.Table {
	t := results.Table{
		Title: "Every structure for a window of 400: at a false positive rate of 2 % at worst, and in 512 bytes [theory]",
		Header: []string{
			"structure", "bytes at 2 %", "mean", "FPR at worst", "mean", "window", "a candidate", "an article recorded", "FPR at worst in 512 B",
		},
	}
	entries := contenders(catalogue.All())
	slices.SortStableFunc(entries, func(a, b catalogue.Entry) int {
		_, fixedA := c.Find(results.Tradeoff, a.Name, "", results.QFixedCapacity+results.AtRate)
		_, fixedB := c.Find(results.Tradeoff, b.Name, "", results.QFixedCapacity+results.AtRate)
		switch {
		case fixedA && !fixedB:
			return 1
		case fixedB && !fixedA:
			return -1
		}
		bytesA, _ := c.Find(results.Tradeoff, a.Name, "", results.QLongest+results.AtRate)
		bytesB, _ := c.Find(results.Tradeoff, b.Name, "", results.QLongest+results.AtRate)
		return cmp.Compare(bytesA.Value.Or(0), bytesB.Value.Or(0))
	})
	for _, e := range entries {
		find := func(quantity string) (results.Row, bool) { return c.Find(results.Tradeoff, e.Name, "", quantity) }
		longest, ok := find(results.QLongest + results.AtRate)
		if !ok {
			continue
		}
		rate := func(quantity string) string {
			if r, ok := find(quantity); ok {
				return text.WithTheory(r)
			}
			return text.None
		}
		mean, _ := find(results.QMeanBytes + results.AtRate)
		window, _ := find(results.QWindowLeast + results.AtRate)
		holds := text.Of(window)
		if _, fixed := find(results.QFixedCapacity + results.AtRate); fixed {
			holds = "capacity of " + holds
		}
		nanos := func(quantity string, x int) string {
			r, ok := c.Find(results.Tradeoff, e.Name, fmt.Sprint(x), quantity+results.AtRate)
			if !ok {
				return text.None
			}
			return fmt.Sprintf("%.1f ns", r.Value.Or(0))
		}
		t.Rows = append(t.Rows, []string{
			e.Name, text.Of(longest), text.Of(mean), rate(results.QFPRWorst + results.AtRate), rate(results.QFPRMean + results.AtRate), holds,
			nanos(results.QQueryNanos, 40), nanos(results.QRecordNanosEach, recordedAtOnce), rate(results.QFPRWorst + results.InBytes),
		})
	}
	return t
}
