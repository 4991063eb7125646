package engine

import (
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"dejavu/strategies/strategytest"

	"dejavu/measure"
	"dejavu/results"
)

// ago returns a progress, with a plan, that began and was printed at these times before now.
func ago(since, printed time.Duration, w *bytes.Buffer) *Progress {
	p := NewProgress(w)
	p.Start([]Planned{{Name: "a", Cost: 30e6}, {Name: "b", Cost: 10e6}})
	p.started, p.printed = time.Now().Add(-since), time.Now().Add(-printed)
	return p
}

// How far a run is, by planned costs, and how long it will take at a pace of which the plan has a tenth.
func TestProgressLines(t *testing.T) {
	var w bytes.Buffer
	p := ago(90*time.Second, 0, &w)
	printed := func(what, want string) {
		t.Helper()
		strategytest.Equal(t, w.String(), want, "%s", what)
		w.Reset()
	}
	p.Begin("a", 300)
	printed("at the beginning", "  0 %  a                     1m30s so far, 15m40s left\n")
	p.Add(100)
	printed("too soon for a line", "")
	p.printed = time.Now().Add(-lineEvery - time.Second)
	p.Add(100)
	printed("two thirds of three quarters", " 50 %  a                     1m30s so far, 1m18s left\n")
	p.Add(1)
	printed("just after a line", "")
	p.Expect(10)
	p.printed = time.Now().Add(-lineEvery)
	p.Add(5)
	printed("of users who are others", " 38 %  a                     1m30s so far, 2m4s left\n")
	p.printed = time.Now().Add(-lineEvery)
	p.Add(500)
	printed("more users than expected", " 75 %  a                     1m30s so far, 28s left\n")
	p.printed = time.Now().Add(-lineEvery)
	p.end("a")
	printed("at the end of one", " 75 %                        1m30s so far, 28s left\n")
	p.Begin("b", 0)
	printed("at the beginning of another", " 75 %  b                     1m30s so far, 28s left\n")
	p.printed = time.Now().Add(-lineEvery)
	p.Add(7)
	printed("without users to expect", " 75 %  b                     1m30s so far, 28s left\n")
	p.printed = time.Now().Add(-lineEvery)
	p.end("b")
	printed("at the end", "100 %                        1m30s so far, 0s left\n")
	p.Note("%d of %d", 1, 2)
	printed("notes", "1 of 2\n")
	p.Finish()
	printed("finish", "")
}

// Without a plan there is nothing to tell, and of what has a cost of 1, as a pipe has, no time.
func TestProgressWithoutPlan(t *testing.T) {
	var w bytes.Buffer
	p := NewProgress(&w)
	p.Start(nil)
	p.Begin("a", 1)
	p.Add(1)
	strategytest.Equal(t, w.String(), "", "said")
	p = NewProgress(&w)
	p.Start([]Planned{{Name: "a pipe", Cost: 1}})
	p.Begin("a pipe", 0)
	strategytest.Equal(t, w.String(), "  0 %  a pipe                0s so far, ? left\n", "a pipe")
}

// On a terminal the line changes in place, at most ten times a second, and is cleared for a note and at the end.
func TestProgressOnATerminal(t *testing.T) {
	var w bytes.Buffer
	p := ago(90*time.Second, 0, &w)
	p.screen = true
	p.Begin("b", 0)
	p.Expect(100)
	p.Add(1)
	p.printed = time.Now().Add(-changeEvery)
	p.Add(49)
	p.Note("so far so good")
	p.Finish()
	want := wipe + "░░░░░░░░░░░░░░░░   0 %  b                     1m30s so far, 15m40s left" +
		wipe + "██░░░░░░░░░░░░░░  12 %  b                     1m30s so far, 6m6s left" +
		wipe + "so far so good\n" + wipe
	if got := w.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A measurement tells over how many users it goes before it begins, in a part of a population too, and when it ends.
func TestProgressOfAMeasurement(t *testing.T) {
	type count struct{ Users int }
	for shard, want := range map[results.Shard]float64{{}: 70, {Index: 1, Of: 7}: 10} {
		r := New(t.Context(), Scope{Users: 70, Seed: 1, Shard: shard}, NewProgress(io.Discard))
		expected := 0.
		m := Measurement[count]{
			Name: "m", Users: func(s Scope) int { return s.Users }, Cost: 1,
			Make: func(_ context.Context, r *Run, users measure.Range) (count, error) {
				expected = r.Progress().users
				return count{users.Len()}, nil
			},
		}
		r.Progress().Start([]Planned{m.Planned(r.Scope)})
		if c, err := m.Measure(r); err != nil || float64(c.Users) != want || expected != want {
			t.Errorf("shard %v: %d users, %v expected, %v; want %v", shard, c.Users, expected, err, want)
		}
		strategytest.Equal(t, r.Progress().done, want, "shard %v: the cost of what is done", shard)
	}
}

// NO_COLOR and a terminal that knows no escapes ask for text alone.
func TestEscapesUnwanted(t *testing.T) {
	for env, want := range map[[2]string]bool{
		{"", "xterm"}: false, {"1", "xterm"}: true, {"", "dumb"}: true, {"", ""}: false,
	} {
		t.Setenv("NO_COLOR", env[0])
		t.Setenv("TERM", env[1])
		strategytest.Equal(t, escapesUnwanted(), want, "NO_COLOR=%s TERM=%s", env[0], env[1])
	}
}
