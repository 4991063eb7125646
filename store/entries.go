package store

import (
	"fmt"
	"iter"
	"runtime"
)

// An Entry is a user's history as it leaves one store and enters another: with another number of shards, in another
// process, one of several that share the users.
type Entry struct {
	User    uint64    // the number, the key, or the digest of the string: Secret.DigestString
	Last    Timestamp // when it was last recorded
	History []byte
	// Origin names what the history depends on beside the strategy: what users are known by, the secret, and how articles
	// are salted.
	Origin uint64
}

// Export is all histories that have not expired at time now. Requests may go on meanwhile, also in the loop: each shard
// is copied at one moment, as in a snapshot. An Entry's History is the store's, to be copied where it is kept.
func (s *Store[U]) Export(now Timestamp) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		defer runtime.KeepAlive(s)
		_, until := s.clock.readAll(now)
		origin := s.origin()
		var c shardCopy
		for i := range s.shards {
			c.take(&s.shards[i], len(s.shards), until)
			for _, b := range c.blocks {
				for n := range b.count {
					user, last, history := b.entry(n)
					if !yield(Entry{user, last, history, origin}) {
						return
					}
				}
			}
		}
	}
}

// Import is Put of an Entry of this store or another. It is an error where the other has another secret, knows users by
// something else, or salts articles otherwise. The strategies must be alike.
func (s *Store[U]) Import(e Entry) error {
	if want := s.origin(); e.Origin != want {
		return fmt.Errorf("store: entry of user %d: its origin is %016x, want %016x (Config.Secret, Config.Unsalted, "+
			"and what users are known by)", e.User, e.Origin, want)
	}
	if s.kind == numbers && e.User >= uint64(s.users) {
		return fmt.Errorf("store: entry of user %d, want 0 to %d", e.User, s.users-1)
	}
	if err := s.put(e.User, e.Last, e.History); err != nil {
		return fmt.Errorf("store: entry of user %d: %w", e.User, err)
	}
	return nil
}

// origin is alike for stores that can take each other's histories.
func (s *Store[U]) origin() uint64 {
	e := s.empty("")
	how := uint64(s.kind)<<8 | uint64(e.Version)<<1
	if e.Salted {
		how |= 1
	}
	return e.Fingerprint ^ how
}
