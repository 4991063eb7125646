package store

import (
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"dejavu/strategies"
)

// A shard holds the users that share one lock.
type shard struct {
	shardFields
	// Neighbours must share neither a cache line nor the pair of lines that a processor fetches together.
	_ [(128 - unsafe.Sizeof(shardFields{})%128) % 128]byte
}

type shardFields struct {
	mu      sync.Mutex // guards all below
	entries []entry    // one per numbered user of the shard; nil if users have keys
	users   index      // finds users by key
	pools   []pool     // one per class
	staging []byte     // room for the longest history, so that a copy can grow
	counts  counts
	closed  bool
	number  uint32 // in Store.shards

	*shared
}

type shared struct {
	classes []class
	layout  layout
	chunks  *source
	idle    Timestamp
	kind    kind
	salted  bool
	secret  strategies.Secret
	places  strategies.Salt // for spread
	name    string          // the strategy's fingerprint
	extends string          // fingerprint of Config.Extends, or ""
	ended   atomic.Int64    // calls of Clear and Close; changes while all shards are locked
}

type entry struct {
	at   location
	last Timestamp // of the latest Record; meaningless if at is nowhere
}

// entryOf returns the entry of a user, by number in the shard or key, whose history is at a location.
func (sh *shard) entryOf(owner uint64, at location) *entry {
	if sh.keyed() {
		return sh.users.at(uint32(spread(sh.places, owner)), at)
	}
	return &sh.entries[owner]
}

func (sh *shard) expired(last, now Timestamp) bool {
	return sh.idle != 0 && now > last && now-last >= sh.idle
}

func (sh *shard) expire(u *user, now Timestamp) (dropped bool) {
	if u.entry == nil || u.at == nowhere || !sh.expired(u.last, now) {
		return false
	}
	sh.drop(u)
	sh.counts.expired++
	return true
}

// history returns a user's history, nil for a newcomer or if it has expired.
func (sh *shard) history(u *user, now Timestamp) []byte {
	sh.expire(u, now)
	return sh.block(u)
}

func (sh *shard) block(u *user) []byte {
	if u.entry == nil || u.at == nowhere {
		return nil
	}
	return sh.whole(u.at)[sh.layout.owner:]
}

func (sh *shard) whole(at location) []byte {
	k := sh.layout.class(at)
	return sh.pools[k].whole(&sh.classes[k], at)
}

func (sh *shard) drop(u *user) {
	at := u.at
	if sh.keyed() {
		sh.users.remove(uint32(u.hash), at)
		u.entry = nil
	} else {
		u.at = nowhere
	}
	sh.release(at)
}

// release frees a block that no entry refers to. The pool's last block takes its place, and its entry is updated.
func (sh *shard) release(at location) {
	k := sh.layout.class(at)
	if from := sh.pools[k].remove(&sh.classes[k], sh.chunks, k, at); from != at {
		sh.entryOf(sh.layout.ownerOf(sh.whole(at)), from).at = at
	}
}

// replace replaces old, the user's block or nil, by history, which may be old, a part of it, or other memory. It
// reports false, and does nothing, if no pool has histories of that length.
func (sh *shard) replace(u *user, old, history []byte) bool {
	if len(history) == 0 {
		if len(old) > 0 {
			sh.drop(u)
		}
		return true
	}
	if len(history) == len(old) {
		copy(old, history) // costs nothing if they are the same memory
		return true
	}
	k, found := slices.BinarySearchFunc(sh.classes, len(history), func(c class, size int) int { return c.size - size })
	if !found {
		return false
	}
	if most := sh.layout.most(); u.entry == nil && sh.users.live >= most {
		panic(fmt.Sprintf("store: a shard has %d users, and can have no more: make the store with more Shards", most))
	}
	// Copy first: release may overwrite old.
	at := sh.pools[k].add(&sh.classes[k], sh.chunks, k, u.local)
	copy(sh.whole(at)[sh.layout.owner:], history)
	if u.entry == nil {
		u.entry = sh.users.add(uint32(u.hash), at)
		return true
	}
	was := u.at
	if u.at = at; was != nowhere {
		sh.release(was)
	}
	return true
}

// A User is a key, an integer or a string, or a number from 0 to Config.Users-1. Integer keys are stored as 64 bits, so
// that snapshots stay valid if the integer type becomes longer.
type User interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~string
}

// A kind says how users are identified. Snapshots store its number.
type kind uint32

const (
	numbers kind = 0
	keys    kind = 1
	digests kind = 2 // digests of strings, under the secret
)

var types = [...]string{numbers: "number", keys: "integer", digests: "string"}

func (s *shared) keyed() bool { return s.kind != numbers }

// key returns the number or key that identifies a user, or an error if a number is out of range.
func (s *Store[U]) key(u U) (uint64, error) {
	at := unsafe.Pointer(&u) // a type switch would miss named types
	if s.kind == digests {
		return uint64(s.secret.DigestString(*(*string)(at))), nil
	}
	var key uint64
	switch unsafe.Sizeof(u) {
	case 1:
		key = uint64(*(*uint8)(at))
	case 2:
		key = uint64(*(*uint16)(at))
	case 4:
		key = uint64(*(*uint32)(at))
	default:
		key = *(*uint64)(at)
	}
	if s.signed {
		above := 64 - 8*unsafe.Sizeof(u)
		key = uint64(int64(key<<above) >> above)
	}
	if s.kind == numbers && key >= uint64(s.users) {
		return 0, fmt.Errorf("store: user %v, want 0 to %d", u, s.users-1)
	}
	return key, nil
}

type user struct {
	*entry        // nil for an unknown key
	local  uint64 // the number inside the shard, or the key
	key    uint64 // the number, the integer, or the digest of the string
	hash   uint64 // of the key, unless users are numbered
}

// place returns the shard of a user, and the user without the entry.
func (s *Store[U]) place(key uint64) (*shard, user) {
	n := uint64(len(s.shards))
	if !s.keyed() {
		number := uint32(key) // 32 bits divide much faster than 64
		return &s.shards[number%uint32(n)], user{local: uint64(number / uint32(n)), key: key}
	}
	hash := spread(s.places, key)
	return &s.shards[hash>>32*n>>32], user{local: key, key: key, hash: hash}
}

// mustKey returns a user's key. Like an index expression it panics if the number is out of range.
func (s *Store[U]) mustKey(u U) uint64 {
	key, err := s.key(u)
	if err != nil {
		panic(err.Error())
	}
	return key
}

func (s *Store[U]) enter(key uint64) (*shard, user) {
	sh, at := s.place(key)
	sh.lock()
	sh.lookUp(&at, true)
	return sh, at
}

func (sh *shard) lock() {
	sh.mu.Lock()
	if sh.closed {
		sh.mu.Unlock()
		panic("store: a request after Close")
	}
}

func (sh *shard) prefetchEntry(u *user) {
	if !sh.keyed() {
		prefetch(unsafe.Pointer(&sh.entries[u.local]), 1)
	} else if b := sh.users.first(uint32(u.hash)); b != nil {
		prefetch(unsafe.Pointer(b), 2)
	}
}

// likelyBlock returns the user's block, or perhaps another's or nil, as it reads the index alone.
func (sh *shard) likelyBlock(u *user) []byte {
	at := nowhere
	if !sh.keyed() {
		at = sh.entries[u.local].at
	} else if b := sh.users.first(uint32(u.hash)); b != nil {
		at = b.entries[bits.TrailingZeros64(b.like(uint32(u.hash))|1<<(slots-1))].at
	}
	if at == nowhere {
		return nil
	}
	return sh.whole(at)
}

// lookUp sets the user's entry. If ahead is set, it prefetches all of the history.
func (sh *shard) lookUp(u *user, ahead bool) {
	if !sh.keyed() {
		if u.entry = &sh.entries[u.local]; ahead && u.at != nowhere {
			prefetchAll(sh.whole(u.at))
		}
		return
	}
	u.entry = nil
	hash := uint32(u.hash)
	for b := sh.users.first(hash); b != nil; b = sh.users.next(b) {
		for like := b.like(hash); like != 0; like &= like - 1 {
			e := &b.entries[bits.TrailingZeros64(like)]
			if e.at == nowhere {
				continue
			}
			block := sh.whole(e.at)
			if ahead {
				prefetchAll(block)
			}
			if sh.layout.ownerOf(block) == u.key {
				u.entry = e
				return
			}
		}
	}
}

// leave undoes enter. It is deferred, as a strategy that panics must not leave its shard locked.
func (s *Store[U]) leave(sh *shard) {
	sh.mu.Unlock()
	runtime.KeepAlive(s)
}

// Salt returns the user's salt, for histories that are used outside the store. If Config.Unsalted, ok is false.
func (s *Store[U]) Salt(user U) (salt strategies.Salt, ok bool) {
	if !s.salted {
		return salt, false
	}
	return s.secret.Salt(s.mustKey(user)), true
}

// digest returns owner, if it is a key. If it is a user's number in the shard, digest returns the number in the store.
func (sh *shard) digest(owner uint64, shards int) uint64 {
	if sh.keyed() {
		return owner
	}
	return owner*uint64(shards) + uint64(sh.number)
}
