package store

import (
	"math/bits"
	"slices"

	"dejavu/strategies"
)

// An index finds the users of a shard by their keys, however many come: linear hashing (Litwin 1980), whose table grows
// by one bucket at a time, so that no request waits for it. It lies in pages that never move and hold no pointers. A
// user costs 16 bytes here with the entry's, and some 7 of buckets. What is taken back serves the next, until Clear.
type index struct {
	users []*[pageUsers]keyed // by number
	given int                 // numbers given out so far
	free  uint32              // the latest number taken back and 1, of a list through key; 0 for none
	live  int                 // users in the index

	buckets lines
	main    int    // buckets that a hash leads to; 0 before the first user
	over    int    // buckets in beyond that were ever used
	spare   uint32 // the latest such bucket taken back and 1, of a list through next; 0 for none
	beyond  lines
}

const (
	pageUsers   = 128
	pageBuckets = 32
	mostIndexed = 1<<24 - 2 // users that a shard can find: a slot has 24 bits for their numbers
	slots       = 15        // of a bucket, which is a line of memory
	crowd       = 12        // users to a bucket, on average, at which one more is made
	slotUser    = 1<<24 - 1
	slotsNext   = slots
)

// A keyed is the entry of a user who has a key. A number that is free has the next free one in its key.
type keyed struct {
	entry
	key uint64
}

// A bucket has users in its slots, 8 bits of the hash above the number and 1, in no order, 0 where there is
// none; then the number and 1 of the bucket that goes on with it, 0 for none.
type bucket [slots + 1]uint32

// lines are buckets, which never move.
type lines []*[pageBuckets]bucket

func (l lines) at(n int) *bucket { return &l[n/pageBuckets][n%pageBuckets] }

// grow makes room for one more than n.
func (l *lines) grow(n int) {
	if n%pageBuckets == 0 {
		*l = append(*l, new([pageBuckets]bucket))
	}
}

// spread is a hash of a key: a permutation that nobody without the secret can foresee, its bits uniform even
// where keys count up. Its upper 32 bits choose the shard.
func spread(salt strategies.Salt, key uint64) uint64 {
	x := uint64(salt.ID(strategies.ID(key))) * 0x9e3779b97f4a7c15
	return x ^ x>>29
}

// tag is eight bits of a hash, neither those of the shard nor, at the sizes there are, those of the bucket.
func tag(hash uint64) uint32 { return uint32(hash>>32) & 0xff << 24 }

// at is the entry of a number that was given.
func (x *index) at(local int) *keyed { return &x.users[local/pageUsers][local%pageUsers] }

func (x *index) home(hash uint64) *bucket {
	level := bits.Len(uint(x.main)) - 1
	n := int(uint32(hash)) & (1<<(level+1) - 1)
	if n >= x.main {
		n -= 1 << level
	}
	return x.buckets.at(n)
}

func (x *index) next(b *bucket) *bucket {
	n := int(b[slotsNext]) - 1
	if n < 0 {
		return nil
	}
	return x.beyond.at(n)
}

// find is the number of a key with that hash, -1 for none.
func (x *index) find(hash, key uint64) int {
	if x.main == 0 {
		return -1
	}
	want := tag(hash)
	for b := x.home(hash); b != nil; b = x.next(b) {
		for _, slot := range b[:slots] {
			if slot&^slotUser == want && slot&slotUser != 0 {
				if local := int(slot&slotUser) - 1; x.at(local).key == key {
					return local
				}
			}
		}
	}
	return -1
}

// add gives a number to a key that has none, or -1 where there are mostIndexed users.
func (x *index) add(hash, key uint64) int {
	local := int(x.free) - 1
	switch {
	case local >= 0:
		x.free = uint32(x.at(local).key)
	case x.given == mostIndexed:
		return -1
	default:
		local = x.given
		if local%pageUsers == 0 {
			x.users = append(x.users, new([pageUsers]keyed))
		}
		x.given++
	}
	*x.at(local) = keyed{key: key}
	if x.main == 0 {
		x.buckets.grow(0)
		x.main = 1
	}
	x.put(x.home(hash), tag(hash)|uint32(local+1))
	x.live++
	return local
}

// put puts a user into the first empty slot of a bucket and those that go on with it.
func (x *index) put(b *bucket, user uint32) {
	for {
		if i := slices.Index(b[:slots], 0); i >= 0 {
			b[i] = user
			return
		}
		next := x.next(b)
		if next == nil {
			b[slotsNext] = x.bucket()
			next = x.next(b)
		}
		b = next
	}
}

// bucket is the number, and 1, of an empty bucket to go on with another.
func (x *index) bucket() uint32 {
	if n := x.spare; n != 0 {
		b := x.beyond.at(int(n - 1))
		x.spare, b[slotsNext] = b[slotsNext], 0
		return n
	}
	x.beyond.grow(x.over)
	x.over++
	return uint32(x.over)
}

// grow makes one more bucket, if users are many, and moves those there whose hash now leads to it.
func (x *index) grow(salt strategies.Salt) {
	if x.live <= crowd*x.main || x.main == 1<<30 {
		return
	}
	from := x.main - 1<<(bits.Len(uint(x.main))-1)
	x.buckets.grow(x.main)
	x.main++
	b := x.buckets.at(from)
	old, more := *b, x.next(b)
	*b = bucket{}
	for {
		for _, user := range old[:slots] {
			if user != 0 {
				x.put(x.home(spread(salt, x.at(int(user&slotUser)-1).key)), user)
			}
		}
		if more == nil {
			return
		}
		number := old[slotsNext] // the bucket that went on with it is free once its users are read
		old = *more
		*more = bucket{slotsNext: x.spare}
		x.spare = number
		more = x.next(&old)
	}
}

func (x *index) remove(hash uint64, local int) {
	want := tag(hash) | uint32(local+1)
	for b := x.home(hash); b != nil; b = x.next(b) {
		if i := slices.Index(b[:slots], want); i >= 0 {
			b[i] = 0
			x.at(local).key = uint64(x.free)
			x.free = uint32(local + 1)
			x.live--
			return
		}
	}
}

func (x *index) bytes() int64 {
	const users, buckets = 16 * pageUsers, 4 * (slots + 1) * pageBuckets
	return users*int64(len(x.users)) + buckets*int64(len(x.buckets)+len(x.beyond)) +
		8*int64(cap(x.users)+cap(x.buckets)+cap(x.beyond))
}
