package remember_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/remember"
	"dejavu/strategies/strategytest"
)

// Where there is no watermark the workers' clocks clear what is idle, not before its
// time; the vector that is asked for is the history, byte for byte.
func TestTheClockClearsIdleUsers(t *testing.T) {
	runner.SkipOnFlink(t, "its sources end before the timers are due; flink/survive.sh newcomers has some that do not")
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
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
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
