package replay

import (
	"fmt"
	"slices"
	"strings"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/results/by"
)

// Findings are what a replay says of the repeats that were shown, in a few sentences: which
// cause most of them had, and what would have helped. Idle is the log's (results.Log).
func Findings(c results.Cells, idle string) (lines []string) {
	var broken, without []string // of some strategies a few words
	var ofForgotten, ofOutside cause
	for _, total := range c.All(of(results.QRepeatsShown)) {
		name, shown := total.Strategy, total.Value.Or(0)
		get := func(quantity string, where ...results.Condition) float64 {
			r, _ := c.One(of(quantity, where...).Of(name))
			return r.Value.Or(0)
		}
		if inside := get(results.QInside); inside > 0 {
			broken = append(broken, fmt.Sprintf("%s %.0f", name, inside))
		}
		idled, late := get(results.QRepeatsShown, forgotten), get(results.QRepeatsShown, outside)
		switch {
		case shown == 0:
		case idled >= shown/2:
			ofForgotten.add(name, idled/shown)
			if r, ok := c.One(of(results.QRepeatsShown, neverForgotten...).Of(name)); ok {
				without = append(without, fmt.Sprintf("%s %s", name, text.Of(r)))
			}
		case late >= shown/2:
			ofOutside.add(name, late/shown)
		}
	}
	if broken != nil {
		lines = append(lines, "FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must not be: "+
			strings.Join(broken, ", ")+".")
	}
	if ofForgotten.names != nil {
		line := fmt.Sprintf("%s had been forgotten after %s without an article recorded.", ofForgotten.most(), idle)
		if without != nil {
			line += " Without that rule (--idle 0) at most so many would be shown: " + strings.Join(without, ", ") + "."
		}
		lines = append(lines, line)
	}
	if ofOutside.names != nil {
		line := ofOutside.most() + " lay outside the guaranteed window."
		if window, share := within(c, ofOutside.names[0], 0.99); window > 0 {
			line += fmt.Sprintf(" A window of %d articles has %.4g %% of all repeats: "+
				"'choose --log' says which strategies keep it.", window, 100*share)
		}
		lines = append(lines, line)
	}
	return lines
}

// A cause is the strategies most of whose repeats shown had it, and their shares.
type cause struct {
	names  []string
	shares []float64
}

func (c *cause) add(name string, share float64) {
	c.names, c.shares = append(c.names, name), append(c.shares, share)
}

// most says how many of the repeats shown had the cause.
func (c *cause) most() string {
	percent := func(share float64) string { return fmt.Sprintf("%.3g", 100*share) }
	least, most := slices.Min(c.shares), slices.Max(c.shares)
	how := percent(least) + " to " + percent(most) + " %"
	switch {
	case least == 1:
		how = "all"
	case percent(least) == percent(most):
		how = percent(least) + " %"
	}
	return fmt.Sprintf("Of the repeats shown by %s %s", strings.Join(c.names, ", "), how)
}

// within is deal.WindowOf all repeats, as the rows of a strategy have them.
func within(c results.Cells, name string, share float64) (window int, has float64) {
	ages := make([]int64, deal.AgeBins)
	for bin := range ages {
		r, _ := c.One(of(results.QRetention, by.Age.At(float64(deal.AgeOf(bin)))).Of(name))
		ages[bin] = r.Count
	}
	return deal.WindowOf(ages, row.Sum(ages), share)
}
