package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Check reports the first fault inside a store that nobody is using: a block that its owner does not point to, a user
// who points nowhere, a pool with too many chunks, a lost chunk.
func (s *Store[U]) Check() error {
	pooled := 0
	for i := range s.shards {
		sh := &s.shards[i]
		blocks := 0
		for k := range sh.pools {
			p, c := &sh.pools[k], &sh.classes[k]
			blocks += p.used
			if want := (p.used + c.perChunk - 1) / c.perChunk; len(p.chunks) != want &&
				(p.used > 0 || len(p.chunks) != 1 || len(p.chunks[0]) > mostIdle) {
				return fmt.Errorf("shard %d, size %d: %d blocks in %d chunks, want %d", i, c.size, p.used, len(p.chunks), want)
			}
			if cap(p.chunks) > 4*len(p.chunks)+4 {
				return fmt.Errorf("shard %d, size %d: a table of %d for %d chunks", i, c.size, cap(p.chunks), len(p.chunks))
			}
			for _, chunk := range p.chunks {
				if len(chunk) == s.chunks.bytes { // else a small one, the collector's
					pooled++
				}
			}
			for b := range p.used {
				at := c.at(k, b)
				owner := c.ownerOf(p.whole(c, at))
				u := user{local: owner, key: owner, hash: spread(sh.places, owner)}
				if sh.lookUp(&u, false); u.entry == nil || u.at != at {
					return fmt.Errorf("shard %d, size %d: block %d belongs to user %d, who does not point to it", i, c.size, b, owner)
				}
			}
		}
		held := sh.users.live
		for local := range sh.entries {
			if sh.entries[local].at != nowhere {
				held++
			}
		}
		if err := sh.users.check(); err != nil {
			return fmt.Errorf("shard %d: %w", i, err)
		}
		if held != blocks {
			return fmt.Errorf("shard %d: %d users point to %d blocks", i, held, blocks)
		}
	}
	if s.chunks.inUse != pooled {
		return fmt.Errorf("%d chunks are handed out and %d lie in pools", s.chunks.inUse, pooled)
	}
	return nil
}

// Raw returns a user's history, expired or not, without telling the store a time.
func (s *Store[U]) Raw(user U) []byte {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	return bytes.Clone(sh.block(&u))
}

// ChunkBytes returns the length of the store's chunks.
func (s *Store[U]) ChunkBytes() int { return s.chunks.bytes }

// Shards returns the number of shards.
func (s *Store[U]) Shards() int { return len(s.shards) }

// check reports a fault of an index: a user whom no search finds, a lost or superfluous bucket, a page too many.
func (x *index) check() error {
	live, over := 0, 0
	for n := range x.main.n {
		for b := x.main.at(n); b != nil; b = x.next(b) {
			if b != x.main.at(n) {
				over++
			}
			count := b.count()
			if count < slots && b.next != 0 || count == 0 && b != x.main.at(n) {
				return fmt.Errorf("a bucket of chain %d has %d users and goes on at %d", n, count, b.next)
			}
			live += count
			for i := range count {
				if b.entries[i].at == nowhere || x.home(b.hash(i)) != n {
					return fmt.Errorf("user %d of bucket %d: %+v, hash %x", i, n, b.entries[i], b.hash(i))
				}
			}
		}
	}
	if live != x.live || over != x.overflow.n {
		return fmt.Errorf("%d users in %d buckets beyond the first, want %d in %d", live, over, x.live, x.overflow.n)
	}
	if most := max(x.live/(mergeBelow-1), 1) + 1; x.main.n > most || x.main.n < x.live/splitAt {
		return fmt.Errorf("%d buckets for %d users", x.main.n, x.live)
	}
	for _, l := range []bucketPages{x.main, x.overflow} {
		if room := pageBuckets * len(l.pages); room > l.n+2*pageBuckets || cap(l.pages) > 4*len(l.pages)+4 {
			return fmt.Errorf("%d pages, in a table of %d, for %d buckets", len(l.pages), cap(l.pages), l.n)
		}
	}
	return nil
}

// IndexBytes returns the memory of the indexes, entries included.
func (s *Store[U]) IndexBytes() (n int64) {
	for i := range s.shards {
		n += s.shards[i].users.bytes()
	}
	return n
}

// SnapshotRoom returns, shard by shard, the bytes reserved for a snapshot, and the bytes it takes.
func (s *Store[U]) SnapshotRoom() (room, taken []int) {
	var c shardCopy
	for i := range s.shards {
		room = append(room, s.shards[i].snapshotBytes())
		_ = c.take(&s.shards[i], len(s.shards), 0, s.ended.Load())
		taken = append(taken, len(c.bytes))
	}
	return room, taken
}

// MostKeyed returns how many users a shard of a store with keys can have, by the number of lengths of histories.
func MostKeyed(classes int) int { return layoutOf(keys, classes).most() }

// Inspect reads a snapshot without making a store.
func Inspect(ctx context.Context, r io.Reader) (Snapshot, error) {
	in := newInput(ctx, r)
	if err := in.header(); err != nil {
		return Snapshot{}, err
	}
	err := in.blocks(func(block) error { return nil })
	return in.snapshot, err
}
