package explorer

import (
	"math"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/page"
	"dejavu/results"
)

// some is an explorer of a few settings.
var some = sync.OnceValues(func() (page.Explorer, error) {
	return New(Scope{Windows: []int{100, 500}, Rates: []float64{0.02, 0.001}})
})

// cellOf is a strategy's cell.
func cellOf(t *testing.T, e page.Explorer, window, rate int, name string) *page.Cell {
	t.Helper()
	for i, s := range e.Strategies {
		if s.Name == name {
			return e.Cells[(window*len(e.Rates)+rate)*len(e.Strategies)+i]
		}
	}
	t.Fatalf("no strategy %q", name)
	return nil
}

// All of the catalogue that can be made for a window is there, and the paper's as it
// sizes them. What is not is named.
func TestEveryStrategy(t *testing.T) {
	e, err := some()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Validate(); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range e.Strategies {
		if names[s.Name] || s.About == "" {
			t.Errorf("%q is there twice, or nothing is said about it", s.Name)
		}
		names[s.Name] = true
	}
	for _, entry := range catalogue.All() {
		name := strings.TrimPrefix(entry.Name, results.Beyond)
		if entry.Sized != nil && !names[name] || entry.Sized == nil && entry.IsBeyond() && !strings.Contains(e.Note, name) {
			t.Errorf("%s is neither among the strategies nor named as missing", name)
		}
	}
	if e.Users[e.Start.Users] != results.DefaultUsers || e.Windows[e.Start.Window] != 500 || e.Rates[e.Start.Rate] != 0.02 {
		t.Errorf("the sliders start at %+v", e.Start)
	}
}

// At the paper's setting the paper's three are those of the catalogue.
func TestPublished(t *testing.T) {
	e, err := some()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"single", "dual", "chain"} {
		entry, err := catalogue.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := entry.Make()
		if err != nil {
			t.Fatal(err)
		}
		c := cellOf(t, e, 1, 0, name+", by the paper")
		first, cycle := 1501, 1500
		if c.Fixed {
			first, cycle = 500, 1
		}
		worst, mean, bytes := 0., 0., 0
		for shown := first; shown < first+cycle; shown++ {
			worst, bytes = max(worst, s.FPR(shown)), max(bytes, s.Bytes(shown))
			mean += s.FPR(shown) / float64(cycle)
		}
		if c.Fixed != (name == "single") || c.Bytes != bytes || math.Abs(float64(c.Worst)-worst) > 1e-12 || math.Abs(float64(c.Mean)/mean-1) > 0.01 {
			t.Errorf("%s: %+v, want %d bytes, %v at worst and %v on average", name, *c, bytes, worst, mean)
		}
	}
}

// What is sized for a window and a rate keeps both; the worst moment is found as if all
// were looked at, and the mean within a hundredth.
func TestSizedMeetBoth(t *testing.T) {
	e, err := some()
	if err != nil {
		t.Fatal(err)
	}
	all, _ := lines()
	for w, window := range e.Windows {
		for r, rate := range e.Rates {
			for _, l := range all {
				c := cellOf(t, e, w, r, l.Name)
				if c == nil {
					t.Errorf("%s cannot be made for %d at %v", l.Name, window, rate)
					continue
				}
				if l.open {
					continue
				}
				if !strings.Contains(l.Name, "by the paper") && (float64(c.Worst) > rate || c.Window < window) || c.Mean > c.Worst*(1+1e-9) {
					t.Errorf("%s for %d at %v: %+v", l.Name, window, rate, *c)
				}
				if c.Fixed || window != 500 || rate != 0.02 {
					continue
				}
				s, err := l.make(window, rate)
				if err != nil {
					t.Fatal(err)
				}
				worst, mean := 0., 0.
				for shown := 3*window + 1; shown <= 6*window; shown++ {
					worst = max(worst, s.FPR(shown))
					mean += s.FPR(shown) / float64(3*window)
				}
				if float64(c.Worst) != worst || math.Abs(float64(c.Mean)/mean-1) > 0.01 {
					t.Errorf("%s: %v at worst and %v on average, want %v and %v", l.Name, c.Worst, c.Mean, worst, mean)
				}
			}
		}
	}
}

// Nothing is said of a rate that has no closed form.
func TestOpen(t *testing.T) {
	e, err := some()
	if err != nil {
		t.Fatal(err)
	}
	if c := cellOf(t, e, 0, 0, "stable"); !c.Open || c.Worst != 0 || c.Mean != 0 || c.Bytes == 0 || c.Fixed {
		t.Errorf("stable: %+v", *c)
	}
}
