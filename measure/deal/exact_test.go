package deal

import (
	"math"
	"testing"

	"dejavu/strategies"
	_ "dejavu/strategies/strategytest/seeded"

	"pgregory.net/rapid"
)

// The exact sets behave as maps: with few users and articles, so that tables grow, move and are reused.
func TestExactIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.IntRange(1, 3).Draw(t, "lanes")
		x := NewExact(lanes)
		want := map[int]map[strategies.ID][3]uint32{}
		ids := rapid.SampledFrom([]strategies.ID{0, 1, 2, 3, 1 << 32, 2 << 32, 1 << 63, 1<<64 - 1, 77, 78, 79, 80, 81, 82})
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			user := rapid.IntRange(0, 5).Draw(t, "user")
			more := rapid.IntRange(1, 40).Draw(t, "more")
			if want[user] == nil {
				want[user] = map[strategies.ID][3]uint32{}
			}
			table := x.Open(user, more)
			for range more {
				id := ids.Draw(t, "article") + strategies.ID(rapid.IntRange(0, 9).Draw(t, "and")*1000)
				got, known := table.Find(id)
				old, ok := want[user][id]
				if known != ok || len(got) != lanes || First(got) != old[0] {
					t.Fatalf("article %d of user %d: known %v, %v, want %v, %v", id, user, known, got, ok, old)
				}
				for i := 1; i < lanes; i++ {
					if got[i] != old[i] {
						t.Fatalf("article %d of user %d: lane %d is %d, want %d", id, user, i, got[i], old[i])
					}
					old[i] = rapid.Uint32().Draw(t, "value")
					got[i] = old[i]
				}
				old[0] = rapid.Uint32Max(1<<31-1).Draw(t, "first")
				SetFirst(got, old[0])
				want[user][id] = old
			}
			if n := int(x.places[user].n); n != len(want[user]) {
				t.Fatalf("user %d has %d articles, want %d", user, n, len(want[user]))
			}
		}
		if x.Bytes() == 0 {
			t.Fatal("no memory at all")
		}
	})
}

// An article's age is the number of articles shown since, itself included, before the request; the second of two in
// one request is as old as the first.
func TestShow(t *testing.T) {
	x := NewExact(2)
	shown := uint32(0)
	for _, c := range []struct {
		request []strategies.ID
		ages    []uint32
	}{
		{[]strategies.ID{5, 6, 7}, []uint32{0, 0, 0}},
		{[]strategies.ID{7, 5, 8}, []uint32{1, 3, 0}},
		{[]strategies.ID{5, 6, 8, 9}, []uint32{2, 5, 1, 0}},
	} {
		table := x.Open(3, len(c.request))
		for i, id := range c.request {
			age, lanes := table.Show(id, shown, shown+uint32(i)+1)
			if age != c.ages[i] || First(lanes) != shown+uint32(i)+1 {
				t.Errorf("article %d after %d: age %d and place %d, want %d and %d", id, shown, age, First(lanes), c.ages[i],
					shown+uint32(i)+1)
			}
		}
		shown += uint32(len(c.request))
	}
}

// Bins cover all numbers once, in order, one by one below 2^Bins, and beyond in bins of at most the documented width.
func TestBins(t *testing.T) {
	for _, b := range []Bins{Coarse, Fine} {
		before := 0
		for n := 1; n < 1<<20; n++ {
			bin := b.Bin(n)
			from, to := b.From(bin), b.To(bin)
			if bin != before && bin != before+1 || from > n || to < n || n < 1<<b && from != to || (to-from)<<(b-1) >= n {
				t.Fatalf("%d of %d bits is in bin %d from %d to %d, after bin %d", n, b, bin, from, to, before)
			}
			before = bin
		}
	}
	if AgeBin(1<<32-1) != AgeBins-1 || AgeOf(AgeBins-1) != 15<<28 {
		t.Errorf("the last age is in bin %d of %d", AgeBin(1<<32-1), AgeBins)
	}
	if AgeBin(math.MaxInt) >= AgeBins {
		t.Error("an age beyond all bins is in none")
	}
}

// Window returns the least window with that share of the repeats.
func TestWindow(t *testing.T) {
	ages := []int64{0, 4, 3, 0, 2}
	for _, c := range []struct {
		repeats int64
		share   float64
		window  int
		has     float64
	}{{10, 0.4, 1, 0.4}, {10, 0.41, 2, 0.7}, {10, 0.9, 4, 0.9}, {10, 0.91, 0, 0.9}, {9, 1, 4, 1}} {
		if window, has := Coarse.Window(ages, c.repeats, c.share); window != c.window || has != c.has {
			t.Errorf("%v of %d: %d, %v, want %d, %v", c.share, c.repeats, window, has, c.window, c.has)
		}
	}
	if window, has := Coarse.Window(nil, 0, 1); window != 0 || has != 0 {
		t.Errorf("of nothing: %d, %v", window, has)
	}
}
