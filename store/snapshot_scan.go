package store

import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

// runBytes is how much of a snapshot a worker reads at a time. The blocks of one
// shard go to one worker, as far as that reaches, for they want the same lock.
const runBytes = 16 << 20

// blocks reads all blocks and the end, and has every block that is not damaged
// used, by one goroutine for each processor. Of several errors it returns the
// one that comes first in the snapshot.
func (in *input) blocks(use func(block) error) error {
	var group sync.WaitGroup
	s := scan{in: in}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var r run
			for s.read(&r) {
				for _, b := range r.blocks {
					err := b.check(in.snapshot.Users)
					if err == nil {
						err = guarded(use, b)
					}
					if err != nil {
						s.fail(b, err)
						break
					}
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

// A run is consecutive blocks of one shard.
type run struct {
	blocks []block
	memory [][]byte // of the blocks, to be used again
}

// A scan shares an input among goroutines.
type scan struct {
	mu     sync.Mutex
	in     *input
	err    error
	failed int // the number of the block that err is of
}

// read reads the next run; false where there is none.
func (s *scan) read(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.blocks = r.blocks[:0]
	for total := 0; total < runBytes && s.err == nil && !s.in.ended; {
		n := len(r.blocks)
		if n > 0 && !s.in.continues(r.blocks[0]) {
			break
		}
		if n == len(r.memory) {
			r.memory = append(r.memory, nil)
		}
		b, more, err := s.in.next(r.memory[n])
		if err != nil {
			s.note(b, err)
		}
		if err != nil || !more {
			break
		}
		r.memory[n] = b.bytes
		r.blocks = append(r.blocks, b)
		total += len(b.bytes)
	}
	return len(r.blocks) > 0
}

// continues reports whether the next block is of the same shard.
func (in *input) continues(b block) bool {
	head, err := in.r.Peek(8)
	return err == nil && string(head) == string(b.bytes[:8])
}

// fail notes that a block is wrong; nothing more is read.
func (s *scan) fail(b block, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(b, err)
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
func Inspect(path string) (Snapshot, error) {
	f, err := os.Open(path)
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	defer f.Close()
	in := newInput(f)
	if err = in.header(); err == nil {
		err = in.blocks(func(block) error { return nil })
	}
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return in.snapshot, nil
}
