package month

import (
	_ "embed"
	"fmt"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{Shows: text.Shows{
	"per cent":   func(r ...results.Row) string { return fmt.Sprintf("%.3g %%", 100*r[0].Value.Or(0)) },
	"over lanes": overTheLanes,
	"day end":    dayEnd,
}})

// overTheLanes is the time of a candidate, and the lanes' over it, where it is another way's.
func overTheLanes(r ...results.Row) string {
	cell := fmt.Sprintf("%.1f ns", r[0].Value.Or(0))
	for i, name := range []string{rebuilt, sameHashes} {
		if ratio := r[1+i]; name == r[0].Strategy && ratio.Value.IsSet() {
			cell += fmt.Sprintf(" (%.2f, %.2f to %.2f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
		}
	}
	return cell
}

// dayEnd is the time of the end of a day, and one over its quotient with the lanes'.
func dayEnd(r ...results.Row) string {
	cell := text.Of(r[0])
	if ratio := r[1]; ratio.Value.IsSet() {
		cell += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
	}
	return cell
}
