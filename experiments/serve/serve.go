// Package serve is the store under requests from many goroutines, with all users of
// a part alive, and what the garbage collector has to do meanwhile.
package serve

import (
	"fmt"
	"strconv"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
)

// Experiment is serve.
var Experiment = experiment.Experiment{
	Name: results.Serve, About: "requests from many goroutines, and the garbage collector meanwhile",
	Needs: func(s run.Scope) []run.Task { return append(shared.Fulls(s), shared.Alives(s)...) },
	Rows:  rows, Figures: Figures, Tables: tables,
}

// collectEvery is how often Go's collector runs where nothing is allocated that
// would make it run sooner.
const collectEvery = 2 * time.Minute

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	// Throughput is that of ten million users.
	return shared.Each(r, shared.Papers(r.Scope), shared.Alive, ofEntry)
}

func ofEntry(_ *run.Run, e catalogue.Entry, _ measure.Subject, a shared.AliveResult) (rows, timing []results.Row, err error) {
	at := func(goroutines int, quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Serve, e.Name, quantity, unit, value).At(float64(goroutines)).Among(count)
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

// mostGoroutines is up to how many a table looks for.
const mostGoroutines = 1 << 16

// tables have a column for each number of goroutines that served.
func tables(c results.Cells) []results.Table {
	var xs []string
	for n := 1; n <= mostGoroutines; n++ {
		if _, ok := c.Find(results.Serve, "single", strconv.Itoa(n), results.QRequestsPerSecond); ok {
			xs = append(xs, strconv.Itoa(n))
		}
	}
	served := text.ByStrategy(c, "Requests a second by goroutines: 40 candidates asked, 10 recorded [least served over most]",
		results.Serve, results.QRequestsPerSecond, catalogue.Names(), xs, func(r results.Row) string {
			fair, _ := c.Find(results.Serve, r.Strategy, r.X.String(), results.QFairness)
			return fmt.Sprintf("%.0f [%.2f]", r.Value.Or(0), fair.Value.Or(0))
		})
	return []results.Table{served, collector(c, xs)}
}

// collector is what the garbage collector has to do where all histories are alive:
// by itself while all processors serve, and made to run.
func collector(c results.Cells, xs []string) results.Table {
	t := results.Table{
		Title: "The garbage collector while all processors serve: by itself [theory: once in two minutes], and made to run",
		Header: []string{
			"strategy", "heap objects a user", "heap bytes a request", "share of CPU", "CPU of a collection", "longest pause",
		},
	}
	for _, name := range catalogue.Names() {
		objects, ok := c.Find(results.Serve, name, "", results.QObjectsPerUser)
		if !ok {
			continue
		}
		for _, x := range xs { // processors: where a collection was forced
			cpu, ok := c.Find(results.Serve, name, x, results.QForcedCPU)
			if !ok {
				continue
			}
			garbage, _ := c.Find(results.Serve, name, x, results.QAllocated)
			share, _ := c.Find(results.Serve, name, x, results.QCollectShare)
			pause, _ := c.Find(results.Serve, name, x, results.QForcedPause)
			t.Rows = append(t.Rows, []string{
				name, text.Of(objects), fmt.Sprintf("%.2g", garbage.Value.Or(0)), text.WithTheory(share), text.Of(cpu), text.Of(pause),
			})
		}
	}
	return t
}
