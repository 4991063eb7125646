package latency

import (
	_ "embed"
	"slices"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"latency": withoutVariants},
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

// withoutVariants leaves out variants: they ran with fewer users, of whom more are in the cache, and lie on the
// lines of what they vary. Strategies are those that random users were asked of.
func withoutVariants(_ plots.Data, s *plots.Sheet) {
	var strategies []string
	for _, one := range s.Panels[1].Series {
		strategies = append(strategies, one.Strategy)
	}
	left := false
	for _, p := range s.Panels {
		p.Series = slices.DeleteFunc(p.Series, func(one plots.Series) bool {
			variant, _ := plots.Kinship(one.Strategy, strategies)
			variant = variant && slices.Contains(strategies, one.Strategy)
			left = left || variant
			return variant
		})
		p.TightX()
	}
	if left {
		s.Note += " Not drawn: variants of these, which ran with fewer users; the table has them."
	}
}
