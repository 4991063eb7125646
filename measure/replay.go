package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A Replay says how a log is replayed. A request of the log is put to the
// reader's history, and then recorded: all of it, as theory has it, for the log
// says that it was shown; or with Passed what the history lets through alone, as
// the daily population lives, so that each strategy has a past of its own.
type Replay struct {
	_ struct{}

	// Idle is how many seconds without an article recorded clear a history; 0
	// is never.
	Idle store.Clock

	// Passed records only what was let through, and of that the first Most of a
	// request; 0 is all.
	Passed bool
	Most   int

	// End is the time at which histories are counted, in seconds since 1970; 0 is
	// that of the latest exposure.
	End int64

	// MaxUsers is how many readers the log may have, 1 to logs.MaxUsers; 0 is that.
	MaxUsers int

	// Progress, if not nil, is called now and then with how far the reading is.
	Progress func(at logs.Position)
}

// A Replayed is what came out for one strategy. All of it is whole numbers, the
// same for any number of workers.
type Replayed struct {
	// Regime counts as Daily does: Fresh are candidates that this reader was never
	// shown before, and Repeats those of the recorded that had been shown and were
	// not recognised. ByHeld is left empty.
	Regime

	// By AgeBin of how many articles ago it was shown, 1 being the newest: the
	// candidates that had been shown before, and those of them recognised.
	Repeated, Recognised []int64

	// By articles recorded since the history was last empty, 0 to 4095 and more:
	// the fresh candidates, and those of them that were taken for seen.
	FreshByHeld, HitsByHeld []int64
}

// A ReplayedLog is what the log itself had.
type ReplayedLog struct {
	Read      logs.Counts
	Users     int64
	Exposures int64 // what was put to the histories
	Twice     int64 // not put to them, being in its request already
	NotShown  int64 // not put to them, being an act on what was shown before, or of the past
	Strayed   int64 // not put to them, more than 68 years from the first exposure
	First     int64 // the earliest exposure, in seconds since 1970
	Last      int64 // the latest
}

// ReplayMachine is what depends on the machine.
type ReplayMachine struct {
	Seconds  float64
	Slabs    []int64 // of each strategy's stores at the end
	Truth    int64   // bytes of the exact sets
	Resident int64   // of the process at the end, all histories alive
}

// Run replays the log with each of the subjects, and the exact truth beside them.
// The log is read once; readers are spread over the workers. A strategies.Dated is
// asked on the day of the exposure. The caller closes the log.
//
// Memory is that of the histories, of 14 to 27 bytes for each article of a reader,
// and of some 70 bytes a reader; with Passed there are 4 bytes more an
// article for each strategy.
func (r Replay) Run(ctx context.Context, subjects []Subject, log *logs.Log, o Options) ([]Replayed, ReplayedLog, ReplayMachine, error) {
	var facts ReplayedLog
	var machine ReplayMachine
	if r.Most < 0 || r.Most > 0 && !r.Passed {
		return nil, facts, machine, fmt.Errorf("measure: Most is %d, want 0 or, with Passed, more", r.Most)
	}
	begin := time.Now()
	workers := make([]*replayer, o.workers())
	for i := range workers {
		workers[i] = newReplayer(subjects, r, o.Stock)
	}
	defer func() {
		for _, w := range workers {
			w.close()
		}
	}()
	d := dealer[*replayer]{workers: workers, deal: (*replayer).replay, maxUsers: r.MaxUsers, progress: r.Progress}
	if err := d.run(ctx, log); err != nil {
		return nil, facts, machine, err
	}
	end, err := d.clockOf(r.End)
	if err != nil {
		return nil, facts, machine, err
	}
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() { w.finish(end) })
	}
	group.Wait()
	all := make([]Replayed, len(subjects))
	machine.Slabs = make([]int64, len(subjects))
	for i := range all {
		all[i] = newReplayed()
	}
	facts = d.facts
	facts.Read = log.Counts()
	for _, w := range workers {
		facts.Twice += w.twice
		facts.Exposures -= w.twice
		machine.Truth += w.truth.bytes()
		for i := range all {
			all[i].add(&w.counts[i])
			machine.Slabs[i] += w.memory(i)
		}
	}
	machine.Resident = Resident()
	machine.Seconds = time.Since(begin).Seconds()
	return all, facts, machine, nil
}

// A dealer reads a log and deals its requests to workers, each of whom has the
// readers of numbers that leave the same remainder.
type dealer[W any] struct {
	workers  []W
	deal     func(w W, h *hand)
	article  func(id uint64) // if not nil, called for each exposure, in order
	maxUsers int
	progress func(logs.Position)

	facts ReplayedLog
	base  int64 // the time of a clock's 0
}

// A hand is some requests, in the order of the log.
type hand struct {
	requests []dealt
	ids      []strategies.ID // of all of them
}

// A dealt is one request.
type dealt struct {
	reader uint32 // the worker's number of it
	n      uint32 // articles
	at     store.Clock
}

const (
	handful = 4096 // exposures of a hand, about
	hands   = 3    // on their way to a worker

	clockDays = 1 << 32 / int64(store.Day) / 2 // from a clock's 0 to the first exposure
)

// errEmpty is for a log that says nothing.
var errEmpty = errors.New("no exposure in the log")

// run deals until the log ends, and waits for the workers.
func (d *dealer[W]) run(ctx context.Context, log *logs.Log) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	maxUsers := d.maxUsers
	if maxUsers == 0 {
		maxUsers = logs.MaxUsers
	}
	users, err := logs.NewUsers(maxUsers)
	if err != nil {
		return err
	}
	n := len(d.workers)
	queues, free := make([]chan *hand, n), make(chan *hand, n*(hands+2))
	var group sync.WaitGroup
	for i, w := range d.workers {
		queues[i] = make(chan *hand, hands)
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					cancel(fmt.Errorf("panic: %v", p))
					for range queues[i] { // so that nobody waits
					}
				}
			}()
			for h := range queues[i] {
				if ctx.Err() == nil {
					d.deal(w, h)
				}
				h.requests, h.ids = h.requests[:0], h.ids[:0]
				select {
				case free <- h:
				default:
				}
			}
		})
	}
	err = d.read(ctx, log, users, queues, free)
	for _, q := range queues {
		close(q)
	}
	group.Wait()
	d.facts.Users = int64(users.Len())
	runtime.KeepAlive(users)
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err == nil && d.facts.Exposures == 0:
		return errEmpty
	}
	return err
}

// read numbers readers and fills hands.
func (d *dealer[W]) read(ctx context.Context, log *logs.Log, users *logs.Users, queues []chan *hand, free chan *hand) error {
	n := uint32(len(queues))
	filling := make([]*hand, n)
	for i := range filling {
		filling[i] = new(hand)
	}
	started := false
	for events := log.NextRequest(); len(events) > 0; events = log.NextRequest() {
		if !started {
			started = true
			d.base = (events[0].Time/int64(store.Day) - clockDays) * int64(store.Day)
			d.facts.First, d.facts.Last = events[0].Time, events[0].Time
		}
		at := events[0].Time - d.base
		if at < 0 || at >= 1<<32 {
			d.facts.Strayed += int64(len(events))
			continue
		}
		number, ok := users.Number(events[0].User)
		if !ok {
			p := log.Position()
			return fmt.Errorf("%s: before line %d: more than %d readers", p.File, p.Line, users.Len())
		}
		h := filling[number%n]
		before := len(h.ids)
		for _, e := range events {
			if e.Kind == logs.Acted || e.Kind == logs.Past {
				d.facts.NotShown++
				continue
			}
			h.ids = append(h.ids, e.Article)
			if d.article != nil {
				d.article(uint64(e.Article))
			}
		}
		if len(h.ids) == before {
			continue
		}
		d.facts.Exposures += int64(len(h.ids) - before)
		d.facts.First, d.facts.Last = min(d.facts.First, events[0].Time), max(d.facts.Last, events[0].Time)
		h.requests = append(h.requests, dealt{number / n, uint32(len(h.ids) - before), store.Clock(at)})
		if len(h.ids) < handful {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		queues[number%n] <- h
		if d.progress != nil {
			d.progress(log.Position())
		}
		select {
		case filling[number%n] = <-free:
		default:
			filling[number%n] = new(hand)
		}
	}
	for i, h := range filling {
		queues[i] <- h
	}
	return log.Err()
}

// clockOf is a time on the run's clock, the latest exposure's for 0.
func (d *dealer[W]) clockOf(at int64) (store.Clock, error) {
	if at == 0 {
		at = d.facts.Last
	}
	if clock := at - d.base; clock >= 0 && clock < 1<<32 {
		return store.Clock(clock), nil
	}
	return 0, fmt.Errorf("measure: End is %d, want at most 68 years from the first exposure, %d", at, d.facts.First)
}
