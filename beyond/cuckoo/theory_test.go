package cuckoo_test

import (
	"math"
	"slices"
	"testing"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Rates by hand. In two buckets a fingerprint has one pair, so that there are 15 articles that a filter of 4
// bits can tell apart, and with two alive a fresh one is like one of them with 1 - (14/15)^2 = 29/225. The
// standard tells 255·178/2 = 22695 apart: 456/22695 = 0.0200925, less the half of its square and so on,
// 0.0198925 (computed outside the project).
func TestTheory(t *testing.T) {
	tiny := build(t, cuckoo.Config{Generations: 2, Capacity: 1, Buckets: 2, Slots: 4, Fingerprint: 4})
	standard := build(t, cuckoo.Standard)
	for _, tt := range []struct {
		filter *cuckoo.Filter
		read   int
		want   float64
	}{
		{tiny, 0, 0},
		{tiny, 1, 1. / 15},
		{tiny, 2, 29. / 225},
		{tiny, 1000, 29. / 225},
		{standard, 1, 1. / 22695},
		{standard, 456, 0.0198925},
		{standard, 457, 0.0174710},
		{standard, 513, 0.0198925},
	} {
		if got := tt.filter.FPR(tt.read); math.Abs(got-tt.want) > 1e-7 {
			t.Errorf("FPR(%d) = %.7f, want %.7f", tt.read, got, tt.want)
		}
	}
	// Fan et al. (2014, §5.1) have 1 - (1 - 2^-8)^6 = 0.0232 for two full buckets of
	// three, and these are full to 85 %.
	if got := standard.Asymptotic(456); math.Abs(got-0.01985) > 1e-5 {
		t.Errorf("Asymptotic(456) = %.5f, want 0.01985", got)
	}
}

// A full set of slots, in all tables, as far as distinct articles fill them; they
// do but for the fifth of a kind.
func TestFill(t *testing.T) {
	f := build(t, cuckoo.Standard)
	for _, read := range []int{0, 1, 22, 23, 100, 171, 172, 456, 457, 2000} {
		taken, of := f.Fill(f.Record(nil, strategytest.IDs(uint64(read), read)))
		if want := f.FillTheory(read) * float64(of); math.Abs(float64(taken)-want) > 1e-9 {
			t.Errorf("after %d articles %d of %d slots are taken, want %v", read, taken, of, want)
		}
	}
	if got, want := f.FillTheory(456), 456./(178*3); got != want {
		t.Errorf("FillTheory(456) = %v, want %v", got, want)
	}
}

// The standard is what Sized gives.
func TestSized(t *testing.T) {
	c, err := cuckoo.Sized(400, 0.02)
	if err != nil || c != cuckoo.Standard {
		t.Errorf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, cuckoo.Standard)
	}
	last := math.MaxInt
	for fpr := 1e-6; fpr < 0.9; fpr *= 1.1 {
		c, err := cuckoo.Sized(400, fpr)
		strategytest.Must(t, err)
		bytes := build(t, c).Bytes(1 << 20)
		if bytes > last {
			t.Errorf("Sized(400, %v) takes %d bytes, and %d at a lower rate", fpr, bytes, last)
		}
		last = bytes
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, cuckoo.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 65535":         {0, 0.02},
		"window is 65536, want 1 to 65535":     {65536, 0.02},
		"fpr is 0, want it between 0 and 1":    {400, 0},
		"fpr is 1, want it between 0 and 1":    {400, 1},
		"fpr is NaN":                           {400, math.NaN()},
		"no filter of at most 1048576 buckets": {400, 1e-300},
	})
}

// Every false positive among unseen articles, taken back from the history as it
// was, loses one of the articles at most.
func TestFalsePositiveTakenBack(t *testing.T) {
	coarse := cuckoo.Config{Generations: 4, Capacity: 20, Buckets: 32, Slots: 4, Fingerprint: 4}
	for _, c := range []cuckoo.Config{cuckoo.Standard, coarse} {
		f := build(t, c)
		read, positives, lost := c.Generations*c.Capacity, 0, 0
		for user := range uint64(100) {
			ids := strategytest.IDs(user, read+500)
			history := f.Record(nil, ids[:read])
			for i, hit := range strategytest.Ask(f, history, ids[read:]) {
				if !hit {
					continue
				}
				positives++
				after := f.Delete(slices.Clone(history), ids[read+i:read+i+1])
				gone := read - strategytest.Count(strategytest.Ask(f, after, ids[:read]))
				if gone > 1 {
					t.Fatalf("%+v: one false positive loses %d articles", c, gone)
				}
				lost += gone
			}
		}
		if positives < 500 || lost < positives/2 {
			t.Errorf("%+v: %d false positives taken back lose %d articles, want nearly as many", c, positives, lost)
		}
	}
}

// An article recorded once more is taken back once more; recorded four times or
// more often it stays until it expires.
func TestDeleteRepeats(t *testing.T) {
	f, ids := build(t, cuckoo.Standard), strategytest.IDs(7, 500)
	one := ids[:1]
	for times := 1; times <= 6; times++ {
		history := f.Record(f.Record(nil, ids[1:40]), slices.Repeat(one, times))
		for back := 1; back <= times; back++ {
			history = f.Delete(history, one)
			if got, want := strategytest.Ask(f, history, one)[0], back < times || times >= 4; got != want {
				t.Fatalf("recorded %d times and taken back %d: seen is %v, want %v", times, back, got, want)
			}
		}
		if seen := strategytest.Ask(f, history, ids[1:40]); slices.Contains(seen, false) {
			t.Fatalf("recorded %d times and taken back as often: another article is forgotten", times)
		}
		if times == 6 {
			if history = f.Record(history, ids[40:496]); strategytest.Ask(f, history, one)[0] {
				t.Error("it has not expired after 456 articles")
			}
		}
	}
	if got := f.Delete(nil, one); len(got) != 0 {
		t.Errorf("taking back from a newcomer makes %d bytes", len(got))
	}
	var nothing []strategies.ID
	if history := f.Record(nil, ids); !slices.Equal(f.Delete(slices.Clone(history), nothing), history) {
		t.Error("taking back nothing changes the history")
	}
}

func TestSizedKeepsItsPromise(t *testing.T) { strategytest.KeepsPromises(t, cuckoo.Sized, build) }
