package store

import (
	"slices"
	"sync"
	"unsafe"
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
	words   []word     // one per user of the shard
	pools   []pool     // one per class
	staging []byte     // as long as the longest history: there it can grow

	// The store's own, never changed.
	classes []class
	chunks  *source
	idle    Timestamp
}

// A word is all that is kept per user outside the slabs.
type word struct {
	at   location
	last Timestamp // of the latest Record; means nothing where at is nowhere
}

// expired reports whether a history last recorded at w.last is one too many.
func (sh *shard) expired(w *word, now Timestamp) bool {
	return sh.idle != 0 && now > w.last && now-w.last >= sh.idle
}

// history returns the block of a user, or nil for a newcomer. A history that
// has expired is dropped on the way.
func (sh *shard) history(local int, now Timestamp) []byte {
	w := &sh.words[local]
	if w.at == nowhere {
		return nil
	}
	if sh.expired(w, now) {
		sh.drop(local)
		return nil
	}
	return sh.block(local)
}

// block returns the block of a user, expired or not; nil where there is none.
func (sh *shard) block(local int) []byte {
	at := sh.words[local].at
	if at == nowhere {
		return nil
	}
	k := at.class()
	return sh.pools[k].block(&sh.classes[k], at)
}

// drop makes a user who has a block a newcomer.
func (sh *shard) drop(local int) {
	w := &sh.words[local]
	sh.release(w.at)
	w.at = nowhere
}

// release frees the block at a location. The pool's last block takes its
// place, and the owner of that one has to know.
func (sh *shard) release(at location) {
	k := at.class()
	if mover, moved := sh.pools[k].remove(&sh.classes[k], sh.chunks, at); moved {
		sh.words[mover].at = at
	}
}

// replace puts a history in the place of old, the user's block (nil for a
// newcomer). The new one may be old itself, a part of it, or memory from
// elsewhere. It reports false, and does nothing, where no pool holds that length.
func (sh *shard) replace(local int, old, history []byte) bool {
	w := &sh.words[local]
	if len(history) == 0 {
		if w.at != nowhere {
			sh.drop(local)
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
	// First the copy, then the release: the release may overwrite old.
	at := sh.pools[k].add(&sh.classes[k], sh.chunks, k, local)
	copy(sh.pools[k].block(&sh.classes[k], at), history)
	if w.at != nowhere {
		sh.release(w.at)
	}
	w.at = at
	return true
}
