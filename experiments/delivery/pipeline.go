package delivery

import (
	"context"
	"fmt"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/workload"
)

// Pipeline measures repeats that are shown because a stream has not recorded the articles yet. The single filter of
// Wang's lecture never forgets, so the stream causes all repeats.
var Pipeline = experiment.Experiment{
	Name:       results.Pipeline,
	About:      "the live path: repeats by a stream's delay and outage, by the pace of refreshes, with a list at the edge",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{delayed, outages} },
	Dimensions: []results.Dimension{by.Delay, by.Law, by.Refresh, by.List, by.Speed, by.Cause, by.Statistic},
	Rows:       pipelineRows, Figures: pipelineFigures, Tables: pipelineTables,
}

// delays in seconds: none, a few, the fastest refreshes (10 to 20), up to an overloaded job.
var delays = []int{0, 1, 5, 10, 20, 30, 60, 120, 300, 600}

// A path is a setting of the live path: a pace of refreshes, a stream, and a list at the edge.
type path struct {
	where       []results.Condition
	every       int // seconds between refreshes; 0 for the users' own pace
	exponential bool
	speed       uint32 // of reading after the outage (Outage.Speed); 0 for no outage
	edge        Edge
}

// paths are measured with each delay, outagePaths with a delay of five seconds and an outage of half an hour
// from noon of the second day.
var (
	paths = []path{
		{},
		{where: []results.Condition{by.Law.Is("exponential")}, exponential: true},
		paced(20), paced(60), paced(300),
		{where: []results.Condition{by.List.Is("20 articles")}, edge: Edge{Articles: 20}},
		{where: []results.Condition{by.List.Is("2 min")}, edge: Edge{Seconds: 120}},
		{where: []results.Condition{by.List.Is("1 h")}, edge: Edge{Seconds: 3600}},
	}
	outagePaths = []path{caughtUp(2), caughtUp(10)}
)

func paced(every int) path {
	return path{where: []results.Condition{by.Refresh.At(float64(every))}, every: every}
}

func caughtUp(speed uint32) path {
	return path{where: []results.Condition{by.Speed.At(float64(speed))}, speed: speed}
}

func (l path) population(habits workload.DailyConfig, seed uint64, users int) workload.Daily {
	if l.every > 0 {
		habits.LeastPause, habits.PauseMean = l.every, 0
	}
	return catalogue.Must(workload.NewDailyOf(habits, seed, users))
}

func (l path) stream(delay int) Stream {
	s := Stream{Delay: 1000 * uint64(delay), Exponential: l.exponential}
	if l.speed > 0 {
		const from = workload.Horizon/2 + 12*3600
		s.Outage = Outage{From: from, To: from + 1800, Speed: l.speed}
	}
	return s
}

var (
	delayed = piped("pipeline", paths, delays, func(s engine.Scope) int { return max(500, s.Users/1000) })
	outages = piped("pipeline-outages", outagePaths, []int{5}, func(s engine.Scope) int { return max(1000, s.Users/200) })
)

// piped returns a measurement that counts repeats by path, then by delay.
func piped(name string, paths []path, delays []int, all func(engine.Scope) int) engine.Measurement[[][]pipelineCounts] {
	return engine.Measurement[[][]pipelineCounts]{
		Name: name, Users: all, Cost: float64(2 * len(paths) * len(delays)),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found [][]pipelineCounts, err error) {
			r.Expect(users.Len() * len(paths) * len(delays))
			memory := catalogue.Must(single.New(single.Paper))
			for _, l := range paths {
				population, byDelay := l.population(r.Daily(), r.Seed, all(r.Scope)), make([]pipelineCounts, len(delays))
				for i, delay := range delays {
					byDelay[i], err = measureStream(ctx, r.Options, memory, population, users, l.stream(delay), l.edge)
					if err != nil {
						return nil, err
					}
				}
				found = append(found, byDelay)
			}
			return found, nil
		},
	}
}

func pipelineRows(r *engine.Run) (rows, timing []results.Row) {
	late, stopped := delayed.Of(r), outages.Of(r)
	for i, l := range paths {
		number := func(quantity, unit string, value, count int64, where ...results.Condition) {
			r := row.Number("single", quantity, unit, float64(value)).Among(count)
			rows = append(rows, r.With(l.where...).With(where...))
		}
		for j, delay := range delays {
			c, at := late[i][j], by.Delay.At(float64(delay))
			rows = append(rows, row.Rate("single", results.QRepeatRate, c.Repeats).With(l.where...).With(at))
			number(results.QRepeats, "", c.Repeats.Hits, c.Repeats.Queries, at)
			if l.edge == (Edge{}) { // also repeats when nothing is unrecorded
				number(results.QRepeats, "", c.Settled.Hits, c.Settled.Queries, by.Cause.Is("other than delay"), at)
				continue
			}
			entry := int64(8) // bytes: an ID, and a time if the list is limited by age
			if l.edge.Seconds > 0 {
				entry += 4
			}
			number(results.QListBytes, results.Bytes, entry*int64(c.Longest), c.Users, by.Statistic.Is("most"), at)
		}
	}
	for i, l := range outagePaths {
		c, o := stopped[i][0], l.stream(0).Outage
		until := row.Number("single", results.QUntilNormal, "", max(0, float64(c.Last)-float64(o.To))/60)
		repeats := row.Number("single", results.QRepeats, "", float64(c.Faults)).With(by.Cause.Is("outage"))
		rows = append(rows, until.Expect((o.CaughtUp()-float64(o.To))/60).With(l.where...).Among(c.Faults),
			repeats.With(l.where...).Among(c.Repeats.Queries))
	}
	return rows, nil
}

var byDelay = results.Find(results.QRepeatRate, by.Delay.Open())

var pipelineFigures = []plots.Figure{{
	Name: "pipeline", Experiment: results.Pipeline, Query: byDelay, Build: repeatsOfDelay,
	Title: "Repeats shown if recording is late, without and with a list of the latest articles",
	Caption: "What was shown reaches the filter through a stream: repeats shown by the delay and by how often " +
		"users refresh, and with a short exact list of what was just shown.",
}}

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
	a, b := panel("(a) By how often users refresh"), panel("(b) By what the list contains")
	add(a, plots.Look{Name: "every 20 s", Color: plots.Wine, Mark: plots.Down}, by.Refresh.At(20))
	add(a, plots.Look{Name: "every minute", Color: plots.Indigo, Mark: plots.Pentagon}, by.Refresh.At(60))
	add(a, plots.Look{Name: "irregularly", Color: plots.Vermillion, Mark: plots.Square})
	add(a, plots.Look{Name: "every 5 min", Color: plots.Slate, Mark: plots.Hexagon}, by.Refresh.At(300))
	add(b, plots.Look{Name: "no list", Color: plots.Vermillion, Mark: plots.Square})
	add(b, plots.Look{Name: "the last 2 min", Color: plots.Brown, Mark: plots.Diamond}, by.List.Is("2 min"))
	add(b, plots.Look{Name: "the last 20 articles", Color: plots.SkyBlue, Mark: plots.Up}, by.List.Is("20 articles"))
	add(b, plots.Look{Name: "the last hour", Color: plots.Slate, Mark: plots.Ring}, by.List.Is("1 h"))
	return plots.Sheet{
		Columns: 2, Height: 190, Panels: []*plots.Panel{a, b},
		Note: "The single filter of Wang's lecture, which never forgets. Irregular pauses are 10 s plus an " +
			"exponential time of mean 170 s. (b): users refresh irregularly, and a list beside the filter contains the " +
			"latest articles. The tables list its bytes, and an outage of half an hour.",
	}
}

const repeatsAtDelay = "repeats per article shown of single at delay=*"

var pipelineTables = []text.Table{
	{
		Heading: func(c results.Cells) string { // says how high rates of 0 may be
			highest := 0.
			for _, r := range c.Of(results.Pipeline) {
				if r.Quantity == results.QRepeatRate && r.Value.Or(1) == 0 {
					highest = max(highest, r.High.Or(0))
				}
			}
			return fmt.Sprintf("The live path: repeats of a single filter per 1000 articles shown, by the seconds until "+
				"it knows; 0 is below %.2g", 1000*highest)
		},
		Lines: results.Q("pipeline: " + repeatsAtDelay),
		Columns: []text.Column{
			text.Condition("seconds", by.Delay),
			text.Value("irregular pauses", repeatsAtDelay, text.PerThousand),
			text.Value("and an exponential delay", repeatsAtDelay+", law=exponential", text.PerThousand),
			text.Value("every 20 s", repeatsAtDelay+", refresh=20", text.PerThousand),
			text.Value("every minute", repeatsAtDelay+", refresh=60", text.PerThousand),
			text.Value("every 5 min", repeatsAtDelay+", refresh=300", text.PerThousand),
			text.Value("with a list of 20 articles", repeatsAtDelay+", list=20 articles", text.PerThousand),
			text.Value("of 2 min", repeatsAtDelay+", list=2 min", text.PerThousand),
			text.Value("of 1 h", repeatsAtDelay+", list=1 h", text.PerThousand),
		},
	},
	{
		Title: "Lists at the edge of what was just shown, in bytes",
		Lines: results.Q("pipeline: list bytes of single at statistic=most, delay=60, list=*"),
		Columns: []text.Column{
			text.Condition("list", by.List),
			text.Value("longest", "list bytes at statistic=most, delay=60, list=*", text.Of),
		},
	},
	{
		Title: "An outage of the stream for half an hour: repeats that are its fault, and how long until there are none",
		Lines: results.Q("pipeline: minutes until normal at speed=*"),
		Columns: []text.Column{
			text.Condition("times as fast afterwards", by.Speed),
			text.Value("repeats", "repeats at speed=*, cause=outage", text.Of),
			text.Value("minutes until normal [theory]", "minutes until normal at speed=*",
				text.AndTheory(func(v float64) string { return fmt.Sprintf("%.3g", v) })),
		},
	},
}
