package latency

import (
	_ "embed"
	"slices"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"latency": curves},
	Shows:   text.Shows{"hot and cold": hotAndCold},
})

// hotAndCold are times of one number of candidates, where there are several.
func hotAndCold(r ...results.Row) string {
	s := text.Of(r[0])
	if r[1].Value.IsSet() {
		s += " / " + text.Of(r[1]) + " [" + text.Of(r[2]) + "] / " + text.Of(r[3])
	}
	return s
}

// curves draws the times by candidates, a column for each way in which users are asked. Variants
// ran with fewer users, of whom more are in the cache, and lie on the lines of what they vary.
func curves(d plots.Data, s *plots.Sheet) {
	find := func(history, statistic results.Condition) plots.Groups {
		return d.Find(results.Find(results.QRequestTime, history, statistic, by.Candidates.Open()))
	}
	strategies := d.NamesIn(find(cold, median)) // the floor and the harness are timed in the cache alone
	left := false
	for i, statistic := range []results.Condition{median, p99} {
		for j, history := range []results.Condition{hot, cold, together} {
			p := s.Panels[3*i+j]
			for _, g := range find(history, statistic) {
				if variant, _ := plots.Kinship(g.Strategy, strategies); variant && slices.Contains(strategies, g.Strategy) {
					left = true
					continue
				}
				points := plots.Map(g.Points(), func(p plots.Point) plots.Point { return plots.At(p.X, p.Y) })
				p.Add(plots.Series{Look: d.Look(g.Strategy), Points: points, Join: true})
			}
			p.TightX()
		}
	}
	if left {
		s.Note += " Not drawn: variants of these, which ran with fewer users; the table has them."
	}
}
