package proposals

import (
	"dejavu/experiments/text"
	"dejavu/results"
)

// inPercent are the quantities that are shares.
var inPercent = map[string]bool{results.QRecognised: true, results.QDeletedRecognised: true}

// table has a line for each thing that was counted of each way that was tried.
var table = text.Table{
	Title: "What the sources advise beside a filter, tried: measured [theory]",
	Lines: results.Find(results.Any).In(results.Proposals),
	Columns: []text.Column{
		{Header: "what was tried", Show: text.Strategy().Show},
		{Header: "what was counted", Show: func(r ...results.Row) string {
			if r[0].Where == "" {
				return r[0].Quantity
			}
			return r[0].Quantity + " at " + string(r[0].Where)
		}},
		{Header: "found", Show: func(r ...results.Row) string { return found(r[0]) }},
	},
}

// found is the value of a row, and theory's.
func found(r results.Row) string {
	cell := text.Of(r)
	if inPercent[r.Quantity] {
		cell = text.Percent(r.Value.Or(0))
	}
	if r.Unit == "times" {
		cell += " times"
	}
	theory, ok := r.Theory.Get()
	switch {
	case !ok || r.Unit == results.Bytes:
		return cell
	case r.Unit == results.Ratio:
		return cell + " [" + text.Percent(theory) + "]"
	}
	return cell + " [" + results.Num(theory).String() + "]"
}
