// Package keeper is the exposure service's memory: the partitions that this process
// serves, loaded, kept durable by a log, saved now and then, and given up.
package keeper

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
)

// A Config says what a Keeper is made with.
type Config struct {
	_ struct{}

	Layout     layout.Layout
	Secret     strategies.Secret
	Idle       store.Timestamp
	Partitions int
	Retries    int // calls a partition that may come again
	Log        log.Log
	Dir        string        // of snapshots
	Every      time.Duration // each partition is saved so often
	Logger     *slog.Logger
	Clock      func() store.Timestamp
}

// A Keeper is an exposure.Keeper over partitions. Make one with New, give it partitions
// with Take.
type Keeper struct {
	c     Config
	slots []slot
	meter Meter

	mu sync.Mutex // guards wanted and cancel of all slots
}

// A slot is a partition's place, whether it is here or not.
type slot struct {
	here   atomic.Pointer[partition.Partition]
	coming sync.Mutex // held while the partition comes or goes
	saving sync.Mutex // one snapshot at a time
	wanted bool       // it is to be served here
	cancel func()     // ends what serves it
}

// New returns a keeper without partitions.
func New(c Config) *Keeper {
	return &Keeper{c: c, slots: make([]slot, c.Partitions)}
}

// Take loads partitions, replays the log behind their snapshots, and serves them. It
// returns when they are served, or with the reason why not.
func (k *Keeper) Take(ctx context.Context, numbers []int) error {
	began := time.Now()
	loaded := make([]*partition.Partition, len(k.slots))
	from := map[int]log.Offset{}
	var mu sync.Mutex
	histories, bytes := 0, int64(0)
	err := forAll(numbers, func(n int) error {
		p, found, err := partition.Load(ctx, partition.Config{
			Number: n, Of: len(k.slots), Layout: k.c.Layout, Secret: k.c.Secret, Idle: k.c.Idle,
			Retries: k.c.Retries, Log: k.c.Log, Dir: k.c.Dir,
		})
		for _, err := range found.Damaged {
			k.c.Logger.Error("a damaged snapshot is passed over", "partition", n, "error", err)
		}
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		loaded[n], from[n] = p, found.From
		histories, bytes = histories+found.Histories, bytes+found.Bytes
		return nil
	})
	read := time.Now()
	var records atomic.Int64
	if err == nil {
		var next map[int]log.Offset
		next, err = k.c.Log.Read(ctx, from, func(n int, at log.Offset, record []byte) error {
			records.Add(1)
			return loaded[n].Apply(at, record)
		})
		for n, at := range next {
			loaded[n].Begin(at)
		}
	}
	if err != nil {
		for _, p := range loaded {
			if p != nil {
				p.Close()
			}
		}
		return err
	}
	for _, n := range numbers {
		k.slots[n].here.Store(loaded[n])
	}
	k.meter.Loads.Add(int64(len(numbers)))
	k.meter.Replayed.Add(records.Load())
	k.c.Logger.Info("partitions are served", "count", len(numbers), "histories", histories, "snapshot_bytes", bytes,
		"load", read.Sub(began), "records", records.Load(), "replay", time.Since(read))
	return nil
}

// Expect says that partitions are to be served here, before Take: until then the keeper
// is not ready.
func (k *Keeper) Expect(numbers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range numbers {
		k.slots[n].wanted, k.slots[n].cancel = true, func() {}
	}
}

// Serve takes partitions, and again when that fails or one of them has failed, until Drop
// or the end of the context. It returns at once.
func (k *Keeper) Serve(ctx context.Context, numbers []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	together, cancel := context.WithCancel(ctx)
	var all []int
	var each []context.Context
	for _, n := range slices.Sorted(slices.Values(numbers)) {
		s := &k.slots[n]
		if s.wanted {
			continue
		}
		var own context.Context
		own, s.cancel = context.WithCancel(ctx)
		s.wanted = true
		all, each = append(all, n), append(each, own)
		context.AfterFunc(own, cancel)
	}
	go func() {
		defer cancel()
		k.load(together, all)
		for i, n := range all {
			go k.serve(each[i], n)
		}
	}()
}

// load takes those of the partitions that are wanted and not here.
func (k *Keeper) load(ctx context.Context, numbers []int) {
	var missing []int
	for _, n := range numbers {
		k.slots[n].coming.Lock()
		defer k.slots[n].coming.Unlock()
		k.mu.Lock()
		if k.slots[n].wanted && k.slots[n].here.Load() == nil {
			missing = append(missing, n)
		}
		k.mu.Unlock()
	}
	if len(missing) == 0 || ctx.Err() != nil {
		return
	}
	if err := k.Take(ctx, missing); err != nil && ctx.Err() == nil {
		k.meter.Failures.Add(1)
		k.c.Logger.Error("partitions cannot be served", "count", len(missing), "error", err)
	}
}

// retryAfter is the pause between two attempts to take a partition.
const retryAfter = 250 * time.Millisecond

// serve keeps one partition served.
func (k *Keeper) serve(ctx context.Context, n int) {
	s := &k.slots[n]
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(retryAfter):
		}
		if p := s.here.Load(); p != nil && p.Err() != nil && s.here.CompareAndSwap(p, nil) {
			k.meter.Failures.Add(1)
			k.c.Logger.Warn("a partition is read anew", "partition", n, "error", p.Err())
			p.Close()
		}
		if s.here.Load() == nil {
			k.load(ctx, []int{n})
		}
	}
}

// Drop gives partitions up, to others that take them over. With save they are saved
// first, so that the others have little to replay.
func (k *Keeper) Drop(ctx context.Context, numbers []int, save bool) {
	k.mu.Lock()
	for _, n := range numbers {
		if s := &k.slots[n]; s.wanted {
			s.wanted = false
			s.cancel()
		}
	}
	k.mu.Unlock()
	_ = forAll(numbers, func(n int) error {
		s := &k.slots[n]
		s.coming.Lock()
		defer s.coming.Unlock()
		p := s.here.Swap(nil)
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

// all lists the partitions served here.
func (k *Keeper) all() (here []int) {
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

// forAll calls f for all numbers, for as many at once as there are processors, and
// returns the first error.
func forAll(numbers []int, f func(int) error) error {
	var group sync.WaitGroup
	var first error
	var once sync.Once
	work := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(numbers)) {
		group.Go(func() {
			for n := range work {
				if err := f(n); err != nil {
					once.Do(func() { first = err })
				}
			}
		})
	}
	for _, n := range numbers {
		work <- n
	}
	close(work)
	group.Wait()
	return first
}
