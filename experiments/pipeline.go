package main

import (
	"math"
	"slices"

	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
	"dejavu/workload"
)

const pipelineName = "pipeline"

// pipelineReaders is how many readers live their days on the live path with each
// delay, and outageReaders with each outage, whose minutes are counted apart.
func pipelineReaders(users int) int { return max(500, users/1000) }
func outageReaders(users int) int   { return max(1000, users/200) }

// pipelineDelays are in seconds: from none over a stream's few seconds and the
// fastest refreshes (10 to 20) to what an overloaded job may take.
var pipelineDelays = []int{0, 1, 5, 10, 20, 30, 60, 120, 300, 600}

// edges are those of results.EdgeLists, in its order.
var edges = []measure.Edge{{}, {Articles: 20}, {Articles: 100}, {Seconds: 120}, {Seconds: 3600}}

// The outage: from noon of the second day, when histories hold a day and a half, for
// half an hour, in a stream that takes five seconds otherwise.
const (
	outageFrom    = workload.Horizon/2 + 12*3600
	outageLasts   = 1800
	outageDelay   = 5
	outageMinutes = measure.PipelineBin / 60.
)

// A pipelineLane is a live path: with what memory, at what pace, by what stream.
type pipelineLane struct {
	memory      string
	every       int // seconds between refreshes; 0 for the readers' own
	exponential bool
	speed       uint32 // of catching up after the outage; 0 where there is none
	list        int    // of edges
}

// says is what stands behind a lane's quantities.
func (l pipelineLane) says() string {
	s := results.Every(l.every)
	if l.exponential {
		s += results.Exponentially
	}
	if l.speed > 0 {
		s += results.CaughtUpAt(int(l.speed))
	}
	return s + results.EdgeLists[l.list]
}

// pipelineLanes are those that live with each delay. The lecture's one filter never
// forgets: with it, all repeats are the stream's fault. The queue forgets without
// an error, the chain with some.
var pipelineLanes = func() (lanes []pipelineLane) {
	for _, memory := range []string{"single", "queue", "chain"} {
		lanes = append(lanes, pipelineLane{memory: memory})
	}
	lanes = append(lanes, pipelineLane{memory: "single", exponential: true})
	for _, every := range []int{10, 20, 60, 300} {
		lanes = append(lanes, pipelineLane{memory: "single", every: every})
	}
	for _, every := range []int{0, 10} {
		for list := 1; list < len(edges); list++ {
			lanes = append(lanes, pipelineLane{memory: "single", every: every, list: list})
		}
	}
	return lanes
}()

// outageLanes are those that live with the outage.
var outageLanes = []pipelineLane{
	{memory: "single", speed: 2},
	{memory: "single", speed: 10},
	{memory: "chain", speed: 2},
	{memory: "single", speed: 2, list: 2},
	{memory: "single", speed: 2, list: 3},
	{memory: "single", speed: 2, list: 4},
}

// pipelineMemory makes what a lane names.
func pipelineMemory(name string) (catalogue.Strategy, error) {
	switch name {
	case "queue":
		return queue.New(queue.Paper)
	case "chain":
		return chain.New(chain.Paper)
	default:
		return single.New(single.Paper)
	}
}

// population is the daily population at a lane's pace.
func (l pipelineLane) population(seed uint64, users int) (workload.Daily, error) {
	habits := workload.DefaultDaily()
	if l.every > 0 {
		habits.LeastPause, habits.PauseMean = l.every, 0
	}
	return workload.NewDailyOf(habits, seed, users)
}

// stream is a lane's, with a delay in seconds.
func (l pipelineLane) stream(delay int) measure.Stream {
	s := measure.Stream{Delay: 1000 * uint64(delay), Exponential: l.exponential}
	if l.speed > 0 {
		s.Outage = measure.Outage{From: outageFrom, To: outageFrom + outageLasts, Speed: l.speed}
	}
	return s
}

// A pipelineResult is by lane, then by delay; outages have one.
type pipelineResult struct {
	Lanes   [][]measure.PipelineCounts
	Outages []measure.PipelineCounts
}

func (r pipelineResult) plus(next pipelineResult) pipelineResult {
	for i := range r.Lanes {
		for j := range r.Lanes[i] {
			r.Lanes[i][j].Add(next.Lanes[i][j])
		}
	}
	for i := range r.Outages {
		r.Outages[i].Add(next.Outages[i])
	}
	return r
}

// live lets a share of so many readers live with a lane.
func (s *suite) live(l pipelineLane, delay, users int) (c measure.PipelineCounts, err error) {
	memory, err := pipelineMemory(l.memory)
	if err != nil {
		return c, err
	}
	population, err := l.population(s.seed, users)
	if err != nil {
		return c, err
	}
	return measure.Pipeline(s.ctx, s.options, memory, population, s.share(users), l.stream(delay), edges[l.list])
}

// livePath measures all lanes.
func (s *suite) livePath() (pipelineResult, error) {
	return measured(s, pipelineName, func() (r pipelineResult, err error) {
		many, more := pipelineReaders(s.users), outageReaders(s.users)
		s.progress.expect(s.share(many).Len()*len(pipelineLanes)*len(pipelineDelays) + s.share(more).Len()*len(outageLanes))
		for _, l := range pipelineLanes {
			var byDelay []measure.PipelineCounts
			for _, delay := range pipelineDelays {
				c, err := s.live(l, delay, many)
				if err != nil {
					return r, err
				}
				byDelay = append(byDelay, c)
			}
			r.Lanes = append(r.Lanes, byDelay)
		}
		for _, l := range outageLanes {
			c, err := s.live(l, outageDelay, more)
			if err != nil {
				return r, err
			}
			r.Outages = append(r.Outages, c)
		}
		return r, nil
	})
}

// pipeline is what readers see again while it is not yet known that they saw it.
func pipeline(s *suite) (rows, timing []results.Row, err error) {
	found, err := s.livePath()
	if err != nil {
		return nil, nil, err
	}
	for i, l := range pipelineLanes {
		population, err := l.population(s.seed, 1)
		if err != nil {
			return nil, nil, err
		}
		for j, delay := range pipelineDelays {
			rows = append(rows, l.rows(population.Config(), delay, found.Lanes[i][j])...)
		}
		if l.memory == "single" && l.every == 0 && l.list == 0 {
			rows = append(rows, l.curve(population.Config())...)
		}
	}
	for i, l := range outageLanes {
		rows = append(rows, l.outage(found.Outages[i])...)
	}
	return rows, nil, nil
}

// rows are those of a delay.
func (l pipelineLane) rows(habits workload.DailyConfig, delay int, c measure.PipelineCounts) (rows []results.Row) {
	x, says := results.Num(float64(delay)), l.says()
	add := func(r results.Row) {
		r.X = x
		rows = append(rows, r)
	}
	again := number(results.Pipeline, l.memory, results.QAgainCount+says, "", float64(c.Repeats.Hits))
	again.Count = c.Repeats.Queries
	add(rate(results.Pipeline, l.memory, results.QAgain+says, c.Repeats))
	add(again)
	if l.list > 0 {
		for _, r := range l.bytes(c) {
			add(r)
		}
		return rows
	}
	settled := number(results.Pipeline, l.memory, results.QAgainSettled+says, "", float64(c.Settled.Hits))
	settled.Count = c.Settled.Queries
	add(rate(results.Pipeline, l.memory, results.QAgainLate+says, c.Late))
	add(settled)
	if l.memory == "single" { // it is the same with the others
		ahead := rate(results.Pipeline, l.memory, results.QOvertaken+says, c.Overtaken)
		ahead.Theory = results.Num(l.ahead(habits, delay))
		add(ahead)
	}
	return rows
}

// outage is the rows of a lane with the outage.
func (l pipelineLane) outage(c measure.PipelineCounts) (rows []results.Row) {
	for i, r := range c.Over {
		row := rate(results.Pipeline, l.memory, results.QAgainByMinute+l.says(), r)
		row.X = results.Num((float64(i) - measure.PipelineBefore + 0.5) * outageMinutes)
		rows = append(rows, row)
	}
	o := l.stream(outageDelay).Outage
	until := number(results.Pipeline, l.memory, results.QUntilNormal+l.says(), "", max(0, float64(c.Last)-float64(o.To))/60)
	until.Count = c.Faults
	if l.list == 0 { // a list may be enough before
		until.Theory = results.Num((o.CaughtUp() - float64(o.To)) / 60)
	}
	faults := number(results.Pipeline, l.memory, results.QAgainOutage+l.says(), "", float64(c.Faults))
	faults.Count = c.Repeats.Queries
	rows = append(rows, until, faults)
	if l.list > 0 {
		rows = append(rows, l.bytes(c)...)
	}
	return rows
}

// bytes is the rows of what a lane's list takes.
func (l pipelineLane) bytes(c measure.PipelineCounts) []results.Row {
	e := edges[l.list]
	entry := int64(e.EntryBytes())
	longest := number(results.Pipeline, l.memory, results.QListLongest+l.says(), results.Bytes, float64(entry*c.EdgeLongest))
	mean := number(results.Pipeline, l.memory, results.QListMean+l.says(), results.Bytes, float64(entry*c.EdgeSeconds)/float64(workload.Horizon*c.Readers))
	longest.Count, mean.Count = c.Readers, c.Readers
	if e.Articles == 0 { // what comes in, times how long it stays (Little 1961)
		each := float64(entry*int64(e.Seconds)) / workload.Horizon
		mean.Theory = results.Num(each * float64(c.Repeats.Queries) / float64(c.Readers))
	}
	return []results.Row{longest, mean}
}

// ahead is the theory of how often a refresh comes before what was shown at the one
// before is known.
func (l pipelineLane) ahead(habits workload.DailyConfig, delay int) float64 {
	if l.exponential && delay > 0 {
		return habits.OvertakenExponential(float64(delay))
	}
	return habits.Overtaken(float64(delay))
}

// curve is that theory, densely: at whole seconds, twelve to a power of ten.
func (l pipelineLane) curve(habits workload.DailyConfig) (rows []results.Row) {
	last := 0
	for i := 0; ; i++ {
		delay := int(math.Round(math.Pow(10, float64(i)/12)))
		if delay > slices.Max(pipelineDelays) {
			return rows
		}
		if delay == last {
			continue
		}
		last = delay
		rows = append(rows, results.Row{
			Experiment: results.Pipeline, Strategy: l.memory, Quantity: results.QOvertaken + l.says() + results.Densely, Unit: results.Ratio,
			X: results.Num(float64(delay)), Theory: results.Num(l.ahead(habits, delay)),
		})
	}
}
