package counting_test

import (
	"math"
	"strings"
	"testing"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The rate by articles read: golden values computed outside the project from the
// recursion of Bose et al. (2008), as for package single.
func TestTheory(t *testing.T) {
	f := build(t, counting.Paper)
	for read, want := range map[int]float64{
		0: 0, 200: 0.000280, 300: 0.002104, 500: 0.020268, 1000: 0.211128, 1500: 0.499930, 2000: 0.725167, 3000: 0.930626,
	} {
		if got := f.FPR(read); math.Abs(got-want) > 0.5e-6 {
			t.Errorf("FPR(%d) = %.7f, want %.6f", read, got, want)
		}
		if f.Window(read) != read {
			t.Errorf("Window(%d) = %d, want all", read, f.Window(read))
		}
		want := 2032
		if read == 0 {
			want = 0
		}
		if got := f.Bytes(read); got != want {
			t.Errorf("Bytes(%d) = %d, want %d", read, got, want)
		}
	}
}

// One article of two positions in two counters, by hand: it meets a given
// counter with the chance 3/4. Fifteen are needed for the end.
func TestSaturatedByHand(t *testing.T) {
	f := build(t, counting.Config{Capacity: 1, Geometry: bloom.Geometry{Bits: 2, Hashes: 2}})
	for read, want := range map[int]float64{
		0: 0, 14: 0,
		15: math.Pow(0.75, 15),
		16: 16*math.Pow(0.75, 15)*0.25 + math.Pow(0.75, 16),
	} {
		if got := f.Saturated(read); math.Abs(got-want) > 1e-12 {
			t.Errorf("Saturated(%d) = %v, want %v", read, got, want)
		}
	}
}

// Fan et al. (2000, §V) bound the chance that any of m counters comes to 16 by
// 1.37e-15·m where k is at most (m/n)·ln 2. Coming to 15 is likelier, 16/λ times
// with λ = kn/m below ln 2, and 1.37e-15 was bounded from above.
func TestSaturatedWithinTheBoundOfFan(t *testing.T) {
	for _, g := range []bloom.Geometry{{Bits: 4064, Hashes: 5}, {Bits: 10_000, Hashes: 13}} {
		f := build(t, counting.Config{Capacity: 1, Geometry: g})
		n := int(math.Ln2 * float64(g.Bits) / float64(g.Hashes))
		got := f.Saturated(n)
		if got > 1.37e-15*16/math.Ln2 || got < 1e-16 {
			t.Errorf("%v with %d articles: a counter is at its end with %v, want at most 3.2e-14", g, n, got)
		}
	}
}

// Counters at their end, counted: a small filter that reads on. The mean of 400
// readers lies within four standard errors, taken as for independent counters; a
// right filter fails one of the three with a probability below 2e-4.
func TestSaturated(t *testing.T) {
	const readers = 400
	g := bloom.Geometry{Bits: 301, Hashes: 5}
	f := build(t, counting.Config{Capacity: 30, Geometry: g})
	for _, read := range []int{400, 700, 1000} { // λ from 6.6 to 16.6, both tails
		ends := 0
		for reader := range uint64(readers) {
			for _, pair := range f.Record(nil, strategytest.IDs(reader, read)) {
				if pair&15 == 15 {
					ends++
				}
				if pair>>4 == 15 {
					ends++
				}
			}
		}
		got, want := float64(ends)/float64(readers*g.Bits), f.Saturated(read)
		if within := 4 * math.Sqrt(want*(1-want)/float64(readers*g.Bits)); math.Abs(got-want) > within {
			t.Errorf("after %d articles %.6f of the counters are at their end, want %.6f ± %.6f", read, got, want, within)
		}
	}
}

// Sized is the smallest filter at its window, and grows with what is asked.
func TestSized(t *testing.T) {
	c, err := counting.Sized(500, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	// m = 4078 and k = 6 were computed outside the project.
	if want := (counting.Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4078, Hashes: 6}}); c != want {
		t.Errorf("Sized(500, 0.02) = %+v, want %+v", c, want)
	}
	last := 0
	for _, fpr := range []float64{0.9, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.001, 1e-6} {
		c, err := counting.Sized(400, fpr)
		if err != nil {
			t.Fatal(err)
		}
		f := build(t, c)
		if f.FPR(400) > fpr || f.Bytes(400) < last {
			t.Errorf("Sized(400, %v): %v in %d bytes, after %d", fpr, f.FPR(400), f.Bytes(400), last)
		}
		last = f.Bytes(400)
	}
}

func TestSizedErrors(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
		want   string
	}{
		{0, 0.02, "window is 0, want at least 1"},
		{400, 0, "fpr is 0, want it between 0 and 1"},
		{400, 1, "fpr is 1, want it between 0 and 1"},
		{400, math.NaN(), "fpr is NaN"},
		{1 << 24, 1e-9, "16777216 articles at 1e-09"},
	} {
		if _, err := counting.Sized(tt.window, tt.fpr); err == nil || !strings.HasPrefix(err.Error(), "counting: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Sized(%d, %v): error %v, want %q", tt.window, tt.fpr, err, tt.want)
		}
	}
}
