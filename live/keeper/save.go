package keeper

import (
	"context"
	"sync/atomic"
	"time"

	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/store"
)

// A Meter counts what has happened, for a metrics page.
type Meter struct {
	Loads, Replayed   atomic.Int64 // partitions taken; records replayed
	Failures          atomic.Int64 // attempts to take one that failed, and partitions that failed
	Saves, SaveErrors atomic.Int64
	SavedBytes        atomic.Int64
	SaveNanos         atomic.Int64
}

// Meter is the keeper's.
func (k *Keeper) Meter() *Meter { return &k.meter }

// Run saves every partition once in Config.Every, one after the other, and drops users
// who have been away, until the context is done.
func (k *Keeper) Run(ctx context.Context) {
	ticker := time.NewTicker(max(k.c.Every/time.Duration(len(k.slots)), time.Millisecond))
	defer ticker.Stop()
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
		if err := k.save(ctx, n, p); err != nil && ctx.Err() == nil && k.slots[n].here.Load() == p {
			k.c.Logger.Error("a snapshot failed", "partition", n, "error", err)
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

// save writes a snapshot, and lets the log forget what no snapshot needs.
func (k *Keeper) save(ctx context.Context, n int, p *partition.Partition) error {
	needed, err := k.snapshot(ctx, n, p)
	if err != nil || needed == 0 {
		return err
	}
	return k.c.Log.Trim(ctx, n, needed)
}

// snapshot writes a snapshot, and says before which offset no record is needed.
func (k *Keeper) snapshot(ctx context.Context, n int, p *partition.Partition) (log.Offset, error) {
	s := &k.slots[n]
	s.saving.Lock()
	defer s.saving.Unlock()
	began := time.Now()
	needed, bytes, err := p.Snapshot(ctx)
	if err != nil {
		if ctx.Err() == nil {
			k.meter.SaveErrors.Add(1)
		}
		return 0, err
	}
	k.meter.Saves.Add(1)
	k.meter.SavedBytes.Add(bytes)
	k.meter.SaveNanos.Add(int64(time.Since(began)))
	return needed, nil
}

// Stats sums those of the partitions here, and counts them.
func (k *Keeper) Stats() (sum store.Stats, partitions int) {
	for n := range k.slots {
		p := k.slots[n].here.Load()
		if p == nil {
			continue
		}
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
	return sum, partitions
}
