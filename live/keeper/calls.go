package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
)

func (k *Keeper) partition(user string) (p *partition.Partition, digest uint64, err error) {
	n := exposure.Partition(user, len(k.slots))
	if p = k.slots[n].here.Load(); p == nil {
		return nil, 0, fmt.Errorf("partition %d: %w", n, exposure.ErrElsewhere)
	}
	return p, uint64(k.c.Secret.DigestString(user)), nil
}

// shared is a log whose partitions move between processes.
type shared interface {
	// Sole returns nil while no other process can serve this one's partitions.
	Sole() error
}

// sole returns nil if what was read was current. Writes need not ask: the log checks.
func (k *Keeper) sole() error {
	if l, ok := k.c.Log.(shared); ok {
		if err := l.Sole(); err != nil {
			return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
		}
	}
	return nil
}

// Refuses returns why calls that record are refused, or nil.
func (k *Keeper) Refuses() error {
	if err := k.c.Log.Err(); err != nil {
		return fmt.Errorf("%w: %w", exposure.ErrRefused, err)
	}
	return nil
}

// durable waits for a ticket. If its records will not become durable, it fails the partition.
func durable(ctx context.Context, p *partition.Partition, ticket *log.Ticket) error {
	err := ticket.Wait(ctx)
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	if !errors.Is(err, log.ErrStalled) {
		p.Fail(err)
	}
	return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
}

// A part is one partition's part of a call.
type part struct {
	*partition.Partition
	asked  []partition.Asked
	ticket *log.Ticket
}

// parts divides a call by partitions. A request repeated in the call begins a new part: its answer is known after the
// parts before.
func (k *Keeper) parts(requests []exposure.Show) ([]part, error) {
	parts := make([]part, 0, min(len(requests), len(k.slots)))
	var where map[*partition.Partition]int
	var numbers map[[2]uint64]bool
	if len(requests) > 1 {
		where, numbers = make(map[*partition.Partition]int, cap(parts)), make(map[[2]uint64]bool, len(requests))
	}
	for i, r := range requests {
		p, digest, err := k.partition(r.User)
		if err != nil {
			return nil, err
		}
		if number := [2]uint64{digest, r.Request}; numbers[number] {
			delete(where, p)
		} else if where != nil && r.Request != 0 {
			numbers[number] = true
		}
		at, known := where[p]
		if !known {
			at = len(parts)
			parts = append(parts, part{Partition: p})
			if where != nil {
				where[p] = at
			}
		}
		parts[at].asked = append(parts[at].asked, partition.Asked{Index: i, User: digest})
	}
	return parts, nil
}

// ShowAll implements exposure.Keeper.
func (k *Keeper) ShowAll(ctx context.Context, requests []exposure.Show) error {
	parts, err := k.parts(requests)
	if err = cmp.Or(err, k.Refuses()); err != nil {
		return err // before anything is recorded
	}
	now := k.c.Clock()
	for i := range parts {
		of, failed := &parts[i], error(nil)
		of.ticket, failed = of.Show(now, requests, of.asked)
		err = cmp.Or(err, failed)
	}
	for i := range parts {
		err = cmp.Or(err, durable(ctx, parts[i].Partition, parts[i].ticket))
	}
	// A user who was shown nothing has only asked.
	if err == nil && slices.ContainsFunc(requests, func(r exposure.Show) bool { return len(r.Shown) == 0 }) {
		return k.sole()
	}
	return err
}

// Seen implements exposure.Keeper.
func (k *Keeper) Seen(_ context.Context, user string, candidates []strategies.ID, seen []bool) error {
	p, digest, err := k.partition(user)
	if err == nil {
		err = cmp.Or(p.Seen(k.c.Clock(), digest, candidates, seen), k.sole())
	}
	return err
}

// History implements exposure.Keeper.
func (k *Keeper) History(_ context.Context, user string) ([]byte, error) {
	p, digest, err := k.partition(user)
	if err != nil {
		return nil, err
	}
	history, err := p.History(k.c.Clock(), digest)
	return history, cmp.Or(err, k.sole())
}

// Record implements exposure.Keeper.
func (k *Keeper) Record(ctx context.Context, user string, request uint64, articles []strategies.ID) error {
	if len(articles) == 0 {
		return nil
	}
	return k.write(ctx, user, partition.Exposure{Kind: partition.Recorded, Request: request, Articles: articles})
}

// Forget implements exposure.Keeper.
func (k *Keeper) Forget(ctx context.Context, user string) error {
	return k.write(ctx, user, partition.Exposure{Kind: partition.Forgotten})
}

// Clear implements exposure.Keeper.
func (k *Keeper) Clear(ctx context.Context) error {
	if err := k.Refuses(); err != nil {
		return err
	}
	parts := make([]*partition.Partition, len(k.slots))
	for n := range parts {
		if parts[n] = k.slots[n].here.Load(); parts[n] == nil {
			return fmt.Errorf("partition %d: %w", n, exposure.ErrElsewhere)
		}
	}
	var all errgroup.Group
	for _, p := range parts {
		all.Go(func() error { return k.record(ctx, p, partition.Exposure{Kind: partition.Cleared}) })
	}
	return all.Wait()
}

// Users implements exposure.Keeper.
func (k *Keeper) Users() int {
	s, _ := k.Stats()
	return s.Users
}

func (k *Keeper) write(ctx context.Context, user string, e partition.Exposure) error {
	p, digest, err := k.partition(user)
	if err = cmp.Or(err, k.Refuses()); err != nil {
		return err
	}
	e.User = digest
	return k.record(ctx, p, e)
}

func (k *Keeper) record(ctx context.Context, p *partition.Partition, e partition.Exposure) error {
	ticket, err := p.Record(k.c.Clock(), e)
	if err != nil {
		return err
	}
	return durable(ctx, p, ticket)
}

// A Meter counts what has happened, for a metrics page.
type Meter struct {
	Loads, Replayed   atomic.Int64 // partitions taken; records replayed
	Failures          atomic.Int64 // attempts to take one that failed, and partitions that failed
	Saves, SaveErrors atomic.Int64
	SavedBytes        atomic.Int64
	SaveNanos         atomic.Int64
}

// Run saves each partition once in Config.Every and drops users who have been away, until the context is done.
func (k *Keeper) Run(ctx context.Context) {
	ticker := time.NewTicker(max(k.c.Every/time.Duration(len(k.slots)), time.Millisecond))
	defer ticker.Stop()
	fail, saved := false, 0 // whether snapshots fail, and how many were saved since
	for n := 0; ; n = (n + 1) % len(k.slots) {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		p := k.slots[n].here.Load()
		if p == nil {
			continue
		}
		p.Forget(k.c.Clock())
		err := error(nil)
		if k.Refuses() == nil {
			err = p.Touch()
		}
		err = cmp.Or(err, k.save(ctx, n, p))
		failed := err != nil && ctx.Err() == nil && k.slots[n].here.Load() == p && k.Refuses() == nil
		if saved++; err != nil {
			saved = 0
		}
		switch {
		case failed && !fail: // one alarm, however many partitions fail, and however often
			fail = true
			k.c.Logger.Error("snapshots fail, nothing is lost, but the log grows", "partition", n, "error", err)
		case fail && saved == len(k.slots):
			fail = false
			k.c.Logger.Info("snapshots are saved again")
		}
	}
}

// Save saves all partitions that are here.
func (k *Keeper) Save(ctx context.Context) error {
	return forAll(k.all(), func(n int) error {
		if p := k.slots[n].here.Load(); p != nil {
			return k.save(ctx, n, p)
		}
		return nil
	})
}

func (k *Keeper) save(ctx context.Context, n int, p *partition.Partition) error {
	needed, err := k.snapshot(ctx, n, p)
	if err != nil || needed == 0 {
		return err
	}
	return k.c.Log.Trim(ctx, n, needed)
}

// snapshot writes a snapshot, and returns the offset before which no record is needed.
func (k *Keeper) snapshot(ctx context.Context, n int, p *partition.Partition) (log.Offset, error) {
	s := &k.slots[n]
	s.saving.Lock()
	defer s.saving.Unlock()
	began := time.Now()
	needed, bytes, err := p.Snapshot(ctx)
	if err != nil {
		if ctx.Err() == nil && k.Refuses() == nil { // which is an alarm of its own
			k.Meter.SaveErrors.Add(1)
		}
		return 0, err
	}
	k.Meter.Saves.Add(1)
	k.Meter.SavedBytes.Add(bytes)
	k.Meter.SaveNanos.Add(int64(time.Since(began)))
	return needed, nil
}

// Stats returns the sum and the number of the partitions here.
func (k *Keeper) Stats() (sum store.Stats, partitions int) {
	for n := range k.slots {
		if p := k.slots[n].here.Load(); p != nil {
			partitions++
			s := p.Stats()
			sum.Users += s.Users
			sum.Payload += s.Payload
			sum.Slabs += s.Slabs
			sum.Bookkeeping += s.Bookkeeping
			sum.Asked += s.Asked
			sum.Hits += s.Hits
			sum.Recorded += s.Recorded
			sum.Expired += s.Expired
		}
	}
	return sum, partitions
}
