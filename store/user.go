package store

import (
	"fmt"
	"runtime"
	"slices"

	"dejavu/strategies"
)

// A User is a number from 0 to Config.Users-1 (int), or a key of the service's own (uint64, string).
type User interface{ int | uint64 | string }

// A kind is what users are known by, and types are its names.
type kind uint32

const (
	numbers kind = iota
	keys
	digests // of strings, under the secret
)

var types = [...]string{numbers: "int", keys: "uint64", digests: "string"}

func kindOf[U User]() kind { return kind(slices.Index(types[:], fmt.Sprintf("%T", *new(U)))) }

func (s *shared) keyed() bool { return s.kind != numbers }

// key is what is kept of a user's number or key. It is an error where there is no such number.
func (s *Store[U]) key(u U) (uint64, error) {
	switch u := any(u).(type) {
	case int:
		if uint(u) >= uint(s.users) {
			return 0, fmt.Errorf("store: user %d, want 0 to %d", u, s.users-1)
		}
		return uint64(u), nil
	case uint64:
		return u, nil
	case string:
		return uint64(s.secret.DigestString(u)), nil
	}
	panic("store: no such kind of user")
}

// nobody is the number, inside a shard, of a user who has none: a key that is not known.
const nobody = -1

// A user is one whose shard is locked.
type user struct {
	local int    // the number inside the shard, nobody for an unknown key
	key   uint64 // the number, the key, or the digest of the key
	hash  uint64 // of the key, where users have keys
}

// place is the shard of a user, and the user there, but for the number of a key (know).
func (s *Store[U]) place(key uint64) (*shard, user) {
	n := uint64(len(s.shards))
	if !s.keyed() {
		number := uint32(key) // 32 bits divide much faster than 64
		return &s.shards[number%uint32(n)], user{local: int(number / uint32(n)), key: key}
	}
	hash := spread(s.places, key)
	return &s.shards[hash>>32*n>>32], user{local: nobody, key: key, hash: hash}
}

// mustKey is a user's key. It panics, as an index expression does, where there is no such number.
func (s *Store[U]) mustKey(u U) uint64 {
	key, err := s.key(u)
	if err != nil {
		panic(err.Error())
	}
	return key
}

func (s *Store[U]) enter(u U) (*shard, user) {
	sh, at := s.place(s.mustKey(u))
	sh.mu.Lock()
	if sh.closed {
		sh.mu.Unlock()
		panic(afterClose)
	}
	sh.know(&at)
	return sh, at
}

const afterClose = "store: a request after Close"

func (sh *shard) know(u *user) {
	if sh.keyed() {
		u.local = sh.users.find(u.hash, u.key)
	}
}

// admit gives a number to a user whose key is not known.
func (sh *shard) admit(u *user) {
	if u.local != nobody {
		return
	}
	if u.local = sh.users.add(u.hash, u.key); u.local == nobody || sh.users.live > sh.layout.most() {
		panic(fmt.Sprintf("store: a shard has %d users, and can have no more: make the store with more Shards",
			sh.users.live))
	}
	sh.users.grow(sh.places)
}

// leave undoes enter, deferred: a strategy that panics under a server must not lock its shard for ever.
func (s *Store[U]) leave(sh *shard) {
	sh.mu.Unlock()
	runtime.KeepAlive(s)
}

// Salt is the user's own: what mixes the IDs of articles before the strategy sees them, for histories that
// are read outside the store. ok is false where articles are not salted.
func (s *Store[U]) Salt(user U) (salt strategies.Salt, ok bool) {
	if !s.salted {
		return salt, false
	}
	return s.secret.Salt(s.mustKey(user)), true
}

// numbers is how many numbers a shard's users may have.
func (sh *shard) numbers() int {
	if sh.keyed() {
		return sh.users.given
	}
	return len(sh.entries)
}

// digest is what is kept of the number or key of a user of the shard, one of so many.
func (sh *shard) digest(local, shards int) uint64 {
	if sh.keyed() {
		return sh.users.at(local).key
	}
	return uint64(local)*uint64(shards) + uint64(sh.number)
}
