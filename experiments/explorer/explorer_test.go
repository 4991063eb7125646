package explorer

import (
	"runtime"
	"sync"
	"testing"

	"dejavu/chain"
	"dejavu/experiments/catalogue"
	"dejavu/page"
	"dejavu/results"
)

// whole is the explorer of the page itself.
var whole = sync.OnceValues(func() (page.Explorer, error) { return New(Whole) })

// What is taken over from an earlier cycle is what theory says, at every setting.
func TestCycles(t *testing.T) {
	for _, s := range scaledStrategies {
		for _, window := range []int{100, 1500} {
			points := points(window)
			cell, err := explored(s, window, 0.01, window == 100, points)
			if err != nil {
				t.Fatal(err)
			}
			made, _, err := s.make(window, 0.01, window == 100)
			if err != nil {
				t.Fatal(err)
			}
			for i, shown := range points {
				if got, want := float64(cell.Curve[i]), made.FPR(shown); got != want {
					t.Errorf("%s for %d articles after %d: %v, want %v", s.Name, window, shown, got, want)
				}
			}
			for i, h := range habits {
				if got, want := float64(cell.FPR[i]), made.FPR(h.Articles); got != want {
					t.Errorf("%s for %d articles after %d: %v, want %v", s.Name, window, h.Articles, got, want)
				}
			}
		}
	}
}

// The place where the sliders start is the paper's setting, and says what its
// strategies say.
func TestStartsAtThePaper(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	e, err := whole()
	if err != nil || runtime.GOMAXPROCS(0) != 3 {
		t.Fatalf("error %v, and %d processors of 3", err, runtime.GOMAXPROCS(0))
	}
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	s := e.Start
	if e.Users[s.Users] != results.DefaultUsers || e.Windows[s.Window] != 500 || e.Rates[s.Rate] != 0.02 || e.Shown[s.Shown].Articles != 500 || s.Sizing != 0 {
		t.Errorf("the sliders start at %+v", s)
	}
	for i, strategy := range e.Strategies {
		cell := e.Cells[((s.Sizing*len(e.Windows)+s.Window)*len(e.Rates)+s.Rate)*len(e.Strategies)+i]
		entry, err := catalogue.Find(strategy.Name)
		if err != nil {
			t.Fatal(err)
		}
		made, err := entry.Make()
		if err != nil {
			t.Fatal(err)
		}
		if fixed := catalogue.Endless(made); fixed != (i == len(e.Strategies)-1) {
			t.Errorf("line %d is %s, and what has a fixed capacity is to be last", i, strategy.Name)
		}
		for j, h := range e.Shown {
			if cell.Bytes[j] != made.Bytes(h.Articles) || float64(cell.FPR[j]) != made.FPR(h.Articles) || cell.Window[j] != made.Window(h.Articles) {
				t.Errorf("%s after %d articles: %d bytes, %v, %d; want %d, %v, %d", strategy.Name, h.Articles,
					cell.Bytes[j], cell.FPR[j], cell.Window[j], made.Bytes(h.Articles), made.FPR(h.Articles), made.Window(h.Articles))
			}
		}
		for j, shown := range e.Curves[s.Window] {
			if float64(cell.Curve[j]) != made.FPR(shown) {
				t.Errorf("%s: the curve at %d is %v, want %v", strategy.Name, shown, cell.Curve[j], made.FPR(shown))
			}
		}
	}
}

// By the exact formula every strategy keeps the rate while it holds N articles,
// the chain always.
func TestExactSizesMeetTheRate(t *testing.T) {
	e, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	for w, window := range e.Windows {
		for r, rate := range e.Rates {
			for i, strategy := range e.Strategies {
				c := e.Cells[((1*len(e.Windows)+w)*len(e.Rates)+r)*len(e.Strategies)+i]
				for j, shown := range e.Curves[w] {
					if fpr := float64(c.Curve[j]); fpr > rate && (shown <= window || strategy.Name != "single") {
						t.Errorf("%s for %d articles at %v: %v after %d", strategy.Name, window, rate, fpr, shown)
					}
				}
			}
		}
	}
}

// A curve is nowhere higher between its points than at the larger of the two, so
// that what is drawn hides no peak.
func TestPointsMissNoPeak(t *testing.T) {
	s, err := chain.New(chain.Paper)
	if err != nil {
		t.Fatal(err)
	}
	points := points(500)
	at := 0
	for shown := 1; shown <= 2000; shown++ {
		for points[at] < shown {
			at++
		}
		from := points[max(0, at-1)]
		if most := max(s.FPR(from), s.FPR(points[at])); s.FPR(shown) > most {
			t.Errorf("after %d articles %v, drawn between %d and %d at no more than %v", shown, s.FPR(shown), from, points[at], most)
		}
	}
}
