package proposals

import (
	"cmp"
	"strings"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are what the sources advise beside a filter, tried.
var Figures = []plots.Figure{{
	Name:  "proposals",
	Title: "A second check helps where the list comes first, copied bits are no growth, and sizes by activity save bytes",
	Caption: "A second check against a list of recent articles, moving a full filter into a larger one, stages that grow, and sizes by how much a user reads: " +
		"what each gives and costs.",
	Experiment: results.Proposals, Query: overall, Strategies: plots.None, Build: proposals,
}}

var overall = results.Find(results.QFPR)

// colors tell bars apart that are no strategies, in their order.
var colors = []plots.Look{{Color: plots.Grey}, {Color: plots.Blue}, {Color: plots.Orange}, {Color: plots.Green}, {Color: plots.Purple}}

func proposals(d plots.Data) plots.Sheet {
	rate := plots.Axis{Label: "false positive rate", Format: plots.Percent, Labels: 4}
	stages := &plots.Panel{
		Title:  "(d) Stages stay below their target",
		X:      plots.Axis{Label: "articles shown", Scale: plots.Log, Format: plots.Count, Labels: 4},
		Y:      plots.Axis{Label: "false positive rate", Min: 0, Max: 0.055, Format: plots.Percent},
		Guides: []plots.Guide{{At: 0.02, Label: "built for 2 %"}, {At: 0.05, Label: "built for 5 %"}},
	}
	byArticles := d.Find(overall.With(by.Articles.Open()))
	for _, of := range []struct {
		plots.Look
		plots.Group
	}{
		{d.Look("scalable"), byArticles.Of("scalable")},
		{plots.Look{Color: plots.Blue, Mark: plots.Ring}, byArticles.Of(twentyName)},
	} {
		stages.Add(plots.Series{Look: of.Look, Line: of.Theory(), Points: of.Points(), Unnamed: true})
	}
	stages.TightX()
	return plots.Sheet{
		Grid: plots.Grid(2,
			bars(d, "(a) Second check: a list first has fewer", check, overall, rate),
			bars(d, "(b) Requiring both forgets older ones", check, results.Find(results.QRecognised), plots.Axis{Label: "share recognised of those off the list", Format: plots.Percent, Labels: 4}),
			bars(d, "(c) Copying bits is no growth (at 1000)", growing, overall.With(twiceFull), rate),
			stages,
			bars(d, "(e) Sizes by activity save bytes", activity, results.Find(results.QBytesPerUser), plots.Axis{Label: "mean bytes per user", Format: plots.Number, Labels: 4}),
			bars(d, "(f) and cost false positives", activity, overall, rate)),
		Height: 120,
		Note: "Measured, with 95 % intervals. Second check: a list of the newest 100 of 500 articles beside the paper's filter; an article counts as seen as stated; where the list is first, the filter holds only what has left it. " +
			"Growing: from 4064 bits and 500 articles to 8128 and 1000. Lines in (d): theory; rings: a filter for one article, grown twenty times. Sizes: four classes for two days of reading, each built for 2 %.",
	}
}

// The names of ways in the results begin with what they are ways to do.
const (
	check    = "second check: "
	growing  = "growing: "
	activity = "activity: "
)

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

// bars is a bar for each way whose name begins so, in the order of the rows.
func bars(d plots.Data, title, prefix string, q results.Query, x plots.Axis) *plots.Panel {
	p := &plots.Panel{Title: title, X: x}
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
		l := colors[i%len(colors)]
		point.X = p.Place(i)
		p.Bar(l, point.X, point.Y)
		if point.Low < point.High {
			p.Add(plots.Series{
				Look: plots.Look{Color: plots.Black}, Points: []plots.Point{point}, Bare: true, Sideways: true, Unnamed: true,
			})
		}
	}
	return p
}
