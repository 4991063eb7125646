// Theory takes ten times as long under the race detector, and shares nothing between goroutines.
//go:build !race

package choose

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// offered returns the offers for a need, one of each kind.
func offered(t *testing.T, n Need) []Offer {
	t.Helper()
	if n.Users == 0 {
		n.Users = 1000
	}
	all := strategytest.Value(Offers(n))
	if want := len(kinds(n.Paper)); len(all) != want {
		t.Fatalf("%d offers, want one for each of %d kinds", len(all), want)
	}
	return all
}

// Offers keep their promises at every moment: window, rate and bytes in theory, and window and rate when run.
func TestOffersKeepPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("searches long")
	}
	t.Parallel()
	for _, n := range []Need{
		{Window: 1, FPR: 0.5},
		{Window: 25, FPR: 0.2},
		{Window: 60, FPR: 0.05, Articles: 90},
		{Window: 100, FPR: 0.001},
		{Window: 400, FPR: 0.02},
	} {
		for _, o := range offered(t, n) {
			if o.made == nil || !o.Fits {
				t.Errorf("window %d, rate %v: no %s: %s", n.Window, n.FPR, o.Strategy, o.Why)
				continue
			}
			strategytest.ErrorSays(t, fmt.Sprintf("window %d, rate %v: %s", n.Window, n.FPR, o.Go), keeps(o, n), "")
		}
	}
}

// keeps reports which promise is broken. The rate is measured once for each of 60 offers. An estimate is 4 standard
// errors off in one of 16000, so one of 260 such tests would fail; the seed is fixed.
func keeps(o Offer, n Need) error {
	last := o.last
	end := 2*o.last - o.first + 1
	if o.Until > 0 {
		end = o.Until
		if end < n.life() {
			return fmt.Errorf("holds until article %d, asked for %d", end, n.life())
		}
	}
	for read := 1; read <= end; read++ {
		if got := o.made.Window(read); got < min(read, n.Window) {
			return fmt.Errorf("remembers %d articles of %d", got, read)
		}
		if got := o.made.FPR(read); got > n.FPR || got > o.FPR*(1+1e-6) && o.Until == 0 {
			return fmt.Errorf("has a rate of %v after %d articles, says %v", got, read, o.FPR)
		}
		if got := o.made.Bytes(read) + n.StoreBytes(); got > o.User {
			return fmt.Errorf("takes %d bytes after %d articles, says %d", got, read, o.User)
		}
	}

	shown := make([]strategies.ID, end)
	for i := range shown {
		shown[i] = strategies.XXHashString(fmt.Sprint(o.Strategy, n.Window, i))
	}
	var history []byte
	seen := make([]bool, n.Window)
	for read := 1; read <= end; read++ {
		history = o.made.Record(history, shown[read-1:read])
		asked := shown[max(0, read-n.Window):read]
		o.made.Seen(history, asked, seen[:len(asked)])
		if i := slices.Index(seen[:len(asked)], false); i >= 0 {
			return fmt.Errorf("after %d articles number %d is forgotten", read, max(0, read-n.Window)+i+1)
		}
	}
	estimate := strategytest.MeasureFPR(o.made, last, 300, 200, 2016)
	if z := estimate.Z(o.made.FPR(last)); math.Abs(z) > 4 {
		return fmt.Errorf("after %d articles the rate is %v, %.1f standard errors off the %v it says",
			last, estimate.Rate(), z, o.FPR)
	}
	return nil
}

// No configuration that is tried one by one takes fewer bytes. (Those of the chain and beyond the paper are
// searched in their packages, and tested there.)
func TestOffersAreSmallest(t *testing.T) {
	if testing.Short() {
		t.Skip("searches long")
	}
	t.Parallel()
	for _, n := range []Need{{Window: 9, FPR: 0.1}, {Window: 30, FPR: 0.01}, {Window: 12, FPR: 0.6}} {
		n.Paper = true
		for _, o := range offered(t, n) {
			for bits := 1; bits <= 8*o.Payload; bits++ {
				for hashes := 1; hashes <= 20; hashes++ {
					g := bloom.Geometry{Bits: bits, Hashes: hashes}
					var smaller catalogue.Strategy
					var err error
					switch o.Strategy {
					case "single":
						smaller, err = single.New(single.Config{Capacity: n.Window, Geometry: g})
					case "dual":
						smaller, err = dual.New(dual.Config{Capacity: 2 * n.Window, Threshold: n.Window, Geometry: g})
					default:
						continue
					}
					if err != nil { // a lane too small
						continue
					}
					if smaller.Bytes(o.last) < o.Payload+o.Header && smaller.FPR(o.last) <= n.FPR {
						t.Errorf("window %d, rate %v: %s has %d bytes, %v %d at %v",
							n.Window, n.FPR, o.Go, o.Payload+o.Header, g, smaller.Bytes(o.last), smaller.FPR(o.last))
					}
				}
			}
		}
	}
}

// A constraint relaxed as far as an offer says fits, and relaxed any less it does not.
func TestRelaxed(t *testing.T) {
	if testing.Short() {
		t.Skip("searches long")
	}
	t.Parallel()
	for _, n := range []Need{
		{Users: 10_000_000, Window: 400, Articles: 400, FPR: 0.02, Memory: 2 << 30},
		{Users: 1000, Window: 50, Articles: 300, FPR: 1e-6, Memory: 70_000, Paper: true},
		{Users: 12345, Window: 2000, Articles: 2000, FPR: 0.1, Memory: 5_000_000, Paper: true},
	} {
		for _, o := range offered(t, n) {
			if o.Fits {
				t.Errorf("%s fits %+v", o.Strategy, n)
				continue
			}
			if o.made == nil { // for it promises nothing, whatever the memory
				continue
			}
			// Enough fits, and scarce does not.
			check := func(what string, enough, scarce Need) {
				fits := func(n Need) bool { return o.kind.fits(n, n.reach(o.kind), n.FPR) }
				if !fits(enough) || fits(scarce) {
					t.Errorf("%s of %+v needs, by its offer, %s %+v: it fits: %v, with %+v: %v",
						o.Strategy, n, what, enough, fits(enough), scarce, fits(scarce))
				}
			}
			enough, scarce := n, n
			enough.Memory, scarce.Memory = o.Total, o.Total-1
			check("memory", enough, scarce)
			if o.PossibleFPR > 0 && o.Strategy != "queue" {
				enough, scarce = n, n
				enough.FPR, scarce.FPR = o.PossibleFPR, o.PossibleFPR*0.985 // three digits, rounded up
				check("rate", enough, scarce)
			}
			if o.PossibleWindow > 0 {
				reach := func(of int) Need {
					m := n
					m.Window = of
					if o.kind.endless {
						m.Window, m.Articles = min(n.Window, of), of
					}
					return m
				}
				check("window", reach(o.PossibleWindow), reach(o.PossibleWindow+1))
			}
		}
	}
}

// If no parameters suffice, the offer gives the reason and no numbers.
func TestNothingDoes(t *testing.T) {
	// An unseen article has the 64 bits of one of 100 more often than that.
	o, err := offer(kinds(true)[0], Need{Users: 1, Window: 100, Articles: 100, FPR: 1e-18})
	if err != nil || o.Fits || o.made != nil || o.Why == "" || o.Total != 0 {
		t.Errorf("a queue for a rate of 1e-18: %+v, %v", o, err)
	}
	for _, o := range offered(t, Need{Window: MaxWindow, FPR: 1e-11, Paper: true}) {
		fits := o.Strategy == "queue" || o.Strategy == "chain" // of many links
		if o.Fits != fits || !fits && (o.PossibleWindow == 0 || o.PossibleFPR <= 1e-11) {
			t.Errorf("%s for a window of %d: fits %v (%s), a window of %d does, or %v",
				o.Strategy, MaxWindow, o.Fits, o.Why, o.PossibleWindow, o.PossibleFPR)
		}
	}
	// Not even one article's bytes.
	for _, o := range offered(t, Need{Users: 1000, Window: 100, FPR: 0.02, Memory: 1000 * keyedBytes}) {
		if o.Fits || o.PossibleFPR != 0 || o.PossibleWindow != 0 {
			t.Errorf("%s in the store's bytes a user: %+v", o.Strategy, o)
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
		strategytest.Equal(t, roundUp(c.v), c.up, "roundUp(%v)", c.v)
		strategytest.Equal(t, digits(c.v, 7), c.seven, "digits(%v)", c.v)
	}
}
