package library

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dejavu/bloom"
	"dejavu/strategies"
)

// numbers are n random IDs, the same for the same seed.
func numbers(seed uint64, n int) []strategies.ID {
	r := rand.New(rand.NewPCG(seed, 7))
	ids := make([]strategies.ID, n)
	for i := range ids {
		ids[i] = strategies.ID(r.Uint64())
	}
	return ids
}

// filters are the libraries that make filters one by one, and ours.
func filters() []Library {
	all := []Library{{Name: "dejavu", New: OurFilter, Geometry: kept}}
	for _, l := range All() {
		if l.New != nil {
			all = append(all, l)
		}
	}
	return all
}

func TestFiltersRemember(t *testing.T) {
	for _, l := range filters() {
		f := l.New(Link)
		for round := range uint64(2) { // the second after Empty
			ids := numbers(round, perLink)
			for _, id := range ids {
				f.Add(id)
			}
			for i, id := range ids {
				if !f.Has(id) {
					t.Errorf("%s, round %d: article %d of %d is not remembered", l.Name, round, i, perLink)
				}
			}
			f = f.Empty()
			for i, id := range ids {
				if f.Has(id) {
					t.Errorf("%s, round %d: article %d is still there after Empty", l.Name, round, i)
				}
			}
		}
		f.AddKey([]byte("https://news.example/articles/1"))
		if !f.HasKey([]byte("https://news.example/articles/1")) {
			t.Errorf("%s: a key is not remembered", l.Name)
		}
	}
}

// rate is the share of fresh random numbers that 400 filters of so many articles
// take for theirs.
func rate(create func(bloom.Geometry) Filter, articles int) float64 {
	hits, queries := 0, 0
	for n := range 400 {
		f := create(One)
		ids := numbers(uint64(n), articles+capacity)
		for _, id := range ids[:articles] {
			f.Add(id)
		}
		for _, id := range ids[articles:] {
			queries++
			if f.Has(id) {
				hits++
			}
		}
	}
	return float64(hits) / float64(queries)
}

// Random numbers are no hard task: each library is within a tenth of its theory.
// With 400 filters of 500 queries the standard error is below 2 % of the rate,
// so that other seeds would fail this less than once in a million runs.
func TestRates(t *testing.T) {
	off := func(got, want float64) bool { return math.Abs(got/want-1) > 0.1 }
	for _, l := range filters() {
		if l.FPR == nil {
			l = bloomTheory(l)
		}
		articles := capacity
		if l.Random { // full to the brim it is another matter
			articles = 400
		}
		if got, want := rate(l.New, articles), l.FPR(One, articles); off(got, want) {
			t.Errorf("%s: false positive rate %.5f, want %.5f", l.Name, got, want)
		}
	}

	// A planted fault: a sixteenth of the bits is missing.
	short := func(g bloom.Geometry) Filter {
		g.Bits -= g.Bits / 16
		return OurFilter(g)
	}
	if got, want := rate(short, capacity), bloom.Exact(capacity, One); !off(got, want) {
		t.Errorf("a filter of 3810 bits passes for one of 4064, with %.5f for %.5f", got, want)
	}
}

// What Geometry and Bits say is what the libraries' own accessors say.
func TestGeometries(t *testing.T) {
	for _, asked := range []bloom.Geometry{One, Link} {
		b := newBits(asked).its()
		h := holiman().New(asked).(*holimanFilter).its()
		r := newRistretto(asked).its()
		got := map[string]string{
			"bits-and-blooms": fmt.Sprint(b.Cap(), b.K()),
			"holiman":         fmt.Sprint(h.M(), h.K()),
			// TotalSize counts five words beside the bits.
			"ristretto":    fmt.Sprint((r.TotalSize()-5*8)*8, asked.Hashes),
			"BoomFilters":  fmt.Sprint(asked.Bits, asked.Hashes), // the library is asked in Geometry
			"cuckoofilter": fmt.Sprint(len(newCuckoo(asked).its().Encode()) * 8),
		}
		for _, l := range All() {
			want, ok := got[l.Name]
			if !ok {
				continue
			}
			says := fmt.Sprint(l.Bits(asked))
			if g := l.Geometry(asked); g.Hashes > 0 {
				says = fmt.Sprint(g.Bits, g.Hashes)
			}
			if says != want {
				t.Errorf("%s at %v: says %s, the library %s", l.Name, asked, says, want)
			}
		}
	}
}

// A strategy is the same whatever filters it is built from: what ours certainly
// remembers, after every batch, so do the others, and what ours has dropped
// they report as seen only as often as an unseen article.
func TestStrategiesAnswerLikeOurs(t *testing.T) {
	const shown = 1337
	ids := numbers(3, shown)
	for _, kind := range Kinds {
		ours := kind.Ours.(strategies.Theory)
		for _, l := range append([]Library{{
			Name:    "dejavu",
			Singles: func(n int) Users { return Histories(OurSingle, n) },
			Duals:   func(n int) Users { return Histories(OurDual, n) },
			Chains:  func(n int) Users { return Histories(OurChain, n) },
		}}, All()...) {
			create := kind.Of(l)
			if create == nil || l.Static {
				continue
			}
			if kind.Name == "single" && l.Random {
				continue // 500 fingerprints in 512 places: some are lost, which is measured
			}
			users := create(2)
			old, oldSeen := 0, 0
			seen := make([]bool, shown)
			for at, batch := 0, 1; at < shown; batch = batch%17 + 1 {
				n := min(batch, shown-at)
				users.Record(1, ids[at:at+n])
				at += n
				if kind.Name == "dual" && l.Random && at >= 450 {
					break // as above
				}
				users.Seen(1, ids[:at], seen[:at])
				window := ours.Window(at)
				for i, s := range seen[:at] {
					switch remembered := at-i <= window; {
					case remembered && !s:
						t.Fatalf("%s %s: after %d articles number %d is forgotten, the window is %d",
							l.Name, kind.Name, at, i, window)
					case !remembered:
						old++
						if s {
							oldSeen++
						}
					}
				}
			}
			// The union of ristretto's links is up to 13 %, the cuckoo's 16 %.
			if float64(oldSeen) > 0.25*float64(old) {
				t.Errorf("%s %s: %d of %d questions for forgotten articles find them", l.Name, kind.Name, oldSeen, old)
			}
			if users.Seen(0, ids, seen); func() bool {
				for _, s := range seen {
					if s {
						return true
					}
				}
				return false
			}() {
				t.Errorf("%s %s: a newcomer has seen something", l.Name, kind.Name)
			}
		}
	}
}

func TestFuse(t *testing.T) {
	users := fuse().Singles(1)
	ids := numbers(4, capacity)
	users.Record(0, ids)
	seen := make([]bool, capacity)
	users.Seen(0, ids, seen)
	for i, s := range seen {
		if !s {
			t.Errorf("article %d is not remembered", i)
		}
	}
	users.Forget(0)
	users.Seen(0, ids, seen)
	for i, s := range seen {
		if s {
			t.Errorf("article %d is remembered after Forget", i)
		}
	}
}

// The store answers as the slices do.
func TestStored(t *testing.T) {
	ids := numbers(5, 600)
	a, b := Histories(OurChain, 3), NewStored(OurChain, 3)
	for at := 0; at < 500; at += 50 {
		a.Record(2, ids[at:at+50])
		b.Record(2, ids[at:at+50])
	}
	x, y := make([]bool, len(ids)), make([]bool, len(ids))
	a.Seen(2, ids, x)
	b.Seen(2, ids, y)
	for i := range x {
		if x[i] != y[i] {
			t.Errorf("article %d: slice %v, store %v", i, x[i], y[i])
		}
	}
}
