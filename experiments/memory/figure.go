package memory

import (
	_ "embed"

	"dejavu/experiments/experiment"
	"dejavu/plots"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"memory-users": shadeComputed},
})

// shadeComputed says from which number of users on nothing was measured.
func shadeComputed(_ plots.Data, s *plots.Sheet) {
	largest := 0.0
	for _, series := range s.Panels[0].Series {
		for _, p := range series.Points {
			if len(series.Line) > 0 {
				largest = max(largest, p.X)
			}
		}
	}
	if largest > 0 {
		s.Panels[0].Shade = &plots.Shade{From: largest, Label: "computed, not simulated"}
	}
}
