package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// A location tells where a block is. From the highest bit it holds 1 + the block's class, its chunk, and, in slotBits
// bits of the class, its number in the chunk.
//
// With n ≤ 2^16 blocks to a chunk, chunk < blocks/n + 1 and 2^slotBits < 2n: chunk and number take values below
// 2·blocks + 2^17.
type location uint32

type layout struct {
	position uint // bits of a location below the class
	owner    int  // bytes before a history that identify its user
}

// layoutOf provides for usersPerShard numbered users in a shard. With keys, positions take all bits that classes leave.
func layoutOf(k kind, classes int) layout {
	if k == numbers {
		return layout{positionBits, ownerBytes}
	}
	return layout{32 - uint(bits.Len(uint(classes))), keyBytes}
}

// most returns how many users with keys a shard can have, even if all histories have one length.
func (l layout) most() int { return min(mostIndexed, 1<<(l.position-1)-1<<16) }

func (l layout) class(at location) int { return int(at>>l.position) - 1 }

const nowhere location = 0

const (
	positionBits  = 18
	usersPerShard = 1 << 16 // an owner is a uint16
	maxShards     = 1 << 16
	maxUsers      = 1<<31 - 1                // an int on every machine; 32-bit divisions are fast
	maxClasses    = 1<<(32-positionBits) - 1 // 0 is nowhere
	maxHistory    = 1 << 26                  // bytes; the paper's are 512
	ownerBytes    = 2                        // the owner's number in its shard
	keyBytes      = 8                        // the owner's key
	mostIdle      = 4096                     // bytes of the longest chunk that an empty pool keeps
)

type class struct {
	layout
	size     int // bytes of a history
	perChunk int // blocks in a whole chunk
	slotBits uint
}

func (c *class) place(at location) (chunk, slot int) {
	position := uint32(at) & (1<<c.position - 1)
	return int(position >> c.slotBits), int(position & (1<<c.slotBits - 1))
}

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

func classesOf(sizes []int, chunkBytes int, l layout) []class {
	classes := make([]class, len(sizes))
	for i, size := range sizes {
		n := min(chunkBytes/(size+l.owner), usersPerShard)
		classes[i] = class{layout: l, size: size, perChunk: n, slotBits: uint(bits.Len(uint(n - 1)))}
	}
	return classes
}

// A pool holds the blocks of one class in one shard, without gaps: blocks 0 to used-1, each the owner and the history,
// perChunk in a chunk. Only the last chunk has room left. A single chunk begins small.
type pool struct {
	chunks [][]byte
	used   int
	warm   int // bytes at the beginning of the last chunk that have memory
}

func (c *class) stride() int { return c.owner + c.size }

func (p *pool) whole(c *class, at location) []byte {
	chunk, slot := c.place(at)
	from := slot * c.stride()
	return p.chunks[chunk][from : from+c.stride() : from+c.stride()]
}

func (l layout) ownerOf(block []byte) uint64 {
	if l.owner == ownerBytes {
		return uint64(binary.LittleEndian.Uint16(block))
	}
	return binary.LittleEndian.Uint64(block)
}

func (l layout) own(block []byte, user uint64) {
	if l.owner == ownerBytes {
		binary.LittleEndian.PutUint16(block, uint16(user))
		return
	}
	binary.LittleEndian.PutUint64(block, user)
}

func (c *class) at(k, n int) location {
	return location(k+1)<<c.position | location(n/c.perChunk)<<c.slotBits | location(n%c.perChunk)
}

// add adds a block for a user, a number in the shard or a key, and returns its location. Its history is arbitrary.
func (p *pool) add(c *class, src *source, k int, user uint64) location {
	chunk, slot := p.used/c.perChunk, p.used%c.perChunk
	switch {
	case chunk == len(p.chunks):
		p.chunks, p.warm = append(p.chunks, nil), 0
		p.fit(c, src, 0)
	case slot == p.room(c):
		p.fit(c, src, slot)
	}
	at := c.at(k, p.used)
	c.own(p.whole(c, at), user)
	p.used++
	return at
}

// remove frees a block by moving the last block of the pool, class k, to its place. It returns where that was.
func (p *pool) remove(c *class, src *source, k int, at location) (from location) {
	p.used--
	last, lastSlot := p.used/c.perChunk, p.used%c.perChunk
	if from = c.at(k, p.used); from != at {
		copy(p.whole(c, at), p.whole(c, from))
	}
	switch {
	case lastSlot == 0 && (last > 0 || p.room(c) > 1 || len(p.chunks[0]) > mostIdle):
		p.cut(src, last)
	case p.warm-lastSlot*c.stride() > 2*p.step(c)+min(p.warm/2, 2*granule):
		p.fit(c, src, lastSlot)
	}
	return from
}

func (p *pool) cut(src *source, n int) {
	for i := n; i < len(p.chunks); i++ {
		src.put(p.chunks[i])
		p.chunks[i] = nil
	}
	if p.chunks = p.chunks[:n]; n > 0 {
		p.warm = len(p.chunks[n-1])
	}
	if n < cap(p.chunks)/4 { // the table shrinks with the pool
		p.chunks = append(make([][]byte, 0, n), p.chunks...)
	}
}

// room returns how many blocks the last chunk has memory for.
func (p *pool) room(c *class) int { return min(p.warm/c.stride(), c.perChunk) }

// step returns how many spare bytes of memory the last chunk gets.
func (p *pool) step(c *class) int { return max(1, p.used/stepShare) * c.stride() }

// fit gives the last chunk memory for this number of blocks and a step more. No location changes.
func (p *pool) fit(c *class, src *source, blocks int) {
	last := &p.chunks[len(p.chunks)-1]
	old, want := *last, blocks*c.stride()+p.step(c)
	if want <= min(mostSmall, src.bytes-1) && len(p.chunks) == 1 {
		*last = slices.Grow([]byte(nil), want) // rounded up by the allocator
		*last = (*last)[:min(cap(*last), src.bytes-1)]
		p.warm = len(*last)
	} else {
		if len(old) != src.bytes {
			var resident bool
			if *last, resident = src.take(); resident {
				p.warm = src.bytes
			} else {
				p.warm = 0
			}
		}
		want = min((want+granule-1)/granule*granule, src.bytes)
		if want > p.warm {
			populate((*last)[p.warm:want])
			p.warm = want
		} else if want < p.warm && len(old) == src.bytes && release((*last)[want:p.warm]) {
			p.warm = want
		}
	}
	if unsafe.SliceData(*last) != unsafe.SliceData(old) {
		copy(*last, old[:blocks*c.stride()])
		src.put(old)
	}
}
