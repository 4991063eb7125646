package proposals

import (
	"cmp"
	_ "embed"
	"strings"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"proposals": ways},
	Shows: text.Shows{
		"counted": func(r ...results.Row) string {
			if r[0].Where == "" {
				return r[0].Quantity
			}
			return r[0].Quantity + " at " + string(r[0].Where)
		},
		"found": func(r ...results.Row) string { return found(r[0]) },
	},
})

// found is the value of a row, and theory's.
func found(r results.Row) string {
	cell := text.Of(r)
	if r.Quantity == results.QRecognised || r.Quantity == results.QDeletedRecognised {
		cell = text.Percent(r.Value.Or(0))
	}
	if r.Unit == "times" {
		cell += " times"
	}
	theory, ok := r.Theory.Get()
	switch {
	case !ok || r.Unit == results.Bytes:
		return cell
	case r.Unit == results.Ratio:
		return cell + " [" + text.Percent(theory) + "]"
	}
	return cell + " [" + results.Num(theory).String() + "]"
}

// The names of ways in the results begin with what they are ways to do.
const (
	check    = "second check: "
	growing  = "growing: "
	activity = "activity: "
)

// ways draws a bar for each way.
func ways(d plots.Data, s *plots.Sheet) {
	fpr := results.Find(results.QFPR)
	bars(d, s.Panels[0], check, fpr)
	bars(d, s.Panels[1], check, results.Find(results.QRecognised))
	bars(d, s.Panels[2], growing, fpr.With(twiceFull))
	s.Panels[3].TightX()
	bars(d, s.Panels[4], activity, results.Find(results.QBytesPerUser))
	bars(d, s.Panels[5], activity, fpr)
}

// colors tell bars apart that are no strategies, in their order.
var colors = []plots.Color{plots.Grey, plots.Blue, plots.Orange, plots.Green, plots.Purple}

// plain says in full what names in the results say in a word.
var plain = map[string]string{
	"none":                                "filter alone, no list",
	"both":                                "seen: in filter and list",
	"beside":                              "seen: in filter or list",
	"ahead":                               "list first, filter for the older",
	"not at all":                          "never grown",
	"each bit to both of its places":      "copied, each bit twice",
	"data migrated from a log":            "rebuilt from a log",
	"made for 1000 from the first":        "made for 1000 at once",
	"classes, by what is read":            "four sizes, by all reading",
	"classes, by the first day's reading": "four sizes, by the first day",
}

// bars adds a bar for each way whose name begins so, in the order of the rows.
func bars(d plots.Data, p *plots.Panel, prefix string, q results.Query) {
	var found []plots.Point
	for _, g := range d.Find(q) {
		name, ok := strings.CutPrefix(g.Strategy, prefix)
		if total, known := g.Total(); ok && known {
			p.Y.Names = append(p.Y.Names, cmp.Or(plain[name], name))
			found = append(found, total)
			p.X.Max = max(p.X.Max, 1.05*total.High)
		}
	}
	for i, point := range found {
		point.X = p.Place(i)
		p.Bar(plots.Look{Color: colors[i%len(colors)]}, point.X, point.Y)
		if point.Low < point.High {
			p.Add(plots.Series{
				Look: plots.Look{Color: plots.Black}, Points: []plots.Point{point}, Bare: true, Sideways: true, Unnamed: true,
			})
		}
	}
}
