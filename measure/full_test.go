package measure

import (
	"context"
	"errors"
	"math"
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

// worst is the largest distance of a measured rate from exact theory, in clustered standard errors.
func worst(s Subject, c FullCounts) (z float64, shown int) {
	for _, p := range c.Points {
		if d := zOf(p.Fresh, s.Theory.FPR(p.Shown)); math.Abs(d) > math.Abs(z) {
			z, shown = d, p.Shown
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
		if c.WindowMisses != 0 {
			t.Errorf("%s: %d of %d repeats inside the promised window let through", s.Name, c.WindowMisses, c.WindowChecks)
		}
		if s.Name != "chain-literal" && c.WindowChecks != int64(users)*promised {
			t.Errorf("%s: %d repeats checked, want %d", s.Name, c.WindowChecks, users*promised)
		}
		for _, p := range c.Points {
			strategytest.Equal(t, p.Bytes, p.Users*int64(s.Theory.Bytes(p.Shown)),
				"%s: histories after %d articles take bytes", s.Name, p.Shown)
		}
		if c.Totals[len(c.Totals)-1].Payload != c.Payload || c.Users != int64(users) {
			t.Errorf("%s: %d bytes of %d users at the last milestone, %d in all", s.Name, c.Payload, c.Users, c.Payload)
		}
	}
}

func TestPartsFitTheMemory(t *testing.T) {
	for _, c := range []struct {
		o    Options
		need int64
		want int
	}{
		{Options{}, 1 << 40, 1},
		{Options{Memory: 100}, 100, 1},
		{Options{Memory: 100}, 101, 5},
		{Options{Memory: 100}, 1000, 40},
		{Options{Memory: 100, Parts: 3}, 1000, 3},
	} {
		strategytest.Equal(t, c.o.parts(c.need), c.want, "%d bytes with %+v take parts", c.need, c.o)
	}
}

// empty takes no bytes.
type empty struct{ strategies.Theory }

func (empty) Bytes(int) int { return 0 }

// All histories take what theory says at the end of a life, a twentieth more, and 12 bytes each.
func TestFullNeed(t *testing.T) {
	for theory, want := range map[strategies.Theory]int64{empty{}: 12_000, tiny{}: 13_050} {
		if got := fullNeed(Subject{Theory: theory}, 1000); got < want-1 || got > want {
			t.Errorf("%T: 1000 histories take %d bytes, want %d", theory, got, want)
		}
	}
}

// What goes wrong while histories are alive ends the measurement.
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

// The shortest windows there are have as many repeats to look for.
func TestFullOfShortWindows(t *testing.T) {
	const users = 20
	for _, window := range []int{1, 2, 3} {
		q := strategytest.Value(queue.New(queue.Config{Window: window}))
		c := full(t, named("queue", q), users, Options{})
		if c.WindowChecks != users*promised || c.WindowMisses != 0 {
			t.Errorf("a window of %d: %d of %d repeats let through, want none of %d", window, c.WindowMisses, c.WindowChecks,
				users*promised)
		}
	}
}
