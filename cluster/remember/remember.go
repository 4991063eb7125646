// Package remember is the project's memory of what users were shown as a step of
// a stream: a stateful DoFn for any pipeline of Apache Beam.
//
// A user's requests go in, each with the articles shown since the one before and
// the candidates of now; the candidates that were not shown before come out. The
// history is keyed state, the same few hundred bytes that a strategy keeps
// anywhere else, and a timer clears it when the user has been away for too
// long. It is the lecture's job, log to stream processor to bit vector, in one
// step: with Shown alone it follows an exposure log, with Candidates alone it
// answers, with both it does what a feed service does.
//
// The guarantee is the strategy's: an article among the last Window exposures of
// its user, repeats counted, is never let through; a fresh one may be held
// back, as often as Theory.FPR says. The order is the one in which the runner
// hands over a user's requests: an exposure that comes late is remembered from
// then on, and as the newest. A runner that replays a bundle replays its state
// too, so an exposure counts once.
//
// The cost: a state read and, where something was shown, a state write for each
// request, a timer for each user and Idle, and Theory.Bytes of state for each
// user, with two times beside it.
package remember

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/timers"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/strategies"
)

func init() {
	register.DoFn7x1[context.Context, beam.EventTime, state.Provider, timers.Provider, string, Request, func(string, Answer), error](&rememberFn{})
	register.Emitter2[string, Answer]()
}

// Day is the time without reading after which the paper forgets (§2, §6).
const Day = 24 * time.Hour

// A Config says what is remembered, and for how long.
type Config struct {
	// Strategy is one of Names: the project's catalogue, and what was registered.
	Strategy string

	// Idle is the time in the events' clock after the newest exposure at which a
	// history is forgotten, a millisecond or more; 0 keeps it for good.
	Idle time.Duration

	// Lateness is how much longer the state lies there, for requests that come
	// after the watermark has passed their time: 0 or more. What they are
	// answered does not depend on it, unless they come later still.
	Lateness time.Duration
}

// A Request is what a user was shown, and what could be shown next. Either may
// be empty.
type Request struct {
	ID         string          // comes back in the answer
	Shown      []strategies.ID // oldest first; they are recorded before candidates are looked at
	Candidates []strategies.ID
}

// An Answer is the candidates that the history does not remember, in their order.
type Answer struct {
	ID    string // the request's
	Fresh []strategies.ID
}

// Remember adds the step to a pipeline. Requests are a PCollection<KV<string, Request>>
// by user; the result is a PCollection<KV<string, Answer>>, one for each request
// that had candidates. Time is the elements' event time. State is kept for each
// window apart, so one history for all of a stream takes the global window.
func Remember(s beam.Scope, c Config, requests beam.PCollection) (beam.PCollection, error) {
	if _, err := c.build(); err != nil {
		return beam.PCollection{}, err
	}
	return beam.ParDo(s.Scope("Remember"), &rememberFn{
		Config:  c,
		History: state.MakeValueState[[]byte]("history"),
		Newest:  state.MakeValueState[int64]("newest"),
		Ends:    state.MakeValueState[int64]("ends"),
		Idle:    timers.InEventTime("idle"),
	}, requests), nil
}

// build checks a configuration and constructs its strategy.
func (c Config) build() (strategies.Strategy, error) {
	switch {
	case c.Idle != 0 && c.Idle < time.Millisecond:
		return nil, fmt.Errorf("remember: idle is %v, want 1ms or more, or 0 to keep histories for good", c.Idle)
	case c.Lateness < 0:
		return nil, fmt.Errorf("remember: lateness is %v, want 0 or more", c.Lateness)
	case c.Lateness > 0 && c.Idle == 0:
		return nil, fmt.Errorf("remember: lateness is %v, but nothing is forgotten: idle is 0", c.Lateness)
	}
	return construct(c.Strategy)
}

// A rememberFn is the step. Its exported fields travel to the workers.
type rememberFn struct {
	Config  Config
	History state.Value[[]byte]
	Newest  state.Value[int64] // the time of the newest exposure, in milliseconds
	Ends    state.Value[int64] // the time that the timer is set to, if it is
	Idle    timers.EventTime

	strategy strategies.Strategy
	dated    strategies.Dated // the strategy, where it forgets by the calendar
	today    strategies.Strategy
	day      int // of today, once there is one
	seen     []bool
	metrics  metrics
}

// Setup constructs the strategy, once in a worker.
func (f *rememberFn) Setup() (err error) {
	f.metrics = newMetrics()
	f.strategy, err = f.Config.build()
	f.dated, _ = f.strategy.(strategies.Dated)
	return err
}

// A turn is what became of a user's history at a request, or at a timer.
type turn struct {
	Strategy, User string
	Request        string // its ID
	Before, After  int    // length of the history that the state held
	Forgotten      bool   // a timer cleared it, and there is no request
}

// witness, if not nil, is told of each turn: tests need the order, which is the
// runner's, and answers may overtake each other.
var witness func(turn)

// ProcessElement records what was shown, and answers.
func (f *rememberFn) ProcessElement(ctx context.Context, at beam.EventTime, sp state.Provider, tp timers.Provider,
	user string, request Request, emit func(string, Answer),
) error {
	now := int64(at)
	held, newest, err := f.read(sp)
	if err != nil {
		return fmt.Errorf("remember: user %q: %w", user, err)
	}
	history := held
	if f.Config.Idle > 0 && now-newest >= f.Config.Idle.Milliseconds() {
		history = nil // the timer that clears it may be on its way
	}
	strategy := f.on(now)
	if len(request.Shown) > 0 {
		if history == nil || now > newest {
			newest = now
		}
		history = strategy.Record(history, request.Shown)
		if err := f.write(sp, tp, held == nil, history, newest); err != nil {
			return fmt.Errorf("remember: user %q: %w", user, err)
		}
		f.metrics.exposures.Inc(ctx, int64(len(request.Shown)))
		f.metrics.bytes.Update(ctx, int64(len(history)))
	}
	if witness != nil {
		witness(turn{Strategy: f.Config.Strategy, User: user, Request: request.ID, Before: len(held), After: len(history)})
	}
	if len(request.Candidates) == 0 {
		return nil
	}
	answer := Answer{ID: request.ID, Fresh: f.fresh(strategy, history, request.Candidates)}
	f.metrics.candidates.Inc(ctx, int64(len(request.Candidates)))
	f.metrics.fresh.Inc(ctx, int64(len(answer.Fresh)))
	emit(user, answer)
	return nil
}

// read is the user's history, nil where there is none, and the time of its newest
// exposure.
func (f *rememberFn) read(sp state.Provider) (history []byte, newest int64, err error) {
	history, ok, err := f.History.Read(sp)
	if err != nil || !ok {
		return nil, 0, err
	}
	if newest, _, err = f.Newest.Read(sp); err != nil {
		return nil, 0, err
	}
	// State comes from outside: another strategy may have left it, in a job that
	// this one goes on from.
	if err := f.strategy.Validate(history); err != nil {
		return nil, 0, fmt.Errorf("the state is not a history of %s: %w", f.Config.Strategy, err)
	}
	return history, newest, nil
}

// write keeps a history. With a user's first one a timer is set; that it has to
// be later, when there is a newer exposure, is found out when it fires. A timer for
// each request would be a message to the runner for each.
func (f *rememberFn) write(sp state.Provider, tp timers.Provider, first bool, history []byte, newest int64) error {
	if err := f.History.Write(sp, history); err != nil {
		return err
	}
	if err := f.Newest.Write(sp, newest); err != nil {
		return err
	}
	if f.Config.Idle > 0 && first {
		return f.arm(sp, tp, f.end(newest))
	}
	return nil
}

// end is when a history is cleared, by the time of its newest exposure.
func (f *rememberFn) end(newest int64) int64 {
	return newest + (f.Config.Idle + f.Config.Lateness).Milliseconds()
}

// arm sets the timer.
func (f *rememberFn) arm(sp state.Provider, tp timers.Provider, end int64) error {
	// Nothing is put out when it fires, so that nobody downstream has to wait for it.
	f.Idle.Set(tp, time.UnixMilli(end), timers.WithNoOutputTimestamp())
	return f.Ends.Write(sp, end)
}

// OnTimer forgets a user, or waits on for one who has been back.
func (f *rememberFn) OnTimer(ctx context.Context, sp state.Provider, tp timers.Provider, user string, timer timers.Context, _ func(string, Answer)) error {
	if err := f.fired(ctx, sp, tp, user); err != nil {
		return fmt.Errorf("remember: user %q: %w", user, err)
	}
	return nil
}

func (f *rememberFn) fired(ctx context.Context, sp state.Provider, tp timers.Provider, user string) error {
	newest, _, err := f.Newest.Read(sp)
	if err != nil {
		return err
	}
	ends, _, err := f.Ends.Read(sp)
	if err != nil {
		return err
	}
	if end := f.end(newest); end > ends {
		return f.arm(sp, tp, end)
	}
	f.metrics.forgotten.Inc(ctx, 1)
	if witness != nil {
		witness(turn{Strategy: f.Config.Strategy, User: user, Forgotten: true})
	}
	return errors.Join(f.History.Clear(sp), f.Newest.Clear(sp), f.Ends.Clear(sp))
}

// on is the strategy at a time: itself, or as it is on that day.
func (f *rememberFn) on(now int64) strategies.Strategy {
	if f.dated == nil {
		return f.strategy
	}
	const day = int64(Day / time.Millisecond)
	if today := int(min(max(now/day, 0), strategies.MaxDay)); f.today == nil || today != f.day {
		f.today, f.day = f.dated.On(today), today
	}
	return f.today
}

// fresh is the candidates that the history does not remember.
func (f *rememberFn) fresh(strategy strategies.Strategy, history []byte, candidates []strategies.ID) []strategies.ID {
	if len(f.seen) < len(candidates) {
		f.seen = make([]bool, len(candidates))
	}
	seen := f.seen[:len(candidates)]
	strategy.Seen(history, candidates, seen)
	fresh := make([]strategies.ID, 0, len(candidates))
	for i, id := range candidates {
		if !seen[i] {
			fresh = append(fresh, id)
		}
	}
	return fresh
}
