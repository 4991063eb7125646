package apbf_test

import (
	"math"
	"slices"
	"testing"

	"dejavu/beyond/apbf"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Two hashes, one shift, generations of one article, slices of two bits. An article of age 3 has lost the one slice
// and has the oldest: it is recognised where the slice before that, of two others, holds its bit: 1 - (1/2)^2. One of
// age 4 has none left: the middle slice must hold its bit, and the first, of one article, or the last, of two.
func TestRememberedByHand(t *testing.T) {
	f := build(t, apbf.Config{Hashes: 2, Shifts: 1, Generation: 1, Bits: 2})
	for i, want := range []float64{1, 1, 3. / 4, 3. / 4 * (1 - 1./2*1/4), 21. / 32} {
		strategytest.Near(t, f.Remembered(i+1), want, 1e-15, "age %d", i+1)
	}
}

// It is certain in the window, falls from there, and ends at the mean rate.
func TestRememberedFalls(t *testing.T) {
	for _, c := range []apbf.Config{sized(t, 400, 0.02), percent, arrangements["one lane"]} {
		f := build(t, c)
		turn := (c.Hashes + c.Shifts) * c.Generation
		mean, last := 0., 1.
		for read := 2*turn + 1; read <= 2*turn+c.Generation; read++ {
			mean += f.FPR(read) / float64(c.Generation)
		}
		certain := c.Shifts*c.Generation + 1
		for age := range 2 * turn {
			got := f.Remembered(age)
			if age <= certain && got != 1 || age > certain && !(got < 1) || got > last+1e-15 {
				t.Fatalf("%+v: age %d: %v, one before %v", c, age, got, last)
			}
			last = got
		}
		if math.Abs(last-mean) > 1e-12 || math.Abs(f.Remembered(1<<30)-mean) > 1e-12 {
			t.Errorf("%+v: %v at the end, want the mean rate %v", c, last, mean)
		}
	}
}

// aged tallies, at every moment of a generation, whether the articles of some ages are recognised, an
// estimate an age. The moments of a user are one cluster.
func aged(f *apbf.Filter, ages []int, readers int) []strategytest.Estimate {
	read := max(slices.Max(ages), (f.Hashes+f.Shifts)*f.Generation) // before the first
	estimates := make([]strategytest.Estimate, len(ages))
	asked, seen := make([]strategies.ID, len(ages)), make([]bool, len(ages))
	for reader := range readers {
		ids := strategytest.IDs(uint64(reader), read+f.Generation)
		history := f.Record(nil, ids[:read])
		hits := make([]int, len(ages))
		for now := read + 1; now <= len(ids); now++ {
			history = f.Record(history, ids[now-1:now])
			for i, age := range ages {
				asked[i] = ids[now-age]
			}
			f.Seen(history, asked, seen)
			for i, s := range seen {
				if s {
					hits[i]++
				}
			}
		}
		for i := range estimates {
			estimates[i].Queries = f.Generation
			estimates[i].Add(hits[i])
		}
	}
	return estimates
}

// What is remembered by age, simulated: within four standard errors, clustered by user, so that a right
// filter fails one of the 29 with a probability below 2e-3; the IDs are fixed, so it is all or never. Where
// the chance falls fast, an age that is one off is found, 6 standard errors and more.
func TestRemembered(t *testing.T) {
	for _, tt := range []struct {
		config  apbf.Config
		ages    []int
		readers int
		steep   int // an age
	}{
		{sized(t, 400, 0.02), []int{1, 401, 402, 405, 410, 411, 415, 420, 430, 445, 460, 500, 501, 600}, 2500, 405},
		{percent, []int{1, 401, 402, 405, 425, 451, 460, 475, 550, 800, 850, 1000}, 2500, 425},
		{arrangements["one lane"], nil, 8000, 0},
		{arrangements["eight rows"], nil, 8000, 0},
		{arrangements["one hash"], nil, 8000, 0},
	} {
		f, c := build(t, tt.config), tt.config
		if tt.ages == nil {
			tt.steep = c.Shifts*c.Generation + 1 + c.Generation/2
			tt.ages = []int{tt.steep}
		}
		for i, e := range aged(f, tt.ages, tt.readers) {
			age := tt.ages[i]
			if z := e.Z(f.Remembered(age)); !(math.Abs(z) <= 4) {
				t.Errorf("%+v: age %d: %.5f recognised, theory says %.5f: %.1f standard errors off", c, age, e.Rate(),
					f.Remembered(age), z)
			}
			if age != tt.steep {
				continue
			}
			for _, off := range []int{-1, 1} {
				if z := e.Z(f.Remembered(age + off)); math.Abs(z) < 6 {
					t.Errorf("%+v: age %d instead of %d is only %.1f standard errors off", c, age+off, age, z)
				}
			}
		}
	}
}
