package remember_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/teststream"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
	"dejavu/experiments/catalogue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func init() {
	register.DoFn2x0[int64, func(beam.EventTime, string, remember.Request)](&scriptFn{})
	register.DoFn3x0[context.Context, string, remember.Answer](&collectFn{})
	register.Emitter3[beam.EventTime, string, remember.Request]()
}

func TestMain(m *testing.M) { os.Exit(runner.Run(m)) }

// The workers are in this process, so that scripts and answers need not travel.
var (
	mu      sync.Mutex
	scripts = map[string][][]event{}
	answers = map[string]map[string][]remember.Answer{} // by name and user, as they came
)

type scriptFn struct{ Script string }

func (f *scriptFn) ProcessElement(step int64, emit func(beam.EventTime, string, remember.Request)) {
	mu.Lock()
	events := scripts[f.Script][step]
	mu.Unlock()
	for _, e := range events {
		emit(mtime.FromTime(moment(e.at)), e.user, e.request)
	}
}

type collectFn struct{ Name string }

func (f *collectFn) ProcessElement(_ context.Context, user string, a remember.Answer) {
	mu.Lock()
	defer mu.Unlock()
	if answers[f.Name] == nil {
		answers[f.Name] = map[string][]remember.Answer{}
	}
	answers[f.Name][user] = append(answers[f.Name][user], a)
}

func collect(t *testing.T, s beam.Scope, name string, c remember.Config, requests beam.PCollection) {
	t.Helper()
	out := strategytest.Value(remember.Remember(s, c, requests))
	mu.Lock()
	delete(answers, name) // of a run before, where tests run more than once
	mu.Unlock()
	beam.ParDo0(s, &collectFn{name}, out)
}

// witness collects the turns of a test, by strategy and user, in their order.
func witness(t *testing.T) map[string][]remember.Turn {
	turns := map[string][]remember.Turn{}
	remember.Witness(func(w remember.Turn) {
		mu.Lock()
		defer mu.Unlock()
		turns[w.Strategy+" "+w.User] = append(turns[w.Strategy+" "+w.User], w)
	})
	t.Cleanup(func() { remember.Witness(nil) })
	return turns
}

// If a runner delivers the requests in its own order, and in parallel, no exposure is lost: while nothing has left the
// window, each answer knows the requests delivered before it: none, one, two, ...
func TestNoExposureIsLost(t *testing.T) {
	const users, requests, each = 40, 8, 10
	events := []event{}
	for user := range users {
		ids := strategytest.IDs(uint64(user)+1, requests*each)
		for i := range requests {
			at := time.Duration((i*5)%requests) * time.Hour
			events = append(events, event{at, fmt.Sprint(user), remember.Request{Shown: ids[i*each:][:each], Candidates: ids}})
		}
	}
	scripts["lost"] = nil
	steps := []int64{}
	for i := range events {
		scripts["lost"] = append(scripts["lost"], events[i:i+1])
		steps = append(steps, int64(i))
	}
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"lost"}, beam.Reshuffle(s, beam.CreateList(s, steps)))
	collect(t, s, "lost", remember.Config{Strategy: "queue", Idle: remember.Day}, in)
	strategytest.Must(t, ptest.Run(p))
	for user := range users {
		known := []int{}
		for _, a := range answers["lost"][fmt.Sprint(user)] {
			known = append(known, requests-len(a.Fresh)/each)
		}
		slices.Sort(known)
		strategytest.EqualSlices(t, known, []int{1, 2, 3, 4, 5, 6, 7, 8}, "user %d: answers know requests", user)
	}
}

// streamOf turns a script of steps into a stream. Each step follows all of the previous one, and the watermark follows
// each step.
func streamOf(t *testing.T, name string, steps [][]event, watermarks func(step int) time.Duration) teststream.Config {
	t.Helper()
	scripts[name] = steps
	stream := teststream.NewConfig()
	for step, events := range steps {
		strategytest.Must(t, stream.AddElements(moment(events[0].at).UnixMilli(), int64(step)))
		strategytest.Must(t, stream.AdvanceWatermark(moment(watermarks(step)).UnixMilli()))
	}
	strategytest.Must(t, stream.AdvanceWatermarkToInfinity())
	return stream
}

// window returns how many of the newest exposures are always recognised.
func window(s strategies.Strategy, shown int) int {
	return min(s.(strategies.Theory).Window(shown), shown)
}

// Ten thousand users and a million exposures as a stream on Flink; some users on Prism, a runner for tests, but with
// every strategy. The watermark moves with the hours. No article inside the window is reported as unseen, however late
// or repeated; unseen ones are but for the promised rate. A user who was away is a newcomer, and the timer has cleared
// all users in the end. The first user's 1100 exposures fill every window. For two strategies every history has the
// expected length at every request.
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
	strategytest.Must(t, ptest.Run(p))
	t.Logf("the stream took %v on %d users", time.Since(began).Round(100*time.Millisecond), c.Users)

	for _, name := range names {
		m := newModel(name, remember.Day, lengths[name], events)
		for user := range c.Users {
			user := userName(user)
			if err := m.live(turns[name+" "+user], answers[name][user]); err != nil {
				t.Fatalf("%s: %s: %v", name, user, err)
			}
		}
		strategytest.Equal(t, m.requests, len(events), "%s: requests had a turn", name)
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
