package workload

import (
	"math"
	"math/bits"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Other habits are what they say: means within six standard errors, so that this
// fails by chance less than once in a hundred million times.
func TestHabits(t *testing.T) {
	c := DefaultDaily()
	c.Sessions, c.Sigma, c.Refreshes, c.LeastPause, c.PauseMean, c.Repeats, c.Octave = 2, 0, 4.5, 20, 100, 0.5, 0.5
	c.Recalled, c.PerRefresh = 32, 20
	d := strategytest.Value(NewDailyOf(c, 1, 20000))
	var sessions, refreshes, pauses, pause, gaps, gap float64
	shown := make([]int32, 1023) // ten octaves of ages
	for i := range shown {
		shown[i] = int32(i)
	}
	octaves, repeats, recalled := make([]float64, 10), 0., 0.
	for user := range 2000 {
		v := d.Visitor(user)
		last := uint32(0)
		for range 20 {
			at, _ := v.Next()
			refreshes++
			if took := float64(at - last); v.InSession() {
				pauses++
				pause += took
				if took < 20 {
					t.Fatalf("a pause of %v s, want 20 at least", took)
				}
			} else {
				sessions++
				gaps++
				gap += took
			}
			last = at
		}
		for range 20 { // one by one: what is in the request already would be a fresh one
			var article [1]int32
			var age [1]int
			var id [1]strategies.ID
			v.Recall(shown, article[:], age[:], id[:])
			if recalled++; age[0] > 0 {
				repeats++
				octaves[bits.Len(uint(age[0]))-1]++
			}
		}
	}
	near := func(what string, got, want, err float64) {
		if math.Abs(got-want) > 6*err {
			t.Errorf("%s: %v, want %v within %v", what, got, want, 6*err)
		}
	}
	// Of refreshes that follow another, each is the session's next with the same chance.
	near("share within sessions", pauses/(refreshes-2000), 1-1/4.5, math.Sqrt(1/4.5*(1-1/4.5)/(refreshes-2000)))
	near("pause", pause/pauses, 119.5, 100/math.Sqrt(pauses)+0.05) // whole seconds are cut
	near("gap", gap/gaps, 43200, 43200/math.Sqrt(gaps))
	near("repeats", repeats/recalled, 0.5, 0.5/math.Sqrt(recalled))
	for i, n := range octaves {
		want := math.Exp2(-float64(i+1)) / (1 - math.Exp2(-10))
		near("octave", n/repeats, want, math.Sqrt(want/repeats))
	}
	for _, n := range []int{1, 5, 31} {
		for range 100 {
			if o := d.habits.octave(&draws{key: uint64(n)}, n); o < 0 || o >= n {
				t.Fatalf("octave %d of %d", o, n)
			}
		}
	}
}

// What is out of its range is named, with value and range.
func TestHabitsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(c *DailyConfig)
		reason string
	}{
		{func(c *DailyConfig) { c.Sessions = 0 }, "Sessions is 0, want 0.001 to 1000"},
		{func(c *DailyConfig) { c.Sigma = -1 }, "Sigma is -1, want 0 to 5"},
		{func(c *DailyConfig) { c.Sigma = math.NaN() }, "Sigma is NaN, want 0 to 5"},
		{func(c *DailyConfig) { c.Refreshes = 0.5 }, "Refreshes is 0.5, want 1 to 10000"},
		{func(c *DailyConfig) { c.LeastPause = -1 }, "LeastPause is -1, want 0 to 3600"},
		{func(c *DailyConfig) { c.PauseMean = 86401 }, "PauseMean is 86401, want 0 to 86400"},
		{func(c *DailyConfig) { c.Recalled = 4097 }, "Recalled is 4097, want 1 to 4096"},
		{func(c *DailyConfig) { c.PerRefresh = 17 }, "PerRefresh is 17, want 1 to 16"},
		{func(c *DailyConfig) { c.Repeats = 1.5 }, "Repeats is 1.5, want 0 to 1"},
		{func(c *DailyConfig) { c.Octave = 0 }, "Octave is 0, want 0.01 to 100"},
	} {
		config := DefaultDaily()
		c.change(&config)
		strategytest.ErrorSays(t, "it", strategytest.ErrorOf(NewDailyOf(config, 1, 10)), c.reason)
	}
	if _, err := NewDailyOf(DefaultDaily(), 1, 0); err == nil {
		t.Error("a population of nobody")
	}
	// The extremes live, and their clocks do not overflow.
	for _, c := range []DailyConfig{
		{Sessions: 0.001, Sigma: 5, Refreshes: 1, Recalled: 1, PerRefresh: 1, Octave: 0.01},
		{
			Sessions: 1000, Sigma: 5, Refreshes: 10000, LeastPause: 3600, PauseMean: 86400,
			Recalled: MaxRecalled, PerRefresh: 1, Repeats: 1, Octave: 100,
		},
	} {
		d := strategytest.Value(NewDailyOf(c, 1, 100))
		for user := range 100 {
			v := d.Visitor(user)
			for last, n := uint32(0), 0; n < 20; n++ {
				at, ok := v.Next()
				if !ok {
					break
				}
				if at < last || at >= Horizon {
					t.Fatalf("%d follows %d", at, last)
				}
				last = at
			}
		}
	}
}
