// Package keeper keeps the partitions that this process serves: it loads, logs, saves and gives them up.
package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/store"
)

// A Config says what a Keeper is made with.
type Config struct {
	partition.Config // of each, but for its number

	Every  time.Duration // each partition is saved so often
	Logger *slog.Logger
	Clock  func() store.Timestamp
	Loaded func(last store.Timestamp) // is told the last time that partitions know of before they are served; nil: nobody
}

// A Keeper is an exposure.Keeper over partitions, which it gets by Take, or by Serve while Maintain runs.
type Keeper struct {
	c       Config
	slots   []slot
	Meter   Meter
	woken   chan struct{} // Maintain is to look
	loading sync.Mutex    // held while partitions are loaded
	mu      sync.Mutex    // guards wanted of all slots, and abort
	abort   func()        // ends the load under way
}

type slot struct {
	here   atomic.Pointer[partition.Partition]
	saving sync.Mutex // one snapshot at a time
	wanted bool       // it is to be served here
}

// New returns a keeper without partitions.
func New(c Config) *Keeper {
	return &Keeper{c: c, slots: make([]slot, c.Of), woken: make(chan struct{}, 1), abort: func() {}}
}

// Take serves partitions. It returns when they are loaded, or with the reason why not.
func (k *Keeper) Take(ctx context.Context, numbers []int) error {
	k.Serve(numbers)
	return k.load(ctx, numbers)
}

// Serve asks for partitions to be served here. It does not wait; the keeper is not ready until they are.
func (k *Keeper) Serve(numbers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range numbers {
		k.slots[n].wanted = true
	}
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// Maintain loads the partitions to be served here, and failed ones again, until the context is done.
func (k *Keeper) Maintain(ctx context.Context) {
	for ctx.Err() == nil {
		missing := k.missing()
		err := k.load(ctx, missing)
		if errors.Is(err, context.Canceled) {
			continue // some were dropped
		}
		if err != nil && len(missing) > 1 { // one that cannot be loaded is not to keep the others
			for _, n := range missing {
				_ = k.load(ctx, []int{n})
			}
		}
		select {
		case <-ctx.Done():
		case <-k.woken:
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// missing lists the partitions to be served here that are not. Failed ones are given up, to be read again.
func (k *Keeper) missing() (numbers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for n := range k.slots {
		s := &k.slots[n]
		if p := s.here.Load(); p != nil && p.Err() != nil {
			k.Meter.Failures.Add(1)
			k.c.Logger.Warn("a partition is read anew", "partition", n, "error", p.Err())
			s.here.Store(nil)
			p.Close()
		}
		if s.wanted && s.here.Load() == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func (k *Keeper) load(ctx context.Context, numbers []int) error {
	k.loading.Lock()
	defer k.loading.Unlock()
	ctx, abort := context.WithCancel(ctx)
	defer abort()
	k.mu.Lock()
	k.abort = abort
	numbers = slices.DeleteFunc(slices.Clone(numbers), func(n int) bool {
		return !k.slots[n].wanted || k.slots[n].here.Load() != nil
	})
	k.mu.Unlock()
	if len(numbers) == 0 {
		return nil
	}
	loaded, err := k.read(ctx, numbers)
	if aborted := ctx.Err(); err != nil && aborted != nil {
		err = aborted
	} else if err != nil {
		k.Meter.Failures.Add(1)
		k.c.Logger.Error("partitions cannot be served", "count", len(numbers), "error", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for n, p := range loaded {
		if err != nil || !k.slots[n].wanted {
			p.Close()
			continue
		}
		k.slots[n].here.Store(p)
		k.Meter.Loads.Add(1)
	}
	return err
}

// read reads partitions from their snapshots and the log behind them. After an error they are of no use.
func (k *Keeper) read(ctx context.Context, numbers []int) (map[int]*partition.Partition, error) {
	began := time.Now()
	loaded, from := map[int]*partition.Partition{}, map[int]log.Offset{}
	var mu sync.Mutex
	histories, bytes := 0, int64(0)
	var damaged error // a snapshot
	err := forAll(numbers, func(n int) error {
		c := k.c.Config
		c.Number = n
		p, found, err := partition.Load(ctx, c)
		mu.Lock()
		defer mu.Unlock()
		for _, err := range found.Damaged {
			k.c.Logger.Error("a damaged snapshot is passed over", "partition", n, "error", err)
			damaged = cmp.Or(damaged, err)
		}
		if err != nil {
			return err
		}
		loaded[n], from[n] = p, found.From
		histories, bytes = histories+found.Histories, bytes+found.Bytes
		return nil
	})
	if err != nil {
		return loaded, err
	}
	read := time.Now()
	var records atomic.Int64
	next, err := k.c.Log.Read(ctx, from, func(n int, at log.Offset, record []byte) error {
		records.Add(1)
		return loaded[n].Apply(at, record)
	})
	if errors.Is(err, log.ErrGone) && damaged != nil {
		err = fmt.Errorf("%w (%w)", err, damaged)
	}
	if err != nil {
		return loaded, err
	}
	last := store.Timestamp(0)
	for n, at := range next {
		last = max(last, loaded[n].Begin(at))
	}
	if k.c.Loaded != nil {
		k.c.Loaded(last)
	}
	k.Meter.Replayed.Add(records.Load())
	k.c.Logger.Info("partitions are served", "count", len(numbers), "histories", histories, "snapshot_bytes", bytes,
		"load", read.Sub(began), "records", records.Load(), "replay", time.Since(read))
	return loaded, nil
}

// Drop gives partitions up to other processes. With save they have little to replay.
func (k *Keeper) Drop(ctx context.Context, numbers []int, save bool) {
	k.mu.Lock()
	for _, n := range numbers {
		k.slots[n].wanted = false
	}
	k.abort()
	k.mu.Unlock()
	// A load under way must not claim partitions that others took over.
	k.loading.Lock()
	defer k.loading.Unlock()
	_ = forAll(numbers, func(n int) error {
		p := k.slots[n].here.Swap(nil)
		if p == nil {
			return nil
		}
		if save {
			if _, err := k.snapshot(ctx, n, p); err != nil {
				k.c.Logger.Warn("a partition is given up unsaved", "partition", n, "error", err)
			}
		}
		p.Close()
		return nil
	})
}

func (k *Keeper) all() []int {
	here := make([]int, 0, len(k.slots)) // calls ask for it
	for n := range k.slots {
		if k.slots[n].here.Load() != nil {
			here = append(here, n)
		}
	}
	return here
}

// Partitions implements exposure.Keeper.
func (k *Keeper) Partitions() (of int, here []int) {
	if k.sole() != nil {
		return len(k.slots), nil
	}
	return len(k.slots), k.all()
}

// Ready implements exposure.Keeper.
func (k *Keeper) Ready() error {
	if err := k.sole(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for n := range k.slots {
		s := &k.slots[n]
		p := s.here.Load()
		switch {
		case p == nil && s.wanted:
			return fmt.Errorf("partition %d is being loaded: %w", n, exposure.ErrElsewhere)
		case p != nil && p.Err() != nil:
			return fmt.Errorf("partition %d: %w", n, p.Err())
		}
	}
	return nil
}

// forAll calls f for all numbers, one per processor at a time, and returns the first error.
func forAll(numbers []int, f func(int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, n := range numbers {
		group.Go(func() error { return f(n) })
	}
	return group.Wait()
}
