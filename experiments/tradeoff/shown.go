package tradeoff

import (
	"cmp"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// bound names the row of the asymptotic bound, which is no strategy.
const bound = "bound, slack 400"

// bytesByRate are the bytes of the longest history by its rate, and bytesAt the bytes at 2 %.
var (
	bytesByRate = results.Q("longest history at target=*")
	bytesAt     = results.Q("longest history at target=0.02")
	alike       = results.Find(results.QLongest, AtRate)
)

var figures = []plots.Figure{
	{
		Name: "tradeoff", Experiment: results.Tradeoff, Query: bytesByRate, Strategies: plots.All, Build: byRate,
		Title: "Bytes for a window of 400 articles, by false positive rate",
		Caption: "Bytes of the longest history by the worst false positive rate: of structures that keep their " +
			"window for ever, with an asymptotic bound for any, and of those that are full after 400 articles.",
		Looks: map[string]plots.Look{
			bound: {Name: "Asymptotic bound", Color: plots.Grey, Dash: plots.Dash{5, 2, 1, 2}, Mark: plots.Ring},
		},
	},
	{
		Name: "tradeoff-costs", Experiment: results.Tradeoff, Query: alike, Strategies: plots.All, Build: costs,
		Title: "A window of 400 articles at 2 %: bytes, time of a query and of recording",
		Caption: "Structures that keep a guaranteed window of 400 articles for ever, at a false positive rate of " +
			"at most 2 %: bytes, the time of a candidate and the time of an article recorded.",
	},
}

// structures returns the names of all structures of a fixed capacity, or of all others.
func structures(d plots.Data, fixed bool) (names []string) {
	capacities := d.Find(results.Find(results.QCapacity, AtRate))
	for _, g := range d.Find(alike) {
		if isFixed := len(capacities.Of(g.Strategy).Rows) > 0; isFixed == fixed {
			names = append(names, g.Strategy)
		}
	}
	return names
}

// byRate draws theory, structures that keep their window above structures of a fixed capacity.
func byRate(d plots.Data) plots.Sheet {
	panel := func(title string, strategies ...string) *plots.Panel {
		p := &plots.Panel{
			Title: title, Direct: true, Ends: "bytes at 2 %:",
			X: plots.Axis{
				Label: "false positive rate, at worst", Scale: plots.Log, Min: 1e-4, Max: 0.1, Format: plots.Percent,
			},
			Y:      plots.Axis{Label: "bytes per user", Scale: plots.Log, Min: 200, Max: 5000, Format: plots.Bytes},
			Guides: []plots.Guide{{At: 0.02, Label: "2 %", Vertical: true}},
		}
		for _, name := range strategies {
			p.Add(curve(d, p, name, d.Look(name)))
		}
		return p
	}
	return plots.Sheet{
		Columns: 1, Height: 230,
		Panels: []*plots.Panel{
			panel("(a) The latest 400 articles, for ever", append(structures(d, false), bound)...),
			panel("(b) The first 400 articles alone", structures(d, true)...),
		},
		Note: "Theory, at each rate that is marked. Asymptotic bound: for any structure of (a) that remembers up to 800 " +
			"articles, but for a term that may be tens of bytes (Naor and Yogev, 2013). Chain, best: its number of links is " +
			"chosen for each rate; chain, sized for its union: five links. Confirmed: a chain behind a list of 100 IDs. " +
			"Counting: counters for bits. Scalable: a filter is added when the last is full.",
	}
}

// curve returns a strategy's expected bytes by rate. The name ends with the bytes at 2 %.
func curve(d plots.Data, p *plots.Panel, strategy string, look plots.Look) plots.Series {
	if at, ok := d.Find(bytesAt.Of(strategy)).Of(strategy).Total(); ok {
		look.Name += ", " + p.Y.Short(at.Y)
	}
	points := plots.Within(d.Find(bytesByRate.Of(strategy)).Of(strategy).Theory(), 0.1)
	return plots.Series{Strategy: strategy, Look: look, Points: points, Join: true}
}

func costs(d plots.Data) plots.Sheet {
	places := d.Ranked(alike, structures(d, false)...)
	panel := func(title, label string, format plots.Format, values results.Query) *plots.Panel {
		p := &plots.Panel{Title: title, X: plots.Axis{Label: label, Format: format, Labels: 4, ShowValues: true, Least: true}}
		return p.Bars(places, d.Find(values), d.Solid)
	}
	asking := panel("(b) Query", "time per candidate", plots.Duration,
		Of(results.QQueryNanos, by.Candidates.At(40), AtRate))
	recording := panel("(c) Recording", "time per article recorded", plots.Duration,
		Of(results.QRecordNanosEach, by.Recorded.At(recordedAtOnce), AtRate))
	asking.Y.Blank, recording.Y.Blank = true, true
	return plots.Sheet{
		Columns: 3, Height: 48 + 20*float64(len(places)),
		Panels: []*plots.Panel{panel("(a) Bytes", "bytes per user", plots.Bytes, alike), asking, recording},
		Note: "All guarantee a window of 400 articles, at a false positive rate of at most 2 %. Less is better; " +
			"bold: the best. Candidates are queried forty at a time, articles recorded ten at a time.",
	}
}

var tables = []text.Table{
	{
		Title: "Every structure for a window of 400: at a false positive rate of 2 % at worst, and in 512 bytes " +
			"[theory]",
		Lines: results.Q("tradeoff: longest history at sized=2 %"), Order: lastingFirst,
		Columns: []text.Column{
			text.Strategy("structure"),
			text.Value("bytes at 2 %", "longest history at sized=2 %", text.Of),
			text.Value("mean", "bytes per user at sized=2 %", text.Of),
			text.Value("FPR at worst", "fpr at sized=2 %, statistic=worst", text.WithTheory),
			text.Value("mean", "fpr at sized=2 %, statistic=mean", text.WithTheory),
			text.Values("window", windowOrCapacity,
				"guaranteed window at sized=2 %, statistic=least",
				"capacity at sized=2 %"),
			text.Value("a candidate", "ns per candidate at candidates=40, sized=2 %", text.Format("%.1f ns")),
			text.Value("an article recorded", "ns per record at recorded=10, sized=2 %", text.Format("%.1f ns")),
			text.Value("FPR at worst in 512 B", "fpr at sized=512 B, statistic=worst", text.WithTheory),
		},
	},
}

// windowOrCapacity returns the guaranteed window, or the capacity if nothing is guaranteed beyond it.
func windowOrCapacity(r ...results.Row) string {
	if r[1].Value.IsSet() {
		return "capacity of " + text.Of(r[0])
	}
	return text.Of(r[0])
}

// lastingFirst orders structures: first those that keep window and rate for ever, then fixed capacities, each by bytes.
func lastingFirst(c results.Cells, a, b results.Row) int {
	fixed := func(r results.Row) int { return len(c.All(Of(results.QCapacity, AtRate).Fill(r))) }
	return cmp.Or(cmp.Compare(fixed(a), fixed(b)), cmp.Compare(a.Value.Or(0), b.Value.Or(0)))
}
