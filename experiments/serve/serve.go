// Package serve is the store under requests from many goroutines, all users alive, and what garbage collection takes.
package serve

import (
	_ "embed"
	"math"
	"strings"
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

// serve shows requests a second where as many users are alive, how that grows with the goroutines, and the time of a
// request over that of its loads alone. A strategy that no other has as many users as is left out.
func serve(d plots.Data, s *plots.Sheet) {
	template, scaling, floors := *s.Panels[0], s.Panels[1], s.Panels[2]
	users := map[string]int64{} // alive, none where that is not known
	for _, g := range d.Find(results.Find(results.QObjectsPerUser)) {
		users[g.Strategy] = g.Rows[0].Count
	}
	groups, alone := alike(d.Find(results.Find(results.QRequestsPerSecond, by.Goroutines.Open())), users)
	most := 0.0
	for _, g := range groups {
		for _, p := range g.Points() {
			most = max(most, p.X)
		}
	}
	if most < 2 {
		s.Panels = nil
		s.Reason = "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to compare"
		return
	}
	doublings := math.Log2(most)
	template.X.Max, template.X.Labels = doublings+0.2, int(doublings)+1
	scaling.X = template.X
	var rates []*plots.Panel
	byUsers := map[int64]*plots.Panel{}
	for _, g := range groups {
		n := users[g.Strategy]
		rate := byUsers[n]
		if rate == nil {
			one := template
			if n > 0 {
				one.Title += ", " + plots.Count(float64(n)) + " users"
			}
			rate = &one
			rates, byUsers[n] = append(rates, rate), rate
		}
		of := g.Points()
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(of), Join: true})
		if len(of) > 1 && of[0].X == 1 {
			shares := plots.Map(of, func(p plots.Point) plots.Point { return plots.At(p.X, p.Y/(p.X*of[0].Y)) })
			for _, p := range shares {
				scaling.Y.Max = max(scaling.Y.Max, 1.04*p.Y)
			}
			scaling.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(shares), Join: true})
		}
	}
	plots.SameY(rates...)
	overFloor(d, groups, floors)
	s.Panels = append(rates, scaling, floors)
	for i, p := range s.Panels {
		p.Title = "(" + string(rune('a'+i)) + ") " + p.Title
	}
	for _, g := range alone {
		s.Note += " Not drawn: " + strings.ToLower(d.Look(g.Strategy).Name) + ", the only one with " +
			plots.Count(float64(users[g.Strategy])) + " users alive."
	}
	if len(floors.Series) > 0 {
		s.Note += " In (" + string(rune('a'+len(rates)+1)) + ") a query of one user in the cache is compared with six " +
			"loads per candidate; queries of many random users at once with the larger of that query and of loading the " +
			"histories; a request served, which also records and waits for its own cache misses, with loading the history."
	}
}

// alike are the strategies that ran with as many users as another, and those alone with theirs; but where all are
// alone, so that nothing would be left, they are alike.
func alike(groups plots.Groups, users map[string]int64) (alike, alone plots.Groups) {
	count := map[int64]int{}
	for _, g := range groups {
		count[users[g.Strategy]]++
	}
	for _, g := range groups {
		if count[users[g.Strategy]] > 1 || len(count) == len(groups) {
			alike = append(alike, g)
		} else {
			alone = append(alone, g)
		}
	}
	return alike, alone
}

// floorCandidates are those of the requests that are served.
const floorCandidates = 40

// Times of experiment latency: the memory of a history alone, and times over it.
var (
	touch             = results.Find(results.QRequestTime, by.History.Is("touch"), by.Statistic.Is("p50"))
	hotOverFloor      = results.Find(results.QTimeRatio, by.History.Is("hot"), by.Over.Is("floor"))
	togetherOverFloor = results.Find(results.QTimeRatio, by.History.Is("together"), by.Over.Is("hot or touch"))
)

// overFloor shows by how many times a request exceeds its floor, a mark of the panel's key for each kind of request.
func overFloor(d plots.Data, served plots.Groups, p *plots.Panel) {
	for _, g := range served {
		p.Y.Names = append(p.Y.Names, d.Look(g.Strategy).Name)
	}
	for i, g := range served {
		at := func(q results.Query) plots.Point {
			p, _ := d.Find(q.In(results.Latency).With(by.Candidates.At(floorCandidates))).Of(g.Strategy).Total()
			return p
		}
		// Of the request served: nanoseconds on one of the most goroutines, over those of loading the history.
		var over float64
		if rates := g.Points(); len(rates) > 0 {
			last := rates[len(rates)-1]
			over = 1e9 * last.X / last.Y / at(touch).Y
		}
		for k, q := range []plots.Point{at(hotOverFloor), at(togetherOverFloor), plots.At(0, over)} {
			if q.Y > 0 {
				q.X = p.Place(i) + 0.24*float64(1-k)
				p.Dots(d.Look(g.Strategy).With(p.Key[k].Mark), q)
			}
		}
	}
}

// byDoubling moves points to the logarithm of their x, to base 2.
func byDoubling(points []plots.Point) []plots.Point {
	return plots.Map(points, func(p plots.Point) plots.Point {
		p.X = math.Log2(p.X)
		return p
	})
}
