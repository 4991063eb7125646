// Package serve is the store under requests from many goroutines, with all users of
// a part alive, and what the garbage collector has to do meanwhile.
package serve

import (
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is serve.
var Experiment = experiment.Experiment{
	Name: results.Serve, About: "requests from many goroutines, and the garbage collector meanwhile",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.AliveTasks(s)...) },
	Dimensions: []results.Dimension{by.Goroutines},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// collectEvery is how often Go's collector runs where nothing is allocated that would make it run sooner.
const collectEvery = 2 * time.Minute

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	// Throughput is that of ten million users.
	return shared.Each(r, shared.PaperEntries(r.Scope), shared.Alive, ofEntry)
}

func ofEntry(_ *engine.Run, e catalogue.Entry, _ measure.Subject, a shared.AliveResult) (rows, timing []results.Row, err error) {
	at := func(goroutines int, quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Serve, e.Name, quantity, unit, value).With(by.Goroutines.At(float64(goroutines))).Among(count)
	}
	c, users := a.Collection, int64(a.Cold.Users)
	for _, v := range a.Serving {
		n := v.Goroutines
		timing = append(timing,
			at(n, results.QRequestsPerSecond, "", v.PerSecond(), v.Requests),
			at(n, results.QFairness, results.Ratio, float64(v.Least)/float64(max(v.Most, 1)), v.Requests),
			at(n, results.QCollections, "", float64(v.Collections), v.Requests),
			at(n, results.QPause, results.Nanoseconds, float64(v.Pause), v.Requests),
			at(n, results.QAllocated, results.Bytes, row.Mean(v.Allocated, v.Requests), v.Requests),
			at(n, results.QCollectShare, results.Ratio, v.CollectorShare(), v.Collections).
				Expect(c.CPU/(collectEvery.Seconds()*float64(n))))
	}
	return nil, append(timing,
		at(c.Goroutines, results.QForcedCPU, results.Nanoseconds, 1e9*c.CPU, int64(c.Times)),
		at(c.Goroutines, results.QForcedPause, results.Nanoseconds, float64(c.Pause), int64(c.Times)),
		row.Number(results.Serve, e.Name, results.QObjectsPerUser, "", row.Mean(a.HeapObjects, users)).Among(users)), nil
}
