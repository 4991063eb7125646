package main

import (
	"fmt"

	"dejavu/results"
)

// tradeoffTable has a line for each structure that can be made for a window and a
// rate.
func tradeoffTable(c cells) results.Table {
	t := results.Table{
		Title: "Every structure for a window of 400: at a false positive rate of 2 % at worst, and in 512 bytes [theory]",
		Header: []string{
			"structure", "bytes at 2 %", "mean", "FPR at worst", "mean", "window", "a candidate", "an article recorded", "FPR at worst in 512 B",
		},
	}
	for _, s := range contenders() {
		find := func(quantity string) (results.Row, bool) { return c.find(results.Tradeoff, s.name, "", quantity) }
		longest, ok := find(results.QLongest + results.AtRate)
		if !ok {
			continue
		}
		both := func(quantity string) string {
			r, ok := find(quantity)
			if !ok {
				return "–"
			}
			return percent(r.Value.Or(0)) + " [" + percent(r.Theory.Or(0)) + "]"
		}
		mean, _ := find(results.QMeanBytes + results.AtRate)
		window, _ := find(results.QWindowLeast + results.AtRate)
		holds := text(window)
		if _, wears := find(results.QWearsOut + results.AtRate); wears {
			holds = "wears out at " + holds
		}
		nanos := func(quantity string, x int) string {
			r, ok := c.find(results.Tradeoff, s.name, fmt.Sprint(x), quantity+results.AtRate)
			if !ok {
				return "–"
			}
			return fmt.Sprintf("%.1f ns", r.Value.Or(0))
		}
		t.Rows = append(t.Rows, []string{
			s.name, text(longest), text(mean), both(results.QFPRWorst + results.AtRate), both(results.QFPRMean + results.AtRate), holds,
			nanos(results.QQueryNanos, 40), nanos(results.QRecordNanosEach, recordedAtOnce), both(results.QFPRWorst + results.InBytes),
		})
	}
	return t
}
