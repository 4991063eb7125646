// Package remember remembers what users were shown in a step of a stream: a stateful DoFn for any pipeline of Apache
// Beam.
//
// Each of a user's requests holds the articles shown since the last one and the candidates of now; unseen candidates
// come out. The history is keyed state of a few hundred bytes, as a strategy keeps it anywhere else. A timer clears it
// when the user has been away for too long, by the watermark or by the clock. Wang's lecture gives this job, from log
// to bit vector, to a stream processor. With Shown alone the step follows an exposure log, with Candidates alone it
// answers, and with both it serves a feed.
//
// The guarantee is the strategy's: an article among the user's last Window exposures, repeats counted, is never shown
// again; an unseen one may be held back, at the rate Theory.FPR. The order is the runner's: a late exposure is
// remembered from then on, as the newest. A runner that replays a bundle replays its state too, so an exposure counts
// once.
//
// Each request costs a state read and, if something was shown, a state write. Each user costs a timer, and Theory.Bytes
// of state with 24 bytes of times before it.
package remember

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/timers"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/experiments/catalogue"
	"dejavu/strategies"
)

func init() {
	registerStep[timers.EventTime]()
	registerStep[timers.ProcessingTime]()
	register.Emitter2[string, Answer]()
}

func registerStep[T timers.EventTime | timers.ProcessingTime]() {
	register.DoFn7x1[
		context.Context, beam.EventTime, state.Provider, timers.Provider, string, Request, func(string, Answer), error,
	](&stepFn[T]{})
}

// Day is the time without reading after which the paper forgets (§2, §6).
const Day = 24 * time.Hour

// A Config says what is remembered, and for how long.
type Config struct {
	// Strategy is a name of the project's catalogue: a strategy does not travel, its name does.
	Strategy string

	// Idle is the time in the events' clock after the newest exposure at which a
	// history is forgotten, a millisecond or more; 0 keeps it for good.
	Idle time.Duration

	// Lateness keeps the state longer, for requests that arrive after the watermark has passed their time: 0 or more.
	// It does not change answers, unless requests come later still.
	Lateness time.Duration

	// ByClock clears state by the workers' clocks, for sources without a watermark: Idle and Lateness after the last
	// exposure came, and Lateness after the worker started, the time a job has to catch up with waiting requests.
	// Whether a user is a newcomer still follows from the events' clock.
	ByClock bool
}

// A Request is what a user was shown, and what could be shown next. Either may be empty.
type Request struct {
	ID         string          `json:"id"`         // comes back in the answer
	Shown      []strategies.ID `json:"shown"`      // oldest first; they are recorded before candidates are looked at
	Candidates []strategies.ID `json:"candidates"` // in any order
	Vector     bool            `json:"vector"`     // the history is asked for, too
	Forget     bool            `json:"forget"`     // the user's history is deleted first
}

// An Answer is the candidates that the history does not remember, in their order.
type Answer struct {
	ID     string          `json:"id"` // the request's
	Fresh  []strategies.ID `json:"fresh"`
	Vector []byte          `json:"vector,omitempty"` // the history, if it was asked for, as the strategy keeps it
}

// Remember adds the step to a pipeline. Requests are a PCollection<KV<string, Request>> by user; the result is a
// PCollection<KV<string, Answer>>, one for each request that has candidates, Vector or Forget. Time is the elements'
// event time. Each window keeps its own state, so one history for a whole stream takes the global window.
func Remember(s beam.Scope, c Config, requests beam.PCollection) (beam.PCollection, error) {
	if _, err := c.build(); err != nil {
		return beam.PCollection{}, err
	}
	s = s.Scope("Remember")
	memory := state.MakeValueState[[]byte]("memory")
	var step any = &stepFn[timers.EventTime]{Config: c, Memory: memory, Timer: timers.InEventTime("idle")}
	if c.ByClock {
		step = &stepFn[timers.ProcessingTime]{Config: c, Memory: memory, Timer: timers.InProcessingTime("clock")}
	}
	return beam.ParDo(s, step, requests), nil
}

func (c Config) build() (strategies.Strategy, error) {
	switch {
	case c.Idle != 0 && c.Idle < time.Millisecond:
		return nil, fmt.Errorf("remember: idle is %v, want 1ms or more, or 0 to keep histories for good", c.Idle)
	case c.Lateness < 0:
		return nil, fmt.Errorf("remember: lateness is %v, want 0 or more", c.Lateness)
	case (c.Lateness > 0 || c.ByClock) && c.Idle == 0:
		const none = "remember: lateness is %v and the clock counts: %v, but nothing is forgotten: idle is 0"
		return nil, fmt.Errorf(none, c.Lateness, c.ByClock)
	}
	e, err := catalogue.Find(c.Strategy)
	if err != nil {
		return nil, fmt.Errorf("remember: %w", err)
	}
	return e.Make()
}

// The step's counters: requests, articles recorded, repeats among them, candidates, candidates reported as unseen,
// histories cleared by a timer or by Forget, and the distribution of the lengths written.
var (
	requests     = beam.NewCounter("dejavu/remember", "requests")
	repeats      = beam.NewCounter("dejavu/remember", "repeats")
	exposures    = beam.NewCounter("dejavu/remember", "exposures")
	candidates   = beam.NewCounter("dejavu/remember", "candidates")
	fresh        = beam.NewCounter("dejavu/remember", "fresh")
	forgotten    = beam.NewCounter("dejavu/remember", "forgotten")
	historyBytes = beam.NewDistribution("dejavu/remember", "history bytes")
)

// A stepFn is the step. The watermark or the worker's clock clears its state. It has only the kind of timer that it
// sets: with both, pipelines that begin with a test stream did not end on Prism. Exported fields travel to the workers.
type stepFn[T timers.EventTime | timers.ProcessingTime] struct {
	Config Config
	Memory state.Value[[]byte]
	Timer  T

	strategy strategies.Strategy
	dated    strategies.Dated // the strategy, if it forgets by the calendar
	today    strategies.Strategy
	day      int // of today, once there is one
	seen     []bool
	began    int64 // when this worker did, by its clock
}

func (f *stepFn[T]) Setup() (err error) {
	f.began = time.Now().UnixMilli()
	f.strategy, err = f.Config.build()
	f.dated, _ = f.strategy.(strategies.Dated)
	return err
}

// wake sets the timer. Nothing is output when it fires, so nobody downstream waits for it. Still, a timer of the clock
// gets the last time of the global window: Prism drops timers without an output time.
func (f *stepFn[T]) wake(tp timers.Provider, milliseconds int64) {
	at := time.UnixMilli(milliseconds)
	switch timer := any(f.Timer).(type) {
	case timers.EventTime:
		timer.Set(tp, at, timers.WithNoOutputTimestamp())
	case timers.ProcessingTime:
		timer.Set(tp, at, timers.WithOutputTimestamp(mtime.EndOfGlobalWindowTime.ToTime()))
	}
}

// A turn is the change of a user's history at a request or a timer.
type turn struct {
	Strategy, User string
	Request        string // its ID
	Before, After  int    // length of the history that the state held
	Forgotten      bool   // a timer cleared it, and there is no request
}

// witness, if not nil, is told of each turn: tests need the runner's order, and answers may overtake each other.
var witness func(turn)

func (f *stepFn[T]) ProcessElement(
	ctx context.Context, at beam.EventTime, sp state.Provider, tp timers.Provider,
	user string, request Request, emit func(string, Answer),
) error {
	now := int64(at)
	m, err := f.read(sp)
	if err != nil {
		return fmt.Errorf("remember: user %q: %w", user, err)
	}
	held := m.history
	if f.Config.Idle > 0 && now-m.newest >= f.Config.Idle.Milliseconds() {
		m.history = nil // the timer that clears it may be on its way
	}
	requests.Inc(ctx, 1)
	if request.Forget {
		m = memory{}
		if held != nil {
			forgotten.Inc(ctx, 1)
			if err := f.Memory.Clear(sp); err != nil {
				return fmt.Errorf("remember: user %q: %w", user, err)
			}
		}
	}
	strategy := f.on(now)
	if len(request.Shown) > 0 {
		repeats.Inc(ctx, int64(len(request.Shown)-len(f.unseen(strategy, m.history, request.Shown))))
		if m.history == nil || now > m.newest {
			m.newest = now
		}
		m.history = strategy.Record(m.history, request.Shown)
		if f.Config.ByClock {
			m.came = time.Now().UnixMilli()
		}
		// The timer is set with a user's first history. When it fires it looks whether a newer exposure delays it:
		// setting it at each request would send the runner a message each time.
		if f.Config.Idle > 0 && (held == nil || request.Forget) {
			m.ends = f.end(user, m)
			f.wake(tp, m.ends)
		}
		if err := f.Memory.Write(sp, m.encode()); err != nil {
			return fmt.Errorf("remember: user %q: %w", user, err)
		}
		exposures.Inc(ctx, int64(len(request.Shown)))
		historyBytes.Update(ctx, int64(len(m.history)))
	}
	if witness != nil {
		witness(turn{f.Config.Strategy, user, request.ID, len(held), len(m.history), false})
	}
	if len(request.Candidates) == 0 && !request.Vector && !request.Forget {
		return nil
	}
	answer := Answer{ID: request.ID, Fresh: f.unseen(strategy, m.history, request.Candidates)}
	if request.Vector {
		answer.Vector = m.history
	}
	candidates.Inc(ctx, int64(len(request.Candidates)))
	fresh.Inc(ctx, int64(len(answer.Fresh)))
	emit(user, answer)
	return nil
}

func (f *stepFn[T]) OnTimer(
	ctx context.Context, sp state.Provider, tp timers.Provider, user string, _ timers.Context, _ func(string, Answer),
) error {
	m, err := f.read(sp)
	switch {
	case err != nil:
	case m.history == nil:
		return nil
	case f.end(user, m) > m.ends:
		m.ends = f.end(user, m)
		f.wake(tp, m.ends)
		err = f.Memory.Write(sp, m.encode())
	default:
		forgotten.Inc(ctx, 1)
		if witness != nil {
			witness(turn{Strategy: f.Config.Strategy, User: user, Forgotten: true})
		}
		err = f.Memory.Clear(sp)
	}
	if err != nil {
		return fmt.Errorf("remember: user %q: %w", user, err)
	}
	return nil
}

// read returns a user's state. The history is nil if there is none.
func (f *stepFn[T]) read(sp state.Provider) (memory, error) {
	b, ok, err := f.Memory.Read(sp)
	if err != nil || !ok {
		return memory{}, err
	}
	// State comes from outside: another strategy may have left it, in an earlier job.
	m, err := decodeMemory(b)
	if err == nil {
		err = f.strategy.Validate(m.history)
	}
	if err != nil {
		return memory{}, fmt.Errorf("the state is not a history of %s: %w", f.Config.Strategy, err)
	}
	return m, nil
}

func (f *stepFn[T]) end(user string, m memory) int64 {
	if !f.Config.ByClock {
		return m.newest + (f.Config.Idle + f.Config.Lateness).Milliseconds()
	}
	idle := f.Config.Idle.Milliseconds()
	return max(m.came+idle+spread(user, idle), f.began) + f.Config.Lateness.Milliseconds()
}

// spread returns a user's own delay, up to an eighth of the idle time. It spreads the timers of users who came all at
// once: a runner may put all timers that fire into one bundle.
func spread(user string, idle int64) int64 {
	return int64(uint64(strategies.XXHashString(user)) % uint64(idle/8+1))
}

// on returns the strategy at a time: itself, or its form on that day.
func (f *stepFn[T]) on(now int64) strategies.Strategy {
	if f.dated == nil {
		return f.strategy
	}
	const day = int64(Day / time.Millisecond)
	if today := int(min(max(now/day, 0), strategies.MaxDay)); f.today == nil || today != f.day {
		f.today, f.day = f.dated.On(today), today
	}
	return f.today
}

func (f *stepFn[T]) unseen(s strategies.Strategy, history []byte, candidates []strategies.ID) []strategies.ID {
	f.seen = slices.Grow(f.seen[:0], len(candidates))
	seen := f.seen[:len(candidates)]
	s.Seen(history, candidates, seen)
	fresh := make([]strategies.ID, 0, len(candidates))
	for i, id := range candidates {
		if !seen[i] {
			fresh = append(fresh, id)
		}
	}
	return fresh
}
