package delivery

import (
	"fmt"
	"slices"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// byDelay are the repeats by how late they are recorded.
var byDelay = results.Find(results.QRepeatRate, by.Delay.Open())

var pipelineFigures = []plots.Figure{{
	Name: "pipeline", Experiment: results.Pipeline, Query: byDelay, Build: repeatsOfDelay,
	Title: "Repeats shown when recording is late, without and with a list of what was just shown",
	Caption: "What was shown reaches the filter through a stream: repeats shown by the delay and by how often " +
		"users refresh, and with a short exact list of what was just shown.",
}}

// repeatsOfDelay is of a single filter.
func repeatsOfDelay(d plots.Data) plots.Sheet {
	panel := func(title string) *plots.Panel {
		return &plots.Panel{
			Title: title, Direct: true,
			X: plots.Axis{Label: "delay until recorded, seconds", Scale: plots.Log, Min: 1, Max: 700, Format: plots.Number},
			Y: plots.Axis{Label: "repeats among articles shown", Max: 0.11, Format: plots.Percent},
		}
	}
	add := func(p *plots.Panel, look plots.Look, where ...results.Condition) {
		p.Add(d.Joined(byDelay.Of("single").With(where...), look)...)
	}
	a, b := panel("(a) By how often users refresh"), panel("(b) With a list of what was just shown")
	dashed, dotted := plots.Dash{6, 2}, plots.Dash{2, 2}
	add(a, plots.Look{Name: "every 20 s", Color: plots.Slate, Dash: dashed, Mark: plots.Down}, by.Refresh.At(20))
	add(a, plots.Look{Name: "every minute", Color: plots.Grey, Dash: plots.Dash{4, 1.5, 1, 1.5}, Mark: plots.Pentagon},
		by.Refresh.At(60))
	add(a, plots.Look{Name: "at irregular pauses", Color: plots.Vermillion, Mark: plots.Square})
	add(a, plots.Look{Name: "every 5 min", Color: plots.Slate, Dash: dotted, Mark: plots.Hexagon}, by.Refresh.At(300))
	add(b, plots.Look{Name: "no list (irregular pauses)", Color: plots.Vermillion, Mark: plots.Square})
	add(b, plots.Look{Name: "list of 2 min", Color: plots.Slate, Dash: dashed, Mark: plots.Diamond.Hollow()},
		by.List.Is("2 min"))
	add(b, plots.Look{Name: "list of the last 20", Color: plots.Grey, Dash: dotted, Mark: plots.Up.Hollow()},
		by.List.Is("20 articles"))
	add(b, plots.Look{Name: "list of 1 h", Color: plots.Slate, Mark: plots.Pentagon.Hollow()}, by.List.Is("1 h"))
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{a, b},
		Note: "The single filter of Wang's lecture, which never forgets. Irregular pauses are 10 s plus an " +
			"exponential of mean 170 s. (b): at irregular pauses, with an exact list beside the filter, of the " +
			"last articles or of a span of time. The tables have its bytes, and an outage of half an hour.",
	}
}

var pipelineTables = []text.Table{
	{
		Heading: belowWhat,
		Lines:   results.Q("pipeline: repeats per article shown of single at delay=*"),
		Columns: []text.Column{
			text.Condition("seconds", by.Delay),
			text.Value("single", "repeats per article shown of single at delay=*", text.PerThousand),
			text.Values("queue", withLate,
				"repeats per article shown of queue at delay=*",
				"repeats per article shown of queue at cause=late, delay=*"),
			text.Values("chain", withLate,
				"repeats per article shown of chain at delay=*",
				"repeats per article shown of chain at cause=late, delay=*"),
			text.Value("single, exponential delay", "repeats per article shown of single at delay=*, "+
				"law=exponential", text.PerThousand),
			text.Value("refreshes that come first [theory]", "overtaken of single at delay=*", text.WithTheory),
			text.Value("with an exponential delay", "overtaken of single at delay=*, law=exponential", text.WithTheory),
		},
	},
	{
		Title: "The same, for single, by the seconds between a user's refreshes",
		Lines: results.Q("pipeline: repeats per article shown of single at delay=*, refresh=10"),
		Columns: append([]text.Column{text.Condition("seconds", by.Delay)},
			text.Each("repeats per article shown of single at "+
				"delay=*", by.Refresh, text.PerThousand, "10", "20", "60", "300")...),
	},
	{
		Title: "The same, single with a list at the edge",
		Lines: results.Q("pipeline: repeats per article shown of single at delay=*, list=2 min"),
		Columns: append([]text.Column{text.Condition("seconds", by.Delay)},
			text.Each("repeats per article shown of single at "+
				"delay=*", by.List, text.PerThousand, "20 articles", "100 articles", "2 min", "1 h")...),
	},
	{
		Title: "The same, single with a list, where users refresh every 10 s",
		Lines: results.Q("pipeline: repeats per article shown of single at delay=*, refresh=10, list=2 min"),
		Columns: append([]text.Column{text.Condition("seconds", by.Delay)},
			text.Each("repeats per article shown of single at delay=*, "+
				"refresh=10", by.List, text.PerThousand, "20 articles", "100 articles", "2 min", "1 h")...),
	},
	{
		Title: "Lists at the edge of what was just shown: bytes of a user, also where users refresh every 10 s",
		Lines: results.Q("pipeline: list bytes of single at statistic=most, delay=60, list=*"),
		Columns: []text.Column{
			text.Condition("list", by.List),
			text.Value("longest", "list bytes of single at delay=60, list=*, statistic=most", text.Of),
			text.Value("mean [theory]", "list bytes of single at delay=60, list=*, statistic=mean", bytesAndTheory),
			text.Value("of ten million", "list bytes of single at delay=60, list=*, statistic=mean", ofTenMillion),
			text.Value("longest, 10 s", "list bytes of single at refresh=10, delay=60, list=*, "+
				"statistic=most", text.Of),
			text.Value("mean [theory], 10 s", "list bytes of single at refresh=10, delay=60, list=*, "+
				"statistic=mean", bytesAndTheory),
			text.Value("of ten million, 10 s", "list bytes of single at refresh=10, delay=60, list=*, "+
				"statistic=mean", ofTenMillion),
		},
	},
	{
		Title: "The stream stands still for half an hour: repeats per 1000 shown, and how long until there are none",
		Lines: results.Q("pipeline: minutes until normal at speed=*"),
		Columns: append([]text.Column{text.Strategy("strategy"), text.Condition("times as fast afterwards", by.Speed)},
			outage("speed=*")...),
	},
	{
		Title: "The same with a list at the edge, caught up with at twice the speed",
		Lines: results.Q("pipeline: minutes until normal at list=*, speed=*"),
		Columns: slices.Concat([]text.Column{text.Condition("list", by.List)}, outage("list=*, speed=*"),
			[]text.Column{text.Value("longest list", "list bytes at statistic=most, list=*, speed=*", text.Of)}),
	},
}

// outage has columns of an outage: of the time before it, of its end, and of what comes after.
func outage(where string) []text.Column {
	repeats := "repeats per article shown at " + where + ", minute="
	return []text.Column{
		text.Values("the half hour before", allPerThousand, repeats+"-27.5", repeats+"-22.5", repeats+"-17.5",
			repeats+"-12.5", repeats+"-7.5", repeats+"-2.5"),
		text.Value("its last five minutes", repeats+"27.5", text.PerThousand),
		text.Value("repeats that are its fault", "repeats at "+where+", cause=outage", text.Of),
		text.Value("minutes until normal [theory]", "minutes until normal at "+where, withMinutes),
	}
}

// withLate is how many of a thousand are repeats and, in brackets, how many of them are only late.
func withLate(r ...results.Row) string {
	said := text.PerThousand(r[0])
	if late := r[1]; late.Value.IsSet() && late.Value != r[0].Value {
		said += " [" + text.PerThousand(late) + "]"
	}
	return said
}

var bytesAndTheory = text.AndTheory(func(v float64) string { return fmt.Sprintf("%.3g B", v) })

func ofTenMillion(r results.Row) string { return text.Bytes(1e7 * r.Value.Or(0)) }

func withMinutes(r results.Row) string {
	said := text.Of(r)
	if theory, ok := r.Theory.Get(); ok {
		said += fmt.Sprintf(" [%.3g]", theory)
	}
	return said
}

func allPerThousand(r ...results.Row) string {
	repeats, shown := 0., int64(0)
	for _, one := range r {
		repeats, shown = repeats+one.Value.Or(0)*float64(one.Count), shown+one.Count
	}
	return fmt.Sprintf("%.3g", 1000*repeats/float64(max(shown, 1)))
}

// belowWhat is a title with the most that a rate of which not one was found can be.
func belowWhat(c results.Cells) string {
	most := 0.
	for _, r := range c.Of(results.Pipeline) {
		if r.Quantity == results.QRepeatRate && r.Where.Of(by.Delay) != "" && r.Value.Or(1) == 0 {
			most = max(most, r.High.Or(0))
		}
	}
	return fmt.Sprintf("The live path: repeats per 1000 articles shown by the seconds until the history knows "+
		"[of them late, where it forgets, too]; 0 is below %.2g", 1000*most)
}
