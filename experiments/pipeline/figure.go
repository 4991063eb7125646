package pipeline

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the repeats that are shown because the history is updated late.
var Figures = []plots.Figure{{
	Name:  "pipeline",
	Title: "A late update shows repeats once the delay reaches the pause between refreshes",
	Caption: "What was shown reaches the filter through a stream: repeats shown by the delay and by how often users " +
		"refresh, what forgetting adds, an outage of half an hour, and what a short exact list of what was just shown " +
		"saves and costs.",
	Experiment: results.Pipeline, Query: repeats, Build: pipeline,
}}

// paces are the paces of refreshes, by their seconds.
var paces = []struct {
	every float64
	look  plots.Look
}{
	{10, plots.Look{Name: "every 10 s", Color: plots.Purple, Mark: plots.Up}},
	{20, plots.Look{Name: "every 20 s", Color: plots.Orange, Dash: plots.Dash{6, 2}, Mark: plots.Down}},
	{60, plots.Look{Name: "every minute", Color: plots.SkyBlue, Dash: plots.Dash{4, 1.5, 1, 1.5}, Mark: plots.Pentagon}},
	{300, plots.Look{Name: "every 5 min", Color: plots.Blue, Dash: plots.Dash{2, 2}, Mark: plots.Hexagon}},
}

// lists are the looks of the lists, by values of the dimension List.
var lists = []struct {
	value string
	plots.Look
}{
	{"20 articles", plots.Look{
		Name: "List of the last 20", Color: plots.Orange, Dash: plots.Dash{2, 2}, Mark: plots.Up.Hollow(),
	}},
	{"100 articles", plots.Look{
		Name: "List of the last 100", Color: plots.Purple, Dash: plots.Dash{4, 1.5, 1, 1.5}, Mark: plots.Hexagon.Hollow(),
	}},
	{"2 min", plots.Look{Name: "List of 2 min", Color: plots.Green, Dash: plots.Dash{6, 2}, Mark: plots.Diamond.Hollow()}},
	{"1 h", plots.Look{Name: "List of 1 h", Color: plots.Blue, Mark: plots.Pentagon.Hollow()}},
}

// pipeline shows repeats by the delay, the pace of refreshes and the strategy; over an
// outage; and what a list at the edge saves and takes.
func pipeline(d plots.Data) plots.Sheet {
	// No delay of a record is at "≈ 0".
	delay := plots.Axis{
		Label: "delay of the update in seconds", Scale: plots.Log, Min: 1, Max: 700, Format: plots.Number,
	}
	perMille := plots.Axis{Label: "repeats per 1000 shown"}
	byPace := &plots.Panel{
		Title: "(a) Repeats begin once the delay reaches the pause", X: delay, Y: perMille, Direct: true,
	}
	ahead := &plots.Panel{
		Title: "(b) A later update is overtaken more often", X: delay,
		Y: plots.Axis{Label: "share of refreshes", Max: 1.03, Format: plots.Percent}, Direct: true,
	}
	byStrategy := &plots.Panel{
		Title: "(c) A late update costs every strategy alike", X: delay,
		Y: plots.Axis{
			Label: perMille.Label, Scale: plots.Log, Min: 1e-3, Max: 300, Labels: 4, Format: plots.Number,
		}, Direct: true,
	}
	byList := &plots.Panel{Title: "(d) A long enough list of what was just shown helps", X: delay, Y: perMille}
	outage := &plots.Panel{
		Title: "(e) An outage shows repeats until it is caught up",
		X:     plots.Axis{Label: "minutes since the stream stopped", Min: -30, Max: 120}, Y: perMille,
		Guides: []plots.Guide{
			{At: 0, Label: "stops", Vertical: true},
			{At: 30, Label: "back", Vertical: true},
			{At: 60, Label: "caught up", Vertical: true},
		},
	}
	bytes := &plots.Panel{
		Title: "(f) By time, most users' lists are empty",
		X:     plots.Axis{Label: "bytes per user", Scale: plots.Log, Format: plots.Number},
		Key: []plots.Look{
			{Name: "mean over all users", Color: plots.Grey, Mark: plots.Circle},
			{Name: "longest", Color: plots.Grey, Mark: plots.Ring},
		},
	}

	single := func(q results.Query) plots.Group { return d.Find(q).Of("single") }
	add := func(p *plots.Panel, l plots.Look, q results.Query) {
		p.Add(plots.Series{Look: l, Points: perThousand(single(q)), Join: true})
	}
	line := func(l plots.Look, speed float64, list string) {
		minutes := results.Find(results.QRepeatRate, by.Minute.Open(), by.Speed.At(speed), by.List.Is(list))
		outage.Add(plots.Series{Look: l, Line: perThousand(single(minutes))})
	}
	dot := func(place int, l plots.Look, statistic, list results.Condition) {
		q := results.Find(results.QListBytes, statistic, list, by.Delay.At(60))
		if p, ok := single(q).Total(); ok && p.Y > 0 {
			bytes.Dots(l, plots.At(bytes.Place(place), p.Y))
		}
	}
	named := func(name string) plots.Look { l := d.Look("single"); l.Name = name; return l }
	add(byPace, named("irregularly"), repeats)
	for _, p := range paces {
		add(byPace, p.look, repeats.With(by.Refresh.At(p.every)))
	}
	theory := by.Formula.Is(results.ExactFormula)
	ahead.Add(plots.Series{
		Look: named("fixed delay"), Points: single(overtaken).Points(), Line: single(overtaken.With(theory)).Theory(),
	})
	ahead.Add(plots.Series{
		Look:   plots.Look{Name: "exponential delay", Color: plots.Grey, Dash: plots.Dash{3, 2}, Mark: plots.Ring},
		Points: single(overtaken.With(exponential)).Points(),
		Line:   single(overtaken.With(exponential, theory)).Theory(),
	})
	for _, g := range d.Find(repeats) {
		byStrategy.Add(plots.Series{Look: d.Look(g.Strategy), Points: perThousand(g), Join: true})
	}
	add(byList, named("No list"), repeats)
	line(named("No list"), 2, "")
	for _, l := range lists {
		bytes.Y.Names = append(bytes.Y.Names, l.Name)
	}
	for i, l := range lists {
		list := by.List.Is(l.value)
		add(byList, l.Look, repeats.With(list))
		if i > 0 { // the outage is tried without the shortest
			line(l.Look, 2, l.value)
		}
		dot(i, l.Solid(), mean, list)
		dot(i, l.Hollow(), longest, list)
	}
	line(plots.Look{Name: "No list, caught up at ten times the speed", Color: plots.Black, Dash: plots.Dash{4, 2}}, 10, "")
	return plots.Sheet{
		Grid:   plots.Grid(2, byPace, ahead, byStrategy, byList, outage, bytes),
		Height: 150,
		Note: "Unless stated otherwise: the single filter of Wang's lecture, which never forgets; users refresh " +
			"irregularly, at pauses of 10 s plus an exponential of mean 170 s; a fixed delay; no list. Marks: measured, " +
			"with 95 % intervals; lines in (b): theory. In (c), queue and chain forget as well, and single does not. " +
			"(d) to (f), and the legend: a short exact list beside the filter, of the last articles or of a span of time. " +
			"In (e): averages over five minutes; 5 s of delay otherwise; the backlog is read at twice the speed, and " +
			"caught up with as marked, or at ten times.",
	}
}

// perThousand are the points of a group in thousandths.
func perThousand(g plots.Group) []plots.Point {
	return plots.Map(g.Points(), func(p plots.Point) plots.Point {
		return plots.Point{X: p.X, Y: 1000 * p.Y, Low: 1000 * p.Low, High: 1000 * p.High}
	})
}
