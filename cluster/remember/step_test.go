package remember

import (
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/timers"

	"dejavu/strategies/strategytest"
)

// A user is what a runner keeps of one, in this process.
type user struct {
	state.Provider
	held any
}

func (u *user) ReadValueState(string) (any, []state.Transaction, error) { return u.held, nil, nil }

func (u *user) WriteValueState(t state.Transaction) error {
	u.held = t.Val
	return nil
}

// begun returns a step that a worker has set up.
func begun(t *testing.T, strategy string) *stepFn[timers.EventTime] {
	t.Helper()
	s := &stepFn[timers.EventTime]{Config: Config{Strategy: strategy}, Memory: state.MakeValueState[[]byte]("memory")}
	strategytest.Must(t, s.Setup())
	return s
}

// ask puts a request to the step and returns how many candidates are unseen.
func (u *user) ask(t *testing.T, s *stepFn[timers.EventTime], at time.Duration, r Request) (fresh int, err error) {
	t.Helper()
	err = s.ProcessElement(t.Context(), mtime.Time(at.Milliseconds()), u, nil, "u", r, func(_ string, a Answer) {
		fresh = len(a.Fresh)
	})
	return fresh, err
}

// Another strategy's state is an error, and so is state of no step; neither is overwritten.
func TestStateOfAnotherStrategy(t *testing.T) {
	ids, u, other := strategytest.IDs(2, 10), new(user), begun(t, "queue")
	strategytest.Must(t, strategytest.ErrorOf(u.ask(t, begun(t, "chain"), 0, Request{Shown: ids})))
	for _, held := range [][]byte{u.held.([]byte), {1, 2}} {
		u.held = held
		_, err := u.ask(t, other, 1, Request{Shown: ids, Candidates: ids})
		strategytest.ErrorSays(t, "the state", err, `user "u": the state is not a history of queue: `)
		strategytest.Equal(t, string(u.held.([]byte)), string(held), "the state is")
	}
}

// A strategy of days forgets day by day, on a worker that has run for weeks, and bears times before and after them all.
func TestDaysGoBy(t *testing.T) {
	ids, s, u := strategytest.IDs(3, 40), begun(t, "beyond/daily"), new(user)
	for day := range 40 {
		strategytest.Must(t, strategytest.ErrorOf(u.ask(t, s, time.Duration(day)*Day, Request{Shown: ids[day:][:1]})))
	}
	now := 39 * Day
	strategytest.Equal(t, strategytest.Value(u.ask(t, s, now, Request{Candidates: ids[10:]})), 0,
		"unseen of thirty days' articles")
	// At 1 %, one of ten is seen in one run of ten; three or more in one of ten thousand.
	if fresh, err := u.ask(t, s, now, Request{Candidates: ids[:10]}); fresh < 8 || err != nil {
		t.Errorf("of ten articles of the days before %d are unseen, %v", fresh, err)
	}
	for _, at := range []time.Duration{-Day, 200 * 365 * Day} {
		strategytest.Must(t, strategytest.ErrorOf(new(user).ask(t, s, at, Request{Shown: ids})))
	}
}
