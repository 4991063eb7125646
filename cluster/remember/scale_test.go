package remember_test

import (
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/teststream"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
	"dejavu/experiments/catalogue"
)

// Ten thousand users and a million exposures as a stream on Flink; some users on Prism, which is a runner for tests, but
// with every strategy. The watermark moves with the hours, whatever comes late. No article that was shown inside the
// window is reported as unseen, whatever is late or repeated, and unseen ones are but for the promised rate; who was away
// comes back as a newcomer, and the timer has forgotten all of them in the end. The first user's 1100 exposures fill every
// window. Of two strategies every history is as long as theory says at every request.
func TestAtScale(t *testing.T) {
	c, names := script{Users: 40, Seed: 2016}, catalogue.Names()
	lengths := map[string]bool{"chain": true, "single": true}
	if runner.OnFlink() {
		c.Users, names = 10_000, []string{"chain", "single"}
	}
	events := c.events()
	var steps [][]event
	hour := -time.Hour
	var hours []time.Duration
	for _, e := range events {
		if e.arrives >= hour+time.Hour {
			hour = e.arrives.Truncate(time.Hour)
			steps, hours = append(steps, nil), append(hours, hour)
		}
		last := len(steps) - 1
		steps[last] = append(steps[last], e.event)
	}
	hours = append(hours, hour+time.Hour)
	stream := streamOf(t, "scale", steps, func(step int) time.Duration { return hours[step+1] })
	turns := witness(t)
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"scale"}, teststream.Create(s, stream))
	for _, name := range names {
		collect(t, s.Scope(name), name, remember.Config{Strategy: name, Idle: remember.Day, Lateness: maxLate}, in)
	}
	began := time.Now()
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	t.Logf("the stream took %v on %d users", time.Since(began).Round(100*time.Millisecond), c.Users)

	for _, name := range names {
		m := newModel(name, remember.Day, lengths[name], events)
		for user := range c.Users {
			user := userName(user)
			if err := m.live(turns[name+" "+user], answers[name][user]); err != nil {
				t.Fatalf("%s: %s: %v", name, user, err)
			}
		}
		if m.requests != len(events) {
			t.Errorf("%s: %d requests had a turn, want %d", name, m.requests, len(events))
		}
		if m.inside == 0 && window(m.strategy, 600) > 0 || lengths[name] && m.inside < m.requests {
			t.Errorf("%s: only %d candidates were inside the window", name, m.inside)
		}
		if lengths[name] && m.held == 0 || float64(m.held) > m.mostHeld() {
			t.Errorf("%s: %d of %d fresh candidates are held back, theory expects %.1f", name, m.held, m.fresh, m.expected)
		}
		// Flink's timers wait for bundles to end, which for Go's pipelines are ten seconds, and users may be back by then.
		least := c.sleepers()
		if runner.OnFlink() {
			least = 0
		}
		if m.comebacks != c.sleepers() || m.forgotten < least || m.cleared != c.Users {
			t.Errorf("%s: %d users come back after days, %d of them cleared by then, and %d are in the end; "+
				"want %d, at least %d, and %d", name, m.comebacks, m.forgotten, m.cleared, c.sleepers(), least, c.Users)
		}
		t.Logf("%s: %+v", name, m.counts)
	}
}
