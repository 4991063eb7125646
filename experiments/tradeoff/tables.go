package tradeoff

import (
	"fmt"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/results"
)

// table has a line for each structure that can be made for a window and a rate.
func table(c results.Cells) results.Table {
	t := results.Table{
		Title: "Every structure for a window of 400: at a false positive rate of 2 % at worst, and in 512 bytes [theory]",
		Header: []string{
			"structure", "bytes at 2 %", "mean", "FPR at worst", "mean", "window", "a candidate", "an article recorded", "FPR at worst in 512 B",
		},
	}
	for _, e := range contenders(catalogue.All()) {
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
