package delivery

import (
	"slices"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// sent finds the bytes of a request that ships a history, and answered the bytes of one that asks for candidates.
var (
	sent     = results.Find(results.QBytes, shipped, by.Candidates.Open())
	answered = results.Find(results.QBytes, shipAsked, by.Candidates.Open())
)

var shipFigures = []plots.Figure{{
	Name: "ship", Experiment: results.Ship, Query: sent, Strategies: plots.All, Build: compared,
	Title: "Sending the user's history, or the candidates: bytes and time",
	Caption: "Bytes and time where a user's history is shipped to the recall server and tested there, and where " +
		"the candidates are sent to the history and a bit comes back for each, by the number of candidates.",
}}

func compared(d plots.Data) plots.Sheet {
	candidates := plots.Axis{
		Label: "candidates of a request", Scale: plots.Log, Min: 30, Max: 5000, Format: plots.Number,
	}
	bytes := &plots.Panel{
		Title: "(a) Bytes to send and answer", Direct: true, X: candidates,
		Y: plots.Axis{
			Label: "bytes of request and answer (less is " +
				"better)", Scale: plots.Log, Min: 100, Max: 1e5, Format: plots.Bytes,
		},
	}
	for _, one := range []struct {
		results.Query
		plots.Look
	}{
		{sent.Of("daily"), d.Look("daily")},
		{sent.Of("queue"), d.Look("queue")},
		// A single filter takes the same bytes, but for a header.
		{sent.Of("chain"), plots.Look{Name: "Chain, single filter", Color: plots.Green, Mark: plots.Diamond}},
		// These bytes are the same for any history.
		{answered.Of("queue"), plots.Look{
			Name: "The candidates", Color: plots.Grey, Dash: plots.Dash{4, 2}, Mark: plots.Down.Hollow(),
		}},
	} {
		for _, s := range d.Series(one.Query, one.Query) {
			s.Look = one.Look
			bytes.Add(s)
		}
	}
	times := &plots.Panel{
		Title: "(b) Time of asking over shipping", Direct: true, X: candidates,
		Y:      plots.Axis{Label: "times faster (more is better)", Format: plots.Multiple},
		Guides: []plots.Guide{{At: 1, Label: "the candidates"}},
	}
	times.Add(d.Joined(results.Find(results.QTimeRatio, by.Candidates.Open()))...)
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{bytes, times},
		Note: "Sent are histories after 600 articles, of daily lanes a month of 4500, or the candidates: 40, 400 " +
			"or 4000. The two filters, made for 500, have one size. (b): medians over the loopback of one machine. " +
			"The table has times between distant machines.",
	}
}

var bySize = []string{"40", "400", "4000"}

var shipTables = []text.Table{
	{
		Title: "Ship the history or ask for the candidates: bytes of request and answer, of asking by the number " +
			"of candidates",
		Lines: results.Q("ship: break-even"),
		Columns: slices.Concat(
			[]text.Column{
				text.Strategy("strategy"),
				text.Value("shipped, any number", "bytes at way=shipped, candidates=40", text.Of),
			},
			text.Each("bytes at way=asked", by.Candidates, text.Of, bySize...),
			[]text.Column{text.Value("shipping takes fewer from", "break-even", text.Of)},
		),
	},
	{
		Heading: func(c results.Cells) string {
			trip, _ := c.One(results.Q("ship: round trip"))
			return "A request over the loopback of one machine, by candidates: shipped / asked (asked over shipped " +
				"within a turn); a newcomer's, for nothing: " + text.Of(trip)
		},
		Lines: results.Q("ship: time ratio at candidates=40"),
		Columns: text.ByStrategy(by.Candidates, bySize, ways,
			"request time at statistic=p50, way=shipped", "request time at statistic=p50, way=asked", "time ratio"),
	},
	{
		Title: "The same over a network, by arithmetic: a round trip and the bytes, shipped / asked",
		Lines: results.Q("ship: request time at statistic=p50, way=shipped, candidates=*"),
		Columns: slices.Insert(
			text.ByStrategy(by.Network, wireNames(), ways,
				"request time at way=shipped, candidates=*", "request time at way=asked, candidates=*"),
			1, text.Condition("candidates", by.Candidates)),
	},
}

func wireNames() (names []string) {
	for _, n := range wires {
		names = append(names, n.name)
	}
	return names
}

// ways writes "shipped / asked (ratio, its interval)", without what is missing.
func ways(r ...results.Row) string {
	s := text.Of(r[0])
	if r[1].Quantity != "" {
		s += " / " + text.Of(r[1])
	}
	if len(r) > 2 && r[2].Quantity != "" {
		s += " (" + text.Ratio(r[2]) + ")"
	}
	return s
}
