// Package deal distributes a log's requests to workers by user, and keeps the exact truth: which articles each user was
// shown. One worker gets all requests of a user, in order, so counts are the same for any number of workers.
//
// An exposure is an article of a request, counted once. A repeat is one that an earlier request showed.
package deal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"dejavu/internal/plural"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A Dealer reads a log once and distributes its requests to workers by the users' digests.
type Dealer[W any] struct {
	Workers  []W                 // one goroutine for each
	Deal     func(w W, h *Hand)  // what a worker does with a hand, which is valid until it returns
	MaxUsers int                 // the most users of the log, 1 to logs.MaxUsers; 0 means that
	Until    int64               // seconds since 1970, from which on requests are skipped; 0 means never
	From     int64               // seconds since 1970, from which on a request is Late; 0 means never
	Progress func(logs.Position) // if not nil, called now and then with the position read
	facts    Facts
	users    atomic.Int64
	span     Span
	begun    bool                       // the span's first request is known
	many     map[strategies.ID]struct{} // of a request of more than few articles
}

// A Hand holds some requests of one worker, in the order of the log. None has an article twice.
type Hand struct {
	Requests []Request
	IDs      []strategies.ID // of all of them
	read     logs.Position   // when it was full
}

// A Request is one request of a hand.
type Request struct {
	user uint64
	User uint32          // the worker's number of the user, in order of appearance
	N    uint32          // articles
	At   store.Timestamp // when, on the log's clock
	Late bool            // at Dealer.From or after it
}

// Hands are long, so that a user who comes several times is still in the cache.
const (
	handsful     = 1 << 17 // exposures of the hands of all workers, about
	leastHandful = 1 << 12 // of one at least, and between two looks at the context
	hands        = 2       // on their way to a worker
)

// Run deals until the log ends. It returns the error of the log or the context, a worker's panic, or too many users.
func (d *Dealer[W]) Run(ctx context.Context, log Requests) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n := len(d.Workers)
	queues, free := make([]chan *Hand, n), sync.Pool{New: func() any { return new(Hand) }}
	var group sync.WaitGroup
	for i, w := range d.Workers {
		queues[i] = make(chan *Hand, hands)
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					cancel(fmt.Errorf("panic: %v", p))
					for range queues[i] { // so that nobody waits
					}
				}
			}()
			users := map[uint64]uint32{}
			for h := range queues[i] {
				if err := d.number(users, h); err != nil {
					cancel(err)
				}
				if ctx.Err() == nil {
					d.Deal(w, h)
				}
				h.Requests, h.IDs = h.Requests[:0], h.IDs[:0]
				free.Put(h)
			}
		})
	}
	err := d.read(ctx, log, queues, &free)
	for _, q := range queues {
		close(q)
	}
	group.Wait()
	d.facts.Users = d.users.Load()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// number numbers the users of a hand in one loop: the processor waits for the memory of several look-ups at a time.
func (d *Dealer[W]) number(users map[uint64]uint32, h *Hand) error {
	for i := range h.Requests {
		q := &h.Requests[i]
		number, known := users[q.user]
		if !known {
			if most := cmp.Or(d.MaxUsers, logs.MaxUsers); d.users.Add(1) > int64(most) {
				return fmt.Errorf("%s: before line %d: more than %s", h.read.File, h.read.Line, plural.Of(most, "user", "users"))
			}
			number = uint32(len(users))
			users[q.user] = number
		}
		q.User = number
	}
	h.Requests = slices.DeleteFunc(h.Requests, func(q Request) bool { return q.N == 0 }) // of users to be counted
	return nil
}

func (d *Dealer[W]) read(ctx context.Context, log Requests, queues []chan *Hand, free *sync.Pool) error {
	n := uint64(len(queues))
	filling, full, told := make([]*Hand, n), max(handsful/len(d.Workers), leastHandful), 0
	for i := range filling {
		filling[i] = free.Get().(*Hand)
	}
	for events := log.NextRequest(); len(events) > 0; events = log.NextRequest() {
		if d.Until > 0 && events[0].Time >= d.Until {
			continue
		}
		if !d.begun {
			first := events[0].Time
			d.begun, d.span, d.facts.First, d.facts.Last = true, Span{first, first}, first, first
		}
		at, ok := d.span.Clock(events[0].Time)
		if !ok {
			d.facts.Strayed += int64(len(events))
			continue
		}
		to := events[0].User * 0x9e3779b97f4a7c15 >> 32 % n
		h := filling[to]
		before := len(h.IDs)
		for _, e := range events {
			if d.had(h.IDs[before:], e.Article) {
				d.facts.Twice++
				continue
			}
			h.IDs = append(h.IDs, e.Article)
		}
		if len(h.IDs) > before {
			d.facts.Requests++
			d.facts.Exposures += int64(len(h.IDs) - before)
			d.facts.First, d.facts.Last = min(d.facts.First, events[0].Time), max(d.facts.Last, events[0].Time)
		}
		h.Requests = append(h.Requests, Request{
			user: events[0].User, N: uint32(len(h.IDs) - before), At: at, Late: d.From > 0 && events[0].Time >= d.From,
		})
		if told += len(h.IDs) - before; told >= leastHandful {
			told = 0
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if d.Progress != nil {
				d.Progress(log.Position())
			}
		}
		if len(h.IDs) < full && len(h.Requests) < full {
			continue
		}
		h.read = log.Position()
		queues[to] <- h
		filling[to] = free.Get().(*Hand)
	}
	for i, h := range filling {
		h.read = log.Position()
		queues[i] <- h
	}
	return log.Err()
}

func (d *Dealer[W]) had(all []strategies.ID, id strategies.ID) bool {
	const few = 64
	switch {
	case len(all) <= few:
		return slices.Contains(all, id)
	case len(all) == few+1:
		d.many = make(map[strategies.ID]struct{})
		for _, one := range all {
			d.many[one] = struct{}{}
		}
	}
	_, had := d.many[id]
	d.many[id] = struct{}{}
	return had
}

// Facts returns what the log contained, once Run has returned.
func (d *Dealer[W]) Facts() Facts { return d.facts }

// Latest returns the time of the latest exposure, on the log's clock.
func (d *Dealer[W]) Latest() store.Timestamp {
	at, _ := d.span.Clock(d.facts.Last) // a stray has none
	return at
}

// Requests reads the requests of a log, in its order.
type Requests interface {
	NextRequest() []logs.Event // valid until the next call, empty at the end
	Err() error                // why it ended, nil for the end of the log
	Position() logs.Position
}

// A Log is a whole log.
type Log interface {
	Requests
	Counts() logs.Counts // what was read so far
}

// Anew calls run, and once more if it returns logs.ErrUnsorted (Options.ByTime), which voids what run has made.
func Anew(run func() error) error {
	err := run()
	if errors.Is(err, logs.ErrUnsorted) {
		err = run()
	}
	return err
}

// A Span holds a log's first and last time: days count from its first request, idle time to its latest exposure.
type Span struct {
	First int64 // time of the log's first request, in seconds since 1970
	Last  int64 // the latest exposure within 68 years of it, or First
}

// clockDays is the days from the clock's 0 to the first request.
const clockDays = 1 << 32 / int64(store.Day) / 2

// Clock converts a time to the log's clock. ok is false more than 68 years away.
func (s Span) Clock(at int64) (store.Timestamp, bool) {
	at -= (s.First/int64(store.Day) - clockDays) * int64(store.Day)
	return store.Timestamp(at), at >= 0 && at < 1<<32
}

// ErrNoExposure is returned for a log without an exposure.
var ErrNoExposure = errors.New("no exposure in the log")

// Facts counts what the log contained.
type Facts struct {
	Read      logs.Counts // empty for a part, which reads nothing
	Users     int64
	Requests  int64 // of one exposure or more
	Exposures int64 // what was put to the histories
	Twice     int64 // skipped, as their request names the article already
	Strayed   int64 // skipped, more than 68 years from the first exposure
	First     int64 // the earliest exposure, in seconds since 1970
	Last      int64 // the latest
}
