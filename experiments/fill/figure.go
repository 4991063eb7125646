package fill

import (
	"cmp"
	_ "embed"
	"slices"

	"dejavu/experiments/experiment"
	"dejavu/plots"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"fill": theoryAsRings},
})

// theoryAsRings draws a theory that falls as rings behind the marks: the fall between two points is sudden.
func theoryAsRings(_ plots.Data, s *plots.Sheet) {
	for _, p := range s.Panels {
		first := &p.Series[0]
		if slices.IsSortedFunc(first.Line, func(a, b plots.Point) int { return cmp.Compare(a.Y, b.Y) }) {
			continue
		}
		rings := plots.Series{Look: plots.Look{Color: plots.Black, Mark: plots.Ring}, Points: first.Line, Unnamed: true}
		first.Line = nil
		p.Series = slices.Insert(p.Series, 0, rings)
	}
}
