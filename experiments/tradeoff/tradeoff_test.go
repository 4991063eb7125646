package tradeoff

import (
	"context"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"sync"
	"testing"

	"dejavu/plots"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/sized"
	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// found are the trades of the whole catalogue, which take a second to find.
var found = sync.OnceValue(func() []trade {
	scope := engine.Scope{Users: 1, Seed: results.DefaultSeed, Entries: catalogue.All()}
	return allTrades(engine.New(context.Background(), scope, engine.NewProgress(io.Discard)))
})

// Every contender keeps what it was made for: the window and the rate at every moment of a cycle, in as many
// bytes as it says, and, within so many bytes, a rate that cannot be much lower.
func TestTradesKeepPromises(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	for _, tr := range found() {
		name := tr.Name + tr.alike.Value
		if tr.Name != results.Beyond+"stable" && tr.Window < catalogue.SizedWindow {
			t.Errorf("%s: a window of %d, want %d", name, tr.Window, catalogue.SizedWindow)
		}
		if rate := tr.Worst; tr.alike == AtRate && rate > catalogue.SizedFPR || tr.Mean > rate*(1+1e-9) {
			t.Errorf("%s: a rate of %v at worst, %v in the mean", name, rate, tr.Mean)
		}
		bytes := longest(tr.strategy, catalogue.SizedWindow)
		if tr.alike == InBytes && bytes > lengthBytes || tr.MeanBytes > float64(bytes)+1e-6 {
			t.Errorf("%s: %d bytes at most, %v in the mean", name, bytes, tr.MeanBytes)
		}
		compared[name] = true
	}
	if least := len(sized.Entries(catalogue.All())) + 8; len(compared) < least {
		t.Errorf("%d configurations compared, want %d", len(compared), least)
	}
	// What says how it is made for a window is compared with the others.
	for _, e := range catalogue.All() {
		if e.Sized != nil && !compared[e.Name+AtRate.Value] {
			t.Errorf("%s can be made for a window, and is not compared", e.Name)
		}
	}
}

// A tenth less than the lowest rate that fits in so many bytes does not fit in them.
func TestNothingBetterFits(t *testing.T) {
	t.Parallel()
	all := found()
	looked := 0
	for _, tr := range all {
		if tr.alike != InBytes {
			continue
		}
		looked++
		s := tr.strategy
		rate := 0.
		for read := 1; read <= firstArticle+100; read++ {
			if catalogue.Endless(s) && read > catalogue.SizedWindow {
				break
			}
			rate = max(rate, s.FPR(read))
		}
		e := catalogue.Must(catalogue.Find(tr.Name))
		lower, err := e.Sized(catalogue.SizedWindow, rate*0.9)
		atWindow := s.FPR(catalogue.SizedWindow)
		length := func(s catalogue.Strategy) int { return longest(s, catalogue.SizedWindow) }
		if err == nil && length(lower) <= lengthBytes && lower.FPR(catalogue.SizedWindow) < 0.95*atWindow {
			t.Errorf("%s: %v in %d bytes, and a tenth less in %d", tr.Name, rate, length(s), length(lower))
		}
	}
	if looked < 8 {
		t.Errorf("%d of one length", looked)
	}
}

// A contender that cannot be that small is left out. (A filter of a fixed capacity can
// be of any size, if its false positive rate may be any.)
func TestNothingFits(t *testing.T) {
	t.Parallel()
	for _, e := range sized.Entries(catalogue.All()) {
		if s := within(e, catalogue.SizedWindow, 20); s != nil && !catalogue.Endless(s) {
			t.Errorf("%s keeps %d articles in %d bytes", e.Name, catalogue.SizedWindow, longest(s, catalogue.SizedWindow))
		}
	}
}

// No structure that keeps its window for ever takes less than the bound, but for
// the term of the order of the window that the bound leaves open: two bits an article.
func TestNobodyPassesTheBound(t *testing.T) {
	t.Parallel()
	for _, e := range sized.Entries(catalogue.All()) {
		for _, fpr := range frontierRates {
			s, err := e.Sized(catalogue.SizedWindow, fpr)
			if err != nil {
				t.Fatalf("%s at %v: %v", e.Name, fpr, err)
			}
			if catalogue.Endless(s) || e.Name == results.Beyond+"stable" {
				continue
			}
			bound := bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr) - 2*catalogue.SizedWindow
			if bits := float64(8 * longest(s, catalogue.SizedWindow)); bits < bound || math.IsNaN(bound) {
				t.Errorf("%s at %v: %v bits, the bound is %v", e.Name, fpr, bits, bound)
			}
		}
	}
}

// A rate becomes one over it, ascending; a rate of zero has no place on the axis.
func TestByOdds(t *testing.T) {
	got := byOdds([]plots.Point{plots.At(0.5, 100), plots.At(0, 300), plots.At(0.25, 200), plots.At(1, 50)})
	if want := []plots.Point{plots.At(1, 50), plots.At(2, 100), plots.At(4, 200)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A candidate, of 40 unseen ones, for every structure at every window and rate that are compared.
func BenchmarkWindows(b *testing.B) {
	scope := engine.Scope{Users: 1, Seed: results.DefaultSeed, Entries: catalogue.All()}
	ids, seen := stopwatch.Candidates(1), make([]bool, 40)
	for _, w := range allWindowed(engine.New(context.Background(), scope, engine.NewProgress(io.Discard))) {
		b.Run(fmt.Sprintf("%s/window=%d/fpr=%v", path.Base(w.name), w.window, w.fpr), func(b *testing.B) {
			history, asked := w.strategy.Record(nil, ids[len(ids)-3*w.window-1:]), stopwatch.Ring{IDs: ids[:len(ids)/2]}
			for b.Loop() {
				w.strategy.Seen(history, asked.Next(len(seen)), seen)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(len(seen)*b.N), "ns/candidate")
		})
	}
}
