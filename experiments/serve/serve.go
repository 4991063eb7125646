// Package serve is the store under requests from many goroutines, all users alive, and what garbage collection takes.
package serve

import (
	"cmp"
	_ "embed"
	"slices"
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

// serve ends the axis with the most goroutines, and shows the time of a request over that of its loads alone.
func serve(d plots.Data, s *plots.Sheet) {
	rate, most := s.Panels[0], 0.0
	for _, one := range rate.Series {
		most = max(most, one.Points[len(one.Points)-1].X)
	}
	if most < 2 {
		s.Panels = nil
		s.Reason = "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to compare"
		return
	}
	rate.X.Max, rate.X.Labels = 1.05*most, int(min(most, 8))+1
	overFloor(d, rate.Series, s.Panels[1])
}

// floorCandidates are those of the requests that are served.
const floorCandidates = 40

// Times of experiment latency: the memory of a history alone, and times over it.
var (
	touch             = results.Find(results.QRequestTime, by.History.Is("touch"), by.Statistic.Is("p50"))
	hotOverFloor      = results.Find(results.QTimeRatio, by.History.Is("hot"), by.Over.Is("floor"))
	togetherOverFloor = results.Find(results.QTimeRatio, by.History.Is("together"), by.Over.Is("hot or touch"))
)

// overFloor shows by how many times a request exceeds its floor, a mark of the panel's key for each kind of request,
// for those strategies of which that is known.
func overFloor(d plots.Data, served []plots.Series, p *plots.Panel) {
	at := func(one plots.Series, q results.Query) float64 {
		point, _ := d.Find(q.In(results.Latency).With(by.Candidates.At(floorCandidates))).Of(one.Strategy).Total()
		return point.Y
	}
	served = slices.DeleteFunc(slices.Clone(served), func(one plots.Series) bool { return at(one, hotOverFloor) <= 0 })
	slices.SortStableFunc(served, func(a, b plots.Series) int {
		return cmp.Compare(at(a, hotOverFloor), at(b, hotOverFloor))
	})
	for _, one := range served {
		p.Y.Names = append(p.Y.Names, one.Look.Name)
	}
	for i, one := range served {
		// Of the request served: nanoseconds on one of the most goroutines, over those of loading the history.
		last := one.Points[len(one.Points)-1]
		over := 1e9 * last.X / last.Y / at(one, touch)
		for k, v := range []float64{at(one, hotOverFloor), at(one, togetherOverFloor), over} {
			if v > 0 {
				p.Dots(one.Look.With(p.Key[k].Mark), plots.At(p.Place(i)+0.24*float64(1-k), v))
			}
		}
	}
}
