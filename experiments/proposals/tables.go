package proposals

import (
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

// inPercent are the quantities that are shares.
var inPercent = map[string]bool{results.QRecognised: true, results.QDeletedRecognised: true}

// table has a line for each thing that was counted of each way that was tried.
func table(c results.Cells) document.Table {
	t := document.Table{
		Title:  "What the sources advise beside a filter, tried: measured [theory]",
		Header: []string{"what was tried", "what was counted", "found"},
	}
	for _, r := range c.Of(results.Proposals) {
		what := r.Quantity
		if r.Where != "" {
			what += " at " + string(r.Where)
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
