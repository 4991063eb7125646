package main

import (
	"slices"

	"dejavu/results"
)

// proposalsTable has a line for each way that was tried, and a column for each
// thing that was counted of any.
func proposalsTable(run []results.Row) results.Table {
	t := results.Table{
		Title:  "What the sources advise beside a filter, tried: measured [theory]",
		Header: []string{"what was tried", "what was counted", "found"},
	}
	for _, r := range run {
		if r.Experiment != results.Proposals {
			continue
		}
		what := r.Quantity
		if x, ok := r.X.Get(); ok {
			what += " at " + results.Num(x).String()
		}
		found := text(r)
		if share := []string{results.QRecognised, results.QDeletedRecognised}; slices.Contains(share, r.Quantity) || r.Quantity == results.QFPRBound {
			found = percent(r.Value.Or(0))
		}
		if r.Unit == "times" {
			found += " times"
		}
		if theory, ok := r.Theory.Get(); ok && r.Unit != results.Bytes {
			if r.Unit == results.Ratio {
				found += " [" + percent(theory) + "]"
			} else {
				found += " [" + results.Num(theory).String() + "]"
			}
		}
		t.Rows = append(t.Rows, []string{r.Strategy, what, found})
	}
	return t
}
