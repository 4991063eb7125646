package daily

import (
	"slices"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are days of reading by a population whose activity has a heavy tail.
var Figures = []plots.Figure{{
	Name:       "daily",
	Title:      "Days of reading by a heavy-tailed population",
	Caption:    "How many users read how much over the run, the false positive rate and the bytes of each strategy by that activity, and what forgetting users after 24 idle hours saves.",
	Experiment: results.Daily, Quantity: results.QFPRByActivity, Build: daily,
}}

func daily(d plots.Data) plots.Sheet {
	activity := d.ActivityAxis("articles recorded over the run")
	users := &plots.Panel{
		Title: "(a) Users by activity",
		X:     activity,
		Y:     plots.Axis{Label: "users", Scale: plots.Log, Format: plots.Power},
	}
	rate := &plots.Panel{
		Title: "(b) False positives by activity",
		X:     activity,
		Y:     plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Power},
	}
	bytes := &plots.Panel{
		Title: "(c) Memory by activity",
		X:     activity,
		Y:     plots.Axis{Label: "bytes per user", Format: plots.Bytes},
	}
	for _, g := range d.Groups(results.QUsers) {
		// Every strategy meets the same population; the first row set shows it.
		users.Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Points: plots.ByBin(g.Points()), Join: true, Unnamed: true})
		break
	}
	for _, g := range d.Groups(results.QFPRByActivity) {
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Line: plots.ByBin(g.Theory()), Points: plots.ByBin(g.Points()), Join: true})
	}
	for _, g := range d.Groups(results.QBytesByActivity) {
		bytes.Add(plots.Series{Look: d.Look(g.Strategy), Points: plots.ByBin(g.Points()), Join: true})
	}
	return plots.Sheet{
		Grid:   plots.Grid(2, users, rate, bytes, forgetting(d)),
		Height: 185,
		Note: "Activity is binned in powers of two; a label is the lower edge of its bin. Whiskers: 95 % intervals. " +
			"In (d), filled bars: users idle for 24 hours are forgotten; hollow bars: no user is.",
	}
}

// forgetting sets the bytes with the rule above those without it.
func forgetting(d plots.Data) *plots.Panel {
	p := &plots.Panel{
		Title: "(d) Forgetting users after 24 idle hours",
		X:     plots.Axis{Label: "payload of all users", Format: plots.Bytes},
	}
	rule, without := d.Groups(results.QPayloadRule), d.Groups(results.QPayloadNoRule)
	rule = slices.DeleteFunc(rule, func(g plots.Group) bool { _, known := g.Total(); return !known })
	for _, g := range rule {
		p.Y.Names = append(p.Y.Names, d.Look(g.Strategy).Name)
	}
	for i, g := range rule {
		look := d.Look(g.Strategy)
		with, _ := g.Total()
		p.Bar(look.Solid(), p.Place(i)+0.2, with.Y)
		if q, ok := without.Of(g.Strategy).Total(); ok {
			p.Bar(look.Hollow(), p.Place(i)-0.2, q.Y)
		}
	}
	return p
}
