package store

import (
	"encoding/binary"
	"fmt"
)

// Check reports the first thing that is wrong inside a store nobody is using:
// a block that its owner does not point to, a user who points nowhere, a pool
// with too many chunks, a chunk that no pool has and nobody gave back.
func (s *Store) Check() error {
	pooled := 0
	for i := range s.shards {
		sh := &s.shards[i]
		blocks := 0
		for k := range sh.pools {
			p, c := &sh.pools[k], &sh.classes[k]
			blocks += p.used
			if want := (p.used + c.perChunk - 1) / c.perChunk; len(p.chunks) != want && (p.used > 0 || len(p.chunks) != 1 || len(p.chunks[0]) > mostIdle) {
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
				who := int(binary.LittleEndian.Uint16(owner(p.chunks[chunk], slot)))
				want := location(k+1)<<positionBits | location(chunk)<<c.slotBits | location(slot)
				if who >= len(sh.words) || sh.words[who].at != want {
					return fmt.Errorf("shard %d, size %d: block %d belongs to reader %d, who does not point to it", i, c.size, b, who)
				}
			}
		}
		held := 0
		for _, w := range sh.words {
			if w.at != nowhere {
				held++
			}
		}
		if held != blocks {
			return fmt.Errorf("shard %d: %d readers point to %d blocks", i, held, blocks)
		}
	}
	if s.chunks.inUse != pooled {
		return fmt.Errorf("%d chunks are handed out and %d lie in pools", s.chunks.inUse, pooled)
	}
	return nil
}

// ChunkBytes is the length of the store's chunks.
func (s *Store) ChunkBytes() int { return s.chunks.bytes }

// Lock is lock.
var Lock = lock

// Shards is how many there are.
func (s *Store) Shards() int { return len(s.shards) }

// SyncDir is syncDir.
var SyncDir = syncDir
