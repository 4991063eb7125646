package pipeline

import (
	"context"
	"math"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// Experiment is pipeline.
var Experiment = experiment.Experiment{
	Name: results.Pipeline, About: "the live path: repeats by a stream's delay and outage, by the pace of refreshes, with a list at the edge",
	Needs: func(run.Scope) []run.Task { return []run.Task{delayed.Task(), outages.Task()} },
	Rows:  rows, Figures: Figures, Tables: tables,
}

// delayedUsers is how many users live their days on the live path with each
// delay, and outageUsers with each outage, whose minutes are counted apart.
func delayedUsers(s run.Scope) int { return max(500, s.Users/1000) }
func outageUsers(s run.Scope) int  { return max(1000, s.Users/200) }

// delays are in seconds: from none over a stream's few seconds and the
// fastest refreshes (10 to 20) to what an overloaded job may take.
var delays = []int{0, 1, 5, 10, 20, 30, 60, 120, 300, 600}

// edges are those of results.EdgeLists, in its order.
var edges = []Edge{{}, {Articles: 20}, {Articles: 100}, {Seconds: 120}, {Seconds: 3600}}

// The outage: from noon of the second day, when histories hold a day and a half, for
// half an hour, in a stream that takes five seconds otherwise.
const (
	outageFrom    = workload.Horizon/2 + 12*3600
	outageLasts   = 1800
	outageDelay   = 5
	outageMinutes = Bin / 60.
)

// A lane is a live path: with what memory, at what pace, by what stream.
type lane struct {
	memory      string
	every       int // seconds between refreshes; 0 for the users' own
	exponential bool
	speed       uint32 // of catching up after the outage; 0 where there is none
	list        int    // of edges
}

// says is what stands behind a lane's quantities.
func (l lane) says() string {
	s := results.Every(l.every)
	if l.exponential {
		s += results.Exponentially
	}
	if l.speed > 0 {
		s += results.CaughtUpAt(int(l.speed))
	}
	return s + results.EdgeLists[l.list]
}

// lanes are those that live with each delay. The lecture's one filter never
// forgets: with it, all repeats are the stream's fault. The queue forgets without
// an error, the chain with some.
var lanes = func() (all []lane) {
	for _, memory := range []string{"single", "queue", "chain"} {
		all = append(all, lane{memory: memory})
	}
	all = append(all, lane{memory: "single", exponential: true})
	for _, every := range []int{10, 20, 60, 300} {
		all = append(all, lane{memory: "single", every: every})
	}
	for _, every := range []int{0, 10} {
		for list := 1; list < len(edges); list++ {
			all = append(all, lane{memory: "single", every: every, list: list})
		}
	}
	return all
}()

// outageLanes are those that live with the outage.
var outageLanes = []lane{
	{memory: "single", speed: 2},
	{memory: "single", speed: 10},
	{memory: "chain", speed: 2},
	{memory: "single", speed: 2, list: 2},
	{memory: "single", speed: 2, list: 3},
	{memory: "single", speed: 2, list: 4},
}

// make makes the memory that a lane names.
func (l lane) make() (catalogue.Strategy, error) {
	e, err := catalogue.Find(l.memory)
	if err != nil {
		return nil, err
	}
	return e.Make()
}

// population is the daily population at a lane's pace.
func (l lane) population(seed uint64, users int) (workload.Daily, error) {
	habits := workload.DefaultDaily()
	if l.every > 0 {
		habits.LeastPause, habits.PauseMean = l.every, 0
	}
	return workload.NewDailyOf(habits, seed, users)
}

// stream is a lane's, with a delay in seconds.
func (l lane) stream(delay int) Stream {
	s := Stream{Delay: 1000 * uint64(delay), Exponential: l.exponential}
	if l.speed > 0 {
		s.Outage = Outage{From: outageFrom, To: outageFrom + outageLasts, Speed: l.speed}
	}
	return s
}

// counted is by lane and then by delay, of which an outage has one.
type counted = [][]Counts

// live lets these users live with each of the lanes, at each of the delays.
func live(ctx context.Context, r *run.Run, lanes []lane, delays []int, population int, users measure.Range) (all counted, err error) {
	r.Expect(users.Len() * len(lanes) * len(delays))
	for _, l := range lanes {
		memory, err := l.make()
		if err != nil {
			return nil, err
		}
		population, err := l.population(r.Seed, population)
		if err != nil {
			return nil, err
		}
		var byDelay []Counts
		for _, delay := range delays {
			c, err := Measure(ctx, r.Options, memory, population, users, l.stream(delay), edges[l.list])
			if err != nil {
				return nil, err
			}
			byDelay = append(byDelay, c)
		}
		all = append(all, byDelay)
	}
	return all, nil
}

// delayed measures the lanes with each delay, and outages those with the outage.
var (
	delayed = run.Measurement[counted]{
		Name: "pipeline", Users: delayedUsers, Cost: float64(2 * len(lanes) * len(delays)),
		Make: func(ctx context.Context, r *run.Run, users measure.Range) (counted, error) {
			return live(ctx, r, lanes, delays, delayedUsers(r.Scope), users)
		},
	}
	outages = run.Measurement[counted]{
		Name: "pipeline-outages", Users: outageUsers, Cost: float64(2 * len(outageLanes)),
		Make: func(ctx context.Context, r *run.Run, users measure.Range) (counted, error) {
			return live(ctx, r, outageLanes, []int{outageDelay}, outageUsers(r.Scope), users)
		},
	}
)

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	late, err := delayed.Of(r)
	if err != nil {
		return nil, nil, err
	}
	stopped, err := outages.Of(r)
	if err != nil {
		return nil, nil, err
	}
	for i, l := range lanes {
		population, err := l.population(r.Seed, 1)
		if err != nil {
			return nil, nil, err
		}
		for j, delay := range delays {
			rows = append(rows, l.rows(population.Config(), delay, late[i][j])...)
		}
		if l.memory == "single" && l.every == 0 && l.list == 0 {
			rows = append(rows, l.curve(population.Config())...)
		}
	}
	for i, l := range outageLanes {
		rows = append(rows, l.outage(stopped[i][0])...)
	}
	return rows, nil, nil
}

// rows are those of a delay.
func (l lane) rows(habits workload.DailyConfig, delay int, c Counts) (rows []results.Row) {
	rows = append(rows, l.rate(results.QAgain, c.Repeats), l.number(results.QAgainCount, "", float64(c.Repeats.Hits), c.Repeats.Queries))
	if l.list > 0 {
		rows = append(rows, l.bytes(c)...)
	} else {
		rows = append(rows, l.rate(results.QAgainLate, c.Late), l.number(results.QAgainSettled, "", float64(c.Settled.Hits), c.Settled.Queries))
		if l.memory == "single" { // it is the same with the others
			rows = append(rows, l.rate(results.QOvertaken, c.Overtaken).Expect(l.ahead(habits, delay)))
		}
	}
	for i, r := range rows {
		rows[i] = r.At(float64(delay))
	}
	return rows
}

// rate is the row of a lane's rate.
func (l lane) rate(quantity string, r measure.Rate) results.Row {
	return row.Rate(results.Pipeline, l.memory, quantity+l.says(), r)
}

// number is the row of a lane's number.
func (l lane) number(quantity, unit string, value float64, count int64) results.Row {
	return row.Number(results.Pipeline, l.memory, quantity+l.says(), unit, value).Among(count)
}

// outage is the rows of a lane with the outage.
func (l lane) outage(c Counts) (rows []results.Row) {
	for i, r := range c.Over {
		rows = append(rows, l.rate(results.QAgainByMinute, r).At((float64(i)-Before+0.5)*outageMinutes))
	}
	o := l.stream(outageDelay).Outage
	until := l.number(results.QUntilNormal, "", max(0, float64(c.Last)-float64(o.To))/60, c.Faults)
	if l.list == 0 { // a list may be enough before
		until = until.Expect((o.CaughtUp() - float64(o.To)) / 60)
	}
	rows = append(rows, until, l.number(results.QAgainOutage, "", float64(c.Faults), c.Repeats.Queries))
	if l.list > 0 {
		rows = append(rows, l.bytes(c)...)
	}
	return rows
}

// bytes is the rows of what a lane's list takes.
func (l lane) bytes(c Counts) []results.Row {
	e := edges[l.list]
	entry := int64(e.EntryBytes())
	mean := l.number(results.QListMean, results.Bytes, float64(entry*c.EdgeSeconds)/float64(workload.Horizon*c.Users), c.Users)
	if e.Articles == 0 { // what comes in, times how long it stays (Little 1961)
		each := float64(entry*int64(e.Seconds)) / workload.Horizon
		mean = mean.Expect(each * float64(c.Repeats.Queries) / float64(c.Users))
	}
	return []results.Row{l.number(results.QListLongest, results.Bytes, float64(entry*c.EdgeLongest), c.Users), mean}
}

// ahead is the theory of how often a refresh comes before what was shown at the one
// before is known.
func (l lane) ahead(habits workload.DailyConfig, delay int) float64 {
	if l.exponential && delay > 0 {
		return habits.OvertakenExponential(float64(delay))
	}
	return habits.Overtaken(float64(delay))
}

// curve is that theory, densely: at whole seconds, twelve to a power of ten.
func (l lane) curve(habits workload.DailyConfig) (rows []results.Row) {
	last := 0
	for i := 0; ; i++ {
		delay := int(math.Round(math.Pow(10, float64(i)/12)))
		if delay > slices.Max(delays) {
			return rows
		}
		if delay == last {
			continue
		}
		last = delay
		quantity := results.QOvertaken + l.says() + results.Densely
		rows = append(rows, row.Theory(results.Pipeline, l.memory, quantity, results.Ratio, l.ahead(habits, delay)).At(float64(delay)))
	}
}
