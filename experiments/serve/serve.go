// Package serve is the store under requests from many goroutines, all users alive, and what garbage collection takes.
package serve

import (
	_ "embed"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is serve.
var Experiment = experiment.Experiment{
	Name: results.Serve, About: "requests from many goroutines, and the garbage collector meanwhile",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.AliveTasks(s)...) },
	Dimensions: []results.Dimension{by.Goroutines},
	Rows:       shared.ByEntry(shared.PaperEntries, shared.Alive, ofEntry), // throughput is that of ten million users
	Figures:    shown.Figures, Tables: shown.Tables,
}

// collectEvery is how often Go's collector runs where nothing is allocated that would make it run sooner.
const collectEvery = 2 * time.Minute

func ofEntry(_ *engine.Run, e catalogue.Entry, a shared.AliveResult) (rows, timing []results.Row, err error) {
	number := func(quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Serve, e.Name, quantity, unit, value).Among(count)
	}
	c, users := a.Collection, int64(a.Cold.Users)
	for _, v := range a.Serving {
		idle := c.CPU / (collectEvery.Seconds() * float64(v.Goroutines))
		for _, r := range []results.Row{
			number(results.QRequestsPerSecond, "", v.PerSecond(), v.Requests),
			number(results.QFairness, results.Ratio, float64(v.Least)/float64(max(v.Most, 1)), v.Requests),
			number("collections", "", float64(v.Collections), v.Requests),
			number("pauses", results.Nanoseconds, float64(v.Pause), v.Requests),
			number("heap bytes per request", results.Bytes, row.Mean(v.Allocated, v.Requests), v.Requests),
			number(results.QCollectShare, results.Ratio, v.CollectorShare(), v.Collections).Expect(idle),
		} {
			timing = append(timing, r.With(by.Goroutines.At(float64(v.Goroutines))))
		}
	}
	all := by.Goroutines.At(float64(c.Goroutines))
	return nil, append(timing,
		number(results.QForcedCPU, results.Nanoseconds, 1e9*c.CPU, int64(c.Times)).With(all),
		number(results.QForcedPause, results.Nanoseconds, float64(c.Pause), int64(c.Times)).With(all),
		number(results.QObjectsPerUser, "", row.Mean(a.HeapObjects, users), users)), nil
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"serve": serve},
})

// serve says why there is no figure of one goroutine.
func serve(d plots.Data, s *plots.Sheet) {
	if len(d.Find(results.Find(results.QRequestsPerSecond, by.Goroutines.At(2)))) == 0 {
		s.Panels = nil
		s.Reason = "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to compare"
	}
}
