package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// A location says where a block lies: the upper bits hold the number of its class plus one, the lower ones its
// position. In the position, the lowest slotBits bits of the class number the block in its chunk, and the others the
// chunk.
//
// With n ≤ 2^16 blocks to a chunk, chunk < blocks/n + 1 and 2^slotBits < 2n: positions stay below 2·blocks + 2^17.
type location uint32

type layout struct {
	position uint // bits of a location for the position in its pool
	owner    int  // bytes for the number, or the key, of a block's user
}

// layoutOf serves up to usersPerShard numbered users a shard; with keys, positions take all bits that classes leave.
func layoutOf(k kind, classes int) layout {
	if k == numbers {
		return layout{positionBits, ownerBytes}
	}
	return layout{32 - uint(bits.Len(uint(classes))), keyBytes}
}

// most returns how many users a shard can have, all with histories of one length.
func (l layout) most() int { return min(mostIndexed, 1<<(l.position-1)-1<<16) }

func (l layout) class(at location) int { return int(at>>l.position) - 1 }

const nowhere location = 0

const (
	positionBits  = 18
	usersPerShard = 1 << 16 // an owner is a uint16
	maxShards     = 1 << 16
	maxUsers      = 1<<31 - 1                // an int on every machine, and 32 bits divide fast
	maxClasses    = 1<<(32-positionBits) - 1 // one value is taken by nowhere
	maxHistory    = 1 << 26                  // bytes; the paper's are 512
	ownerBytes    = 2                        // per block, before the history
	keyBytes      = 8                        // where users have keys
	mostIdle      = 4096                     // bytes of a block that an empty pool keeps, for a user who comes and goes
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

// A pool holds the blocks of one class in one shard, densely: blocks 0 to used-1, perChunk to a chunk, each of them
// the owner and the history. Only the last chunk has room left. A single chunk begins small.
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

// add makes a block of any content for a user (a number within the shard, or a key), and returns its location.
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

// remove frees a block by moving the last block of the pool, class k, to its place, and returns where that was.
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

// step returns how many bytes of memory the last chunk gets beyond its blocks, as far as it has room.
func (p *pool) step(c *class) int { return max(1, p.used/stepShare) * c.stride() }

// fit gives the last chunk, if it has blocks, memory for them and a step more. No location changes.
func (p *pool) fit(c *class, src *source, blocks int) {
	last := &p.chunks[len(p.chunks)-1]
	old, want := *last, blocks*c.stride()+p.step(c)
	if want <= min(mostSmall, src.bytes-1) && len(p.chunks) == 1 {
		*last = slices.Grow([]byte(nil), want) // the collector's, and as long as it makes them anyway
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
