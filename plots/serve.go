package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"dejavu/results"
)

// serve shows a store under requests from many goroutines: how many a second, how
// that grows with the goroutines and how evenly they are served, and what each
// request takes as a multiple of the least it could.
func serve(d data) (sheet, string) {
	groups := d.groups(results.Serve, results.QRequestsPerSecond)
	most := 0.0
	for _, g := range groups {
		for _, p := range g.points() {
			most = max(most, p.x)
		}
	}
	switch {
	case len(groups) == 0:
		return sheet{}, missing(results.Serve, results.QRequestsPerSecond)
	case most < 2:
		return sheet{}, "experiment " + results.Serve + " had one processor, and so one goroutine: there is nothing to compare"
	}
	goroutines := func() axis {
		doublings := math.Log2(most)
		return axis{label: "goroutines", min: -0.2, max: doublings + 0.2, format: powerOfTwo, labels: int(doublings) + 1}
	}
	rate := &panel{title: "(a) Requests a second", x: goroutines(), y: axis{label: "requests a second", format: count}}
	scaling := &panel{
		title: "(b) A goroutine, beside one alone", x: goroutines(), y: axis{label: "share of its requests", format: percent},
		guides: []guide{{at: 1, label: "perfect"}},
	}
	fairness := &panel{
		title: "(c) The least served, beside the most", x: goroutines(), y: axis{label: "share of its requests", format: percent},
		guides: []guide{{at: 1, label: "even"}},
	}
	fair := d.groups(results.Serve, results.QFairness)
	for _, g := range groups {
		look := d.palette.looks[g.strategy]
		var rates, shares []point
		alone := 0.0
		for _, p := range g.points() {
			if p.x < 1 {
				continue
			}
			if p.x == 1 {
				alone = p.y
			}
			rates = append(rates, p)
			if share := p.y / (p.x * alone); alone > tiniest && usable(share) {
				shares = append(shares, point{p.x, share, share, share})
			}
		}
		rate.add(series{look: look, points: byDoubling(rates), join: true})
		if len(shares) > 1 {
			scaling.add(series{look: look, points: byDoubling(shares), join: true, unnamed: true})
		}
		// One goroutine is served as evenly as can be.
		several := slices.DeleteFunc(of(fair, g.strategy).points(), func(p point) bool { return p.x < 2 })
		fairness.add(series{look: look, points: byDoubling(several), join: true, unnamed: true})
	}
	zoom(scaling)
	zoom(fairness)
	panels := []*panel{rate}
	for _, p := range []*panel{scaling, fairness, d.floors("(d) Time over the least possible", groups)} {
		if len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	s := sheet{
		grid:   pairs(panels),
		height: 190,
		note:   "Each goroutine asks for 40 candidates of a random reader and records the first ten that pass, again and again. " + d.readersServed(groups),
	}
	if floors := panels[len(panels)-1]; floors.y.names != nil {
		s.note += "Over the least possible: a query of one reader in the cache is held against six loads a candidate; those of many random readers " +
			"at once against the larger of that query and of bringing the histories; a request served, which also records and waits for its " +
			"own misses, against bringing the history."
		for _, f := range floorMarks {
			s.extra = append(s.extra, entry{look: look{name: f.name, color: grey, mark: f.mark}, mark: true})
		}
	}
	return s, ""
}

// floorMarks are the ways in which a request is held against the least possible.
var floorMarks = []struct {
	name string
	mark mark
}{
	{"query, in the cache", mark{}},
	{"queries of many at once", mark{sides: 4, turn: math.Pi / 2}},
	{"request served", mark{hollow: true}},
}

// floorCandidates is the number of candidates of the requests that are served.
const floorCandidates = 40

// littleLeft is the multiple of the least within which little is left to win.
const littleLeft = 2.5

// floors shows for each strategy by how many times a request exceeds its floor.
func (d data) floors(title string, served []group) *panel {
	p := &panel{
		title: title,
		x:     axis{label: "multiple (less is better)", format: multiple},
	}
	at := func(experiment, quantity, strategy string) (point, bool) {
		for _, q := range of(d.groups(experiment, quantity), strategy).points() {
			if q.x == floorCandidates && q.y > tiniest {
				return q, true
			}
		}
		return point{}, false
	}
	for i, g := range served {
		look := d.palette.looks[g.strategy]
		p.y.names = append(p.y.names, look.name)
		values := make([]point, 0, len(floorMarks))
		query, ok := at(results.Latency, results.QHotOverFloor, g.strategy)
		values = append(values, orNothing(query, ok))
		together, ok := at(results.Latency, results.QTogetherOverFloor, g.strategy)
		values = append(values, orNothing(together, ok))
		touch, ok := at(results.Latency, results.QTouchP50, g.strategy)
		values = append(values, orNothing(overTouch(g.points(), touch.y), ok))
		for k, v := range values {
			if v.y <= tiniest || !usable(v.y, v.low, v.high) {
				continue
			}
			v.x = float64(len(served)-1-i) + 0.24*float64(1-k)
			mine := look
			mine.mark = floorMarks[k].mark
			p.add(series{look: mine, points: []point{v}, sideways: true, unnamed: true})
		}
	}
	p.guides = []guide{{at: 1, vertical: true, label: "least"}, {at: littleLeft, vertical: true, label: multiple(littleLeft)}}
	return p
}

// orNothing is a value below every axis where there is none.
func orNothing(p point, ok bool) point {
	if !ok {
		return point{}
	}
	return p
}

// overTouch is the time of a request served by the most goroutines, on one of
// them, over that of bringing the history.
func overTouch(rates []point, touch float64) point {
	if len(rates) == 0 || touch <= tiniest {
		return point{}
	}
	last := rates[len(rates)-1]
	if last.y <= tiniest {
		return point{}
	}
	v := 1e9 * last.x / last.y / touch
	return point{0, v, v, v}
}

// readersServed says how many histories were alive: those of a strategy that few
// live with lie in caches more often.
func (d data) readersServed(groups []group) string {
	var order []int64 // as the legend has their strategies
	names := map[int64][]string{}
	for _, g := range groups {
		for _, r := range of(d.groups(results.Serve, results.QObjectsPerUser), g.strategy).rows {
			if r.X.IsSet() || r.Count == 0 {
				continue
			}
			if names[r.Count] == nil {
				order = append(order, r.Count)
			}
			names[r.Count] = append(names[r.Count], d.palette.looks[g.strategy].name)
		}
	}
	var said []string
	for _, n := range order {
		said = append(said, strconv.FormatInt(n, 10)+" ("+strings.Join(names[n], "; ")+")")
	}
	if said == nil {
		return ""
	}
	return "Readers alive: " + strings.Join(said, ", ") + "; fewer histories lie in caches more often. "
}

// byDoubling moves points to the logarithm of their x, to base 2.
func byDoubling(points []point) []point {
	out := slices.Clone(points)
	for i := range out {
		out[i].x = math.Log2(out[i].x)
	}
	return out
}

// powerOfTwo writes 2^v where that is a whole number; other ticks have no name.
func powerOfTwo(v float64) string {
	if v < 0 || v != math.Trunc(v) {
		return ""
	}
	return strconv.FormatFloat(math.Exp2(v), 'f', -1, 64)
}

// zoom shows the part of the y axis from a tenth below what is least to one.
func zoom(p *panel) {
	low, high := 1.0, 1.0
	for _, s := range p.series {
		for _, q := range s.points {
			low, high = min(low, q.y), max(high, q.y)
		}
	}
	p.y.min, p.y.max = max(0, math.Floor(10*low-0.5)/10), high+0.01
}

// count writes thousands and millions short.
func count(v float64) string {
	return strings.TrimSpace(prefixed("", "k", "M", "G")(v))
}
