package logs

import (
	"fmt"
	"math"
	"math/bits"
)

// MaxUsers bounds how many users a Users numbers: by 31 bits, as a store does.
const MaxUsers = math.MaxInt32

// Users numbers users densely, from 0 in the order in which they first come, so
// that what a replay keeps for each lies in arrays, or in a store.
//
// Digests lie in the order of their numbers; beside them, an open-addressed
// table of numbers, probed one slot after the other and at most three quarters
// full, finds them. That is 8 bytes a user and 5.3 to 10.7 in the table, which
// alone is made anew when it grows: 14 to 19 in all, and half a
// MB at the most beside. A Go map of the same takes 20 to 40, and more while it grows.
// One goroutine may use it.
type Users struct {
	keys  [][]uint64 // by number, chunkLen in each but the last
	table []uint32   // a number plus 1, or 0; as long as a power of two
	shift int        // of a hash to a place in table
	n     int
	limit int
}

const chunkLen = 1 << 16

// NewUsers returns an empty numbering of at most limit users, 1 to MaxUsers.
func NewUsers(limit int) (*Users, error) {
	if limit < 1 || limit > MaxUsers {
		return nil, fmt.Errorf("logs: a limit of %d users, want 1 to %d", limit, MaxUsers)
	}
	u := &Users{limit: limit}
	u.resize(64)
	return u, nil
}

// Number is the user's number, Len() before the call where the user is new. It
// is false where a new user would be one more than the limit.
func (u *Users) Number(key uint64) (number uint32, ok bool) {
	at, found := u.find(key)
	if found {
		return u.table[at] - 1, true
	}
	if u.n == u.limit {
		return 0, false
	}
	if u.n >= len(u.table)/4*3 {
		u.resize(2 * len(u.table))
		at, _ = u.find(key)
	}
	if u.n%chunkLen == 0 {
		u.keys = append(u.keys, make([]uint64, 0, chunkLen))
	}
	last := &u.keys[len(u.keys)-1]
	*last = append(*last, key)
	u.n++
	u.table[at] = uint32(u.n)
	return uint32(u.n - 1), true
}

// find is where the key's number stands, or would.
func (u *Users) find(key uint64) (at int, found bool) {
	for at = u.place(key); ; at = (at + 1) & (len(u.table) - 1) {
		n := u.table[at]
		if n == 0 {
			return at, false
		}
		if u.Key(n-1) == key {
			return at, true
		}
	}
}

// place is where the search for a key begins. Keys may be small numbers, so
// that their bits are spread.
func (u *Users) place(key uint64) int {
	key ^= key >> 32
	return int(key * 0x9e3779b97f4a7c15 >> u.shift)
}

func (u *Users) resize(n int) {
	u.table = nil // before the new one is made
	u.table = make([]uint32, n)
	u.shift = 64 - bits.TrailingZeros(uint(n))
	for i := range u.n {
		at := u.place(u.Key(uint32(i)))
		for u.table[at] != 0 {
			at = (at + 1) & (n - 1)
		}
		u.table[at] = uint32(i + 1)
	}
}

// Key is the digest of the user of that number, below Len.
func (u *Users) Key(number uint32) uint64 { return u.keys[number/chunkLen][number%chunkLen] }

// Len is how many users have a number.
func (u *Users) Len() int { return u.n }

// Bytes is the memory that the numbering takes.
func (u *Users) Bytes() int64 {
	return int64(len(u.keys))*(8*chunkLen+24) + 4*int64(len(u.table))
}
