package replay

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/internal/plural"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the figures of a replay of a real log: with the paper's strategies, and with the structures beyond the
// paper.
var Figures = []plots.Figure{
	figure("replay", "A log replayed: false positives, repeats recognised, and memory", plots.Paper),
	figure("beyond-replay", "A log replayed, for structures beyond the paper", plots.Beyond),
}

func figure(name, title string, strategies plots.Strategies) plots.Figure {
	return plots.Figure{
		Name: name, Title: title, Strategies: strategies,
		Experiment: results.Replay, Query: of(results.QFPR, by.Activity.Open()), Build: drawn,
		Caption: "False positives as a history fills and by how much a user was shown; repeats recognised by how " +
			"many articles ago they were shown; bytes by how much a user was shown.",
	}
}

func drawn(d plots.Data) plots.Sheet {
	held, fresh := of(results.QFPR, by.Articles.Open()), of(results.QFPR, by.Activity.Open())
	bytes := of(results.QBytesPerUser, by.Activity.Open())
	rate := plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent}
	// Both axes of activity reach as far as the rows do.
	activity := plots.ActivityAxis("articles recorded over the log",
		d.Find(of(results.QUsers, by.Activity.Open())), d.Find(fresh), d.Find(bytes))
	panel := func(title string, x, y plots.Axis, all []plots.Series) *plots.Panel {
		p := &plots.Panel{Title: title, X: x, Y: y}
		for _, s := range all {
			s.Points = plots.Thin(s.Points, 21)
			p.Add(s)
		}
		return p
	}
	joined := func(q results.Query, change func([]plots.Point) []plots.Point) (all []plots.Series) {
		for _, s := range d.Series(q) {
			s.Points = change(s.Points)
			s.Line = s.Points
			all = append(all, s)
		}
		return all
	}
	return plots.Sheet{
		Columns: 2, Height: 185,
		Panels: []*plots.Panel{
			panel("(a) False positives as a history fills", plots.Axis{Label: "articles since the history was empty"}, rate,
				d.Series(held, held)),
			panel("(b) Repeats recognised, by age",
				plots.Axis{Label: "age: articles shown since", Scale: plots.Log, Format: plots.Number},
				plots.Axis{Label: "share recognised", Max: 1.02, Format: plots.Percent},
				joined(of(results.QRetention, by.Age.Open()), plots.Alone)),
			panel("(c) False positives by activity", activity, rate, joined(fresh, plots.ByBin)),
			panel("(d) Memory by activity", activity, plots.Axis{Label: "bytes per user", Format: plots.Bytes},
				joined(bytes, plots.ByBin)),
		},
		Note: "Lines in (a): theory, if every article is unseen. In (c) and (d) users are grouped by articles recorded, in " +
			"powers of two; a mark is at the lower end of its group. (d): at the end of the log, when idle users are " +
			"forgotten. None: no false positive was measured.",
	}
}

func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Replay).Of(results.Any)
}

// Tables are the tables of a replay, with a line for each strategy.
var Tables = []text.Table{
	{
		Heading: func(c results.Cells) string {
			exposures, _ := c.One(of("exposures").Of(""))
			users, _ := c.One(of(results.QUsers).Of(""))
			return fmt.Sprintf("Replay of %s of %s", plural.Of(int(exposures.Value.Or(0)), "exposure", "exposures"),
				plural.Of(int(users.Value.Or(0)), "user", "users"))
		},
		Lines: of(results.QFPR),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("FPR", "fpr", text.Of),
			text.Value("95 %", "fpr", text.Interval),
			text.Value("theory, all new", "fpr", theory),
			text.Value("suppressed of 100", "wrongly suppressed per 100", text.Format("%.3g")),
			text.Value("repeats", "repeats", text.Of),
			text.Value("recognised", "recognised", recognised),
			text.Value("repeats shown", "repeats shown", text.Of),
			text.Value("with a history", "payload total", func(r results.Row) string { return fmt.Sprint(r.Count) }),
			text.Value("bytes a user", "bytes per user", text.Of),
			text.Value("payload", "payload total", text.Of),
			text.Value("store", "store total", text.Of),
		},
	},
	{
		Title: "Why repeats were shown",
		Lines: of("repeats"), Keep: func(r results.Row) bool { return r.Value.Or(0) > 0 },
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Value("repeats shown", "repeats shown", text.Of),
			text.Values("history forgotten", outOf, "repeats shown at cause=history forgotten", "repeats shown"),
			text.Values("outside the window", outOf, "repeats shown at cause=outside the window", "repeats shown"),
			text.Value("inside it, must be 0", "repeats shown inside the window",
				func(r results.Row) string { return fmt.Sprintf("%s of %d", text.Of(r), r.Count) }),
			text.Value("if never forgotten, at most", "repeats shown at rule=none, statistic=bound", text.Of),
		},
	},
	along("Share of repeats recognised, by how many articles ago they were shown [number of repeats]",
		results.QRetention, by.Age, powerOfTwo, strconv.Itoa, share),
	along("Share of repeats recognised, by the time since they were shown, bins from [number of repeats]",
		results.QRecognised, by.Elapsed, always, text.Elapsed, share),
	along("False positive rate by articles recorded for a user over the log, bins of powers of two from",
		results.QFPR, by.Activity, always, strconv.Itoa, text.Of),
}

// theory writes the rate that theory expects, if it expects one.
func theory(r results.Row) string {
	if !r.Theory.IsSet() {
		return text.None
	}
	return text.Percent(r.Theory.Or(0))
}

// recognised writes the share of repeats that were recognised, if there were repeats.
func recognised(r results.Row) string {
	if r.Count == 0 {
		return text.None
	}
	return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0))
}

// outOf writes the first of two numbers and its share of the second.
func outOf(r ...results.Row) string {
	n, all := r[0].Value.Or(0), r[1].Value.Or(0)
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%.0f (%.3g %%)", n, 100*n/all)
}

func share(r results.Row) string { return fmt.Sprintf("%.4g [%d]", r.Value.Or(0), r.Count) }

// along returns a table of a quantity with a column for each whole value of a dimension that rows have and keep
// accepts.
func along(title, quantity string, d results.Dimension, keep func(int) bool, header func(int) string,
	show func(results.Row) string,
) text.Table {
	more := func(c results.Cells) (columns []text.Column) {
		var values []int
		for _, r := range c.All(of(quantity, d.Open())) {
			if v := int(r.Coordinate(d).Or(0)); keep(v) {
				values = append(values, v)
			}
		}
		slices.Sort(values)
		for _, v := range slices.Compact(values) {
			columns = append(columns, text.Cell(header(v), of(quantity, d.At(float64(v))), show))
		}
		return columns
	}
	return text.Table{
		Title: title, Lines: of(results.QFPR), Columns: []text.Column{text.Strategy("strategy")}, More: more,
	}
}

func always(int) bool       { return true }
func powerOfTwo(v int) bool { return v > 0 && bits.OnesCount(uint(v)) == 1 }

// Findings says in a few sentences which cause most of the repeats that a replay showed had, and what would have
// helped. idle is results.Log's.
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
		lines = append(lines, "FALSE NEGATIVES: repeats inside the guaranteed window were shown, which must never "+
			"happen: "+
			strings.Join(broken, ", ")+".")
	}
	if ofForgotten.names != nil {
		line := fmt.Sprintf("%s had been forgotten after %s without an article recorded.", ofForgotten.most(), idle)
		if without != nil {
			line += " Without that rule (--idle 0) at most this many would be shown: " +
				"" + strings.Join(without, ", ") + "."
		}
		lines = append(lines, line)
	}
	if ofOutside.names != nil {
		line := ofOutside.most() + " lay outside the guaranteed window."
		if window, share := within(c, ofOutside.names[0], 0.99); window > 0 {
			line += fmt.Sprintf(" A window of %d has %.4g %% of all repeats: "+
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

// within returns the window for a share of all repeats, from a strategy's rows.
func within(c results.Cells, name string, share float64) (window int, has float64) {
	ages := make([]int64, deal.AgeBins)
	for bin := range ages {
		r, _ := c.One(of(results.QRetention, by.Age.At(float64(deal.AgeOf(bin)))).Of(name))
		ages[bin] = r.Count
	}
	return deal.Coarse.Window(ages, row.Sum(ages), share)
}
