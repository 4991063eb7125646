// Package remember is the project's memory of what users were shown as a step of
// a stream: a stateful DoFn for any pipeline of Apache Beam.
//
// A user's requests go in, each with the articles shown since the one before and the candidates of now; the
// candidates that were not shown before come out. The history is keyed state, the same few hundred bytes that
// a strategy keeps anywhere else, and a timer clears it when the user has been away for too long, by the
// watermark or by the clock. It is the job that Wang's lecture gives to a stream processor, from log to bit
// vector, in one step: with Shown alone it follows an exposure log, with Candidates alone it answers, with
// both it does what a feed service does.
//
// The guarantee is the strategy's: an article among the last Window exposures of its user, repeats counted,
// is never shown again; an unseen one may be held back, as often as Theory.FPR says. The order is the one in
// which the runner hands over a user's requests: an exposure that comes late is remembered from then on, and
// as the newest. A runner that replays a bundle replays its state too, so an exposure counts once.
//
// The cost: a state read and, where something was shown, a state write for each request, a timer for each
// user and Idle, and Theory.Bytes of state for each user, with 24 bytes of times before it.
package remember

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
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

	// Lateness is how much longer the state lies there, for requests that come after the watermark has passed
	// their time: 0 or more. What they are answered does not depend on it, unless they come later still.
	Lateness time.Duration

	// ByClock has the workers' clocks say when state is cleared, for sources without a watermark: Idle and
	// Lateness after the last exposure came, and Lateness after the worker has started, which is the time a job
	// has to catch up with what was waiting for it. Who is a newcomer follows from the events' clock all the same.
	ByClock bool
}

// A Request is what a user was shown, and what could be shown next. Either may be empty.
type Request struct {
	ID         string          // comes back in the answer
	Shown      []strategies.ID // oldest first; they are recorded before candidates are looked at
	Candidates []strategies.ID
	Vector     bool // the history is asked for, too
}

// MarshalBinary is a request as it travels, for a queue before the pipeline. No error.
func (r Request) MarshalBinary() ([]byte, error) { return encodeRequest(r), nil }

// UnmarshalBinary is its reverse. Bytes that are no request are an error.
func (r *Request) UnmarshalBinary(b []byte) (err error) {
	*r, err = decodeRequest(b)
	return err
}

// An Answer is the candidates that the history does not remember, in their order.
type Answer struct {
	ID     string // the request's
	Fresh  []strategies.ID
	Vector []byte // the history, where it was asked for, as the strategy keeps it
}

// Remember adds the step to a pipeline. Requests are a PCollection<KV<string, Request>> by user; the result
// is a PCollection<KV<string, Answer>>, one for each request that had candidates or asked for the vector.
// Time is the elements' event time. State is kept for each window apart, so one history for all of a stream
// takes the global window.
func Remember(s beam.Scope, c Config, requests beam.PCollection) (beam.PCollection, error) {
	if _, err := c.build(); err != nil {
		return beam.PCollection{}, err
	}
	s = s.Scope("Remember")
	memory := state.MakeValueState[[]byte]("memory")
	if c.ByClock {
		timer := timers.InProcessingTime("clock")
		return beam.ParDo(s, &stepFn[timers.ProcessingTime]{Config: c, Memory: memory, Timer: timer}, requests), nil
	}
	timer := timers.InEventTime("idle")
	return beam.ParDo(s, &stepFn[timers.EventTime]{Config: c, Memory: memory, Timer: timer}, requests), nil
}

// build checks a configuration and constructs its strategy.
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
