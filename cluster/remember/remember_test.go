package remember_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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

// A scriptFn emits the events of a step.
type scriptFn struct{ Script string }

func (f *scriptFn) ProcessElement(step int64, emit func(beam.EventTime, string, remember.Request)) {
	mu.Lock()
	events := scripts[f.Script][step]
	mu.Unlock()
	for _, e := range events {
		emit(mtime.FromTime(moment(e.at)), e.user, e.request)
	}
}

// A collectFn collects answers.
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
	out, err := remember.Remember(s, c, requests)
	if err != nil {
		t.Fatal(err)
	}
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

// No article that was shown inside the window is reported as unseen, whatever is late or
// repeated, and fresh ones are but for the promised rate. The order that counts is
// that in which the runner hands requests over; their times, which lie anywhere in a day,
// go to and fro in it. The first user's 1100 exposures fill every window.
func TestRememberAgainstAnExactModel(t *testing.T) {
	c := script{Users: 4, Seed: 7}
	random := rand.New(rand.NewPCG(2016, 7))
	var all []arrival
	var steps [][]event
	for user := range c.Users {
		for i, e := range c.life(user) {
			e.at = time.Duration(random.Int64N(int64(17 * time.Hour)))
			if i == len(steps) {
				steps = append(steps, nil)
			}
			steps[i], all = append(steps[i], e.event), append(all, e)
		}
	}
	// The watermark stands before all of them, and moves only to part the steps.
	stream := streamOf(t, "model", steps, func(step int) time.Duration {
		return time.Duration(step-len(steps)) * time.Millisecond
	})
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"model"}, teststream.Create(s, stream))
	for _, name := range remember.Names() {
		collect(t, s.Scope(name), name, remember.Config{Strategy: name, Idle: remember.Day}, in)
	}
	turns := witness(t)
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	for _, name := range remember.Names() {
		m := newModel(name, remember.Day, false, all)
		for user := range c.Users {
			user := userName(user)
			if err := m.live(turns[name+" "+user], answers[name][user]); err != nil {
				t.Errorf("%s: %s: %v", name, user, err)
			}
		}
		if m.requests != len(all) || len(answers[name]) != c.Users {
			t.Errorf("%s: %d requests of %d users had a turn, want %d", name, m.requests, len(answers[name]), len(all))
		}
		if float64(m.held) > m.mostHeld() {
			t.Errorf("%s: %d of %d fresh candidates are held back, theory expects %.1f", name, m.held, m.fresh, m.expected)
		}
		if m.inside == 0 && window(m.strategy, 600) > 0 {
			t.Errorf("%s: no article was checked", name)
		}
	}
}

// Where a runner hands the requests over in an order of its own, and in parallel,
// no exposure is lost: while nothing has left the window, each answer knows the
// requests that were handed over before it, and these are none, one, two, ...
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
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	for user := range users {
		known := []int{}
		for _, a := range answers["lost"][fmt.Sprint(user)] {
			known = append(known, requests-len(a.Fresh)/each)
		}
		slices.Sort(known)
		if want := []int{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(known, want) {
			t.Errorf("user %d: answers know %d requests, want %d", user, known, want)
		}
	}
}

// streamOf makes a script of steps a stream in which each step comes after all of
// the one before, with the watermark after each.
func streamOf(t *testing.T, name string, steps [][]event, watermarks func(step int) time.Duration) teststream.Config {
	t.Helper()
	scripts[name] = steps
	stream := teststream.NewConfig()
	for step, events := range steps {
		if err := stream.AddElements(moment(events[0].at).UnixMilli(), int64(step)); err != nil {
			t.Fatal(err)
		}
		if err := stream.AdvanceWatermark(moment(watermarks(step)).UnixMilli()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.AdvanceWatermarkToInfinity(); err != nil {
		t.Fatal(err)
	}
	return stream
}

// window is how many of the newest exposures are certainly recognised.
func window(s strategies.Strategy, shown int) int {
	return min(s.(strategies.Theory).Window(shown), shown)
}

// The histories written are as long as theory says, user by user: no other
// state grows with what was shown.
func TestStateIsAsLongAsTheorySays(t *testing.T) {
	runner.SkipOnFlink(t, "it reports no distributions to a client")
	const articles = 600
	for _, name := range []string{"queue", "single", "dual", "chain", "beyond/ring"} {
		ids := strategytest.IDs(3, articles)
		events := []event{}
		for i := range ids {
			events = append(events, event{time.Duration(i) * time.Second, "one", remember.Request{Shown: ids[i : i+1]}})
		}
		scripts["state"] = [][]event{events}
		p, s := beam.NewPipelineWithRoot()
		in := beam.ParDo(s, &scriptFn{"state"}, beam.CreateList(s, []int64{0}))
		collect(t, s, "state", remember.Config{Strategy: name}, in)
		result, err := ptest.RunWithMetrics(p)
		if err != nil {
			t.Fatal(err)
		}
		theory := remember.Must(name).(strategies.Theory)
		least, most, sum := int64(math.MaxInt64), int64(0), int64(0)
		for n := 1; n <= articles; n++ {
			bytes := int64(theory.Bytes(n))
			least, most, sum = min(least, bytes), max(most, bytes), sum+bytes
		}
		ofLengths := func(r beam.MetricResult) bool { return r.Name() == remember.HistoryBytes }
		got := result.Metrics().Query(ofLengths).Distributions()
		if len(got) != 1 {
			t.Fatalf("%s: %d distributions of lengths, want 1", name, len(got))
		}
		if d := got[0].Result(); d.Count != articles || d.Min != least || d.Max != most || d.Sum != sum {
			t.Errorf("%s: %d histories of %d to %d bytes, in all %d; theory says %d of %d to %d, in all %d",
				name, d.Count, d.Min, d.Max, d.Sum, articles, least, most, sum)
		}
	}
}
