package replay

import (
	"fmt"
	"slices"
	"strings"

	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
)

// causes is the table of why repeats were shown: a line for each strategy.
func causes(c results.Cells, names []string) results.Table {
	t := results.Table{Title: "Why repeats were shown", Header: []string{
		"strategy", "repeats shown", "history forgotten", "outside the window", "inside it, must be 0", "if never forgotten, at most",
	}}
	for _, name := range names {
		get := func(quantity string) results.Row {
			r, _ := c.Find(results.Replay, name, "", quantity)
			return r
		}
		if get(results.QRepeats).Value.Or(0) == 0 {
			continue
		}
		shown := get(results.QRepeatsShown).Value.Or(0)
		part := func(quantity string) string {
			n := get(quantity).Value.Or(0)
			if n == 0 {
				return "0"
			}
			return fmt.Sprintf("%.0f (%.3g %%)", n, 100*n/shown)
		}
		ever := text.None
		if r, ok := c.Find(results.Replay, name, "", results.QEver); ok {
			ever = text.Of(r)
		}
		inside := get(results.QInside)
		t.Rows = append(t.Rows, []string{
			name, text.Of(get(results.QRepeatsShown)), part(results.QIdled), part(results.QOutside),
			fmt.Sprintf("%s of %d", text.Of(inside), inside.Count), ever,
		})
	}
	return t
}

// Findings are what a replay says of the repeats that were shown, in a few sentences: which
// cause most of them had, and what would have helped. Idle is the log's (results.Log).
func Findings(c results.Cells, idle string) (lines []string) {
	var broken, forgotten, outside cause
	for _, name := range named(c) {
		get := func(quantity string) float64 {
			r, _ := c.Find(results.Replay, name, "", quantity)
			return r.Value.Or(0)
		}
		shown := get(results.QRepeatsShown)
		if n := get(results.QInside); n > 0 {
			broken.add(name, 1, fmt.Sprintf("%s %.0f", name, n))
		}
		switch {
		case shown == 0:
		case get(results.QIdled) >= shown/2:
			better := ""
			if r, ok := c.Find(results.Replay, name, "", results.QEver); ok {
				better = fmt.Sprintf("%s %s", name, text.Of(r))
			}
			forgotten.add(name, get(results.QIdled)/shown, better)
		case get(results.QOutside) >= shown/2:
			outside.add(name, get(results.QOutside)/shown, "")
		}
	}
	if broken.names != nil {
		lines = append(lines, fmt.Sprintf("FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must not be: %s.", strings.Join(broken.more, ", ")))
	}
	if forgotten.names != nil {
		line := fmt.Sprintf("%s had been forgotten after %s without an article recorded.", forgotten.most(), idle)
		if forgotten.more != nil {
			line += fmt.Sprintf(" Without that rule (--idle 0) at most so many would be shown: %s.", strings.Join(forgotten.more, ", "))
		}
		lines = append(lines, line)
	}
	if outside.names != nil {
		line := outside.most() + " lay outside the guaranteed window."
		if window, share := within(c, outside.names[0], 0.99); window > 0 {
			line += fmt.Sprintf(" A window of %d articles has %.4g %% of all repeats: 'choose --log' says which strategies keep it.", window, 100*share)
		}
		lines = append(lines, line)
	}
	return lines
}

// A cause is the strategies most of whose repeats shown had it.
type cause struct {
	names  []string
	shares []float64
	more   []string
}

func (c *cause) add(name string, share float64, more string) {
	c.names, c.shares = append(c.names, name), append(c.shares, share)
	if more != "" {
		c.more = append(c.more, more)
	}
}

// most says how many of the repeats shown had the cause.
func (c *cause) most() string {
	least, most := 100*slices.Min(c.shares), 100*slices.Max(c.shares)
	how := fmt.Sprintf("%.3g to %.3g %%", least, most)
	switch {
	case least == 100:
		how = "all"
	case fmt.Sprintf("%.3g", least) == fmt.Sprintf("%.3g", most):
		how = fmt.Sprintf("%.3g %%", least)
	}
	return fmt.Sprintf("Of the repeats shown by %s %s", strings.Join(c.names, ", "), how)
}

// within is the least window, as far as bins of ages tell, that has a share of all repeats, and
// the share that it has; 0 where there are none.
func within(c results.Cells, name string, share float64) (window int, has float64) {
	all, sum := int64(0), int64(0)
	for _, pass := range []bool{false, true} {
		for bin := 1; bin < deal.AgeBins; bin++ {
			r, ok := c.Find(results.Replay, name, fmt.Sprint(deal.AgeOf(bin)), results.QRetention)
			switch {
			case !ok:
			case !pass:
				all += r.Count
			default:
				if sum += r.Count; float64(sum) >= share*float64(all) {
					return deal.AgeTo(bin), float64(sum) / float64(all)
				}
			}
		}
	}
	return 0, 0
}
