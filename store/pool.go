package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// A location says where a block lies: the number of its class plus one in the
// upper 14 bits; in the lower 18 the number of the chunk and, in the class's
// slotBits lowest bits, the number of the block in that chunk.
//
// Why 18 bits do: a shard has at most 2^16 users, so a pool has at most 2^16
// blocks; with n ≤ 2^16 blocks to a chunk, chunk < 2^16/n + 1 and
// 2^slotBits < 2n, hence the sum stays below 2·2^16 + 2^16.
type location uint32

// nowhere is where a newcomer's history lies.
const nowhere location = 0

const (
	positionBits = 18

	usersPerShard = 1 << 16 // an owner is a uint16
	maxShards     = 1 << 16
	maxUsers      = 1<<31 - 1                // an int on every machine, and 32 bits divide fast
	maxClasses    = 1<<(32-positionBits) - 1 // one value is taken by nowhere
	maxHistory    = 1 << 26                  // bytes; the paper's are 512
	ownerBytes    = 2                        // per block, at the end of its chunk

	// An empty pool keeps a small chunk of at most so many bytes, so that one
	// user who comes and goes alone does not allocate each time.
	mostIdle = 4096
)

// class is the number of the class, and so of the pool, of a location.
func (l location) class() int { return int(l>>positionBits) - 1 }

// A class is what the pools for one length of history have in common.
type class struct {
	size     int // bytes of a history
	perChunk int // blocks in a whole chunk
	slotBits uint
}

// checkSizes reports why the lengths a strategy lists cannot be stored.
func checkSizes(sizes []int) error {
	if len(sizes) < 1 || len(sizes) > maxClasses {
		return fmt.Errorf("store: the strategy's Sizes has %d lengths, want 1 to %d", len(sizes), maxClasses)
	}
	low := 1
	for i, size := range sizes {
		if size < low || size > maxHistory {
			return fmt.Errorf("store: the strategy's Sizes[%d] is %d bytes, want %d to %d, ascending", i, size, low, maxHistory)
		}
		low = size + 1
	}
	return nil
}

// classesOf returns one class per length.
func classesOf(sizes []int, chunkBytes int) []class {
	classes := make([]class, len(sizes))
	for i, size := range sizes {
		n := min(chunkBytes/(size+ownerBytes), usersPerShard)
		classes[i] = class{size: size, perChunk: n, slotBits: uint(bits.Len(uint(n - 1)))}
	}
	return classes
}

// A pool holds the blocks of one class in one shard, densely: blocks 0 to
// used-1, perChunk to a chunk. A chunk has its blocks at the front and their
// owners, two bytes each, at the back in reverse order. Only the last chunk has
// room left. A pool with a single chunk may have a small one, which doubles as
// it fills, so that a store of a thousand users costs what it should.
type pool struct {
	chunks [][]byte
	used   int
}

// block returns the block at a location; appending to it does not reach its
// neighbour.
func (p *pool) block(c *class, at location) []byte {
	position := uint32(at) & (1<<positionBits - 1)
	chunk, slot := position>>c.slotBits, int(position&(1<<c.slotBits-1))
	start := slot * c.size
	return p.chunks[chunk][start : start+c.size : start+c.size]
}

// owner returns the two bytes that say whose block lies in a slot of a chunk.
func owner(chunk []byte, slot int) []byte {
	end := len(chunk) - ownerBytes*slot
	return chunk[end-ownerBytes : end]
}

// add makes a block for a user (a number within the shard) and returns where.
// The block's content is whatever was there before.
func (p *pool) add(c *class, src *source, k, user int) location {
	chunk, slot := p.used/c.perChunk, p.used%c.perChunk
	switch {
	case len(p.chunks) == 0:
		p.chunks = append(p.chunks, newChunk(c, src, 1))
	case chunk == len(p.chunks):
		p.chunks = append(p.chunks, src.get())
	case chunk == 0 && slot == p.room(c):
		p.resize(c, src, 2*slot)
	}
	binary.LittleEndian.PutUint16(owner(p.chunks[chunk], slot), uint16(user))
	p.used++
	return location(k+1)<<positionBits | location(chunk)<<c.slotBits | location(slot)
}

// remove frees the block at a location by moving the pool's last one there. It
// returns the owner of the block that moved, if one did.
func (p *pool) remove(c *class, src *source, at location) (mover int, moved bool) {
	position := int(at) & (1<<positionBits - 1)
	chunk, slot := position>>c.slotBits, position&(1<<c.slotBits-1)
	p.used--
	last, lastSlot := p.used/c.perChunk, p.used%c.perChunk
	if last != chunk || lastSlot != slot {
		from, to := p.chunks[last], p.chunks[chunk]
		copy(to[slot*c.size:(slot+1)*c.size], from[lastSlot*c.size:(lastSlot+1)*c.size])
		who := owner(from, lastSlot)
		copy(owner(to, slot), who)
		mover, moved = int(binary.LittleEndian.Uint16(who)), true
	}
	switch {
	case lastSlot == 0 && (last > 0 || len(p.chunks[0]) > mostIdle):
		p.cut(src, last)
	case last == 0 && p.room(c) > 1 && p.used <= p.room(c)/4:
		p.resize(c, src, p.room(c)/2)
	}
	return mover, moved
}

// cut frees the chunks from number n on.
func (p *pool) cut(src *source, n int) {
	for i := n; i < len(p.chunks); i++ {
		src.put(p.chunks[i])
		p.chunks[i] = nil
	}
	p.chunks = p.chunks[:n]
	if n < cap(p.chunks)/4 {
		// The table shrinks with the pool.
		p.chunks = append(make([][]byte, 0, n), p.chunks...)
	}
}

// room is how many blocks the first chunk holds.
func (p *pool) room(c *class) int {
	return min(len(p.chunks[0])/(c.size+ownerBytes), c.perChunk)
}

// resize moves the blocks of a pool with one chunk to a chunk of another size.
// No location changes.
func (p *pool) resize(c *class, src *source, blocks int) {
	old, chunk := p.chunks[0], newChunk(c, src, blocks)
	copy(chunk, old[:p.used*c.size])
	owners := ownerBytes * p.used
	copy(chunk[len(chunk)-owners:], old[len(old)-owners:])
	p.chunks[0] = chunk
	src.put(old)
}

// newChunk returns a chunk for at least the given number of blocks, but no
// more than a whole one. Small chunks are the collector's.
func newChunk(c *class, src *source, blocks int) []byte {
	if blocks >= c.perChunk {
		return src.get()
	}
	return make([]byte, blocks*(c.size+ownerBytes))
}
