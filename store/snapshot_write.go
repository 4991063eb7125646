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

	"dejavu/internal/atomicfile"
)

// WriteSnapshot writes all histories that have not expired at time now to w, and says what it wrote. About
// describes, in 1 to 1024 bytes, what histories depend on: the strategy, its parameters, and how keys become
// IDs. It must be the same when they are loaded.
//
// Requests may go on meanwhile. Each shard is copied under its lock, so that the snapshot holds all its users
// as they were at one moment; different shards, at different moments. A request meets a locked shard for as
// long as the copy takes: 5 ms for 20 MB. It takes the memory of one shard's copy for each processor. A store
// at rest is written the same twice, whatever the number of processors.
//
// If copied is not nil, it is called once when all shards have been copied: what is recorded from then on is
// not in the snapshot. A caller who holds back all requests until then has a snapshot of one moment. After an
// error it may not have been called. Once ctx is done nothing more is written, and the error wraps ctx.Err().
func (s *Store[U]) WriteSnapshot(ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (snapshot Snapshot, err error) {
	if snapshot, err = s.write(ctx, w, about, now, copied); err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot: %w", err)
	}
	return snapshot, nil
}

func (s *Store[U]) write(ctx context.Context, w io.Writer, about string, now Timestamp, copied func(),
) (snapshot Snapshot, err error) {
	if err := checkAbout(about); err != nil {
		return snapshot, err
	}
	if s.drawn && (s.salted || s.kind == digests) {
		return snapshot, errors.New(
			"its secret was drawn by New and is known to nobody, so that it could not be read again: set Config.Secret")
	}
	snapshot = s.empty(about)
	snapshot.Now = now
	out := output{ctx: ctx, w: w, snapshot: &snapshot, sums: xxhash.New()}
	begin := snapshot.header()
	out.write(begin, block{bytes: begin})
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
				c.take(&s.shards[i], len(s.shards), now)
				if int(taken.Add(1)) == len(s.shards) && copied != nil {
					copied()
				}
				for _, b := range c.blocks { // which needs no lock
					seal(b.bytes[:len(b.bytes)-sumBytes])
				}
				<-turns[i]
				out.write(c.bytes, c.blocks...)
				failed = out.err != nil
				close(turns[i+1])
			}
		})
	}
	group.Wait()
	runtime.KeepAlive(s)
	end := snapshot.end(out.sums.Sum64())
	out.write(end, block{bytes: end}) // not written where a shard is missing
	if out.err != nil {
		err = fmt.Errorf("after %d bytes: %w", snapshot.Bytes, out.err)
	}
	return snapshot, err
}

// An output writes the parts of a snapshot in their order, and counts.
type output struct {
	ctx      context.Context
	w        io.Writer
	snapshot *Snapshot
	sums     *xxhash.Digest // of the checksums of all parts
	err      error          // the first; nothing is written after it
}

func (o *output) write(bytes []byte, parts ...block) {
	for _, p := range parts {
		_, _ = o.sums.Write(sum(p.bytes)) // never fails
		o.snapshot.count(p)
	}
	for chunk := range slices.Chunk(bytes, blockBytes) {
		if o.err == nil {
			o.err = o.ctx.Err()
		}
		if o.err != nil {
			return
		}
		var n int
		n, o.err = o.w.Write(chunk)
		o.snapshot.Bytes += int64(n)
	}
}

// A shardCopy is the histories of one shard as the snapshot's blocks.
type shardCopy struct {
	bytes  []byte
	blocks []block
}

// take copies what has not expired in a shard, one of so many, but for the checksums.
func (c *shardCopy) take(sh *shard, shards int, now Timestamp) {
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
		c.takePool(sh, k, shards, now)
	}
}

// takePool copies a pool in the order of its blocks, which is that of memory.
func (c *shardCopy) takePool(sh *shard, k, shards int, now Timestamp) {
	le := binary.LittleEndian
	p, class := &sh.pools[k], &sh.classes[k]
	b := block{size: class.size}
	finish := func() {
		if b.count > 0 {
			c.bytes = append(c.bytes, make([]byte, sumBytes)...)
			b.bytes = c.bytes[len(c.bytes)-b.length():]
			h := head{[4]byte([]byte(markHistories)), sh.number, uint32(b.size), uint32(b.count)}
			_, _ = binary.Encode(b.bytes, le, h)
			c.blocks = append(c.blocks, b)
			b.count = 0
		}
	}
	for chunk, left := 0, p.used; left > 0; chunk++ {
		memory, slots := p.chunks[chunk], min(left, class.perChunk)
		left -= slots
		for slot := range slots {
			local := class.ownerOf(memory, slot)
			e := sh.entry(local)
			if sh.expired(e.last, now) {
				continue
			}
			if b.count == perBlock(b.size) {
				finish()
			}
			if b.count == 0 {
				c.bytes = append(c.bytes, make([]byte, headBytes)...)
			}
			b.count++
			c.bytes = le.AppendUint64(c.bytes, sh.digest(local, shards))
			c.bytes = le.AppendUint32(c.bytes, uint32(e.last))
			c.bytes = append(c.bytes, memory[slot*class.size:(slot+1)*class.size]...)
		}
	}
	finish()
}

// snapshotBytes is how many bytes the blocks of the locked shard take at most.
func (sh *shard) snapshotBytes() (bytes int) {
	for k := range sh.pools {
		used, size := sh.pools[k].used, sh.classes[k].size
		most := perBlock(size)
		bytes += used*(entryBytes+size) + (used+most-1)/most*(headBytes+sumBytes)
	}
	return bytes
}

// Save makes the file at path a snapshot of all histories that have not expired at time now, as WriteSnapshot
// writes it, or leaves it as it was: whenever the process is killed, or the power fails, path holds the old
// snapshot whole or the new one. When Save has returned without an error it is the new one.
//
// The new file is first called path and ".saving"; such names are Save's own, and what a killed process
// leaves there the next Save writes over. Two at once to the same path are an error of the later one (on
// Unix, on file systems with locks and for processes of one user). The disk needs room for both snapshots.
// Where path is a symbolic link, the file it points to is replaced, or made. A new file is its owner's alone
// (0600), for it says what people read; one that is replaced hands its permissions on.
func (s *Store[U]) Save(ctx context.Context, path, about string, now Timestamp) (snapshot Snapshot, err error) {
	err = atomicfile.Replace(ctx, path, 0o600, func(w io.Writer) (err error) {
		snapshot, err = s.write(ctx, w, about, now, nil)
		return err
	})
	if err != nil {
		return Snapshot{}, fmt.Errorf("store: snapshot %s: %w", path, err)
	}
	return snapshot, nil
}
