package proposals

import (
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

// ways draws a bar for each way, whose name in the results begins with what it is a way to do.
func ways(d plots.Data, s *plots.Sheet) {
	fpr := results.Find(results.QFPR)
	bars(d, s.Panels[0], "second check: ", fpr)
	bars(d, s.Panels[1], "second check: ", results.Find(results.QRecognised))
	bars(d, s.Panels[2], "growing: ", fpr.With(twiceFull))
	s.Panels[3].TightX()
	bars(d, s.Panels[4], "activity: ", results.Find(results.QBytesPerUser))
	bars(d, s.Panels[5], "activity: ", fpr)
}

// bars adds a bar for each way whose name begins so, in the order of the rows; the figure's looks say it in full.
func bars(d plots.Data, p *plots.Panel, prefix string, q results.Query) {
	var found []plots.Point
	var colors []plots.Color
	for _, g := range d.Find(q) {
		if total, known := g.Total(); known && strings.HasPrefix(g.Strategy, prefix) {
			look := d.Look(g.Strategy)
			p.Y.Names, colors = append(p.Y.Names, look.Name), append(colors, look.Color)
			found = append(found, total)
			p.X.Max = max(p.X.Max, 1.05*total.High)
		}
	}
	for i, point := range found {
		point.X = p.Place(i)
		p.Bar(plots.Look{Color: colors[i]}, point.X, point.Y)
		if point.Low < point.High {
			p.Add(plots.Series{
				Look: plots.Look{Color: plots.Black}, Points: []plots.Point{point}, Bare: true, Sideways: true, Unnamed: true,
			})
		}
	}
}
