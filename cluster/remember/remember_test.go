package remember_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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

func TestMain(m *testing.M) { runner.Main(m) }

// What a test's users do: a script of steps, each with its events.
type event struct {
	at      time.Duration
	user    string
	request remember.Request
}

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
		emit(moment(e.at), e.user, e.request)
	}
}

// moment is a time of a script, which begins on some day of 2026.
func moment(at time.Duration) beam.EventTime {
	return mtime.FromTime(time.Date(2026, 3, 14, 6, 0, 0, 0, time.UTC).Add(at))
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

// readersOf makes users whose exposures repeat and come late: their times lie
// anywhere in a day, whatever the order of the requests.
func readersOf(users, requests int) (steps [][]event, byID map[string]remember.Request) {
	random := rand.New(rand.NewPCG(2016, 7))
	byID = map[string]remember.Request{}
	steps = make([][]event, requests)
	for user := range users {
		articles := strategytest.IDs(uint64(user)+1, 4000)
		shown, next := []strategies.ID{}, 0
		fresh := func(n int) []strategies.ID {
			next += n
			return articles[next-n : next]
		}
		for i := range requests {
			r := remember.Request{ID: fmt.Sprintf("%d/%d", user, i), Shown: slices.Clone(fresh(8))}
			for range 3 { // again
				if len(shown) > 0 {
					r.Shown = append(r.Shown, shown[random.IntN(len(shown))])
				}
			}
			shown = append(shown, r.Shown...)
			r.Candidates = append(slices.Clone(fresh(20)), r.Shown...)
			for range 20 {
				r.Candidates = append(r.Candidates, shown[random.IntN(len(shown))])
			}
			at := time.Duration(random.Int64N(int64(17 * time.Hour)))
			steps[i] = append(steps[i], event{at, fmt.Sprint("user-", user), r})
			byID[r.ID] = r
		}
	}
	return steps, byID
}

// No article that was shown inside the window is reported as unseen, whatever is late or
// repeated, and fresh ones are but for the promised rate. The order that counts is
// that in which the runner hands requests over; their times go to and fro in it.
func TestRememberAgainstAnExactModel(t *testing.T) {
	const users, requests = 4, 60 // 60 times 11 exposures fill every window
	script, byID := readersOf(users, requests)
	// The watermark stands before all of them, and moves only to part the steps.
	stream := streamOf(t, "model", script, func(step int) time.Duration { return time.Duration(step-requests) * time.Millisecond })
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"model"}, teststream.Create(s, stream))
	for _, name := range remember.Names() {
		collect(t, s.Scope(name), name, remember.Config{Strategy: name, Idle: remember.Day}, in)
	}
	turn := map[string]int{} // of a request, by strategy, user and its ID
	remember.Witness(func(w remember.Turn) {
		mu.Lock()
		defer mu.Unlock()
		turn[w.Strategy+" "+w.User+" "+w.Request] = len(turn)
	})
	defer remember.Witness(nil)
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	for _, name := range remember.Names() {
		strategy := remember.Must(name)
		if got := len(answers[name]); got != users {
			t.Errorf("%s: answers for %d users, want %d", name, got, users)
		}
		asked, passed, expected, checks := 0, 0, 0., 0
		for user, all := range answers[name] {
			if len(all) != requests {
				t.Errorf("%s: %s has %d answers, want %d", name, user, len(all), requests)
			}
			slices.SortFunc(all, func(a, b remember.Answer) int {
				return turn[name+" "+user+" "+a.ID] - turn[name+" "+user+" "+b.ID]
			})
			var shown []strategies.ID // by the exact model, all
			for _, a := range all {
				r := byID[a.ID]
				shown = append(shown, r.Shown...)
				window := window(strategy, len(shown))
				for _, id := range shown[len(shown)-window:] {
					checks++
					if slices.Contains(a.Fresh, id) {
						t.Fatalf("%s: %s, request %s: article %x was among the last %d shown, and is reported as unseen", name, user, a.ID, id, window)
					}
				}
				asked += 20
				expected += 20 * strategy.(strategies.Theory).FPR(len(shown))
				for _, id := range r.Candidates[:20] { // not shown before, nor asked for
					if slices.Contains(a.Fresh, id) {
						passed++
					}
				}
			}
		}
		// Five standard deviations, of queries in clusters of twenty: one run in a
		// million fails by chance. Repeats leave a filter emptier than theory takes it for.
		if held := float64(asked - passed); held > expected+5*math.Sqrt(20*expected)+3 {
			t.Errorf("%s: %v of %d fresh candidates are held back, theory expects %.1f", name, held, asked, expected)
		}
		if checks == 0 && window(strategy, 600) > 0 {
			t.Errorf("%s: no article was checked", name)
		}
	}
}

// Where a runner hands the requests over in an order of its own, and in parallel,
// no exposure is lost: while nothing has left the window, each answer knows the
// requests that were handed over before it, and these are none, one, two, ...
func TestNoExposureIsLost(t *testing.T) {
	const users, requests, each = 40, 8, 10
	script := []event{}
	for user := range users {
		ids := strategytest.IDs(uint64(user)+1, requests*each)
		for i := range requests {
			at := time.Duration((i*5)%requests) * time.Hour
			script = append(script, event{at, fmt.Sprint(user), remember.Request{Shown: ids[i*each:][:each], Candidates: ids}})
		}
	}
	scripts["lost"] = nil
	steps := []int64{}
	for i := range script {
		scripts["lost"] = append(scripts["lost"], script[i:i+1])
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
		if err := stream.AddElements(int64(moment(events[0].at)), int64(step)); err != nil {
			t.Fatal(err)
		}
		if err := stream.AdvanceWatermark(int64(moment(watermarks(step)))); err != nil {
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
		script := []event{}
		for i := range ids {
			script = append(script, event{time.Duration(i) * time.Second, "one", remember.Request{Shown: ids[i : i+1]}})
		}
		scripts["state"] = [][]event{script}
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
		got := result.Metrics().Query(func(r beam.MetricResult) bool { return r.Name() == remember.HistoryBytes }).Distributions()
		if len(got) != 1 {
			t.Fatalf("%s: %d distributions of lengths, want 1", name, len(got))
		}
		if d := got[0].Result(); d.Count != articles || d.Min != least || d.Max != most || d.Sum != sum {
			t.Errorf("%s: %d histories of %d to %d bytes, in all %d; theory says %d of %d to %d, in all %d",
				name, d.Count, d.Min, d.Max, d.Sum, articles, least, most, sum)
		}
	}
}
