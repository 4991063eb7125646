// Package serve is the store under requests from many goroutines, with all users of
// a part alive, and what the garbage collector has to do meanwhile.
package serve

import (
	"fmt"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is serve.
var Experiment = experiment.Experiment{
	Name: results.Serve, About: "requests from many goroutines, and the garbage collector meanwhile",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.AliveTasks(s)...) },
	Dimensions: []results.Dimension{by.Goroutines},
	Rows:       rows, Figures: Figures, Tables: []text.Table{served, collector},
}

// collectEvery is how often Go's collector runs where nothing is allocated that
// would make it run sooner.
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

// served has a line for each number of goroutines that a strategy's users were served by.
var served = text.Table{
	Title: "Requests a second by goroutines: 40 candidates asked, 10 recorded",
	Lines: of(results.QRequestsPerSecond, by.Goroutines.Open()),
	Columns: []text.Column{
		text.Strategy(), text.Condition("goroutines", by.Goroutines),
		text.Cell("requests a second", of(results.QRequestsPerSecond, by.Goroutines.Open()), digits("%.0f")),
		text.Cell("least served over most", of(results.QFairness, by.Goroutines.Open()), digits("%.2f")),
	},
}

// collector is what the garbage collector has to do where all histories are alive:
// by itself while all processors serve, and made to run.
var collector = text.Table{
	Title: "The garbage collector while all processors serve: by itself [theory: once in two minutes], and made to run",
	Lines: of(results.QForcedCPU, by.Goroutines.Open()),
	Columns: []text.Column{
		text.Strategy(),
		text.Cell("heap objects a user", of(results.QObjectsPerUser), text.Of),
		text.Cell("heap bytes a request", of(results.QAllocated, by.Goroutines.Open()), digits("%.2g")),
		text.Cell("share of CPU", of(results.QCollectShare, by.Goroutines.Open()), text.WithTheory),
		text.Cell("CPU of a collection", of(results.QForcedCPU, by.Goroutines.Open()), text.Of),
		text.Cell("longest pause", of(results.QForcedPause, by.Goroutines.Open()), text.Of),
	},
}

// of is a quantity of every strategy.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Serve).Of(results.Any)
}

// digits writes a value in a format.
func digits(format string) func(results.Row) string {
	return func(r results.Row) string { return fmt.Sprintf(format, r.Value.Or(0)) }
}
