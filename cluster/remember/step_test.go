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
	held  any
	timer mtime.Time
}

func (u *user) ReadValueState(string) (any, []state.Transaction, error) { return u.held, nil, nil }

func (u *user) WriteValueState(t state.Transaction) error {
	u.held = t.Val
	return nil
}

func (u *user) ClearValueState(state.Transaction) error {
	u.held = nil
	return nil
}

func (u *user) Set(t timers.TimerMap) { u.timer = t.FireTimestamp }

// begun is a step that a worker has set up.
func begun(t *testing.T, c Config) *stepFn[timers.EventTime] {
	t.Helper()
	s := &stepFn[timers.EventTime]{
		Config: c, Memory: state.MakeValueState[[]byte]("memory"), Timer: timers.InEventTime("idle"),
	}
	strategytest.Must(t, s.Setup())
	return s
}

// ask puts a request to the step: so many of its candidates are unseen.
func (u *user) ask(t *testing.T, s *stepFn[timers.EventTime], at time.Duration, r Request) (fresh int, err error) {
	t.Helper()
	answers := 0
	err = s.ProcessElement(t.Context(), mtime.Time(at.Milliseconds()), u, u, "u", r, func(_ string, a Answer) {
		answers++
		fresh = len(a.Fresh)
	})
	if want := len(r.Candidates) > 0; err == nil && (answers == 1) != want {
		t.Errorf("%d answers to %d candidates", answers, len(r.Candidates))
	}
	return fresh, err
}

// fires is the timer that fires.
func (u *user) fires(t *testing.T, s *stepFn[timers.EventTime]) error {
	t.Helper()
	return s.OnTimer(t.Context(), u, u, "u", timers.Context{}, nil)
}

// A timer that fires before its time is set again, to when the newest exposure says, and clears the state then.
func TestATimerMovesWithTheNewestExposure(t *testing.T) {
	ids := strategytest.IDs(1, 3)
	s, u := begun(t, Config{Strategy: "chain", Idle: Day, Lateness: time.Hour}), new(user)
	const hour = mtime.Time(time.Hour / time.Millisecond)
	for i, at := range []time.Duration{0, 9 * time.Hour, 5 * time.Hour} {
		if _, err := u.ask(t, s, at, Request{Shown: ids[i:][:1]}); err != nil || u.timer != 25*hour {
			t.Errorf("shown at %v, the timer is at %v, %v", at, u.timer, err)
		}
	}
	if err := u.fires(t, s); err != nil || u.timer != 34*hour || u.held == nil {
		t.Errorf("the timer is moved to %v, %v, the state is %x", u.timer, err, u.held)
	}
	if fresh, err := u.ask(t, s, 32*time.Hour, Request{Candidates: ids}); fresh != 0 || err != nil {
		t.Errorf("%d of three are unseen, %v", fresh, err)
	}
	for range 2 { // the second finds nothing
		if err := u.fires(t, s); err != nil || u.timer != 34*hour || u.held != nil {
			t.Errorf("the timer is at %v, %v, the state is %x", u.timer, err, u.held)
		}
	}
}

// What another strategy has left is an error, and so is what is none of a step's; neither is overwritten.
func TestStateOfAnotherStrategy(t *testing.T) {
	ids := strategytest.IDs(2, 10)
	u := new(user)
	strategytest.Must(t, strategytest.ErrorOf(u.ask(t, begun(t, Config{Strategy: "chain"}), 0, Request{Shown: ids})))
	other := begun(t, Config{Strategy: "queue"})
	for _, held := range [][]byte{u.held.([]byte), {1, 2}} {
		u.held = held
		_, err := u.ask(t, other, 1, Request{Shown: ids, Candidates: ids})
		for _, err := range []error{err, u.fires(t, other)} {
			strategytest.ErrorSays(t, "the state", err, `user "u": the state is not a history of queue: `)
		}
		if string(u.held.([]byte)) != string(held) {
			t.Errorf("the state is %x, was %x", u.held, held)
		}
	}
}

// A strategy of days forgets day by day, on a worker that has run for weeks, and bears times before and after them all.
func TestDaysGoBy(t *testing.T) {
	ids := strategytest.IDs(3, 40)
	s, u := begun(t, Config{Strategy: "beyond/daily"}), new(user)
	for day := range 40 {
		if _, err := u.ask(t, s, time.Duration(day)*Day, Request{Shown: ids[day:][:1]}); err != nil {
			t.Fatal(err)
		}
	}
	now := 39 * Day
	if fresh, err := u.ask(t, s, now, Request{Candidates: ids[10:]}); fresh != 0 || err != nil {
		t.Errorf("of thirty days' articles %d are unseen, %v", fresh, err)
	}
	// At 1 %, one of ten is seen in one run of ten; three or more in one of ten thousand.
	if fresh, err := u.ask(t, s, now, Request{Candidates: ids[:10]}); fresh < 8 || err != nil {
		t.Errorf("of ten articles of the days before %d are unseen, %v", fresh, err)
	}
	for _, at := range []time.Duration{-Day, 200 * 365 * Day} {
		if _, err := new(user).ask(t, s, at, Request{Shown: ids}); err != nil {
			t.Errorf("at %v: %v", at, err)
		}
	}
}
