package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Check reports the first thing that is wrong inside a store nobody is using: a block that its owner does not point
// to, a user who points nowhere, a pool with too many chunks, a chunk that no pool has and nobody gave back.
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
				chunk, slot := b/c.perChunk, b%c.perChunk
				who := c.ownerOf(p.chunks[chunk], slot)
				want := location(k+1)<<c.position | location(chunk)<<c.slotBits | location(slot)
				if who >= sh.numbers() || sh.entry(who).at != want {
					return fmt.Errorf("shard %d, size %d: block %d belongs to user %d, who does not point to it", i, c.size, b, who)
				}
			}
		}
		held := 0
		for local := range sh.numbers() {
			if sh.entry(local).at != nowhere {
				held++
			}
		}
		if err := s.checkIndex(i); err != nil {
			return err
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

// Raw is a user's history, expired or not: looking at it tells no time.
func (s *Store[U]) Raw(user U) []byte {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	return bytes.Clone(sh.block(u.local))
}

// ChunkBytes is the length of the store's chunks.
func (s *Store[U]) ChunkBytes() int { return s.chunks.bytes }

// Shards is how many there are.
func (s *Store[U]) Shards() int { return len(s.shards) }

// checkIndex reports what is wrong with a shard's index: a user whom no search finds, or whose history is
// gone, a bucket or a number that is lost.
func (s *Store[U]) checkIndex(i int) error {
	sh := &s.shards[i]
	x := &sh.users
	live, free := 0, map[int]bool{}
	for n := x.free; n != 0; n = uint32(x.at(int(n - 1)).key) {
		free[int(n-1)] = true
	}
	for local := range x.given {
		k := x.at(local)
		switch found := x.find(spread(sh.places, k.key), k.key); {
		case free[local]:
		case k.at == nowhere:
			return fmt.Errorf("shard %d: user %d of key %d has no history", i, local, k.key)
		case found != local:
			return fmt.Errorf("shard %d: key %d is found at %d, want %d", i, k.key, found, local)
		default:
			live++
		}
	}
	if live != x.live || live+len(free) != x.given {
		return fmt.Errorf("shard %d: %d users and %d free of %d numbers, want %d users", i, live, len(free), x.given, x.live)
	}
	over := 0
	for n := range x.main {
		for b := x.next(x.buckets.at(n)); b != nil; b = x.next(b) {
			over++
		}
	}
	for n := x.spare; n != 0; over++ {
		n = x.beyond.at(int(n - 1))[slotsNext]
	}
	if over != x.over {
		return fmt.Errorf("shard %d: %d buckets beyond the first are linked, want %d", i, over, x.over)
	}
	return nil
}

// IndexBytes is the memory of the indexes, entries included.
func (s *Store[U]) IndexBytes() (n int64) {
	for i := range s.shards {
		n += s.shards[i].users.bytes()
	}
	return n
}

// SnapshotRoom is, shard by shard, how many bytes a snapshot makes room for, and how many it takes.
func (s *Store[U]) SnapshotRoom() (room, taken []int) {
	var c shardCopy
	for i := range s.shards {
		room = append(room, s.shards[i].snapshotBytes())
		c.take(&s.shards[i], len(s.shards), 0)
		taken = append(taken, len(c.bytes))
	}
	return room, taken
}

// MostKeyed is how many users a shard of a store with keys can have, by the lengths of histories.
func MostKeyed(classes int) int { return layoutOf(keys, classes).most() }

// Inspect reads a snapshot, and has no store for it.
func Inspect(ctx context.Context, r io.Reader) (Snapshot, error) {
	in := newInput(ctx, r)
	if err := in.header(); err != nil {
		return Snapshot{}, err
	}
	err := in.blocks(func(block) error { return nil })
	return in.snapshot, err
}
