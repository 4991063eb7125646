package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
)

const (
	// runBytes is how much of a snapshot a worker reads at a time, but for a
	// longer history. The blocks of one shard go to one worker, as far as that
	// reaches, for they want the same lock.
	runBytes = 16 << 20

	firstRun  = 4 << 10 // bytes: a small snapshot does not take more
	runBlocks = 1 << 12 // the most in a run, for a block has a few bytes of its own
)

// blocks reads all blocks and the end, and has every block that is not damaged
// used, by one goroutine for each processor. Of several errors it returns the
// one that comes first in the snapshot.
func (in *input) blocks(ctx context.Context, use func(block) error) error {
	var group sync.WaitGroup
	s := scan{in: in}
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			var r run
			for s.read(ctx, &r) {
				for _, b := range r.blocks {
					err := ctx.Err()
					if err == nil {
						err = b.check(&in.snapshot)
					}
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

// A run is consecutive blocks of one shard. They lie in one stretch of memory,
// which the next run uses again, and which doubles up to runBytes while runs do
// not fit: so a worker never has more.
type run struct {
	blocks []block
	memory []byte // its capacity is longer than runBytes for a longer history only
	tight  bool   // a block did not fit in, the run after gets more memory
}

// reset makes the run empty.
func (r *run) reset() {
	clear(r.blocks) // which hold on to the memory
	r.blocks, r.memory = r.blocks[:0], r.memory[:0]
	if n := min(2*cap(r.memory), runBytes); r.tight && n > cap(r.memory) {
		r.memory = nil // the old one may go first
		r.memory = make([]byte, 0, n)
	}
	r.tight = false
}

// room returns n bytes of the run's memory for its next block. Only the first
// may ask for more than fits.
func (r *run) room(n int) []byte {
	if !r.fits(n) {
		r.memory = nil
		r.memory = make([]byte, 0, max(n, firstRun))
	}
	start := len(r.memory)
	r.memory = r.memory[:start+n]
	return r.memory[start : start+n : start+n]
}

// fits reports whether there is room for n bytes more.
func (r *run) fits(n int) bool { return n <= cap(r.memory)-len(r.memory) }

// A scan shares an input among goroutines.
type scan struct {
	mu     sync.Mutex
	in     *input
	err    error
	failed int // the number of the block that err is of
}

// read reads the next run; false where there is none.
func (s *scan) read(ctx context.Context, r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.reset()
	for s.err == nil && !s.in.ended && s.in.continues(r) {
		if err := ctx.Err(); err != nil {
			s.note(block{number: s.in.number + 1, offset: s.in.snapshot.Bytes}, err)
			break
		}
		b, more, err := s.in.next(r)
		if err != nil {
			s.note(b, err)
		}
		if err != nil || !more {
			break
		}
		r.blocks = append(r.blocks, b)
	}
	return len(r.blocks) > 0
}

// continues reports whether the next block belongs to the run: the first always,
// others where they are of the same shard and there is room.
func (in *input) continues(r *run) bool {
	if len(r.blocks) == 0 {
		return true
	}
	head, err := in.r.Peek(headBytes)
	if err != nil || string(head[:8]) != string(r.blocks[0].bytes[:8]) || len(r.blocks) == runBlocks {
		return false
	}
	size, count := binary.LittleEndian.Uint32(head[8:]), binary.LittleEndian.Uint32(head[12:])
	if size > maxHistory || count > blockBytes {
		return false // no such block: the next run says so
	}
	b := block{size: int(size), count: int(count)}
	if int64(b.count)*int64(entryBytes+b.size) > runBytes || !r.fits(b.length()) {
		r.tight = true
		return false
	}
	return true
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
//
// Once ctx is done it stops, with an error that wraps ctx.Err(). It uses at most
// 16 MiB for each processor, or the longest history where that is longer. As much
// again may be garbage for a while.
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
