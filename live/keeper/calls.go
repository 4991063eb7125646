package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
)

// partition is that of a user, and what it knows the user by.
func (k *Keeper) partition(user string) (n int, p *partition.Partition, digest uint64, err error) {
	n = exposure.Partition(user, len(k.slots))
	if p = k.slots[n].here.Load(); p == nil {
		return n, nil, 0, fmt.Errorf("partition %d: %w", n, exposure.ErrElsewhere)
	}
	return n, p, uint64(k.c.Secret.DigestString(user)), nil
}

// shared is a log whose partitions pass from process to process.
type shared interface {
	// Sole is nil while no other process can serve a partition of this one's.
	Sole() error
}

// sole is nil where what was read before is what everybody knew then. What was written
// need not ask: the log has.
func (k *Keeper) sole() error {
	if l, ok := k.c.Log.(shared); ok {
		if err := l.Sole(); err != nil {
			return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
		}
	}
	return nil
}

// durable waits for a ticket. If its records are not durable the partition is of no more
// use.
func (k *Keeper) durable(ctx context.Context, p *partition.Partition, ticket *log.Ticket, err error) error {
	if err != nil {
		return err
	}
	err = ticket.Wait(ctx)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	}
	p.Fail(err)
	return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
}

// ShowAll implements exposure.Keeper.
func (k *Keeper) ShowAll(ctx context.Context, requests []exposure.Show) error {
	now := k.c.Clock()
	if len(requests) == 1 {
		return k.show(ctx, now, &requests[0])
	}
	type part struct {
		*partition.Partition
		shows  []partition.Show
		index  []int
		ticket *log.Ticket
	}
	parts := map[int]*part{}
	for i := range requests {
		r := &requests[i]
		n, p, digest, err := k.partition(r.User)
		if err != nil {
			return err // before anything is recorded
		}
		of := parts[n]
		if of == nil {
			of = &part{Partition: p}
			parts[n] = of
		}
		of.index = append(of.index, i)
		of.shows = append(of.shows, showOf(digest, r))
	}
	var first error
	for _, of := range parts {
		var err error
		if of.ticket, err = of.Show(now, of.shows); err != nil && first == nil {
			first = err
		}
		for j, i := range of.index {
			requests[i].Shown = of.shows[j].Shown
		}
	}
	for _, of := range parts {
		if err := k.durable(ctx, of.Partition, of.ticket, nil); err != nil && first == nil {
			first = err
		}
	}
	if first == nil && slices.ContainsFunc(requests, nothing) {
		return k.sole()
	}
	return first
}

// showOf is a request as its partition knows the user.
func showOf(digest uint64, r *exposure.Show) partition.Show {
	return partition.Show{User: digest, Request: r.Request, Candidates: r.Candidates, Limit: r.Limit, Shown: r.Shown}
}

// nothing is whether nothing was shown, and so nothing written.
func nothing(r exposure.Show) bool { return len(r.Shown) == 0 }

func (k *Keeper) show(ctx context.Context, now store.Timestamp, r *exposure.Show) error {
	_, p, digest, err := k.partition(r.User)
	if err != nil {
		return err
	}
	one := [1]partition.Show{showOf(digest, r)}
	ticket, err := p.Show(now, one[:])
	r.Shown = one[0].Shown
	if err := k.durable(ctx, p, ticket, err); err != nil || !nothing(*r) {
		return err
	}
	return k.sole()
}

// Seen implements exposure.Keeper.
func (k *Keeper) Seen(_ context.Context, user string, candidates []strategies.ID, seen []bool) error {
	_, p, digest, err := k.partition(user)
	if err != nil {
		return err
	}
	if err := p.Seen(k.c.Clock(), digest, candidates, seen); err != nil {
		return err
	}
	return k.sole()
}

// History implements exposure.Keeper.
func (k *Keeper) History(_ context.Context, user string) ([]byte, error) {
	_, p, digest, err := k.partition(user)
	if err != nil {
		return nil, err
	}
	history, err := p.History(k.c.Clock(), digest)
	if err != nil {
		return nil, err
	}
	return history, k.sole()
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

func (k *Keeper) write(ctx context.Context, user string, e partition.Exposure) error {
	_, p, digest, err := k.partition(user)
	if err != nil {
		return err
	}
	e.User = digest
	ticket, err := p.Record(k.c.Clock(), e)
	return k.durable(ctx, p, ticket, err)
}
