package sizing

import (
	_ "embed"
	"fmt"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"sizing": nearTarget},
	Shows:   text.Shows{"bits and rate": bitsAndRate},
})

func bitsAndRate(r ...results.Row) string {
	return fmt.Sprintf("%.0f [%s]", r[0].Theory.Or(0), text.Percent(r[1].Theory.Or(0)))
}

// nearTarget shows deviations of a percent or two: from zero they would all be one line.
func nearTarget(_ plots.Data, s *plots.Sheet) {
	low, high := 1.0, 1.0
	miss := s.Panels[1]
	for _, series := range miss.Series {
		for _, p := range series.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	room := 0.1*(high-low) + 0.002
	miss.Y.Min, miss.Y.Max = low-room, high+room
}
