package serve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are a store under requests from many goroutines.
var Figures = []plots.Figure{{
	Name:       "serve",
	Title:      "Many goroutines at once",
	Caption:    "Requests per second by goroutines, how a goroutine fares beside the others, and the time of queries and of requests served as a multiple of the least possible.",
	Experiment: results.Serve, Quantity: results.QRequestsPerSecond, Build: serve,
}}

// serve shows how many requests a second there are, how that grows with the
// goroutines and how evenly they are served, and the time of a request as a multiple
// of the least possible.
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
	rate := &plots.Panel{Title: "(a) Requests per second", X: goroutines, Y: plots.Axis{Label: "requests per second", Format: plots.Count}}
	scaling := &plots.Panel{
		Title: "(b) Requests per goroutine", X: goroutines, Y: plots.Axis{Label: "share of those of one alone", Format: plots.Percent},
		Guides: []plots.Guide{{At: 1, Label: "perfect"}},
	}
	fairness := &plots.Panel{
		Title: "(c) Fairness among goroutines", X: goroutines, Y: plots.Axis{Label: "least served / most served", Format: plots.Percent},
		Guides: []plots.Guide{{At: 1, Label: "even"}},
	}
	fair := d.Groups(results.QFairness)
	for _, g := range groups {
		rates := from(1, g)
		rate.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(rates), Join: true})
		if len(rates) > 1 && rates[0].X == 1 {
			shares := plots.Map(rates, func(p plots.Point) plots.Point { return plots.At(p.X, p.Y/(p.X*rates[0].Y)) })
			scaling.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(shares), Join: true, Unnamed: true})
		}
		// One goroutine is served as evenly as can be.
		fairness.Add(plots.Series{Look: d.Look(g.Strategy), Points: byDoubling(from(2, fair.Of(g.Strategy))), Join: true, Unnamed: true})
	}
	zoom(scaling)
	zoom(fairness)
	floors := overFloor(d, groups)
	s := plots.Sheet{
		Grid:   plots.Grid(2, rate, scaling, fairness, floors),
		Height: 190,
		Note:   "Each goroutine repeats: query 40 candidates of a random user, and record the first ten that pass. " + alive(d, groups),
	}
	if len(floors.Series) > 0 {
		s.Note += "In (d): a query of one user in the cache is compared with six loads per candidate; queries of many random users at once " +
			"with the larger of that query and of loading the histories; a request served, which also records and waits for its " +
			"own cache misses, with loading the history."
		s.Marks = floorMarks
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
		Title:  "(d) Time over the least possible",
		X:      plots.Axis{Label: "multiple (less is better)", Format: plots.Multiple},
		Guides: []plots.Guide{{At: 1, Vertical: true, Label: "least"}, {At: littleLeft, Vertical: true, Label: plots.Multiple(littleLeft)}},
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

// alive says how many histories were alive: where a strategy ran on few, they are
// more often in a cache.
func alive(d plots.Data, groups plots.Groups) string {
	var order []int64 // as the legend has their strategies
	names := map[int64][]string{}
	for _, g := range groups {
		for _, r := range d.Groups(results.QObjectsPerUser).Of(g.Strategy).Rows {
			if r.X.IsSet() || r.Count == 0 {
				continue
			}
			if names[r.Count] == nil {
				order = append(order, r.Count)
			}
			names[r.Count] = append(names[r.Count], d.Look(g.Strategy).Name)
		}
	}
	var said []string
	for _, n := range order {
		said = append(said, fmt.Sprintf("%d (%s)", n, strings.Join(names[n], "; ")))
	}
	if said == nil {
		return ""
	}
	return "Users alive: " + strings.Join(said, ", ") + "; fewer histories are more often in a cache. "
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

// zoom shows the part of the y axis from a tenth below what is least to one.
func zoom(p *plots.Panel) {
	low, high := 1.0, 1.0
	for _, s := range p.Series {
		for _, q := range s.Points {
			low, high = min(low, q.Y), max(high, q.Y)
		}
	}
	p.Y.Min, p.Y.Max = max(0, math.Floor(10*low-0.5)/10), high+0.01
}
