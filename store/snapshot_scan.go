package store

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// blocks reads all blocks and the end, and has every block that is not damaged
// used, by one goroutine for each processor. Of several errors it returns the
// one that comes first in the snapshot.
func (in *input) blocks(ctx context.Context, use func(block) error) error {
	var group sync.WaitGroup
	s := scan{in: in}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var memory []byte
			for b, ok := s.next(ctx, &memory); ok; b, ok = s.next(ctx, &memory) {
				err := ctx.Err()
				if err == nil {
					err = b.check(&in.snapshot)
				}
				if err == nil {
					err = guarded(use, b)
				}
				if err != nil {
					s.mu.Lock()
					s.note(b, err)
					s.mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return s.err
}

// guarded is use(b), whose panic is an error: Validate meets bytes from outside
// here, in a goroutine where nobody else could recover.
func guarded(use func(block) error, b block) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return use(b)
}

// A scan shares an input among goroutines.
type scan struct {
	mu     sync.Mutex // guards all below
	in     *input
	err    error
	failed int // the number of the block that err is of
}

// next reads the next block into the memory; false where there is none, or an error.
func (s *scan) next(ctx context.Context, memory *[]byte) (b block, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.in.ended {
		return b, false
	}
	if err := ctx.Err(); err != nil {
		s.note(block{number: s.in.number + 1, offset: s.in.snapshot.Bytes}, err)
		return b, false
	}
	b, ok, err := s.in.next(memory) // not ok where there is an error
	if err != nil {
		s.note(b, err)
	}
	return b, ok
}

func (s *scan) note(b block, err error) {
	if s.err == nil || b.number < s.failed {
		s.failed = b.number
		s.err = fmt.Errorf("block %d, at byte %d: %w", b.number, b.offset, err)
	}
}

// Inspect reads the snapshot at path and says what it holds, if all of it is as
// it was written. It needs no strategy, and cannot ask one: of histories it
// knows the checksums, whose users they are and how long, no more.
//
// Once ctx is done it stops, with an error that wraps ctx.Err(). It uses a MiB for each
// processor, or the longest history where that is longer.
func Inspect(ctx context.Context, path string) (Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	in := newInput(f)
	if err = ctx.Err(); err == nil {
		err = in.header()
	}
	if err == nil {
		err = in.blocks(ctx, func(block) error { return nil })
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return in.snapshot, nil
}
