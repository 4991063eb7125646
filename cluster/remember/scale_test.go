package remember_test

import (
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
)

// Ten thousand users and a million exposures as a stream on Flink; a fiftieth of
// both on Prism, which is a runner for tests. Nothing shown inside the window is let
// through, every history is as long as theory says at every request, who was away
// comes back as a newcomer, and the timer has forgotten all of them in the end.
func TestAtScale(t *testing.T) {
	c := script{Users: 200, Seed: 2016}
	if runner.OnFlink() {
		c.Users = 10_000
		runner.Parallel(t, 2)
	}
	names := []string{"chain", "single"}
	scale := func(strategy string) string { return "scale " + strategy }
	turns := witness(t)

	p, s := beam.NewPipelineWithRoot()
	in := play(s, c)
	for _, name := range names {
		collect(t, s.Scope(name), scale(name), remember.Config{Strategy: name, Idle: remember.Day, Lateness: maxLate}, in)
	}
	began := time.Now()
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	t.Logf("the stream took %v on %d users", time.Since(began).Round(100*time.Millisecond), c.Users)

	events := c.events()
	for _, name := range names {
		m := newModel(name, remember.Day, true, events)
		for user := range c.Users {
			user := userName(user)
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
		least := c.sleepers()
		if runner.OnFlink() {
			least = 1
		}
		if m.comebacks != c.sleepers() || m.forgotten < least || m.cleared != c.Users {
			t.Errorf("%s: %d users come back after days, %d of them cleared by then, and %d are in the end; "+
				"want %d, at least %d, and %d", name, m.comebacks, m.forgotten, m.cleared, c.sleepers(), least, c.Users)
		}
		t.Logf("%s: %+v", name, m.counts)
	}
}
