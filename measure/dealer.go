package measure

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload/logs"
)

// A dealer reads a log and deals its requests to workers, each of whom has the
// readers of numbers that leave the same remainder.
type dealer[W any] struct {
	workers  []W
	deal     func(w W, h *hand)
	article  func(id uint64) // if not nil, called for each exposure, in order
	maxUsers int
	progress func(logs.Position)

	facts ReplayedLog
	span  Span
	begun bool // the span's first request is known
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
)

// run deals until the log ends, and waits for the workers.
func (d *dealer[W]) run(ctx context.Context, log Requests) error {
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
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// begin is told the time of the log's first request.
func (d *dealer[W]) begin(first int64) {
	d.begun = true
	d.span = Span{first, first}
	d.facts.First, d.facts.Last = first, first
}

// read numbers readers and fills hands.
func (d *dealer[W]) read(ctx context.Context, log Requests, users *logs.Users, queues []chan *hand, free chan *hand) error {
	n := uint32(len(queues))
	filling := make([]*hand, n)
	for i := range filling {
		filling[i] = new(hand)
	}
	for events := log.NextRequest(); len(events) > 0; events = log.NextRequest() {
		if !d.begun {
			d.begin(events[0].Time)
		}
		at, ok := d.span.clock(events[0].Time)
		if !ok {
			d.facts.Strayed += int64(len(events))
			continue
		}
		number, ok := users.Number(events[0].User)
		if !ok {
			return tooManyReaders(users.Len(), log.Position())
		}
		h := filling[number%n]
		before := len(h.ids)
		for _, e := range events {
			if !e.Kind.IsExposure() {
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
		h.requests = append(h.requests, dealt{number / n, uint32(len(h.ids) - before), at})
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
	if clock, ok := d.span.clock(at); ok {
		return clock, nil
	}
	return 0, fmt.Errorf("measure: End is %d, want at most 68 years from the first exposure, %d", at, d.facts.First)
}

// tooManyReaders is the error of a log with more readers than it may have; where
// that was noticed, a part of a log does not know.
func tooManyReaders(most int, at logs.Position) error {
	err := fmt.Errorf("more than %d readers", most)
	if at.File == "" {
		return err
	}
	return fmt.Errorf("%s: before line %d: %w", at.File, at.Line, err)
}
