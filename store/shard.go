package store

import (
	"slices"
	"sync"
	"unsafe"

	"dejavu/strategies"
)

// A shard holds the users that share one lock.
type shard struct {
	shardFields
	// Neighbours in the slice of shards must not share a cache line, nor the
	// pair of lines that a processor fetches together.
	_ [(128 - unsafe.Sizeof(shardFields{})%128) % 128]byte
}

type shardFields struct {
	mu      sync.Mutex // guards all below
	entries []entry    // one per user of the shard; nil where they have keys
	users   index      // of those who have keys
	pools   []pool     // one per class
	staging []byte     // as long as the longest history: there it can grow
	scratch scratch
	counts  counts
	closed  bool
	number  uint32 // among the store's shards

	*shared
}

// A shared is what all shards of a store have in common; it never changes.
type shared struct {
	classes []class
	layout  layout
	chunks  *source
	idle    Timestamp
	kind    kind
	salted  bool // articles are salted
	secret  strategies.Secret
	places  strategies.Salt // for spread
}

// An entry is all that is kept per user outside the slabs, beside the key.
type entry struct {
	at   location
	last Timestamp // of the latest Record; means nothing where at is nowhere
}

func (sh *shard) entry(local int) *entry {
	if sh.keyed() {
		return &sh.users.at(local).entry
	}
	return &sh.entries[local]
}

// expired reports whether a history last recorded at a time is one too many.
func (sh *shard) expired(last, now Timestamp) bool {
	return sh.idle != 0 && now > last && now-last >= sh.idle
}

func (sh *shard) expire(u *user, now Timestamp) {
	if u.local == nobody {
		return
	}
	if e := sh.entry(u.local); e.at != nowhere && sh.expired(e.last, now) {
		sh.drop(u)
		sh.counts.expired++
	}
}

// history returns the block of a user, or nil for a newcomer, and for one who has expired.
func (sh *shard) history(u *user, now Timestamp) []byte {
	sh.expire(u, now)
	return sh.block(u.local)
}

// block returns the block of a user, expired or not; nil where there is none.
func (sh *shard) block(local int) []byte {
	if local == nobody {
		return nil
	}
	at := sh.entry(local).at
	if at == nowhere {
		return nil
	}
	k := sh.layout.class(at)
	return sh.pools[k].block(&sh.classes[k], at)
}

func (sh *shard) drop(u *user) {
	e := sh.entry(u.local)
	sh.release(e.at)
	e.at = nowhere
	if sh.keyed() {
		sh.users.remove(u.hash, u.local)
		u.local = nobody
	}
}

// release frees a block. The pool's last one takes its place, and its owner has to know.
func (sh *shard) release(at location) {
	k := sh.layout.class(at)
	if mover, moved := sh.pools[k].remove(&sh.classes[k], sh.chunks, at); moved {
		sh.entry(mover).at = at
	}
}

// replace puts a history in the place of old, the user's block (nil for a newcomer). The new one may be old itself, a
// part of it, or memory from elsewhere. It reports false, and does nothing, where no pool holds that length.
func (sh *shard) replace(u *user, old, history []byte) bool {
	if len(history) == 0 {
		if len(old) > 0 {
			sh.drop(u)
		}
		return true
	}
	if len(history) == len(old) {
		copy(old, history) // costs nothing where they are the same memory
		return true
	}
	k, found := slices.BinarySearchFunc(sh.classes, len(history), func(c class, size int) int { return c.size - size })
	if !found {
		return false
	}
	sh.admit(u)
	// First the copy, then the release: the release may overwrite old.
	at := sh.pools[k].add(&sh.classes[k], sh.chunks, k, u.local)
	copy(sh.pools[k].block(&sh.classes[k], at), history)
	e := sh.entry(u.local)
	if e.at != nowhere {
		sh.release(e.at)
	}
	e.at = at
	return true
}
