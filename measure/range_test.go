package measure

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Parts follow one another, cover the range, differ by one at most, and none is longer than the first.
func TestRangeParts(t *testing.T) {
	for _, r := range []Range{{0, 0}, {0, 1}, {0, 6}, {0, 7}, {0, 3000}, {17, 1 << 30}} {
		for _, n := range []int{1, 2, 3, 7, 10_000} {
			at, least, most := r.From, r.Len(), 0
			for i := range n {
				p := r.Part(i, n)
				if p.From != at || p.Len() < 0 {
					t.Fatalf("part %d of %d of %v is %v, want it to begin at %d", i, n, r, p, at)
				}
				at, least, most = p.To, min(least, p.Len()), max(most, p.Len())
			}
			if at != r.To || most-least > 1 {
				t.Errorf("%d parts of %v end at %d, and are %d to %d long", n, r, at, least, most)
			}
			if first := r.Part(0, n); r.Len() > 0 && first.Len() != most {
				t.Errorf("part 0 of %d of %v is %v, others are %d long", n, r, first, most)
			}
		}
	}
}

// shuffled is a range in parts of random lengths, some of them empty, in random order.
func shuffled(r Range, n int, random *rand.Rand) (parts []Range) {
	edges := []int{r.From, r.To}
	for range n - 1 {
		edges = append(edges, r.From+random.IntN(r.Len()+1))
	}
	slices.Sort(edges)
	for i := range n {
		parts = append(parts, Range{edges[i], edges[i+1]})
	}
	random.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return parts
}

// grouped adds up sums of neighbours, and then these: (a+b)+(c+d) and not ((a+b)+c)+d.
func grouped[T any](all []T, plus func(a, b T) T) T {
	if len(all) == 1 {
		return all[0]
	}
	return plus(grouped(all[:len(all)/2], plus), grouped(all[len(all)/2:], plus))
}

// What ranges of a population count adds up to what the whole does, in any partition, order and grouping,
// with milestones inside ranges and on their edges, and in any number of parts.
func TestSumsAreCommutative(t *testing.T) {
	const users = 400
	defer func(before []int) { milestones = before }(milestones)
	milestones = []int{100, 200, 301, 1000}
	population := strategytest.Value(workload.NewFull(2016, users))
	days := strategytest.Value(workload.NewDaily(2016, users))
	longer := newLongChain()
	s := subjects()[4]
	long := Subject{s.Name, longer, longer}
	type result struct {
		full     FullCounts
		machine  FullMachine
		extended ExtendCounts
		daily    DailyCounts
	}
	measured := func(users Range, o Options) (r result) {
		var err1, err2, err3 error
		r.full, r.machine, err1 = Full(t.Context(), s, population, users, o, nil)
		r.extended, err2 = Extend(t.Context(), o, Change{Old: s, Longer: long, Keeps: true}, population, users)
		r.daily, _, err3 = Daily(t.Context(), s, days, users, 2, o)
		strategytest.Must(t, errors.Join(err1, err2, err3))
		return r
	}
	nothing := measured(Range{}, Options{})
	plus := func(a, b result) result {
		for _, r := range []result{nothing, b} { // nothing adds nothing
			Sum(&a.full, r.full)
			Sum(&a.machine, r.machine)
			Sum(&a.extended, r.extended)
			Sum(&a.daily, r.daily)
		}
		return a
	}
	whole := Range{0, users}
	want := measured(whole, Options{})
	if totals := want.full.Totals; len(totals) != 4 || totals[2].Users != 301 ||
		totals[3] != (Total{users, want.full.Payload}) {
		t.Fatalf("the whole has totals %v, want those at 100, 200, 301 and %d", totals, users)
	}
	random := rand.New(rand.NewPCG(2016, 6))
	for _, n := range []int{1, 2, 3, 7} {
		parts := shuffled(whole, n, random)
		var results []result
		for i, part := range parts {
			results = append(results, measured(part, Options{Workers: 1 + i%2, Parts: 1 + i%3}))
		}
		got := grouped(results, plus)
		if !reflect.DeepEqual(got.full, want.full) {
			t.Errorf("%v: the full population adds up to %+v, want %+v", parts, got.full, want.full)
		}
		if !reflect.DeepEqual(got.extended, want.extended) {
			t.Errorf("%v: the change adds up to %+v, want %+v", parts, got.extended, want.extended)
		}
		if !reflect.DeepEqual(got.daily, want.daily) {
			t.Errorf("%v: the days add up to %+v, want %+v", parts, got.daily, want.daily)
		}
		// What was held cannot be known beforehand: it is enough for the histories, and does not shrink.
		for i, h := range got.machine.Held {
			total := want.full.Totals[i]
			if h.Users != total.Users || h.Slabs < total.Payload || i > 0 &&
				(h.Slabs < got.machine.Held[i-1].Slabs || h.Seconds < got.machine.Held[i-1].Seconds) {
				t.Errorf("%v: held at %d users %+v, whose payload is %d", parts, total.Users, h, total.Payload)
			}
		}
		if len(got.machine.Held) != len(want.full.Totals) || got.machine.Parts < want.machine.Parts {
			t.Errorf("%v: %d stops, %d parts", parts, len(got.machine.Held), got.machine.Parts)
		}
	}
}

// Without Workers there is one for each processor, of which there are as many as before.
func TestGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for workers, want := range map[int]int{0: 3, 1: 1, 5: 5} {
		if got := (Options{Workers: workers}).Goroutines(); got != want || runtime.GOMAXPROCS(0) != 3 {
			t.Errorf("%d workers are %d goroutines on %d processors, want %d on 3", workers, got, runtime.GOMAXPROCS(0), want)
		}
	}
}
