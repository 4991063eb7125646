package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// WriteSnapshot writes all histories that have not expired at time now to w, and
// says what it wrote. About describes, in 1 to 1024 bytes, what histories depend
// on: the strategy, its parameters, and how keys become IDs. It must be the same
// when they are loaded; the bits of other positions would say anything.
//
// Requests may go on meanwhile. Each shard is copied under its lock, so that the
// snapshot holds all its users as they were at one moment; different shards, at
// different moments. A request meets a locked shard for as long as the copy takes:
// 5 ms for the 20 MB that 40,000 histories of 500 bytes are, of one shard in 256 at a
// time for each processor. Nothing is written under a lock.
//
// It takes the memory of one shard's copy for each processor. A store at rest is
// written the same twice, whatever the number of processors.
//
// Once ctx is done nothing more is written, and the error wraps ctx.Err().
func (s *Store[U]) WriteSnapshot(ctx context.Context, w io.Writer, about string, now Timestamp) (Snapshot, error) {
	return s.WriteSnapshotCopied(ctx, w, about, now, func() {})
}

// WriteSnapshotCopied is WriteSnapshot, and calls copied once, when all shards have been
// copied: what is recorded from then on is not in the snapshot. A caller who holds back
// all requests until then has a snapshot of one moment. After an error copied may not have
// been called.
func (s *Store[U]) WriteSnapshotCopied(
	ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (Snapshot, error) {
	snapshot, err := s.write(ctx, w, about, now, copied)
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	return snapshot, nil
}

func (s *Store[U]) write(
	ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (Snapshot, error) {
	if err := checkAbout(about); err != nil {
		return Snapshot{}, err
	}
	if s.drawn && (s.salted || s.kind == digests) {
		return Snapshot{}, errors.New(
			"its secret was drawn by New and is known to nobody, so that it could not be read again: set Config.Secret")
	}
	snapshot := s.empty()
	snapshot.About, snapshot.Now = about, now
	for _, c := range s.classes {
		snapshot.Sizes = append(snapshot.Sizes, c.size)
	}
	out := output{w: w, snapshot: &snapshot, sums: xxhash.New()}
	header := snapshot.header()
	out.write(ctx, header, part{end: len(header)})
	var claimed, taken atomic.Int64
	var group sync.WaitGroup
	turns := make([]chan struct{}, len(s.shards)+1) // closed when it is that shard's turn
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	for range min(runtime.GOMAXPROCS(0), len(s.shards)) {
		group.Go(func() {
			var c shardCopy
			for failed := false; !failed && ctx.Err() == nil; {
				i := int(claimed.Add(1)) - 1
				if i >= len(s.shards) {
					return
				}
				c.take(&s.shards[i], i, len(s.shards), now)
				if int(taken.Add(1)) == len(s.shards) {
					copied()
				}
				c.sum()
				<-turns[i]
				out.write(ctx, c.bytes, c.blocks...)
				failed = out.err != nil
				close(turns[i+1])
			}
		})
	}
	group.Wait()
	runtime.KeepAlive(s)
	end := snapshot.end(out.sums.Sum64())
	out.write(ctx, end, part{end: len(end)}) // not written where a shard is missing
	if out.err != nil {
		return Snapshot{}, out.err
	}
	return snapshot, nil
}

// empty is the snapshot of the store without histories.
func (s *Store[U]) empty() Snapshot {
	e := Snapshot{Users: s.users, Idle: s.idle, Type: types[s.kind], Salted: s.salted}
	if s.salted || s.kind == digests {
		e.Fingerprint = s.secret.Fingerprint()
	}
	return e
}

// An output writes the parts of a snapshot in their order, and counts.
type output struct {
	w        io.Writer
	snapshot *Snapshot
	sums     *xxhash.Digest // of the checksums of all parts
	err      error          // the first; nothing is written after it
}

// write writes parts that lie one behind the other, several in one go where they
// are short.
func (o *output) write(ctx context.Context, bytes []byte, parts ...part) {
	for start := 0; len(parts) > 0 && o.err == nil; {
		if err := ctx.Err(); err != nil {
			o.fail(err)
			return
		}
		end, taken := start, 0
		for _, p := range parts {
			if end-start >= blockBytes {
				break
			}
			_, _ = o.sums.Write(bytes[p.end-sumBytes : p.end]) // never fails
			o.snapshot.Histories += p.count
			o.snapshot.Payload += int64(p.count) * int64(p.size)
			end = p.end
			taken++
		}
		n, err := o.w.Write(bytes[start:end])
		o.snapshot.Bytes += int64(n)
		if err != nil {
			o.fail(err)
		}
		start, parts = end, parts[taken:]
	}
}

// fail notes why nothing more is written.
func (o *output) fail(err error) {
	o.err = fmt.Errorf("after %d bytes: %w", o.snapshot.Bytes, err)
}

// A shardCopy is the histories of one shard as the snapshot's blocks.
type shardCopy struct {
	bytes  []byte
	blocks []part
}

// A part of a snapshot is where it lies among bytes, its checksum included, and, of a
// block, how many histories of what length it holds.
type part struct{ start, end, size, count int }

// take copies what has not expired in shard i of n. Only then the checksums are
// missing, which need no lock.
func (c *shardCopy) take(sh *shard, i, n int, now Timestamp) {
	c.bytes, c.blocks = c.bytes[:0], c.blocks[:0]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for need := sh.snapshotBytes(); cap(c.bytes) < need; need = sh.snapshotBytes() {
		// Memory is expensive to get; a little more, so that the next shard fits too.
		sh.mu.Unlock()
		c.bytes = slices.Grow([]byte(nil), need+need/16)
		sh.mu.Lock()
	}
	for k := range sh.pools {
		c.takePool(sh, k, i, n, now)
	}
}

// takePool copies a pool in the order of its blocks, which is that of memory.
func (c *shardCopy) takePool(sh *shard, k, i, n int, now Timestamp) {
	le := binary.LittleEndian
	p, class := &sh.pools[k], &sh.classes[k]
	most, count, at := perBlock(class.size), 0, 0
	finish := func() {
		if count > 0 {
			le.PutUint32(c.bytes[at+12:], uint32(count))
			c.bytes = append(c.bytes, make([]byte, sumBytes)...)
			c.blocks = append(c.blocks, part{at, len(c.bytes), class.size, count})
			count = 0
		}
	}
	for chunk, left := 0, p.used; left > 0; chunk++ {
		memory, slots := p.chunks[chunk], min(left, class.perChunk)
		left -= slots
		for slot := range slots {
			local := class.ownerOf(memory, slot)
			e := sh.entry(local)
			if sh.expired(e, now) {
				continue
			}
			if count == most {
				finish()
			}
			if count == 0 {
				at = len(c.bytes)
				c.bytes = append(c.bytes, markHistories...)
				c.bytes = le.AppendUint32(c.bytes, uint32(i))
				c.bytes = le.AppendUint32(c.bytes, uint32(class.size))
				c.bytes = le.AppendUint32(c.bytes, 0) // finish knows
			}
			count++
			c.bytes = le.AppendUint64(c.bytes, sh.digest(local, n))
			c.bytes = le.AppendUint32(c.bytes, uint32(e.last))
			c.bytes = append(c.bytes, memory[slot*class.size:(slot+1)*class.size]...)
		}
	}
	finish()
}

// sum puts the checksums in.
func (c *shardCopy) sum() {
	for _, b := range c.blocks {
		body := c.bytes[b.start : b.end-sumBytes]
		binary.LittleEndian.PutUint64(c.bytes[b.end-sumBytes:], xxhash.Sum64(body))
	}
}

// snapshotBytes is how many bytes the shard's blocks take at most. The shard is
// locked.
func (sh *shard) snapshotBytes() (bytes int) {
	for k := range sh.pools {
		used, size := sh.pools[k].used, sh.classes[k].size
		most := perBlock(size)
		bytes += used*(entryBytes+size) + (used+most-1)/most*(headBytes+sumBytes)
	}
	return bytes
}
