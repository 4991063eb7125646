package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/queue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

func full(t *testing.T, s Subject, users int, o Options) FullCounts {
	t.Helper()
	population := strategytest.Value(workload.NewFull(2016, users))
	counts, _, err := Full(context.Background(), s, population, Range{0, users}, o, nil)
	strategytest.Must(t, err)
	return counts
}

// worst returns the largest distance of a measured rate from exact theory, in clustered standard errors.
func worst(s Subject, c FullCounts) (z float64, shown int) {
	for i, p := range c.Points {
		if d := zOf(p.Fresh, s.Theory.FPR(Grid[i])); math.Abs(d) > math.Abs(z) {
			z, shown = d, Grid[i]
		}
	}
	return z, shown
}

// Every strategy's rate lies within 4 clustered standard errors of theory at every number of articles shown:
// a sound program fails that for one seed in 60, there being 6 x 42 points at 6 in 100,000 each.
func TestFullAgreesWithTheory(t *testing.T) {
	if testing.Short() {
		t.Skip("many lives")
	}
	const users = 12_000
	for _, s := range subjects() {
		c := full(t, s, users, Options{})
		if z, shown := worst(s, c); math.Abs(z) > 4 {
			t.Errorf("%s: rate after %d articles lies %.1f standard errors from theory", s.Name, shown, z)
		}
		strategytest.Equal(t, c.WindowMisses, 0,
			"%s: of %d repeats inside the promised window let through", s.Name, c.WindowChecks)
		if s.Name != "chain-literal" && c.WindowChecks != int64(users)*promised {
			t.Errorf("%s: %d repeats checked, want %d", s.Name, c.WindowChecks, users*promised)
		}
		for i, p := range c.Points {
			strategytest.Equal(t, p.Bytes, p.Users*int64(s.Theory.Bytes(Grid[i])),
				"%s: histories after %d articles take bytes", s.Name, Grid[i])
		}
		if c.Totals[len(c.Totals)-1] != c.Payload || c.Users != int64(users) {
			t.Errorf("%s: %d bytes of %d users at the last milestone, %d in all", s.Name, c.Payload, c.Users, c.Payload)
		}
	}
}

func TestPartsFitTheMemory(t *testing.T) {
	splits := func(o Options, need int64, want int) {
		t.Helper()
		strategytest.Equal(t, o.parts(need), want, "%d bytes with %+v take parts", need, o)
	}
	splits(Options{}, 1<<40, 1)
	splits(Options{Memory: 100}, 100, 1)
	splits(Options{Memory: 100}, 101, 5)
	splits(Options{Memory: 100}, 1000, 40)
	splits(Options{Memory: 100, Parts: 3}, 1000, 3)
}

// empty takes no bytes.
type empty struct{ strategies.Theory }

func (empty) Bytes(int) int { return 0 }

// All histories take the bytes expected at the end of a life, a twentieth more, and 12 bytes each.
func TestFullNeed(t *testing.T) {
	for theory, want := range map[strategies.Theory]int64{empty{}: 12_000, tiny{}: 13_050} {
		strategytest.Between(t, fullNeed(Subject{Theory: theory}, 1000), want-1, want,
			"%T: bytes of 1000 histories", theory)
	}
}

// An error while histories are alive ends the measurement.
func TestAliveFails(t *testing.T) {
	population := strategytest.Value(workload.NewFull(1, 10))
	fault := errors.New("the lamp went out")
	calls := 0
	_, _, err := Full(t.Context(), Subject{Strategy: tiny{}, Theory: tiny{}}, population, Range{0, 10}, Options{Parts: 2},
		func(Alive) error {
			calls++
			return fault
		})
	if !errors.Is(err, fault) || calls != 1 {
		t.Errorf("%v after %d parts, want that of the first", err, calls)
	}
}

func TestFullStops(t *testing.T) {
	population := strategytest.Value(workload.NewFull(1, 1_000_000))
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Progress: func(int) { cancel() }}
	if _, _, err := Full(ctx, subjects()[1], population, Range{0, 1_000_000}, o, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returns %v, want context.Canceled", err)
	}
}

// A panic in a strategy is an error that says whose history it met.
func TestPanicsBecomeErrors(t *testing.T) {
	population := strategytest.Value(workload.NewFull(1, 1000))
	s := subjects()[1]
	s.Strategy = panicking{s.Strategy}
	_, _, err := Full(context.Background(), s, population, Range{0, 1000}, Options{Workers: 2}, nil)
	if err == nil || !strings.Contains(err.Error(), "user ") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a strategy that panics gives the error %v", err)
	}
}

type panicking struct{ strategies.Strategy }

func (panicking) Seen([]byte, []strategies.ID, []bool) { panic("out of order") }

// The shortest windows are checked for the same number of repeats, and more parts than users count each user once.
func TestFullOfShortWindows(t *testing.T) {
	const users = 20
	for _, window := range []int{1, 2, 3} {
		q := strategytest.Value(queue.New(queue.Config{Window: window}))
		c := full(t, named("queue", q), users, Options{Parts: 30})
		if c.WindowChecks != users*promised || c.WindowMisses != 0 {
			t.Errorf("a window of %d: %d of %d repeats let through, want none of %d", window, c.WindowMisses, c.WindowChecks,
				users*promised)
		}
	}
}

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

// shuffled divides a range into parts of random lengths, some of them empty, in random order.
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

// grouped adds sums of neighbours, and then these: (a+b)+(c+d) and not ((a+b)+c)+d.
func grouped[T any](all []T, plus func(a, b T) T) T {
	if len(all) == 1 {
		return all[0]
	}
	return plus(grouped(all[:len(all)/2], plus), grouped(all[len(all)/2:], plus))
}

// Counts of ranges add up to the whole's, in any partition, order and grouping, with milestones inside ranges and on
// their edges, and in any number of parts.
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
	totals := want.full.Totals
	if !slices.Equal(Stops(users), []int{100, 200, 301, users}) || len(totals) != 4 || totals[3] != want.full.Payload {
		t.Fatalf("the whole has totals %v at %d, want %d at last", totals, Stops(users), want.full.Payload)
	}
	random := rand.New(rand.NewPCG(2016, 6))
	for _, n := range []int{1, 2, 3, 7} {
		parts := shuffled(whole, n, random)
		var results []result
		for i, part := range parts {
			results = append(results, measured(part, Options{Workers: 1 + i%2, Parts: 1 + i%3}))
		}
		got := grouped(results, plus)
		strategytest.DeepEqual(t, got.full, want.full, "%v: the full population adds up to", parts)
		strategytest.DeepEqual(t, got.extended, want.extended, "%v: the change adds up to", parts)
		strategytest.DeepEqual(t, got.daily, want.daily, "%v: the days add up to", parts)
		// Memory is not known beforehand: it is enough for the histories, and does not shrink.
		for i, h := range got.machine.Taken {
			if h.Slabs < totals[i] || i > 0 && h.Slabs < got.machine.Taken[i-1].Slabs {
				t.Errorf("%v: %d users take %+v, whose payload is %d", parts, Stops(users)[i], h, totals[i])
			}
		}
		if len(got.machine.Taken) != len(totals) || got.machine.Parts < want.machine.Parts {
			t.Errorf("%v: %d stops, %d parts", parts, len(got.machine.Taken), got.machine.Parts)
		}
	}
}

// Without Workers there is one for each processor, and GOMAXPROCS stays.
func TestGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for workers, want := range map[int]int{0: 3, 1: 1, 5: 5} {
		if got := (Options{Workers: workers}).Goroutines(); got != want || runtime.GOMAXPROCS(0) != 3 {
			t.Errorf("%d workers are %d goroutines on %d processors, want %d on 3", workers, got, runtime.GOMAXPROCS(0), want)
		}
	}
}
