package store

import (
	"math"
	"slices"
	"testing"
	"time"

	"dejavu/strategies/strategytest"

	"pgregory.net/rapid"
)

func TestAt(t *testing.T) {
	for at, want := range map[time.Time]Timestamp{
		time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC):                         0,
		time.Date(1970, 1, 1, 0, 1, 1, 999, time.UTC):                            61,
		time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("an hour ahead", 3600)): 1772323200,
		time.Date(2106, 2, 7, 6, 28, 15, 0, time.UTC):                            math.MaxUint32,
		time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC):                              math.MaxUint32,
		{}: 0,
	} {
		strategytest.Equal(t, At(at), want, "At(%v)", at)
	}
}

// Readings of a clock with a skew of 10, and what they count as.
func TestClock(t *testing.T) {
	const year = 365 * Day
	type readings = []Timestamp
	same := func(n int, t Timestamp) readings { return slices.Repeat(readings{t}, n) }
	reads := func(name string, given, want readings, skewed int64) {
		t.Helper()
		c := clock{skew: 10}
		var got readings
		for _, r := range given {
			got = append(got, c.read(r).now)
		}
		if !slices.Equal(got, want) || c.skewed != skewed {
			t.Errorf("%s: %v are %v, %d odd; want %v, %d", name, given, got, c.skewed, want, skewed)
		}
	}
	reads("the first, and back and forth by skew", readings{100, 90, 110, 100}, readings{100, 90, 110, 100}, 0)
	reads("one ahead, one behind", readings{100, year, 100, 5, 100}, readings{100, 110, 100, 90, 100}, 2)
	reads("seven ahead and a contradiction, again and again",
		slices.Concat(readings{100}, same(7, year), readings{101}, same(7, year), readings{101}),
		slices.Concat(readings{100}, same(7, 110), readings{101}, same(7, 111), readings{101}), 14)
	reads("eight ahead, which are right", slices.Concat(readings{100}, same(9, year), readings{100}),
		slices.Concat(readings{100}, same(7, 110), same(2, year), readings{year - 10}), 9)
	reads("eight behind", slices.Concat(readings{year}, same(9, 100)),
		slices.Concat(readings{year}, same(7, year-10), same(2, 100)), 8)
	reads("one of eight is later by far: the first is believed",
		slices.Concat(readings{100}, same(7, 500), readings{year, 500}),
		slices.Concat(readings{100}, same(7, 110), readings{510, 500}), 8)
	reads("one of eight is later by far, and is no beginning", slices.Concat(readings{100, year}, same(8, 500)),
		slices.Concat(readings{100}, same(8, 110), readings{500}), 9)
	reads("both sides", slices.Concat(readings{1000}, same(4, 5), same(4, year), readings{1000}),
		slices.Concat(readings{1000}, same(4, 990), same(4, 1010), readings{1000}), 8)
	reads("a pause longer than skew between any two", readings{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000},
		readings{100, 110, 110, 110, 110, 110, 110, 110, 210, 210}, 9)
	reads("the ends of the 32 bits", readings{5, 0, math.MaxUint32}, readings{5, 0, 15}, 1)
	reads("the ends of the 32 bits, from above", readings{math.MaxUint32 - 3, math.MaxUint32, 0},
		readings{math.MaxUint32 - 3, math.MaxUint32, math.MaxUint32 - 10}, 1)
	if c := (clock{}); c.read(year) != (moment{year, year}) || c.read(5) != (moment{5, 5}) || c.skewed != 0 {
		t.Error("without a skew a reading is not what it is")
	}
}

// A clock is the model, whatever the readings.
func TestClockModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		skew := rapid.SampledFrom([]int64{1, 10, 1 << 31, math.MaxUint32}).Draw(t, "skew")
		c, m := clock{skew: Timestamp(skew)}, ClockModel{Skew: skew}
		now := rapid.Int64Range(0, math.MaxUint32).Draw(t, "begin")
		for range rapid.IntRange(1, 60).Draw(t, "readings") {
			now += rapid.SampledFrom([]int64{0, 0, 0, 1, 9, 10, 11, 100, -1, -10, -11, -100, 1 << 31, -1 << 31}).Draw(t, "after")
			now = min(max(now, 0), math.MaxUint32)
			if rapid.Bool().Draw(t, "all") {
				read, until := c.readAll(Timestamp(now))
				if wantRead, want := m.All(now); int64(read) != wantRead || int64(until) != want {
					t.Fatalf("%d is %d, and all may expire until %d; want %d, %d", now, read, until, wantRead, want)
				}
				continue
			}
			got, want := c.read(Timestamp(now)), m.Read(now)
			if int64(got.now) != want || int64(got.mark) != max(want, now) || c.skewed != m.Skewed {
				t.Fatalf("%d is %+v, %d odd; want %d, %d", now, got, c.skewed, want, m.Skewed)
			}
			last := rapid.Int64Range(0, math.MaxUint32).Draw(t, "last")
			if got, want := int64(c.bound(Timestamp(last))), m.Bound(last); got != want {
				t.Fatalf("%d is at the latest %d, want %d", last, got, want)
			}
		}
	})
}

// A ClockModel is what a store believes of the time, in whole numbers and with all odd readings kept.
type ClockModel struct {
	Skew, Skewed int64

	begun         bool
	believed, sum int64
	odd           []int64
}

// Read returns what a reading counts as.
func (m *ClockModel) Read(now int64) int64 {
	switch {
	case m.Skew == 0:
		return now
	case !m.begun || now-m.believed <= m.Skew && m.believed-now <= m.Skew:
		m.believed, m.begun = max(m.believed, now), true
		m.odd, m.sum = nil, min(m.sum+1, 8)
		return now
	}
	m.Skewed++
	m.sum = max(m.sum-1, 0)
	if n := len(m.odd); n > 0 && (now < m.odd[n-1]-m.Skew || now > m.believed != (m.odd[0] > m.believed)) {
		m.odd = nil
	}
	if m.odd = append(m.odd, now); len(m.odd) == 8 {
		m.believed, m.odd, m.sum = m.odd[0], nil, 0
	}
	return max(0, m.believed-m.Skew, min(now, m.believed+m.Skew, math.MaxUint32))
}

// All returns what a reading counts as, and the time until which all users may have expired.
func (m *ClockModel) All(now int64) (read, until int64) {
	read = m.Read(now)
	switch {
	case m.Skew == 0:
		return read, read
	case m.sum < 4:
		return read, 0
	}
	return read, min(read, m.believed)
}

// Bound returns the latest that a last Record is believed to have been at.
func (m *ClockModel) Bound(last int64) int64 {
	if m.Skew == 0 || m.sum < 8 {
		return last
	}
	return min(last, m.believed+m.Skew)
}
