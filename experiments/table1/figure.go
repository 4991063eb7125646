package table1

import (
	"slices"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are Table 1 as a drawing: of the paper's strategies, and of the structures
// beyond the paper.
var Figures = []plots.Figure{
	{
		Name:       "table1",
		Title:      "No strategy of the paper is best in memory, false positives and window at once",
		Caption:    "Bytes per user, false positives, the window and the time of a request for each strategy; stars are what the paper states.",
		Experiment: results.Table1, Query: results.Find(results.QPayloadPerUser), Build: table1,
	},
	{
		Name:       "beyond-table1",
		Title:      "Beyond the paper, quotient is the smallest that lasts, and the best chain the fastest",
		Caption:    "Bytes per user, false positives, the window and the time of a request of structures that the sources name or that are in the literature.",
		Experiment: results.Table1, Query: results.Find(results.QPayloadPerUser), Strategies: plots.Beyond, Build: table1,
	},
}

// table1 shows the trade-off at a glance: what each strategy costs, how often it
// is wrong, and how far back its window reaches.
func table1(d plots.Data) plots.Sheet {
	find := func(quantity string, where ...results.Condition) plots.Groups {
		return d.Find(results.Find(quantity, where...))
	}
	payloads := find(results.QPayloadPerUser)
	shown := slices.DeleteFunc(d.NamesIn(payloads), func(strategy string) bool {
		_, known := payloads.Of(strategy).Total()
		return !known
	})
	var names []string
	for _, strategy := range shown {
		names = append(names, d.Look(strategy).Name)
	}
	column := func(title string, x plots.Axis) *plots.Panel {
		return &plots.Panel{Title: title, X: x, Y: plots.Axis{Names: names, Blank: true}}
	}
	memory := column("Memory per user", plots.Axis{Label: "bytes (less is better)"})
	memory.Y.Blank = false
	rate := column("False positives", plots.Axis{Label: "rate (less is better)", Scale: plots.Log, Min: 1e-4, Max: 1, Format: plots.Power, Labels: 3})
	window := column("Window", plots.Axis{Label: "articles (more is better)", Labels: 4})
	time := column("Time of a request", plots.Axis{Label: "median (less is better)", Scale: plots.Log, Format: plots.Duration, Labels: 3})

	headers := find(results.QHeaderPerUser)
	for i, strategy := range shown {
		look, place := d.Look(strategy).Solid(), memory.Place(i)
		dot := func(p *plots.Panel, of plots.Groups, mark plots.Mark) {
			if q, ok := of.Of(strategy).Total(); ok {
				q.X = place
				p.Dots(look.With(mark), q)
			}
		}
		payload, _ := payloads.Of(strategy).Total()
		header, _ := headers.Of(strategy).Total()
		memory.Bar(look, place, payload.Y+header.Y)
		dot(rate, find(results.QFPR, worst), plots.Ring)
		dot(rate, find(results.QFPR, mean), plots.Circle)
		for _, q := range find(results.QFPR, by.Lifetime.Open()).Of(strategy).Points() {
			rate.Dots(look.With(plots.Ring), plots.Point{X: place, Y: q.Y, Low: q.Low, High: q.High})
		}
		if q, ok := find(results.QWindow, least).Of(strategy).Total(); ok {
			window.Bar(look, place, q.Y)
		}
		dot(window, find(results.QWindow, mean), plots.Ring)
		dot(time, find(results.QRequestTime, by.Candidates.At(40), median), plots.Circle)
	}
	key := func(name string, mark plots.Mark) plots.Look {
		return plots.Look{Name: name, Color: plots.Grey, Mark: mark}
	}
	memory.Key = []plots.Look{key("with headers", plots.Square)}
	rate.Key = []plots.Look{key("mean over a cycle", plots.Circle), key("worst moment", plots.Ring)}
	window.Key = []plots.Look{key("guaranteed", plots.Square), key("mean", plots.Ring)}
	time.Key = []plots.Look{key("median", plots.Circle)}
	note := "A full history. In false positives, what never forgets has no cycle: its rings are after 500, 1000 and 2000 articles, from left to right."
	for _, of := range []struct {
		panel *plots.Panel
		rows  plots.Groups
	}{{memory, payloads}, {rate, find(results.QFPR, by.Articles.At(500))}} {
		stated := plots.Series{Look: plots.PaperLook, Sideways: true, Unnamed: true}
		for i, strategy := range shown {
			for _, r := range of.rows.Of(strategy).Rows {
				if v, ok := r.Paper.Get(); ok {
					stated.Points = append(stated.Points, plots.At(memory.Place(i), v))
				}
			}
		}
		of.panel.Add(stated)
		if len(stated.Points) > 0 {
			of.panel.Key = append(of.panel.Key, plots.PaperLook)
		}
	}
	return plots.Sheet{Grid: plots.Grid(4, memory, rate, window, time), Height: 60 + 20*float64(len(shown)), Note: note}
}
