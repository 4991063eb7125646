package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// offered are the offers for a need, which must be one.
func offered(t *testing.T, n need) []offer {
	t.Helper()
	if raceDetector {
		t.Skip("theory, ten times slower, holds no goroutines")
	}
	if n.articles == 0 {
		n.articles = n.window
	}
	if n.users == 0 {
		n.users = 1000
	}
	all, err := offers(n)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(families) {
		t.Fatalf("%d offers, want one for each of %d families", len(all), len(families))
	}
	return all
}

// What is offered keeps its promises at every moment: window, rate and bytes, in
// theory, and window and rate as it really runs.
func TestOffersKeepPromises(t *testing.T) {
	for _, n := range []need{
		{window: 1, fpr: 0.5},
		{window: 25, fpr: 0.2},
		{window: 60, fpr: 0.05, articles: 90},
		{window: 100, fpr: 0.001},
		{window: 400, fpr: 0.02},
	} {
		for _, s := range offered(t, n) {
			if s.made == nil || !s.Fits {
				t.Errorf("window %d, rate %v: no %s: %s", n.window, n.fpr, s.Strategy, s.Why)
				continue
			}
			if err := keeps(s, n); err != nil {
				t.Errorf("window %d, rate %v: %s: %v", n.window, n.fpr, s.Go, err)
			}
		}
	}
}

// keeps reports which promise is broken. The rate is measured once for each of
// 20 offers: an estimate lies 4 standard errors off in one of 16000, so that one
// of 800 such tests would fail; the seed is fixed, so it is all or never.
func keeps(s offer, n need) error {
	_, last := s.kind.turn(s.Capacity)
	end := 3 * last
	if s.Until > 0 {
		end = s.Until
		if end < n.articles {
			return fmt.Errorf("holds until article %d, asked for %d", end, n.articles)
		}
	}
	for read := 1; read <= end; read++ {
		if got := s.made.Window(read); got < min(read, n.window) {
			return fmt.Errorf("remembers %d articles of %d", got, read)
		}
		if got := s.made.FPR(read); got > n.fpr || got > s.FPR*(1+1e-6) && s.Until == 0 {
			return fmt.Errorf("errs at %v after %d articles, says %v", got, read, s.FPR)
		}
		if got := s.made.Bytes(read) + storeBytes; got > s.User {
			return fmt.Errorf("takes %d bytes after %d articles, says %d", got, read, s.User)
		}
	}

	shown := make([]strategies.ID, end)
	for i := range shown {
		shown[i] = strategies.XXHashString(fmt.Sprint(s.Strategy, n.window, i))
	}
	var history []byte
	seen := make([]bool, n.window)
	for read := 1; read <= end; read++ {
		history = s.made.Record(history, shown[read-1:read])
		asked := shown[max(0, read-n.window):read]
		s.made.Seen(history, asked, seen[:len(asked)])
		if i := slices.Index(seen[:len(asked)], false); i >= 0 {
			return fmt.Errorf("after %d articles number %d is forgotten", read, max(0, read-n.window)+i+1)
		}
	}
	estimate := strategytest.MeasureFPR(s.made, last, 500, 200, 2016)
	if z := estimate.Z(s.made.FPR(last)); math.Abs(z) > 4 {
		return fmt.Errorf("after %d articles the rate is %v, %.1f standard errors off the %v it says", last, estimate.Rate(), z, s.FPR)
	}
	return nil
}

// Links that keep the rate each do not keep it together, and a window that is an
// article short is found out: the faults that keeps is for.
func TestKeepsFindsFaults(t *testing.T) {
	n := need{users: 1000, window: 100, articles: 100, fpr: 0.02}
	for _, s := range offered(t, n) {
		if s.Strategy != "chain" {
			continue
		}
		if err := keeps(s, n); err != nil {
			t.Fatal(err)
		}
		longer := n
		longer.window = s.Window + 1
		if keeps(s, longer) == nil {
			t.Errorf("%s keeps a window of %d, says %d", s.Go, longer.window, s.Window)
		}
		weak := s
		g, err := bloom.BestGeometry(s.Capacity, n.fpr)
		if err != nil {
			t.Fatal(err)
		}
		made, err := chain.New(chain.Config{Links: s.Links, Capacity: s.Capacity, Geometry: g})
		if err != nil {
			t.Fatal(err)
		}
		weak.made = made
		if keeps(weak, n) == nil {
			t.Errorf("links of %v, each sized for the whole chain's rate, keep it together", g)
		}
		// And by running alone: the theory of one, the memory of the other.
		weak.made = disguised{made, s.made}
		if keeps(weak, n) == nil {
			t.Error("a chain that errs more often than it says is not found out")
		}
	}
}

// disguised is a strategy with another's theory.
type disguised struct {
	strategies.Strategy
	strategies.Theory
}

// No configuration that is tried one by one takes fewer bytes.
func TestOffersAreSmallest(t *testing.T) {
	for _, n := range []need{{window: 9, fpr: 0.1}, {window: 30, fpr: 0.01}, {window: 12, fpr: 0.6}} {
		for _, s := range offered(t, n) {
			if s.Strategy == "queue" {
				continue
			}
			for _, family := range families {
				if family[0].name == s.Strategy {
					noneSmaller(t, family, s, n)
				}
			}
		}
	}
	if chains := chainKinds(); len(chains) != chain.MaxLinks-1 || chains[0].links != 2 {
		t.Errorf("chains of %d lengths from %d links on, want 2 to %d", len(chains), chains[0].links, chain.MaxLinks)
	}
	g, err := bloom.BestGeometry(500, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range offered(t, need{window: 500, fpr: 0.02}) {
		if s.Strategy == "single" && s.shape.geometry != g {
			t.Errorf("single in %v, BestGeometry says %v", s.shape.geometry, g)
		}
	}
}

func noneSmaller(t *testing.T, family []kind, s offer, n need) {
	t.Helper()
	for _, k := range family {
		for capacity := 1; capacity <= 2*n.window; capacity++ {
			// Larger ones only take more.
			if window, err := k.window(shape{capacity, bitless}); err != nil || window < n.window {
				continue
			}
			for bits := 1; k.bytes(shape{capacity, bloom.Geometry{Bits: max(bits, bloom.MinLaneBits), Hashes: 1}}) < s.Payload+s.Header; bits++ {
				for hashes := 1; hashes <= 20; hashes++ {
					smaller := shape{capacity, bloom.Geometry{Bits: bits, Hashes: hashes}}
					if rate := k.rate(smaller); rate <= n.fpr {
						t.Errorf("window %d, rate %v: %s has %d bytes, %s %d at %v",
							n.window, n.fpr, s.Go, s.Payload+s.Header, k.source(smaller), k.bytes(smaller), rate)
						return
					}
				}
			}
			break
		}
	}
}

// What would have to give does do, and no less does.
func TestWhatGives(t *testing.T) {
	for _, n := range []need{
		{users: 10_000_000, window: 400, articles: 400, fpr: 0.02, memory: 2 << 30},
		{users: 1000, window: 50, articles: 300, fpr: 1e-6, memory: 70_000},
		{users: 12345, window: 2000, articles: 2000, fpr: 0.1, memory: 5_000_000},
	} {
		for _, s := range offered(t, n) {
			if s.Fits {
				t.Errorf("%s fits %+v", s.Strategy, n)
				continue
			}
			family := families[slices.IndexFunc(families, func(f []kind) bool { return f[0].name == s.Strategy })]
			fits := func(n need) bool {
				again, err := suggest(family, n)
				return err == nil && again.Fits
			}
			enough, scarce := n, n
			enough.memory = size(s.Total)
			scarce.memory = size(s.Total) - 1
			if !fits(enough) || fits(scarce) {
				t.Errorf("%s says that %+v needs %d bytes: these do %v, one less does %v", s.Strategy, n, s.Total, fits(enough), fits(scarce))
			}
			if s.PossibleFPR > 0 && s.Strategy != "queue" {
				enough, scarce = n, n
				enough.fpr, scarce.fpr = s.PossibleFPR, s.PossibleFPR*0.985 // three digits, rounded up
				if !fits(enough) || fits(scarce) {
					t.Errorf("%s says that %+v allows %v: this does %v, a little less does %v", s.Strategy, n, s.PossibleFPR, fits(enough), fits(scarce))
				}
			}
			if s.PossibleReach > 0 {
				reach := func(of int) need {
					m := n
					m.window = of
					if s.kind.wears {
						m.window, m.articles = min(m.window, of), of
					}
					return m
				}
				enough, scarce = reach(s.PossibleReach), reach(s.PossibleReach+1)
				if !fits(enough) || fits(scarce) {
					t.Errorf("%s says that %+v allows %d articles: they do %v, one more does %v", s.Strategy, n, s.PossibleReach, fits(enough), fits(scarce))
				}
			}
		}
	}
}

// More memory fits no fewer, and asking for less takes no more bytes.
func TestOffersAreMonotonic(t *testing.T) {
	fit := map[string]bool{}
	for memory := size(50_000); memory < 10_000_000; memory += memory / 2 {
		for _, s := range offered(t, need{users: 1000, window: 300, articles: 700, fpr: 0.03, memory: memory}) {
			if fit[s.Strategy] && !s.Fits {
				t.Errorf("%s fits less memory than %v, and not this", s.Strategy, memory)
			}
			fit[s.Strategy] = s.Fits
		}
	}
	if len(fit) != len(families) || slices.ContainsFunc(families, func(f []kind) bool { return !fit[f[0].name] }) {
		t.Errorf("of the largest memory: %v, want all to fit", fit)
	}
	less := map[string]int{}
	for _, window := range []int{1, 2, 50, 51, 100, 101, 30_000} {
		for _, s := range offered(t, need{window: window, fpr: 0.02}) {
			if s.User < less[s.Strategy] {
				t.Errorf("%s takes %d bytes for a window of %d, more for a smaller one", s.Strategy, s.User, window)
			}
			less[s.Strategy] = s.User
		}
	}
	clear(less)
	for _, fpr := range []float64{0.9, 0.1, 0.02, 0.0199, 1e-12} {
		for _, s := range offered(t, need{window: 100, fpr: fpr}) {
			if s.User < less[s.Strategy] {
				t.Errorf("%s takes %d bytes at %v, more at a higher rate", s.Strategy, s.User, fpr)
			}
			less[s.Strategy] = s.User
		}
	}
}

// What no parameters do is said, not made up.
func TestNothingDoes(t *testing.T) {
	// One of 100 articles has a fresh one's 64 bits more often than that.
	if s, err := suggest(families[0], need{users: 1, window: 100, articles: 100, fpr: 1e-18}); err != nil || s.Fits || s.made != nil || s.Why == "" || s.Total != 0 {
		t.Errorf("a queue for a rate of 1e-18: %+v, %v", s, err)
	}
	for _, s := range offered(t, need{window: mostWindow, fpr: 1e-11}) {
		fits := s.Strategy == "queue" || s.Strategy == "chain" // of many links
		if s.Fits != fits || !fits && (s.PossibleReach == 0 || s.PossibleFPR <= 1e-11) {
			t.Errorf("%s for a window of %d: fits %v (%s), a window of %d does, or %v", s.Strategy, mostWindow, s.Fits, s.Why, s.PossibleReach, s.PossibleFPR)
		}
	}
	// Not even one article's bytes.
	for _, s := range offered(t, need{users: 1000, window: 100, fpr: 0.02, memory: 12_000}) {
		if s.Fits || s.PossibleFPR != 0 || s.PossibleReach != 0 {
			t.Errorf("%s in 12 bytes a reader: %+v", s.Strategy, s)
		}
	}
}

// The mean over at most 250 moments is that over all of them.
func TestMeanRate(t *testing.T) {
	for _, n := range []need{{window: 20, fpr: 0.1}, {window: 1500, fpr: 0.02}} {
		for _, s := range offered(t, n) {
			first, last := s.kind.turn(s.Capacity)
			sum := 0.
			for read := first; read <= last; read++ {
				sum += s.made.FPR(read)
			}
			if want := sum / float64(last-first+1); math.Abs(s.FPRMean-want) > 1e-4*want {
				t.Errorf("%s: mean %v, the plain sum gives %v", s.Go, s.FPRMean, want)
			}
		}
	}
}

// Times stand beside what the same loop answers, and nothing else.
func TestMeasuredBeside(t *testing.T) {
	reference, ok := results.Reference(defaultUsers, defaultSeed)
	if !ok {
		t.Fatal("no committed reference")
	}
	row, _ := index(reference).find(results.Latency, "chain-sized", "40", results.QHotP50)
	c, err := chain.Sized(400, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	of := func(k kind, capacity int, g bloom.Geometry) offer {
		s := offer{kind: k, Capacity: capacity, Hashes: g.Hashes}
		s.cost(k.bytes(shape{capacity, g}))
		return s
	}
	chains := chainKinds()
	if s := of(chains[c.Links-2], c.Capacity, c.Geometry); s.MeasuredOn != "chain-sized" || s.Nanos != row.Value.Or(0) {
		t.Errorf("the chain of the reference itself: %v on %q, want %v", s.Nanos, s.MeasuredOn, row.Value)
	}
	for _, c := range []struct {
		k        kind
		capacity int
		g        bloom.Geometry
		want     string
	}{
		{chains[7-2], 67, bloom.Geometry{Bits: 819, Hashes: 8}, "chain-sized"}, // any number of lanes
		{chains[7-2], 67, bloom.Geometry{Bits: 819, Hashes: 7}, ""},            // of hashes not
		{chains[7-2], 670, bloom.Geometry{Bits: 8190, Hashes: 8}, ""},          // nor of lines
		{chains[26-2], 16, bloom.Geometry{Bits: 230, Hashes: 8}, ""},           // 64-bit loads
		{chains[5-2], 100, bloom.Geometry{Bits: 812, Hashes: 6}, "chain"},      // unrolled, five lanes
		{chains[6-2], 100, bloom.Geometry{Bits: 812, Hashes: 6}, "dual"},       // unrolled
		{singleKind, 500, bloom.Geometry{Bits: 4064, Hashes: 6}, "single"},
		{singleKind, 500, bloom.Geometry{Bits: 4064, Hashes: 8}, ""},
		{queueKind, 400, bloom.Geometry{}, "queue"},
		{queueKind, 4000, bloom.Geometry{}, ""},
	} {
		if s := of(c.k, c.capacity, c.g); s.MeasuredOn != c.want {
			t.Errorf("%s of %d lanes, %d articles in %v: measured on %q, want %q", c.k.name, c.k.lanes, c.capacity, c.g, s.MeasuredOn, c.want)
		}
	}
}

func TestRounding(t *testing.T) {
	for _, c := range []struct{ v, up, seven float64 }{
		{0, 0, 0},
		{0.0361, 0.0361, 0.0361},
		{0.03610001, 0.0362, 0.03610001},
		{0.99999999, 1, 1},
		{0.0392, 0.0392, 0.0392},
		{508, 508, 508},
		{7_291_000_000, 7_300_000_000, 7_291_000_000},
		{1.0000000049e-15, 1.01e-15, 1e-15},
	} {
		if got := roundUp(c.v); got != c.up {
			t.Errorf("roundUp(%v) = %v, want %v", c.v, got, c.up)
		}
		if got := digits(c.v); got != c.seven {
			t.Errorf("digits(%v) = %v, want %v", c.v, got, c.seven)
		}
	}
}

// The help names the ranges that errors name.
func TestChooseHelp(t *testing.T) {
	r := program(t.Context(), "choose", "--help")
	wants(t, r, exitOK, r.stdout, fmt.Sprintf("1 to %d.", mostWindow), fmt.Sprintf("%v or more", leastFPR), fmt.Sprintf("1 to %d.", workload.MaxUsers))
}
