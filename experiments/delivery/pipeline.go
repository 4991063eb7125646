package delivery

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Pipeline measures repeats that users see because a stream has not yet recorded what they were shown.
var Pipeline = experiment.Experiment{
	Name:  results.Pipeline,
	About: "the live path: repeats by a stream's delay and outage, by the pace of refreshes, with a list at the edge",
	Needs: func(engine.Scope) []engine.Task { return []engine.Task{delayed, outages} },
	Dimensions: []results.Dimension{
		by.Delay, by.Law, by.Refresh, by.List, by.Speed, by.Minute, by.Cause, by.Formula, by.Statistic,
	},
	Rows: pipelineRows, Figures: pipelineFigures, Tables: pipelineTables,
}

// delays in seconds: none, a few, the fastest refreshes (10 to 20), up to those of an overloaded job.
var delays = []int{0, 1, 5, 10, 20, 30, 60, 120, 300, 600}

// lists are the exact lists tried beside a history, as values of the dimension List; edges has their limits.
var lists = []string{"20 articles", "100 articles", "2 min", "1 h"}

var edges = map[string]Edge{
	"20 articles": {Articles: 20}, "100 articles": {Articles: 100}, "2 min": {Seconds: 120}, "1 h": {Seconds: 3600},
}

// The outage lasts half an hour from noon of the second day. At other times the delay is five seconds.
const (
	outageFrom    = workload.Horizon/2 + 12*3600
	outageLasts   = 1800
	outageDelay   = 5
	outageMinutes = Bin / 60.
)

// Values of the dimensions Law and Cause, and the two lengths of a list.
var (
	exponential = by.Law.Is("exponential")
	late        = by.Cause.Is("late")             // no record of the article had landed
	settled     = by.Cause.Is("other than delay") // every record had landed
	ofOutage    = by.Cause.Is("outage")
	longest     = by.Statistic.Is("most")
	mean        = by.Statistic.Is("mean") // over all users and the two days
)

// A lane is a live path: a memory, a pace of refreshes, a stream, a list.
type lane struct {
	memory      string
	every       int // seconds between refreshes; 0 for the users' own pace
	exponential bool
	speed       uint32 // of catching up after the outage; 0 without an outage
	list        string // of edges
}

func (l lane) where() []results.Condition {
	where := []results.Condition{by.List.Is(l.list)}
	if l.exponential {
		where = append(where, exponential)
	}
	if l.every > 0 {
		where = append(where, by.Refresh.At(float64(l.every)))
	}
	if l.speed > 0 {
		where = append(where, by.Speed.At(float64(l.speed)))
	}
	return where
}

// lanes are measured with each delay. The lecture's single filter never forgets, so all its repeats are due to the
// stream. The queue forgets without false positives, the chain with some.
var lanes = func() []lane {
	all := []lane{{memory: "single"}, {memory: "queue"}, {memory: "chain"}, {memory: "single", exponential: true}}
	for _, every := range []int{10, 20, 60, 300} {
		all = append(all, lane{memory: "single", every: every})
	}
	for _, every := range []int{0, 10} {
		for _, list := range lists {
			all = append(all, lane{memory: "single", every: every, list: list})
		}
	}
	return all
}()

var outageLanes = []lane{
	{memory: "single", speed: 2},
	{memory: "single", speed: 10},
	{memory: "chain", speed: 2},
	{memory: "single", speed: 2, list: "100 articles"},
	{memory: "single", speed: 2, list: "2 min"},
	{memory: "single", speed: 2, list: "1 h"},
}

func (l lane) population(seed uint64, users int) workload.Daily {
	habits := workload.DefaultDaily()
	if l.every > 0 {
		habits.LeastPause, habits.PauseMean = l.every, 0
	}
	return catalogue.Must(workload.NewDailyOf(habits, seed, users))
}

func (l lane) stream(delay int) Stream {
	s := Stream{Delay: 1000 * uint64(delay), Exponential: l.exponential}
	if l.speed > 0 {
		s.Outage = Outage{From: outageFrom, To: outageFrom + outageLasts, Speed: l.speed}
	}
	return s
}

// delayed measures the lanes with each delay. outages measures those with the outage, with more users, because each
// five minutes are counted separately.
var (
	delayed = measurement("pipeline", lanes, delays, func(s engine.Scope) int { return max(500, s.Users/1000) })
	outages = measurement("pipeline-outages", outageLanes, []int{outageDelay},
		func(s engine.Scope) int { return max(1000, s.Users/200) })
)

// measurement counts by lane, then by delay.
func measurement(
	name string, lanes []lane, delays []int, all func(engine.Scope) int,
) engine.Measurement[[][]PipelineCounts] {
	return engine.Measurement[[][]PipelineCounts]{
		Name: name, Users: all, Cost: float64(2 * len(lanes) * len(delays)),
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found [][]PipelineCounts, err error) {
			r.Expect(users.Len() * len(lanes) * len(delays))
			for _, l := range lanes {
				memory := catalogue.Must(catalogue.Must(catalogue.Find(l.memory)).Make())
				population := l.population(r.Seed, all(r.Scope))
				byDelay := make([]PipelineCounts, len(delays))
				for i, delay := range delays {
					byDelay[i], err = PipelineMeasure(ctx, r.Options, memory, population, users, l.stream(delay), edges[l.list])
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
		habits := l.population(r.Seed, 1).Config()
		for j, delay := range delays {
			rows = append(rows, l.rows(habits, delay, late[i][j])...)
		}
		if l.memory == "single" && l.every == 0 && l.list == "" {
			rows = append(rows, l.curve(habits)...)
		}
	}
	for i, l := range outageLanes {
		rows = append(rows, l.outage(stopped[i][0])...)
	}
	return rows, nil, nil
}

func (l lane) rows(habits workload.DailyConfig, delay int, c PipelineCounts) []results.Row {
	rows := []results.Row{l.rate(results.QRepeatRate, c.Repeats), l.repeats(c.Repeats)}
	if l.list != "" {
		rows = append(rows, l.bytes(c)...)
	} else {
		rows = append(rows, l.rate(results.QRepeatRate, c.Late).With(late), l.repeats(c.Settled).With(settled))
		if l.memory == "single" { // it is the same with the others
			rows = append(rows, l.rate(results.QOvertaken, c.Overtaken).Expect(l.ahead(habits, delay)))
		}
	}
	for i, r := range rows {
		rows[i] = r.With(by.Delay.At(float64(delay)))
	}
	return rows
}

func (l lane) rate(quantity string, r measure.Rate) results.Row {
	return row.Rate(results.Pipeline, l.memory, quantity, r).With(l.where()...)
}

func (l lane) number(quantity, unit string, value float64, count int64) results.Row {
	return row.Number(results.Pipeline, l.memory, quantity, unit, value).Among(count).With(l.where()...)
}

func (l lane) repeats(r measure.Rate) results.Row {
	return l.number(results.QRepeats, "", float64(r.Hits), r.Queries)
}

func (l lane) outage(c PipelineCounts) (rows []results.Row) {
	for i, r := range c.Over {
		minute := by.Minute.At((float64(i) - Before + 0.5) * outageMinutes)
		rows = append(rows, l.rate(results.QRepeatRate, r).With(minute))
	}
	o := l.stream(outageDelay).Outage
	until := l.number(results.QUntilNormal, "", max(0, float64(c.Last)-float64(o.To))/60, c.Faults)
	if l.list == "" { // with a list repeats may end earlier
		until = until.Expect((o.CaughtUp() - float64(o.To)) / 60)
	}
	faults := l.number(results.QRepeats, "", float64(c.Faults), c.Repeats.Queries)
	rows = append(rows, until, faults.With(ofOutage))
	if l.list != "" {
		rows = append(rows, l.bytes(c)...)
	}
	return rows
}

func (l lane) bytes(c PipelineCounts) []results.Row {
	e := edges[l.list]
	entry := int64(8) // an ID, and the second in which the article was shown where its age matters
	if e.Seconds > 0 {
		entry += 4
	}
	held := float64(entry*c.EdgeSeconds) / float64(workload.Horizon*c.Users)
	average := l.number(results.QListBytes, results.Bytes, held, c.Users).With(mean)
	if e.Articles == 0 { // what comes in, times how long it stays (Little 1961)
		each := float64(entry*int64(e.Seconds)) / workload.Horizon
		average = average.Expect(each * float64(c.Repeats.Queries) / float64(c.Users))
	}
	most := l.number(results.QListBytes, results.Bytes, float64(entry*c.EdgeLongest), c.Users).With(longest)
	return []results.Row{most, average}
}

// ahead returns the expected share of refreshes that come before the previous refresh is recorded.
func (l lane) ahead(habits workload.DailyConfig, delay int) float64 {
	if l.exponential && delay > 0 {
		return habits.OvertakenExponential(float64(delay))
	}
	return habits.Overtaken(float64(delay))
}

// curve returns rows of ahead for a line: at whole seconds, twelve to a power of ten.
func (l lane) curve(habits workload.DailyConfig) (rows []results.Row) {
	last := 0
	for i := 0; last < slices.Max(delays); i++ {
		delay := int(math.Round(math.Pow(10, float64(i)/12)))
		if delay > last && delay <= slices.Max(delays) {
			at := row.Theory(results.Pipeline, l.memory, results.QOvertaken, results.Ratio, l.ahead(habits, delay))
			where := append(l.where(), by.Formula.Is(results.ExactFormula), by.Delay.At(float64(delay)))
			rows = append(rows, at.With(where...))
		}
		last = delay
	}
	return rows
}
