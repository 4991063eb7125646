package serve

import (
	"math"
	"slices"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are a store under requests from many goroutines.
var Figures = []plots.Figure{{
	Name:       "serve",
	Title:      "Requests served by many goroutines, among strategies with the same number of users",
	Caption:    "Requests per second by goroutines, a panel for each number of users alive; how a goroutine fares beside the others; and the time of queries and of requests served as a multiple of the least possible.",
	Experiment: results.Serve, Quantity: results.QRequestsPerSecond, Build: serve,
}}

// serve shows how many requests a second there are where the same number of users is
// alive, how that grows with the goroutines and how evenly they are served, and the
// time of a request as a multiple of the least possible.
func serve(d plots.Data) plots.Sheet {
	groups := d.Groups(results.QRequestsPerSecond)
	most := 0.0
	for _, g := range groups {
		for _, p := range g.Points() {
			most = max(most, p.X)
		}
	}
	if most < 2 {
		return plots.Sheet{Reason: "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to compare"}
	}
	doublings := math.Log2(most)
	goroutines := plots.Axis{Label: "goroutines", Min: -0.2, Max: doublings + 0.2, Format: plots.PowerOfTwo, Labels: int(doublings) + 1}
	scaling := &plots.Panel{
		Title: "Requests per goroutine", X: goroutines, Y: plots.Axis{Label: "share of those of one alone", Min: 0, Max: 1.08, Format: plots.Percent},
		Guides: []plots.Guide{{At: 1, Label: "perfect"}}, Direct: true,
	}
	fairness := &plots.Panel{
		Title: "Least served over most served", X: goroutines, Y: plots.Axis{Label: "share of requests", Min: 0, Max: 1.08, Format: plots.Percent},
		Guides: []plots.Guide{{At: 1, Label: "even"}}, Direct: true,
	}
	fair := d.Groups(results.QFairness)
	var rates []*plots.Panel
	byUsers := map[int64]*plots.Panel{}
	for _, g := range groups {
		users := alive(d, g.Strategy)
		rate := byUsers[users]
		if rate == nil {
			title := "Requests per second"
			if users > 0 {
				title += ", " + plots.Count(float64(users)) + " users"
			}
			rate = &plots.Panel{Title: title, X: goroutines, Y: plots.Axis{Label: "requests per second", Format: plots.Count}, Direct: true}
			rates, byUsers[users] = append(rates, rate), rate
		}
		of := from(1, g)
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(of), Join: true})
		if len(of) > 1 && of[0].X == 1 {
			shares := plots.Map(of, func(p plots.Point) plots.Point { return plots.At(p.X, p.Y/(p.X*of[0].Y)) })
			for _, p := range shares {
				scaling.Y.Max = max(scaling.Y.Max, 1.04*p.Y)
			}
			scaling.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(shares), Join: true})
		}
		// One goroutine is served as evenly as can be.
		fairness.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(from(2, fair.Of(g.Strategy))), Join: true})
	}
	plots.SameY(rates...)
	floors := overFloor(d, groups)
	s := plots.Sheet{
		Grid:   plots.Grid(2, append(rates, scaling, fairness, floors)...),
		Height: 190,
		Note: "Each goroutine repeats: query 40 candidates of a random user, and record the first ten that pass. " +
			"Panels of requests per second compare strategies with the same number of users alive: fewer histories are more often in a cache.",
	}
	if len(floors.Series) > 0 {
		s.Note += " In the last panel a query of one user in the cache is compared with six loads per candidate; queries of many random users at once " +
			"with the larger of that query and of loading the histories; a request served, which also records and waits for its " +
			"own cache misses, with loading the history."
	}
	return s
}

// floorMarks are the requests whose times are compared with the least possible.
var floorMarks = []plots.Look{
	{Name: "query, in the cache", Color: plots.Grey, Mark: plots.Circle},
	{Name: "queries of many at once", Color: plots.Grey, Mark: plots.Diamond},
	{Name: "request served", Color: plots.Grey, Mark: plots.Ring},
}

const (
	floorCandidates = 40  // of the requests that are served
	littleLeft      = 2.5 // the multiple of the least within which little is left to win
)

// overFloor shows for each strategy by how many times a request exceeds its floor.
func overFloor(d plots.Data, served plots.Groups) *plots.Panel {
	p := &plots.Panel{
		Title:  "Time over the least possible",
		Key:    floorMarks,
		X:      plots.Axis{Label: "multiple (less is better)", Format: plots.Multiple},
		Guides: []plots.Guide{{At: 1, Vertical: true, Label: "1×"}, {At: littleLeft, Vertical: true, Label: plots.Multiple(littleLeft)}},
	}
	for _, g := range served {
		p.Y.Names = append(p.Y.Names, d.Look(g.Strategy).Name)
	}
	for i, g := range served {
		at := func(quantity string) plots.Point {
			for _, q := range d.In(results.Latency).Groups(quantity).Of(g.Strategy).Points() {
				if q.X == floorCandidates {
					return q
				}
			}
			return plots.Point{}
		}
		// Of the request served: nanoseconds on one of the most goroutines, over
		// those of loading the history.
		var over float64
		if rates := g.Points(); len(rates) > 0 {
			last := rates[len(rates)-1]
			over = 1e9 * last.X / last.Y / at(results.QTouchP50).Y
		}
		for k, q := range []plots.Point{at(results.QHotOverFloor), at(results.QTogetherOverFloor), plots.At(0, over)} {
			if q.Y > 0 {
				q.X = p.Place(i) + 0.24*float64(1-k)
				p.Dots(d.Look(g.Strategy).With(floorMarks[k].Mark), q)
			}
		}
	}
	return p
}

// alive is how many users were alive, 0 where that is not known.
func alive(d plots.Data, strategy string) int64 {
	for _, r := range d.Groups(results.QObjectsPerUser).Of(strategy).Rows {
		if !r.X.IsSet() && r.Count > 0 {
			return r.Count
		}
	}
	return 0
}

// from are the points of a group with at least so many goroutines.
func from(goroutines float64, g plots.Group) []plots.Point {
	return slices.DeleteFunc(g.Points(), func(p plots.Point) bool { return p.X < goroutines })
}

// byDoubling moves points to the logarithm of their x, to base 2.
func byDoubling(points []plots.Point) []plots.Point {
	return plots.Map(points, func(p plots.Point) plots.Point {
		p.X = math.Log2(p.X)
		return p
	})
}
