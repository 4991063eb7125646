package ship

import (
	_ "embed"
	"fmt"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

// shown are a user's history sent to the candidates, and candidates sent to the history.
var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"ship": ratios},
	Tables:  map[string]func(*text.Table){"times": newcomer},
	Shows:   text.Shows{"ways": ways},
})

// Real is the chain's bytes and times by the exposure service of the module live, beside those of this
// experiment's own wire.
var Real = shown.Tables[len(shown.Tables)-1]

// newcomer adds to the title the time of a request for nothing.
func newcomer(t *text.Table) {
	t.Heading = func(c results.Cells) string {
		trip, _ := c.One(results.Find(results.QRoundTrip).In(results.Ship))
		return t.Title + text.Of(trip)
	}
}

// ways are what is found where histories are shipped and where candidates are asked for, and the ratio of
// both where there is one.
func ways(r ...results.Row) string {
	s := text.Of(r[0])
	if r[1].Quantity != "" {
		s += " / " + text.Of(r[1])
	}
	if len(r) > 2 {
		s += fmt.Sprintf(" (%.2f, %.2f to %.2f)", r[2].Value.Or(0), r[2].Low.Or(0), r[2].High.Or(0))
	}
	return s
}

// ratios puts marks side by side, and makes the times of a model quotients.
func ratios(d plots.Data, s *plots.Sheet) {
	times, modelled := s.Panels[1], s.Panels[2:]
	for i, one := range times.Series {
		times.Series[i].Points = plots.Aside(one.Points, i, len(times.Series))
		for _, p := range one.Points {
			times.Y.Max = max(times.Y.Max, 1.05*p.High)
		}
	}
	for i, network := range []string{"1 Gbit/s and 0.1 ms", "10 Gbit/s and 0.5 ms"} {
		asking := results.Find(results.QRequestTime, asked, by.Network.Is(network), by.Candidates.Open())
		for j, one := range modelled[i].Series {
			modelled[i].Series[j].Line = over(d.Find(asking), one.Line)
		}
	}
	plots.SameY(modelled...)
}

// over are the times of a request whose candidates are sent, over those of a history at the same x.
func over(asking plots.Groups, shipped []plots.Point) (ratios []plots.Point) {
	if len(asking) == 0 {
		return nil
	}
	for _, sent := range asking[0].Theory() {
		for _, s := range shipped {
			if s.X == sent.X && s.Y > 0 {
				ratios = append(ratios, plots.At(s.X, sent.Y/s.Y))
			}
		}
	}
	return ratios
}
