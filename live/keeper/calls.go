package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/strategies"
)

// partition is that of a user, and what it knows the user by.
func (k *Keeper) partition(user string) (p *partition.Partition, digest uint64, err error) {
	n := exposure.Partition(user, len(k.slots))
	if p = k.slots[n].here.Load(); p == nil {
		return nil, 0, fmt.Errorf("partition %d: %w", n, exposure.ErrElsewhere)
	}
	return p, uint64(k.c.Secret.DigestString(user)), nil
}

// shared is a log whose partitions pass from process to process.
type shared interface {
	// Sole is nil while no other process can serve a partition of this one's.
	Sole() error
}

// sole is nil where what was read before is what everybody knew then. What was written need not ask: the log has.
func (k *Keeper) sole() error {
	if l, ok := k.c.Log.(shared); ok {
		if err := l.Sole(); err != nil {
			return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
		}
	}
	return nil
}

// durable waits for a ticket. If its records are not durable the partition is of no more use.
func durable(ctx context.Context, p *partition.Partition, ticket *log.Ticket) error {
	err := ticket.Wait(ctx)
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	p.Fail(err)
	return fmt.Errorf("%w: %w", exposure.ErrUnavailable, err)
}

// A part is the requests of one partition, and where they stand among all.
type part struct {
	shows  []partition.Show
	index  []int
	ticket *log.Ticket
}

// ShowAll implements exposure.Keeper.
func (k *Keeper) ShowAll(ctx context.Context, requests []exposure.Show) (err error) {
	now, parts := k.c.Clock(), map[*partition.Partition]*part{}
	for i, r := range requests {
		p, digest, err := k.partition(r.User)
		if err != nil {
			return err // before anything is recorded
		}
		if parts[p] == nil {
			parts[p] = &part{}
		}
		parts[p].index = append(parts[p].index, i)
		parts[p].shows = append(parts[p].shows, partition.Show{
			User: digest, Request: r.Request, Candidates: r.Candidates, Limit: r.Limit, Shown: r.Shown,
		})
	}
	for p, of := range parts {
		var failed error
		of.ticket, failed = p.Show(now, of.shows)
		err = cmp.Or(err, failed)
		for j, i := range of.index {
			requests[i].Shown = of.shows[j].Shown
		}
	}
	for p, of := range parts {
		err = cmp.Or(err, durable(ctx, p, of.ticket))
	}
	// Who was shown nothing has asked a question.
	if err == nil && slices.ContainsFunc(requests, func(r exposure.Show) bool { return len(r.Shown) == 0 }) {
		return k.sole()
	}
	return err
}

// Seen implements exposure.Keeper.
func (k *Keeper) Seen(_ context.Context, user string, candidates []strategies.ID, seen []bool) error {
	p, digest, err := k.partition(user)
	if err != nil {
		return err
	}
	return cmp.Or(p.Seen(k.c.Clock(), digest, candidates, seen), k.sole())
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

func (k *Keeper) write(ctx context.Context, user string, e partition.Exposure) error {
	p, digest, err := k.partition(user)
	if err != nil {
		return err
	}
	e.User = digest
	ticket, err := p.Record(k.c.Clock(), e)
	if err != nil {
		return err
	}
	return durable(ctx, p, ticket)
}
