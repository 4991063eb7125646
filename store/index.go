package store

import (
	"math/bits"
	"unsafe"

	"dejavu/strategies"
)

// An index finds the entries of a shard's users by hashes of their keys: linear hashing (Litwin 1980), whose table
// grows and shrinks by one bucket at a time. A full bucket continues in a chain of others; all but the last are full.
type index struct {
	live     int         // users in the index
	main     bucketPages // a hash leads to one of these; none before the first user
	overflow bucketPages // continuations of full buckets
}

const (
	lanes       = (slots + 3) / 4
	slots       = 11        // for users in a bucket, which is two cache lines
	splitAt     = 9         // mean users in a bucket; with more the index adds a bucket
	mergeBelow  = 6         // with fewer it removes one
	pageBuckets = 32        // 4 KiB
	mostIndexed = 1<<24 - 2 // users that a shard can find
	indexedBits = 24        // of a hash, stored in a bucket
)

// A bucket holds, for each of its users, an entry and 24 bits of the hash. Users leave no gaps.
type bucket struct {
	low     [lanes]uint64 // 16 bits of each hash
	high    [slots]uint8
	next    uint32 // 1 + the index in overflow of the bucket that continues it, or 0
	entries [slots]entry
}

type occupant struct {
	entry
	hash uint32
}

func (b *bucket) hash(i int) uint32 {
	return uint32(uint16(b.low[i/4]>>(i%4*16))) | uint32(b.high[i])<<16
}

func (b *bucket) set(i int, g occupant) {
	shift := i % 4 * 16
	b.low[i/4] = b.low[i/4]&^(0xffff<<shift) | uint64(uint16(g.hash))<<shift
	b.high[i], b.entries[i] = uint8(g.hash>>16), g.entry
}

// like returns a bit for each slot that may have the same low 16 bits; the lowest such slot has, unless it is empty.
func (b *bucket) like(hash uint32) (like uint64) {
	const ones, tops = 0x0001000100010001, 0x8000800080008000
	want := uint64(uint16(hash)) * ones
	for i, word := range b.low {
		x := word ^ want
		x = (x - ones) &^ x & tops                            // the top bit of lanes of 0, perhaps of lanes above
		like |= x >> 15 * 0x0001000200040008 >> 48 << (4 * i) // these bits side by side
	}
	return like & (1<<slots - 1)
}

func (b *bucket) count() int {
	n := slots
	for n > 0 && b.entries[n-1].at == nowhere {
		n--
	}
	return n
}

// spread returns a hash of a key that nobody can predict without the secret. Its upper 32 bits choose the shard.
func spread(salt strategies.Salt, key uint64) uint64 {
	x := uint64(salt.ID(strategies.ID(key))) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}

func (x *index) home(hash uint32) int {
	level := bits.Len(uint(x.main.n)) - 1
	n := int(hash) & (1<<(level+1) - 1)
	if n >= x.main.n {
		n -= 1 << level
	}
	return n
}

func (x *index) first(hash uint32) *bucket {
	if x.main.n == 0 {
		return nil
	}
	return x.main.at(x.home(hash))
}

func (x *index) next(b *bucket) *bucket {
	if b.next == 0 {
		return nil
	}
	return x.overflow.at(int(b.next - 1))
}

func (x *index) at(hash uint32, where location) *entry {
	b, i := x.find(hash, where)
	return &b.entries[i]
}

func (x *index) find(hash uint32, where location) (*bucket, int) {
	for b := x.first(hash); ; b = x.next(b) {
		for i := range b.entries {
			if b.entries[i].at == where {
				return b, i
			}
		}
	}
}

func (x *index) add(hash uint32, where location) *entry {
	if x.live >= splitAt*x.main.n {
		x.split()
	}
	x.live++
	return x.put(occupant{entry{at: where}, hash & (1<<indexedBits - 1)})
}

func (x *index) put(g occupant) *entry {
	b := x.last(g.hash)
	n := b.count()
	if n == slots {
		x.overflow.push() // may move every bucket there
		x.last(g.hash).next = uint32(x.overflow.n)
		b, n = x.overflow.at(x.overflow.n-1), 0
	}
	b.set(n, g)
	return &b.entries[n]
}

func (x *index) last(hash uint32) *bucket {
	b := x.first(hash)
	for b.next != 0 {
		b = x.next(b)
	}
	return b
}

func (x *index) remove(hash uint32, where location) {
	b, i := x.find(hash, where)
	last, before := x.first(hash), (*bucket)(nil)
	for last.next != 0 {
		before, last = last, x.next(last)
	}
	n := last.count() - 1
	b.set(i, occupant{last.entries[n], last.hash(n)})
	last.set(n, occupant{})
	if n == 0 && before != nil {
		x.unlink(before)
	}
	x.live--
	if x.live < mergeBelow*(x.main.n-1) {
		x.rehash(x.main.n-1, x.main.pop) // removes the last bucket
	}
}

// unlink frees the bucket that continues b. The last overflow bucket moves to its place.
func (x *index) unlink(b *bucket) {
	hole, last := b.next, uint32(x.overflow.n)
	b.next = x.next(b).next
	if hole != last {
		moved := x.overflow.at(int(last - 1))
		before := x.first(moved.hash(0))
		for before.next != last {
			before = x.next(before)
		}
		before.next, *x.overflow.at(int(hole - 1)) = hole, *moved
	}
	x.overflow.pop()
}

// split adds a bucket, and moves the users there whose hash now leads to it.
func (x *index) split() {
	if n := x.main.n; n > 0 {
		x.rehash(n-1<<(bits.Len(uint(n))-1), x.main.push)
		return
	}
	x.main.push()
}

// rehash takes the users out of bucket n and its continuations, calls change, and adds them again.
func (x *index) rehash(n int, change func()) {
	var room [4 * slots]occupant
	users, b := room[:0], x.main.at(n)
	for more := b; ; more = x.next(b) {
		for i := range more.count() {
			users = append(users, occupant{more.entries[i], more.hash(i)})
		}
		if more != b {
			x.unlink(b)
		}
		if b.next == 0 {
			break
		}
	}
	*b = bucket{}
	change()
	for _, g := range users {
		x.put(g)
	}
}

func (x *index) bytes() int64 { return x.main.bytes() + x.overflow.bytes() }

type bucketPages struct {
	pages [][]bucket
	n     int
}

func (l *bucketPages) at(n int) *bucket { return &l.pages[n/pageBuckets][n%pageBuckets] }

func (l *bucketPages) push() {
	switch {
	case l.n == 0:
		l.pages = [][]bucket{make([]bucket, 1)}
	case l.n < pageBuckets && l.n == len(l.pages[0]):
		l.resize(min(l.n+l.n/4+1, pageBuckets))
	case l.n == pageBuckets*len(l.pages):
		l.pages = append(l.pages, make([]bucket, pageBuckets))
	}
	l.n++
}

// pop removes the last bucket. It keeps up to one and a half spare pages.
func (l *bucketPages) pop() {
	l.n--
	*l.at(l.n) = bucket{}
	switch pages := (l.n+pageBuckets/2)/pageBuckets + 1; {
	case len(l.pages) > pages:
		l.pages[pages] = nil
		l.pages = l.pages[:pages]
		if pages < cap(l.pages)/4 {
			l.pages = append(make([][]bucket, 0, pages), l.pages...)
		}
	case len(l.pages) == 1 && l.n > 0 && l.n <= len(l.pages[0])/2:
		l.resize(l.n + l.n/4 + 1)
	}
}

func (l *bucketPages) resize(n int) {
	page := make([]bucket, n)
	copy(page, l.pages[0])
	l.pages[0] = page
}

func (l *bucketPages) bytes() int64 {
	n := headerBytes * int64(cap(l.pages))
	for _, page := range l.pages {
		n += int64(len(page)) * int64(unsafe.Sizeof(bucket{}))
	}
	return n
}
