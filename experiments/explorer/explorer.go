// Package explorer computes the interactive part of a run's page: what theory says of
// every strategy for any window and rate that the page's sliders can take. The
// catalogue's are sized for both; the paper's filters stand beside them as the paper's
// equations size them.
//
// It depends on no run. The whole of it, some eighty times the catalogue, costs some
// seconds on one processor.
package explorer

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/page"
	"dejavu/results"
	"dejavu/single"
)

// A line is a strategy for any window and rate.
type line struct {
	page.Strategy
	make func(window int, rate float64) (catalogue.Strategy, error)
	open bool // its rate has no closed form, and takes too long to be computed
}

// fifths is into how many links the paper's chain divides its window, and five is what
// the windows are multiples of, so that the dual filter's threshold is whole too.
const fifths = 5

// published are the paper's filters by its own equations, each filter by itself.
var published = []line{
	{Strategy: page.Strategy{Name: "single, by the paper", About: "one filter for N articles, by the paper's equations"}, make: func(window int, rate float64) (catalogue.Strategy, error) {
		g, err := bloom.PaperGeometry(window, rate)
		if err != nil {
			return nil, err
		}
		return single.New(single.Config{Capacity: window, Geometry: g})
	}},
	{Strategy: page.Strategy{Name: "dual, by the paper", About: "master and slave, each for N articles, by the paper's equations"}, make: func(window int, rate float64) (catalogue.Strategy, error) {
		g, err := bloom.PaperGeometry(window, rate)
		if err != nil {
			return nil, err
		}
		return dual.New(dual.Config{Capacity: window, Threshold: 3 * window / fifths, Geometry: g})
	}},
	{Strategy: page.Strategy{Name: "chain, by the paper", About: "five links for N articles together, each by itself at ε"}, make: func(window int, rate float64) (catalogue.Strategy, error) {
		c := chain.Paper // its 812 bits, which the equations do not give
		if window != fifths*c.Capacity || rate != 0.02 {
			g, err := bloom.PaperGeometry(window/fifths, rate)
			if err != nil {
				return nil, err
			}
			c.Capacity, c.Geometry = window/fifths, g
		}
		return chain.New(c)
	}},
}

// reworded is what the catalogue says of entries that it knows at one size.
var reworded = map[string]string{
	"queue":       "the IDs of the last N articles",
	"dual":        "master and slave filter, the old master freed",
	"single":      "one Bloom filter, never cleared",
	"chain-sized": "five links, sized for their union",
}

// stable has no closed form of its rate at a moment: each article shown moves it, and a
// cycle takes seconds to minutes to compute.
const stable = results.Beyond + "stable"

// lines are all strategies, and the names of those that cannot be made for a window.
func lines() (all []line, others []string) {
	for _, e := range catalogue.All() {
		name := strings.TrimPrefix(e.Name, results.Beyond)
		switch {
		case e.Sized != nil:
			about, ok := reworded[e.Name]
			if !ok {
				about = e.About
			}
			all = append(all, line{page.Strategy{Name: name, About: about}, e.Sized, e.Name == stable})
		case e.IsBeyond():
			others = append(others, e.Name)
		}
	}
	return append(all, published...), others
}

// A Scope is the places of two of the page's sliders, from left to right. They hold the
// paper's window of 500 articles and its rate of 0.02, where the sliders start.
type Scope struct {
	Windows []int // multiples of 5
	Rates   []float64
}

// Whole is what the page offers.
var Whole = Scope{
	Windows: []int{100, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000},
	Rates:   []float64{0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0001},
}

// New has theory at every setting of a scope. The error names the settings for
// which no strategy can be made.
func New(of Scope) (page.Explorer, error) {
	all, others := lines()
	e := page.Explorer{
		Users: []int{
			1000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
			100_000_000, 200_000_000, 500_000_000, 1_000_000_000,
		},
		Windows: of.Windows, Rates: of.Rates,
		Start: page.Setting{Users: 7, Window: slices.Index(of.Windows, 500), Rate: slices.Index(of.Rates, 0.02)},
		Note: fmt.Sprintf("Not among them are %s, which promise no window of so many articles. Means are taken at %d moments at least, spread evenly over a cycle.",
			strings.Join(others, ", "), moments),
	}
	for _, l := range all {
		e.Strategies = append(e.Strategies, l.Strategy)
	}
	if reflect.DeepEqual(of, Whole) {
		if e.Cells = kept(all); e.Cells != nil {
			return e, nil
		}
	}
	e.Cells = cells(of, all)
	for i := 0; i < len(e.Cells); i += len(all) {
		if !slices.ContainsFunc(e.Cells[i:i+len(all)], func(c *page.Cell) bool { return c != nil }) {
			return e, fmt.Errorf("explorer: no strategy can be made for %d articles at %g",
				of.Windows[i/len(all)/len(of.Rates)], of.Rates[i/len(all)%len(of.Rates)])
		}
	}
	return e, nil
}

// cells computes theory at every setting, by window, rate and line.
func cells(of Scope, all []line) []*page.Cell {
	type setting struct {
		line
		window int
		rate   float64
	}
	var settings []setting
	for _, window := range of.Windows {
		for _, rate := range of.Rates {
			for _, l := range all {
				settings = append(settings, setting{l, window, rate})
			}
		}
	}
	cells := make([]*page.Cell, len(settings))
	var wait sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(settings)); i = next.Add(1) - 1 {
				cells[i] = settings[i].explored(settings[i].window, settings[i].rate)
			}
		})
	}
	wait.Wait()
	return cells
}

// moments is at how many moments of a cycle a rate is computed, at least.
const moments = 300

// explored is a strategy at one setting, or nil where it cannot be made.
//
// From three times the window on, every strategy has been through a whole cycle, and
// three windows more hold whole cycles of all, or nearly. The worst moment is looked for
// around the worst of those computed: rates rise until something is cleared.
func (l line) explored(window int, rate float64) *page.Cell {
	s, err := l.make(window, rate)
	if err != nil {
		return nil
	}
	first, cycle := 3*window+1, 3*window
	c := &page.Cell{Fixed: catalogue.Endless(s), Open: l.open}
	if c.Fixed {
		first, cycle = window, 1
	}
	c.Window = s.Window(first)
	for shown := first; shown < first+cycle; shown++ {
		c.Bytes = max(c.Bytes, s.Bytes(shown))
		c.Window = min(c.Window, s.Window(shown))
	}
	if c.Open {
		return c
	}
	stride := max(1, cycle/(2*moments))
	worst, at, n := 0., first, 0
	for shown := first; shown < first+cycle; shown += stride {
		fpr := s.FPR(shown)
		if fpr > worst {
			worst, at = fpr, shown
		}
		c.Mean += page.Number(fpr)
		n++
	}
	for shown := max(first, at-stride+1); shown < min(at+stride, first+cycle); shown++ {
		worst = max(worst, s.FPR(shown))
	}
	c.Mean /= page.Number(n)
	c.Worst = page.Number(worst)
	return c
}
