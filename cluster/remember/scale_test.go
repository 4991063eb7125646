package remember_test

import (
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/internal/script"
	"dejavu/cluster/remember"
)

// Ten thousand users and a million exposures as a stream on Flink; a fiftieth of
// both on Prism, which is a runner for tests. Nothing shown inside the window is let
// through, every history is as long as theory says at every request, who was away
// comes back as a newcomer, and the timer has forgotten all of them in the end.
func TestAtScale(t *testing.T) {
	c := script.Config{Users: 200, Seed: 2016}
	if runner.OnFlink() {
		c.Users = 10_000
		runner.Parallel(t, 2)
	}
	names := []string{"chain", "single"}
	scale := func(strategy string) string { return "scale " + strategy }
	turns := map[string][]remember.Turn{} // by strategy and user, in their order
	remember.Witness(func(w remember.Turn) {
		mu.Lock()
		defer mu.Unlock()
		turns[w.Strategy+" "+w.User] = append(turns[w.Strategy+" "+w.User], w)
	})
	defer remember.Witness(nil)

	p, s := beam.NewPipelineWithRoot()
	in := script.Play(s, c, 0)
	for _, name := range names {
		collect(t, s.Scope(name), scale(name), remember.Config{Strategy: name, Idle: remember.Day, Lateness: script.Late}, in)
	}
	began := time.Now()
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	t.Logf("the stream took %v on %d users", time.Since(began).Round(100*time.Millisecond), c.Users)

	events := c.Events()
	for _, name := range names {
		m := newModel(name, remember.Day, events)
		for user := range c.Users {
			user := script.Name(user)
			if err := m.live(turns[name+" "+user], answers[scale(name)][user]); err != nil {
				t.Fatalf("%s: %s: %v", name, user, err)
			}
		}
		if m.requests != len(events) {
			t.Errorf("%s: %d requests had a turn, want %d", name, m.requests, len(events))
		}
		if m.inside < m.requests {
			t.Errorf("%s: only %d candidates were inside the window", name, m.inside)
		}
		if m.held == 0 || float64(m.held) > m.mostHeld() {
			t.Errorf("%s: %d of %d fresh candidates are held back, theory expects %.1f", name, m.held, m.fresh, m.expected)
		}
		// Flink's timers wait for bundles to end, which for Go's pipelines are ten
		// seconds, and a user may be back by then.
		least := c.Sleepers()
		if runner.OnFlink() {
			least = 1
		}
		if m.comebacks != c.Sleepers() || m.forgotten < least || m.cleared != c.Users {
			t.Errorf("%s: %d users come back after days, %d of them cleared by then, and %d are in the end; want %d, at least %d, and %d",
				name, m.comebacks, m.forgotten, m.cleared, c.Sleepers(), least, c.Users)
		}
		t.Logf("%s: %d exposures in %d requests (%d late, %d articles known), %d candidates inside the window, all held back; "+
			"of %d fresh ones %d held back, theory says %.0f at most; %d came back as newcomers, %d of them cleared by then; a history has %.0f bytes on average, %d at most",
			name, m.exposures, m.requests, m.late, m.again, m.inside, m.fresh, m.held, m.expected, m.comebacks, m.forgotten, float64(m.bytes)/float64(c.Users), m.longest)
	}
}
