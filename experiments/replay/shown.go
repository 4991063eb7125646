package replay

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"replay": alongActivity, "beyond-replay": alongActivity},
	Tables: map[string]func(*text.Table){
		"causes":   func(t *text.Table) { t.Keep = func(r results.Row) bool { return r.Value.Or(0) > 0 } },
		"ages":     along(of(results.QRetention), by.Age, powerOfTwo, strconv.Itoa, share),
		"elapsed":  along(of(results.QRecognised), by.Elapsed, always, text.Elapsed, share),
		"activity": along(of(results.QFPR), by.Activity, always, strconv.Itoa, text.Of),
	},
})

// Tables are the tables of a replay, with a line for each strategy, and Figures those of a real log: with the paper's
// strategies, and with the structures beyond the paper.
var Tables, Figures = shown.Tables, shown.Figures

// alongActivity gives two panels one axis, which reaches as far as rows do.
func alongActivity(d plots.Data, s *plots.Sheet) {
	var found []plots.Groups
	for _, quantity := range []string{results.QUsers, results.QFPR, results.QBytesPerUser} {
		found = append(found, d.Find(of(quantity, by.Activity.Open())))
	}
	axis := plots.ActivityAxis("articles recorded over the log", found...)
	s.Panels[2].X, s.Panels[3].X = axis, axis
}

func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Replay).Of(results.Any)
}

func share(r results.Row) string { return fmt.Sprintf("%.4g [%d]", r.Value.Or(0), r.Count) }

// along gives a table a column for each whole value that a dimension has in rows of the query and that is kept.
func along(
	q results.Query, d results.Dimension, keep func(int) bool, header func(int) string, show func(results.Row) string,
) func(*text.Table) {
	more := func(c results.Cells) (columns []text.Column) {
		var values []int
		for _, r := range c.All(q.With(d.Open())) {
			if v := int(r.Coordinate(d).Or(0)); keep(v) {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			columns = append(columns, text.Cell(header(v), q.With(d.At(float64(v))), show))
		}
		return columns
	}
	return func(t *text.Table) { t.More = more }
}

func always(int) bool       { return true }
func powerOfTwo(v int) bool { return v > 0 && bits.OnesCount(uint(v)) == 1 }

// Findings are what a replay says of the repeats that were shown, in a few sentences: which cause most of them had,
// and what would have helped. Idle is the log's (results.Log).
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
		lines = append(lines, "FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must never happen: "+
			strings.Join(broken, ", ")+".")
	}
	if ofForgotten.names != nil {
		line := fmt.Sprintf("%s had been forgotten after %s without an article recorded.", ofForgotten.most(), idle)
		if without != nil {
			line += " Without that rule (--idle 0) at most this many would be shown: " + strings.Join(without, ", ") + "."
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
	least, most := slices.Min(c.shares), slices.Max(c.shares)
	how := fmt.Sprintf("%.3g", 100*least)
	if highest := fmt.Sprintf("%.3g", 100*most); highest != how {
		how += " to " + highest
	}
	if how += " %"; least == 1 {
		how = "all"
	}
	return fmt.Sprintf("Of the repeats shown by %s %s", strings.Join(c.names, ", "), how)
}

// within is the window of a share of all repeats, as the rows of a strategy have them.
func within(c results.Cells, name string, share float64) (window int, has float64) {
	ages := make([]int64, deal.AgeBins)
	for bin := range ages {
		r, _ := c.One(of(results.QRetention, by.Age.At(float64(deal.AgeOf(bin)))).Of(name))
		ages[bin] = r.Count
	}
	return deal.Coarse.Window(ages, row.Sum(ages), share)
}
