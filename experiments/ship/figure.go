package ship

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are a user's history sent to the candidates, and candidates sent to the
// history.
var Figures = []plots.Figure{{
	Name:  "ship",
	Title: "From some number of candidates on, it takes less to send the history than the candidates",
	Caption: "Bytes and time where a user's history is shipped to the recall server and tested there, " +
		"and where the candidates are sent to the history and a bit comes back for each: " +
		"from some number of candidates on, shipping takes fewer bytes.",
	Experiment: results.Ship, Query: bytesOf(shipped), Strategies: plots.All, Build: ship,
}}

// bytesOf and timeOf are what a way takes by candidates, timeOf over a network that is
// modelled.
func bytesOf(way results.Condition) results.Query {
	return results.Find(results.QBytes, way, by.Candidates.Open())
}

func timeOf(way results.Condition, network string) results.Query {
	return results.Find(results.QRequestTime, way, by.Network.Is(network), by.Candidates.Open())
}

// networks are those that have a panel: the narrow and near one, where bytes tell
// most, and the wide and far one, where they tell least.
var networks = []struct{ title, name string }{
	{"(c) Model, 1 Gbit/s and 0.1 ms: bytes decide", "1 Gbit/s and 0.1 ms"},
	{"(d) Model, 10 Gbit/s and 0.5 ms: alike", "10 Gbit/s and 0.5 ms"},
}

func ship(d plots.Data) plots.Sheet {
	candidates := plots.Axis{Label: "candidates of a request", Scale: plots.Log, Min: 30, Max: 5000, Format: plots.Number}
	bytes := &plots.Panel{
		Title: "(a) Many candidates take more bytes than a history",
		X:     candidates,
		Y:     plots.Axis{Label: "bytes of request and answer", Scale: plots.Log, Min: 100, Max: 1e5, Format: plots.Number},
	}
	for _, g := range d.Find(bytesOf(shipped)) {
		bytes.Add(plots.Series{Look: look(d, g.Strategy), Line: g.Theory(), Points: g.Points()})
	}
	if sent := d.Find(bytesOf(asked)); len(sent) > 0 { // they take the same for any history
		bytes.Add(plots.Series{Look: plots.Look{
			Name: "Candidates sent to the history", Color: plots.SkyBlue, Dash: plots.Dash{4, 2}, Mark: plots.Down.Hollow(),
		}, Line: sent[0].Theory(), Points: sent[0].Points()})
	}
	times := &plots.Panel{
		Title:  "(b) Measured: filters gain with candidates",
		X:      candidates,
		Y:      plots.Axis{Label: "candidates sent / history sent", Format: plots.Multiple, Max: 1.2},
		Guides: []plots.Guide{{At: 1, Label: "equal"}},
	}
	measured := d.Find(results.Find(results.QTimeRatio, by.Candidates.Open()))
	for i, g := range measured {
		points := plots.Aside(g.Points(), i, len(measured))
		times.Add(plots.Series{Look: look(d, g.Strategy), Points: points, Join: true, Unnamed: true})
		for _, p := range points {
			times.Y.Max = max(times.Y.Max, 1.05*p.High)
		}
	}
	panels := []*plots.Panel{bytes, times}
	var modelled []*plots.Panel
	for _, n := range networks {
		p := &plots.Panel{
			Title: n.title, X: candidates, Y: plots.Axis{Label: times.Y.Label, Format: plots.Multiple},
			Guides: []plots.Guide{{At: 1, Label: "equal"}},
		}
		asking := d.Find(timeOf(asked, n.name))
		for _, g := range d.Find(timeOf(shipped, n.name)) {
			p.Add(plots.Series{Look: look(d, g.Strategy), Line: over(asking, g.Theory()), Unnamed: true})
		}
		modelled = append(modelled, p)
	}
	plots.SameY(modelled...)
	panels = append(panels, modelled...)
	return plots.Sheet{
		Grid:   plots.Grid(2, panels...),
		Height: 170,
		Note: "By strategy: the history is sent to the candidates and tested there. " +
			"Lines in (a): closed forms; marks: counted. " +
			"(b): over the loopback of one machine, one request after the other; medians and intervals of the ratio " +
			"within a turn, side by side at 40, 400 and 4000 candidates; above 1, sending the history is faster. " +
			"(c) and (d): the same ratio by a model of the bytes and one round trip of the time named; " +
			"where the round trip is most of the time, there is little to choose. " +
			"Histories hold 600 articles; the daily lanes a month of 4500. " +
			"In (a), (c) and (d) the single filter and the chain coincide.",
	}
}

// over are the times of a request whose candidates are sent, over those of a history at
// the same x.
func over(asking plots.Groups, shipped []plots.Point) (ratios []plots.Point) {
	if len(asking) == 0 {
		return nil
	}
	for _, sent := range asking[0].Theory() {
		for _, s := range shipped {
			if s.X == sent.X && s.Y > 0 {
				ratios = append(ratios, plots.At(s.X, sent.Y/s.Y))
			}
		}
	}
	return ratios
}

// look is a strategy's look, but that the lanes, here beside the chain, are not as
// green.
func look(d plots.Data, strategy string) plots.Look {
	l := d.Look(strategy)
	if strategy == "daily" {
		l.Color = plots.Purple
	}
	return l
}
