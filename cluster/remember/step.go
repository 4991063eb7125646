package remember

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/state"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/timers"

	"dejavu/strategies"
)

// An eventFn is the step whose state the watermark clears. Exported fields travel to the
// workers. A step has the one kind of timer that it sets: with both, pipelines that begin
// with a test stream did not end on Prism.
type eventFn struct {
	Config Config
	Memory state.Value[[]byte]
	Idle   timers.EventTime

	step
}

// Setup constructs the strategy, once in a worker.
func (f *eventFn) Setup() (err error) {
	f.step, err = newStep(f.Config)
	return err
}

// ProcessElement records what was shown, and answers.
func (f *eventFn) ProcessElement(ctx context.Context, at beam.EventTime, sp state.Provider, tp timers.Provider, user string, request Request, emit func(string, Answer)) error {
	return f.process(ctx, int64(at), f.of(sp, tp, user), request, emit)
}

// OnTimer forgets a user, or waits on for one who has been back.
func (f *eventFn) OnTimer(ctx context.Context, sp state.Provider, tp timers.Provider, user string, _ timers.Context, _ func(string, Answer)) error {
	return f.fired(ctx, f.of(sp, tp, user))
}

// Nothing is put out when a timer fires, so that nobody downstream has to wait for it.
func (f *eventFn) of(sp state.Provider, tp timers.Provider, user string) kept {
	return kept{user, f.Memory, sp, func(at time.Time) { f.Idle.Set(tp, at, timers.WithNoOutputTimestamp()) }}
}

// A clockFn is the step whose state the worker's clock clears.
type clockFn struct {
	Config Config
	Memory state.Value[[]byte]
	Clock  timers.ProcessingTime

	step
}

// Setup constructs the strategy, once in a worker.
func (f *clockFn) Setup() (err error) {
	f.step, err = newStep(f.Config)
	return err
}

// ProcessElement records what was shown, and answers.
func (f *clockFn) ProcessElement(ctx context.Context, at beam.EventTime, sp state.Provider, tp timers.Provider, user string, request Request, emit func(string, Answer)) error {
	return f.process(ctx, int64(at), f.of(sp, tp, user), request, emit)
}

// OnTimer forgets a user, or waits on for one who has been back.
func (f *clockFn) OnTimer(ctx context.Context, sp state.Provider, tp timers.Provider, user string, _ timers.Context, _ func(string, Answer)) error {
	return f.fired(ctx, f.of(sp, tp, user))
}

// Nothing is put out here either. The timer has the last time of the global window all
// the same, as Prism drops timers of the clock that have no output time.
func (f *clockFn) of(sp state.Provider, tp timers.Provider, user string) kept {
	return kept{user, f.Memory, sp, func(at time.Time) {
		f.Clock.Set(tp, at, timers.WithOutputTimestamp(mtime.EndOfGlobalWindowTime.ToTime()))
	}}
}

// kept is what the runner keeps of a user.
type kept struct {
	user  string
	state state.Value[[]byte]
	in    state.Provider
	wake  func(at time.Time) // sets the timer
}

func (k kept) write(m memory) error { return k.state.Write(k.in, m.encode()) }

// A step is what both have in common, in one worker.
type step struct {
	config   Config
	strategy strategies.Strategy
	dated    strategies.Dated // the strategy, where it forgets by the calendar
	today    strategies.Strategy
	day      int // of today, once there is one
	seen     []bool
	began    int64 // when this worker did, by its clock
	metrics  metrics
}

func newStep(c Config) (step, error) {
	s := step{config: c, began: time.Now().UnixMilli(), metrics: newMetrics()}
	var err error
	s.strategy, err = c.build()
	s.dated, _ = s.strategy.(strategies.Dated)
	return s, err
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

// process records what was shown, and answers.
func (s *step) process(ctx context.Context, now int64, of kept, request Request, emit func(string, Answer)) error {
	m, err := s.read(of)
	if err != nil {
		return fmt.Errorf("remember: user %q: %w", of.user, err)
	}
	held := m.history
	if s.config.Idle > 0 && now-m.newest >= s.config.Idle.Milliseconds() {
		m.history = nil // the timer that clears it may be on its way
	}
	strategy := s.on(now)
	if len(request.Shown) > 0 {
		if m.history == nil || now > m.newest {
			m.newest = now
		}
		m.history = strategy.Record(m.history, request.Shown)
		if err := s.write(of, held == nil, m); err != nil {
			return fmt.Errorf("remember: user %q: %w", of.user, err)
		}
		s.metrics.exposures.Inc(ctx, int64(len(request.Shown)))
		s.metrics.bytes.Update(ctx, int64(len(m.history)))
	}
	if witness != nil {
		witness(turn{Strategy: s.config.Strategy, User: of.user, Request: request.ID, Before: len(held), After: len(m.history)})
	}
	if len(request.Candidates) == 0 && !request.Vector {
		return nil
	}
	answer := Answer{ID: request.ID, Fresh: s.fresh(strategy, m.history, request.Candidates)}
	if request.Vector {
		answer.Vector = m.history
	}
	s.metrics.candidates.Inc(ctx, int64(len(request.Candidates)))
	s.metrics.fresh.Inc(ctx, int64(len(answer.Fresh)))
	emit(of.user, answer)
	return nil
}

// read is what the state holds of a user; the history is nil where there is none.
func (s *step) read(of kept) (memory, error) {
	b, ok, err := of.state.Read(of.in)
	if err != nil || !ok {
		return memory{}, err
	}
	// State comes from outside: another strategy may have left it, in a job that
	// this one goes on from.
	m, err := decodeMemory(b)
	if err == nil {
		err = s.strategy.Validate(m.history)
	}
	if err != nil {
		return memory{}, fmt.Errorf("the state is not a history of %s: %w", s.config.Strategy, err)
	}
	return m, nil
}

// write keeps a memory. With a user's first one a timer is set; that it has to
// be later, when there is a newer exposure, is found out when it fires. A timer for
// each request would be a message to the runner for each.
func (s *step) write(of kept, first bool, m memory) error {
	if s.config.ByClock {
		m.came = time.Now().UnixMilli()
	}
	if s.config.Idle > 0 && first {
		m.ends = s.end(of.user, m)
		of.wake(time.UnixMilli(m.ends))
	}
	return of.write(m)
}

// fired is what comes of a timer.
func (s *step) fired(ctx context.Context, of kept) error {
	m, err := s.read(of)
	if err != nil || m.history == nil {
		return err
	}
	if end := s.end(of.user, m); end > m.ends {
		m.ends = end
		of.wake(time.UnixMilli(end))
		err = of.write(m)
	} else {
		s.metrics.forgotten.Inc(ctx, 1)
		if witness != nil {
			witness(turn{Strategy: s.config.Strategy, User: of.user, Forgotten: true})
		}
		err = of.state.Clear(of.in)
	}
	if err != nil {
		return fmt.Errorf("remember: user %q: %w", of.user, err)
	}
	return nil
}

// end is when a memory is to be cleared.
func (s *step) end(user string, m memory) int64 {
	if !s.config.ByClock {
		return m.newest + (s.config.Idle + s.config.Lateness).Milliseconds()
	}
	idle := s.config.Idle.Milliseconds()
	return max(m.came+idle+spread(user, idle), s.began) + s.config.Lateness.Milliseconds()
}

// spread is a user's own delay, up to an eighth of the idle time. Those who came all at
// once are not to be cleared all at once: a runner may have all timers that fire in one
// bundle.
func spread(user string, idle int64) int64 {
	return int64(uint64(strategies.XXHashString(user)) % uint64(idle/8+1))
}

// on is the strategy at a time: itself, or as it is on that day.
func (s *step) on(now int64) strategies.Strategy {
	if s.dated == nil {
		return s.strategy
	}
	const day = int64(Day / time.Millisecond)
	if today := int(min(max(now/day, 0), strategies.MaxDay)); s.today == nil || today != s.day {
		s.today, s.day = s.dated.On(today), today
	}
	return s.today
}

// fresh is the candidates that the history does not remember.
func (s *step) fresh(strategy strategies.Strategy, history []byte, candidates []strategies.ID) []strategies.ID {
	if len(s.seen) < len(candidates) {
		s.seen = make([]bool, len(candidates))
	}
	seen := s.seen[:len(candidates)]
	strategy.Seen(history, candidates, seen)
	fresh := make([]strategies.ID, 0, len(candidates))
	for i, id := range candidates {
		if !seen[i] {
			fresh = append(fresh, id)
		}
	}
	return fresh
}
