// Package explorer computes the interactive part of a run's page: what theory says of
// the paper's strategies for any window, rate and number of articles that the page's
// sliders can take, sized by the paper's equations or by the exact formula.
//
// It depends on no run. The whole of it, some hundred times the paper's Table 1, costs
// a second or two on one processor.
package explorer

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/page"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/workload"
)

// A sizingRule says how large the filters of a strategy are.
type sizingRule struct {
	page.Sizing
	exact bool // the union of all that answers meets the rate; else by the paper's equations, each filter by itself
}

var sizingRules = []sizingRule{
	{page.Sizing{Name: "the paper's equations", About: "each filter by itself, as in Table 1"}, false},
	{page.Sizing{Name: "the exact formula", About: "the smallest with an FPR of at most ε while it holds N articles, all links together"}, true},
}

// A scaled strategy is one of the paper's for any window and rate.
type scaled struct {
	page.Strategy
	make func(window int, rate float64, exact bool) (s catalogue.Strategy, size string, err error)

	// cycle is after how many further fifths of the window theory repeats itself beyond
	// it; 0 for never. It saves time.
	cycle int
}

// fifths is into how many links a chain divides its window, and five is what the
// windows are multiples of, so that Threshold is whole too.
const fifths = 5

// What keeps its window for ever comes first.
var scaledStrategies = []scaled{
	{page.Strategy{Name: "queue", About: "the IDs themselves"}, func(window int, _ float64, _ bool) (catalogue.Strategy, string, error) {
		s, err := queue.New(queue.Config{Window: window})
		return s, fmt.Sprintf("%d IDs of 64 bits", window), err
	}, 1},
	{page.Strategy{Name: "dual", About: "a master and a slave filter"}, func(window int, rate float64, exact bool) (catalogue.Strategy, string, error) {
		g, err := geometry(window, rate, exact)
		if err != nil {
			return nil, "", err
		}
		s, err := dual.New(dual.Config{Capacity: window, Threshold: 3 * window / fifths, Geometry: g})
		return s, "1 or 2 × " + sizeText(g), err
	}, 3},
	{page.Strategy{Name: "chain", About: "five links in a ring"}, func(window int, rate float64, exact bool) (catalogue.Strategy, string, error) {
		c, err := chain.Paper, error(nil)
		switch {
		case exact:
			c, err = chain.Sized(window-window/fifths, rate)
		case window == fifths*chain.Paper.Capacity && rate == 0.02:
			// Its 812 bits, which the equations do not give.
		default:
			c.Capacity = window / fifths
			c.Geometry, err = geometry(c.Capacity, rate, false)
		}
		if err != nil {
			return nil, "", err
		}
		s, err := chain.New(c)
		return s, fmt.Sprintf("%d × %s", c.Links, sizeText(c.Geometry)), err
	}, 1},
	{page.Strategy{Name: "single", About: "one filter, never cleared: a fixed capacity"}, func(window int, rate float64, exact bool) (catalogue.Strategy, string, error) {
		g, err := geometry(window, rate, exact)
		if err != nil {
			return nil, "", err
		}
		s, err := single.New(single.Config{Capacity: window, Geometry: g})
		return s, sizeText(g), err
	}, 0},
}

func geometry(articles int, rate float64, exact bool) (bloom.Geometry, error) {
	if exact {
		return bloom.BestGeometry(articles, rate)
	}
	return bloom.PaperGeometry(articles, rate)
}

func sizeText(g bloom.Geometry) string { return fmt.Sprintf("%d bits, %d hashes", g.Bits, g.Hashes) }

// habits are how much users read. The mean and the heaviest are those of the
// population behind Table 1.
var habits = []page.Habit{
	{Articles: 20, Who: "a newcomer"},
	{Articles: 50, Who: "a newcomer"},
	{Articles: 100, Who: "a light user"},
	{Articles: 200, Who: "a light user"},
	{Articles: 300, Who: "a light user"},
	{Articles: 400, Who: "a regular user"},
	{Articles: workload.Least, Who: "a regular user"},
	{Articles: 668, Who: "the mean of Table 1"},
	{Articles: 1000, Who: "a heavy user"},
	{Articles: 1500, Who: "a heavy user"},
	{Articles: workload.MaxShown, Who: "the most of Table 1"},
	{Articles: 5000, Who: "years of reading"},
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

// New computes theory at every setting of a scope. The error names the settings
// that no strategy can be made for.
func New(of Scope) (page.Explorer, error) {
	e := page.Explorer{
		Users: []int{
			1000, 10_000, 100_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000,
			100_000_000, 200_000_000, 500_000_000, 1_000_000_000,
		},
		Windows: of.Windows, Rates: of.Rates, Shown: habits,
		Start: page.Setting{Users: 7, Window: slices.Index(of.Windows, 500), Rate: slices.Index(of.Rates, 0.02), Shown: 6},
	}
	for _, s := range sizingRules {
		e.Sizings = append(e.Sizings, s.Sizing)
	}
	for _, s := range scaledStrategies {
		e.Strategies = append(e.Strategies, s.Strategy)
	}
	for _, window := range e.Windows {
		e.Curves = append(e.Curves, points(window))
	}
	var jobs []func() (page.Cell, error)
	for _, rule := range sizingRules {
		for i, window := range e.Windows {
			for _, rate := range e.Rates {
				for _, s := range scaledStrategies {
					jobs = append(jobs, func() (page.Cell, error) { return explored(s, window, rate, rule.exact, e.Curves[i]) })
				}
			}
		}
	}
	e.Cells = make([]page.Cell, len(jobs))
	faults := make([]error, len(jobs))
	var wait sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)); i = next.Add(1) - 1 {
				e.Cells[i], faults[i] = jobs[i]()
			}
		})
	}
	wait.Wait()
	return e, errors.Join(faults...)
}

// explored is one strategy at one setting.
func explored(s scaled, window int, rate float64, exact bool, points []int) (c page.Cell, err error) {
	made, size, err := s.make(window, rate, exact)
	if err != nil {
		return c, fmt.Errorf("%s for %d articles at %g: %w", s.Name, window, rate, err)
	}
	c.Size = size
	known := map[int]float64{}
	fpr := func(shown int) float64 {
		if cycle := s.cycle * window / fifths; cycle > 0 && shown > window+cycle {
			shown -= (shown - window - 1) / cycle * cycle
		}
		rate, ok := known[shown]
		if !ok {
			rate = made.FPR(shown)
			known[shown] = rate
		}
		return rate
	}
	for _, h := range habits {
		c.Bytes = append(c.Bytes, made.Bytes(h.Articles))
		c.FPR = append(c.FPR, page.Number(fpr(h.Articles)))
		c.Window = append(c.Window, made.Window(h.Articles))
	}
	c.Least = window
	for shown := window; shown <= 3*window; shown++ {
		c.Least = min(c.Least, made.Window(shown))
	}
	for _, shown := range points {
		c.Curve = append(c.Curve, page.Coarse(fpr(shown)))
	}
	return c, nil
}

// points is where a curve up to four times the window needs points: it changes its
// direction, if anywhere, at multiples of a fifth of the window, and jumps just before
// or after. At first it climbs through many powers of ten.
func points(window int) (points []int) {
	step := window / fifths
	for shown := 0; shown < 4*window; shown += step {
		if shown > 0 {
			points = append(points, shown-1, shown)
		}
		points = append(points, shown+1)
		for quarter := 1; quarter <= 3; quarter++ {
			if quarter == 2 || shown < window {
				points = append(points, shown+quarter*step/4)
			}
		}
	}
	return append(points, 4*window-1, 4*window)
}
