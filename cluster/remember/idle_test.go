package remember_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/teststream"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A user who was away for a day is a newcomer, whether the watermark has passed and
// the timer fired or not; a late exposure does not shorten a life.
func TestIdleUsersAreForgotten(t *testing.T) {
	ids := strategytest.IDs(5, 4)
	ask := func(at time.Duration, user, id string, shown ...strategies.ID) event {
		return event{at, user, remember.Request{ID: id, Shown: shown, Candidates: ids[:2]}}
	}
	const hour = time.Hour
	steps := [][]event{
		{
			ask(0, "a", "first", ids[:2]...), ask(0, "b", "first", ids[:2]...), ask(0, "c", "first", ids[0]),
			ask(0, "d", "first", ids[:2]...),
		},
		{ask(23*hour, "a", "in time"), ask(20*hour, "b", "in time", ids[2], ids[0])},
		{ask(10*hour, "b", "late", ids[3])}, // the timer stays where it was
		{{20 * hour, "b", remember.Request{ID: "the late one", Candidates: ids[3:4]}}},
		{ask(24*hour, "a", "a day after"), ask(43*hour, "b", "in time again"), ask(10*hour, "d", "late")},
		{ask(90*hour, "b", "long after"), ask(90*hour, "c", "long after"), ask(10*hour, "d", "too late")},
	}
	watermarks := []time.Duration{19 * hour, 20 * hour, 21 * hour, 25 * hour, 43 * hour, 90 * hour}
	stream := streamOf(t, "idle", steps, func(step int) time.Duration { return watermarks[step] })
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"idle"}, teststream.Create(s, stream))
	collect(t, s, "idle", remember.Config{Strategy: "chain", Idle: remember.Day, Lateness: 2 * hour}, in)
	turns := witness(t)
	result := strategytest.Value(ptest.RunWithMetrics(p))
	checkCounters(t, result, steps, turns)
	for _, want := range []struct {
		user, id string
		fresh    int
	}{
		{"a", "first", 0},
		{"a", "in time", 0},
		{"a", "a day after", 2},
		{"b", "first", 0},
		{"b", "in time", 0},
		{"b", "late", 0},
		{"b", "the late one", 0},
		{"b", "in time again", 0},
		{"b", "long after", 2},
		{"c", "first", 1},
		{"c", "long after", 2},
		{"d", "late", 0},
		{"d", "too late", 2}, // the watermark is at 25 h, and at 43 h: it ends after 24 h and 2 h
	} {
		if want.id == "too late" && runner.OnFlink() {
			continue // its watermark waits for the bundle to end that this request may still be in
		}
		i := slices.IndexFunc(answers["idle"][want.user], func(a remember.Answer) bool { return a.ID == want.id })
		if i < 0 {
			t.Errorf("user %s has no answer to %q", want.user, want.id)
			continue
		}
		strategytest.Equal(t, len(answers["idle"][want.user][i].Fresh), want.fresh,
			"user %s, %q: of 2 candidates are reported as unseen", want.user, want.id)
	}
}

// checkCounters compares what the step has counted with what its script and turns were.
func checkCounters(t *testing.T, result beam.PipelineResult, steps [][]event, turns map[string][]remember.Turn) {
	t.Helper()
	want := map[string]int64{"repeats": 1}
	for _, e := range slices.Concat(steps...) {
		want["requests"]++
		want["exposures"] += int64(len(e.request.Shown))
		want["candidates"] += int64(len(e.request.Candidates))
	}
	for _, all := range answers["idle"] {
		for _, a := range all {
			want["fresh"] += int64(len(a.Fresh))
		}
	}
	for _, all := range turns {
		for _, turn := range all {
			if turn.Forgotten {
				want["forgotten"]++
			}
		}
	}
	got := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Namespace() == "dejavu/remember" {
			got[c.Name()] = c.Result()
		}
	}
	if !runner.OnFlink() { // which reports no distributions
		isLength := func(r beam.MetricResult) bool { return r.Name() == "history bytes" }
		lengths := result.Metrics().Query(isLength).Distributions()
		bytes := int64(len(remember.Must("chain").Record(nil, strategytest.IDs(5, 1))))
		want := metrics.DistributionValue{Count: 6, Sum: 6 * bytes, Min: bytes, Max: bytes}
		if len(lengths) != 1 || lengths[0].Result() != want {
			t.Errorf("the lengths are %+v, want %+v", lengths, want)
		}
	}
	if !maps.Equal(got, want) || want["forgotten"] == 0 {
		t.Errorf("the counters are %v, want %v", got, want)
	}
}

// A wrong configuration is refused when the pipeline is made, not on a worker.
func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		config remember.Config
		want   string
	}{
		{remember.Config{Strategy: "chian"}, `unknown strategy "chian", want one of `},
		{remember.Config{Strategy: "chain", Idle: -1}, "idle is -1ns, want 1ms or more"},
		{remember.Config{Strategy: "chain", Idle: time.Hour, Lateness: -1}, "lateness is -1ns, want 0 or more"},
		{remember.Config{Strategy: "chain", Lateness: 1}, "nothing is forgotten"},
	} {
		p, s := beam.NewPipelineWithRoot()
		_ = p
		_, err := remember.Remember(s, c.config, beam.PCollection{})
		strategytest.ErrorSays(t, fmt.Sprintf("%+v", c.config), err, c.want)
	}
}

// Without a watermark the workers' clocks clear idle histories, not before their time; the vector is the history, byte
// for byte.
func TestTheClockClearsIdleUsers(t *testing.T) {
	runner.SkipOnFlink(t, "its sources end before the timers are due")
	const users, idle = 20, 300 * time.Millisecond
	ids := strategytest.IDs(6, 10)
	events := []event{}
	for user := range users {
		r := remember.Request{ID: "only", Shown: ids, Candidates: ids[:1], Vector: true}
		events = append(events, event{0, fmt.Sprint(user), r})
	}
	scripts["clock"] = [][]event{events}
	began, forgotten := time.Now(), map[string]time.Duration{}
	remember.Witness(func(w remember.Turn) {
		mu.Lock()
		defer mu.Unlock()
		if w.Forgotten {
			forgotten[w.User] = time.Since(began)
		}
	})
	defer remember.Witness(nil)
	p, s := beam.NewPipelineWithRoot()
	in := beam.ParDo(s, &scriptFn{"clock"}, beam.CreateList(s, []int64{0}))
	collect(t, s, "clock", remember.Config{Strategy: "chain", Idle: idle, ByClock: true}, in)
	strategytest.Must(t, ptest.Run(p))
	want := remember.Must("chain").Record(nil, ids)
	for user := range users {
		all := answers["clock"][fmt.Sprint(user)]
		if len(all) != 1 || len(all[0].Fresh) != 0 || !bytes.Equal(all[0].Vector, want) {
			t.Errorf("user %d is answered %+v, want no candidates, and %x", user, all, want)
		}
		if at, ok := forgotten[fmt.Sprint(user)]; !ok || at < idle {
			t.Errorf("user %d is forgotten: %v, after %v, want %v or more", user, ok, at, idle)
		}
	}
}
