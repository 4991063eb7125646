package delivery

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
	"dejavu/strategies"
	"dejavu/workload"
)

// Pipeline measures repeats shown because a stream has not yet recorded the articles. The memory is the single filter
// of Wang's lecture, which never forgets: the stream causes all its repeats.
var Pipeline = experiment.Experiment{
	Name:       results.Pipeline,
	About:      "the live path: repeats by a stream's delay and outage, by the pace of refreshes, with a list at the edge",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{delayed, outages} },
	Dimensions: []results.Dimension{by.Delay, by.Law, by.Refresh, by.List, by.Speed, by.Cause, by.Statistic},
	Rows:       pipelineRows, Figures: pipelineFigures, Tables: pipelineTables,
}

// delays in seconds: none, a few, the fastest refreshes (10 to 20), up to an overloaded job.
var delays = []int{0, 1, 5, 10, 20, 30, 60, 120, 300, 600}

// A lane is a live path: a pace of refreshes, a stream, and a list at the edge.
type lane struct {
	where       []results.Condition
	every       int // seconds between refreshes; 0 for the users' own pace
	exponential bool
	speed       uint32 // of catching up after the outage; 0 without an outage
	edge        Edge
}

// lanes are measured with each delay, outageLanes with an outage of half an hour from noon of the second day and a
// delay of five seconds.
var (
	lanes = []lane{
		{},
		{where: []results.Condition{by.Law.Is("exponential")}, exponential: true},
		paced(20), paced(60), paced(300),
		{where: []results.Condition{by.List.Is("20 articles")}, edge: Edge{Articles: 20}},
		{where: []results.Condition{by.List.Is("2 min")}, edge: Edge{Seconds: 120}},
		{where: []results.Condition{by.List.Is("1 h")}, edge: Edge{Seconds: 3600}},
	}
	outageLanes = []lane{caughtUp(2), caughtUp(10)}
)

func paced(every int) lane {
	return lane{where: []results.Condition{by.Refresh.At(float64(every))}, every: every}
}

func caughtUp(speed uint32) lane {
	return lane{where: []results.Condition{by.Speed.At(float64(speed))}, speed: speed}
}

func (l lane) population(habits workload.DailyConfig, seed uint64, users int) workload.Daily {
	if l.every > 0 {
		habits.LeastPause, habits.PauseMean = l.every, 0
	}
	return catalogue.Must(workload.NewDailyOf(habits, seed, users))
}

func (l lane) stream(delay int) Stream {
	s := Stream{Delay: 1000 * uint64(delay), Exponential: l.exponential}
	if l.speed > 0 {
		const from = workload.Horizon/2 + 12*3600
		s.Outage = Outage{From: from, To: from + 1800, Speed: l.speed}
	}
	return s
}

var (
	delayed = piped("pipeline", lanes, delays, func(s engine.Scope) int { return max(500, s.Users/1000) })
	outages = piped("pipeline-outages", outageLanes, []int{5}, func(s engine.Scope) int { return max(1000, s.Users/200) })
)

// piped counts by lane, then by delay.
func piped(name string, lanes []lane, delays []int, all func(engine.Scope) int) engine.Measurement[[][]PipelineCounts] {
	return engine.Measurement[[][]PipelineCounts]{
		Name: name, Users: all, Cost: float64(2 * len(lanes) * len(delays)),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found [][]PipelineCounts, err error) {
			r.Expect(users.Len() * len(lanes) * len(delays))
			memory := catalogue.Must(single.New(single.Paper))
			for _, l := range lanes {
				population, byDelay := l.population(r.Daily(), r.Seed, all(r.Scope)), make([]PipelineCounts, len(delays))
				for i, delay := range delays {
					byDelay[i], err = PipelineMeasure(ctx, r.Options, memory, population, users, l.stream(delay), l.edge)
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

func pipelineRows(r *engine.Run) (rows, timing []results.Row, err error) {
	late, lateErr := delayed.Of(r)
	stopped, stoppedErr := outages.Of(r)
	if err := cmp.Or(lateErr, stoppedErr); err != nil {
		return nil, nil, err
	}
	for i, l := range lanes {
		for j, delay := range delays {
			c, at := late[i][j], by.Delay.At(float64(delay))
			repeats := row.Rate(results.Pipeline, "single", results.QRepeatRate, c.Repeats).With(l.where...)
			rows = append(rows, repeats.With(at), l.repeats(c.Repeats.Hits, c.Repeats.Queries).With(at))
			if l.edge == (Edge{}) {
				settled := l.repeats(c.Settled.Hits, c.Settled.Queries) // every record had landed
				rows = append(rows, settled.With(by.Cause.Is("other than delay"), at))
				continue
			}
			entry := int64(8) // an ID, and the second in which the article was shown if its age matters
			if l.edge.Seconds > 0 {
				entry += 4
			}
			longest := l.number(results.QListBytes, results.Bytes, float64(entry*c.Longest), c.Users)
			rows = append(rows, longest.With(by.Statistic.Is("most"), at))
		}
	}
	for i, l := range outageLanes {
		c, o := stopped[i][0], l.stream(0).Outage
		until := l.number(results.QUntilNormal, "", max(0, float64(c.Last)-float64(o.To))/60, c.Faults)
		rows = append(rows, until.Expect((o.CaughtUp()-float64(o.To))/60),
			l.repeats(c.Faults, c.Repeats.Queries).With(by.Cause.Is("outage")))
	}
	return rows, nil, nil
}

func (l lane) number(quantity, unit string, value float64, count int64) results.Row {
	return row.Number(results.Pipeline, "single", quantity, unit, value).Among(count).With(l.where...)
}

func (l lane) repeats(hits, of int64) results.Row {
	return l.number(results.QRepeats, "", float64(hits), of)
}

// A Stream takes what was shown to the history: an event log, a job that reads it, a write.
type Stream struct {
	// Delay is the time in milliseconds from showing an article to recording it in the history. With Exponential it is
	// the mean, and records may overtake each other.
	Delay       uint64
	Exponential bool
	Outage      Outage // of the job; none if its Speed is 0
}

// An Outage is a time, From to To in seconds, in which a job reads nothing. Afterwards the job reads the log in order,
// Speed times as fast as it was written, until it has caught up. The log is assumed to grow evenly, as with many users,
// so that each user can be simulated alone.
type Outage struct {
	From, To uint32
	Speed    uint32 // at least 2
}

// CaughtUp returns the second at which the job has caught up.
func (o Outage) CaughtUp() float64 { return float64(o.To) + float64(o.To-o.From)/float64(o.Speed-1) }

// lands returns the millisecond at which a second's articles are in the history, delay after the job has read them.
func (s Stream) lands(second uint32, delay uint64) uint64 {
	at := uint64(second) * 1000
	if o := s.Outage; o.Speed > 0 && second >= o.From {
		at = max(at, uint64(o.To)*1000+uint64(second-o.From)*1000/uint64(o.Speed))
	}
	return at + delay
}

// An Edge is an exact list of a user's latest articles, asked beside the history. The zero Edge is no list.
type Edge struct {
	Articles int    // maximum length; 0 for any
	Seconds  uint32 // maximum age; 0 for any
}

// PipelineCounts counts articles that users were shown again.
type PipelineCounts struct {
	Users   int64        `json:"users"`              // all of them, also those who never came
	Repeats measure.Rate `json:"repeats"`            // articles shown; those that had been shown before
	Settled measure.Rate `json:"settled"`            // the same of refreshes at which every record had landed
	Longest int64        `json:"longest" sum:"most"` // articles in the longest list
	Faults  int64        `json:"faults"`             // repeats whose record is later than the delay, due to the outage
	Last    int64        `json:"last" sum:"most"`    // the second of the last of these, or 0
}

// PipelineMeasure simulates two days of each user with a history that a stream updates. A refresh asks the history as
// it is then, and the list at the edge, shows the first candidates that pass both, and sends them to the stream. A
// record that lands at the moment of a refresh is known to it. Idle users are not forgotten.
func PipelineMeasure(ctx context.Context, o measure.Options, s strategies.Strategy, population workload.Daily,
	users measure.Range, stream Stream, edge Edge,
) (PipelineCounts, error) {
	return measure.Each(ctx, o, users, func() (*PipelineCounts, func(user int)) {
		c := population.Config()
		p := &pipe{
			strategy: s, population: population, stream: stream, edge: edge, history: make([]byte, slices.Max(s.Sizes())),
			articles: make([]int32, c.Recalled), ages: make([]int, c.Recalled), recalled: make([]strategies.ID, c.Recalled),
			seen: make([]bool, c.Recalled), perRefresh: c.PerRefresh,
		}
		return &p.counts, p.live
	})
}

type pipe struct {
	strategy   strategies.Strategy
	population workload.Daily
	stream     Stream
	edge       Edge
	counts     PipelineCounts

	history []byte
	shown   []int32 // what the user was shown, oldest first, by number in the user's order
	ids     []strategies.ID
	at      []uint32 // seconds
	onWay   []transit
	first   int // index in shown of the first article in the list at the edge

	articles   []int32 // the candidates of a refresh
	ages       []int
	recalled   []strategies.ID
	seen       []bool
	perRefresh int

	repeats, settled measure.Rate // one user's counts, added to the sums of all users at the end
}

// A transit is the record of a refresh: shown[from:to], and when it lands.
type transit struct {
	lands    uint64
	from, to int
}

func (p *pipe) live(user int) {
	p.history, p.shown, p.ids, p.at, p.onWay = p.history[:0], p.shown[:0], p.ids[:0], p.at[:0], p.onWay[:0]
	p.first, p.repeats, p.settled = 0, measure.Rate{}, measure.Rate{}
	p.counts.Users++
	visitor, delays := p.population.Visitor(user), p.population.Delays(user)
	now, ok := visitor.Next()
	for step := 0; ok; step++ {
		before := len(p.shown)
		p.land(uint64(now) * 1000)
		for t := p.edge.Seconds; t > 0 && p.first < before && now-p.at[p.first] >= t; p.first++ {
		}
		visitor.Recall(p.shown, p.articles, p.ages, p.recalled)
		p.strategy.Seen(p.history, p.recalled, p.seen)
		if p.show(now); len(p.shown) > before {
			delay := p.stream.Delay
			if p.stream.Exponential {
				delay = delays.Exponential(step, delay)
			}
			p.onWay = append(p.onWay, transit{p.stream.lands(now, delay), before, len(p.shown)})
		}
		now, ok = visitor.Next()
	}
	add := func(to *measure.Rate, r measure.Rate) {
		if r.Queries > 0 {
			to.Add(int(r.Queries), int(r.Hits))
		}
	}
	add(&p.counts.Repeats, p.repeats)
	add(&p.counts.Settled, p.settled)
}

func (p *pipe) land(now uint64) {
	if p.stream.Exponential {
		slices.SortStableFunc(p.onWay, func(a, b transit) int { return cmp.Compare(a.lands, b.lands) })
	}
	due := 0
	for ; due < len(p.onWay) && p.onWay[due].lands <= now; due++ {
		p.history = p.strategy.Record(p.history, p.ids[p.onWay[due].from:p.onWay[due].to])
	}
	p.onWay = slices.Delete(p.onWay, 0, due)
}

func (p *pipe) show(now uint32) {
	before, repeats := len(p.shown), int64(0)
	for i, seen := range p.seen {
		if seen || len(p.shown)-before == p.perRefresh {
			continue
		}
		article := p.articles[i]
		if p.ages[i] > 0 {
			if p.edge != (Edge{}) && slices.Contains(p.shown[p.first:before], article) {
				continue
			}
			repeats++
			earliest := p.at[slices.Index(p.shown, article)]
			if p.stream.Outage.Speed > 0 && uint64(earliest)*1000+p.stream.Delay <= uint64(now)*1000 {
				p.counts.Faults++
				p.counts.Last = max(p.counts.Last, int64(now))
			}
		}
		p.shown, p.ids, p.at = append(p.shown, article), append(p.ids, p.recalled[i]), append(p.at, now)
	}
	shown := int64(len(p.shown) - before)
	p.repeats.Queries, p.repeats.Hits = p.repeats.Queries+shown, p.repeats.Hits+repeats
	if len(p.onWay) == 0 {
		p.settled.Queries, p.settled.Hits = p.settled.Queries+shown, p.settled.Hits+repeats
	}
	if p.edge.Articles > 0 {
		p.first = max(p.first, len(p.shown)-p.edge.Articles)
	}
	if p.edge != (Edge{}) {
		p.counts.Longest = max(p.counts.Longest, int64(len(p.shown)-p.first))
	}
}

// byDelay finds the repeats by how late they are recorded.
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
	a, b := panel("(a) By how often users refresh"), panel("(b) By what the list holds")
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
			"exponential of mean 170 s. (b): users refresh irregularly, and a list beside the filter holds the latest " +
			"articles exactly. The tables list its bytes, and an outage of half an hour.",
	}
}

const repeatsAtDelay = "repeats per article shown of single at delay=*"

var pipelineTables = []text.Table{
	{
		Heading: func(c results.Cells) string { // with the highest rate that can be where none was found
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
		Title: "The stream stands still for half an hour: repeats that are its fault, and how long until there are none",
		Lines: results.Q("pipeline: minutes until normal at speed=*"),
		Columns: []text.Column{
			text.Condition("times as fast afterwards", by.Speed),
			text.Value("repeats", "repeats at speed=*, cause=outage", text.Of),
			text.Value("minutes until normal [theory]", "minutes until normal at speed=*",
				text.AndTheory(func(v float64) string { return fmt.Sprintf("%.3g", v) })),
		},
	},
}
