package proposals

import (
	"dejavu/experiments/text"
	"dejavu/results"
)

// inPercent are the quantities that are shares.
var inPercent = map[string]bool{results.QRecognised: true, results.QDeletedRecognised: true, results.QFPRBound: true}

// table has a line for each thing that was counted of each way that was tried.
func table(c results.Cells) results.Table {
	t := results.Table{
		Title:  "What the sources advise beside a filter, tried: measured [theory]",
		Header: []string{"what was tried", "what was counted", "found"},
	}
	for _, r := range c.Of(results.Proposals) {
		what := r.Quantity
		if x, ok := r.X.Get(); ok {
			what += " at " + results.Num(x).String()
		}
		found := text.Of(r)
		if inPercent[r.Quantity] {
			found = text.Percent(r.Value.Or(0))
		}
		if r.Unit == "times" {
			found += " times"
		}
		if theory, ok := r.Theory.Get(); ok && r.Unit != results.Bytes {
			if r.Unit == results.Ratio {
				found += " [" + text.Percent(theory) + "]"
			} else {
				found += " [" + results.Num(theory).String() + "]"
			}
		}
		t.Rows = append(t.Rows, []string{r.Strategy, what, found})
	}
	return t
}
