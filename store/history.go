package store

import (
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/cespare/xxhash/v2"

	"dejavu/strategies"
)

// History appends a copy of the user's history at time now to dst, nothing for a newcomer.
func (s *Store[U]) History(user U, now Timestamp, dst []byte) []byte {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	return append(dst, sh.history(&u, now)...)
}

// Size returns the bytes of the user's history at time now, 0 for a newcomer.
func (s *Store[U]) Size(user U, now Timestamp) int {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	return len(sh.history(&u, now))
}

// Last returns the time from which the history is idle; ok is false if there is no history.
func (s *Store[U]) Last(user U) (at Timestamp, ok bool) {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	if u.entry == nil || u.at == nowhere {
		return 0, false
	}
	return u.last, true
}

// Put replaces the user's history with a copy of history, last recorded at time at; an empty one makes the user a
// newcomer. Articles must be salted with Salt. If Validate rejects history, Put returns an error and changes nothing.
func (s *Store[U]) Put(user U, at Timestamp, history []byte) error {
	key, err := s.key(user)
	if err != nil {
		return err
	}
	if err := s.put(key, at, history); err != nil {
		return fmt.Errorf("store: history of user %v: %w", user, err)
	}
	return nil
}

func (s *Store[U]) put(key uint64, at Timestamp, history []byte) error {
	if err := s.strategy.Validate(history); err != nil {
		return err
	}
	sh, u := s.enter(key)
	defer s.leave(sh)
	if !sh.replace(&u, sh.block(&u), history) {
		return fmt.Errorf("%d bytes, want 0 or one of %v", len(history), s.strategy.Sizes())
	}
	if u.entry != nil {
		u.last = at
	}
	return nil
}

// Remove drops the user's history, whatever its age: the user is a newcomer.
func (s *Store[U]) Remove(user U) {
	sh, u := s.enter(s.mustKey(user))
	defer s.leave(sh)
	sh.replace(&u, sh.block(&u), nil)
}

// A Past is a past request: N articles were shown to a user at a time.
type Past struct {
	At Timestamp
	N  uint32
}

// Replay does what Seen and Record would do for each request in turn, under one lock. Articles lists the articles of
// all requests in order; Replay appends to dst whether each was seen. If their number is wrong, it changes nothing.
func (s *Store[U]) Replay(user U, requests []Past, articles []strategies.ID, dst []bool) ([]bool, error) {
	sum := uint64(0)
	for _, r := range requests {
		sum += uint64(r.N)
	}
	if sum != uint64(len(articles)) {
		return dst, fmt.Errorf("store: replay of user %v: %d articles, want the %d of its requests", user, len(articles), sum)
	}
	key := s.mustKey(user)
	if len(requests) == 0 {
		return dst, nil
	}
	w, n := s.scratch(), len(dst)
	defer w.free()
	dst = slices.Grow(dst, len(articles))[:n+len(articles)]
	sh, u := s.enter(key)
	defer s.leave(sh)
	before := sh.history(&u, requests[0].At)
	h, last := before, Timestamp(0)
	if len(h) > 0 {
		last = u.last
	}
	h = sh.stage(h)
	var strategy strategies.Strategy
	for _, r := range requests {
		if len(h) > 0 && sh.expired(last, r.At) {
			h = sh.staging[:0]
			sh.counts.expired++
		}
		strategy = s.on(r.At)
		mixed := s.mix(w, key, articles[:r.N])
		sh.seen(strategy, h, mixed, dst[n:n+len(mixed)])
		articles, n = articles[r.N:], n+len(mixed)
		if r.N == 0 {
			continue
		}
		if len(h) == 0 || r.At > last {
			last = r.At
		}
		h = strategy.Record(h, mixed)
		sh.counts.recorded += int64(r.N)
	}
	sh.mustReplace(&u, before, h, strategy, "Record")
	if u.entry != nil {
		u.last = last
	}
	return dst, nil
}

// An Entry carries a user's history from one store to another.
type Entry struct {
	User    uint64    // the number, the integer, or Secret.DigestString of the string
	Last    Timestamp // when it was last recorded
	History []byte
	// Origin identifies what the history depends on: strategy and parameters, kind of users, secret, and salting.
	Origin uint64
}

// Export loops over all histories that have not expired at time now, while requests go on. Each shard is copied at one
// moment. Entry.History is valid until the next Entry. Export panics if the store is closed or cleared meanwhile.
func (s *Store[U]) Export(now Timestamp) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		defer runtime.KeepAlive(s)
		origin := s.origin(s.name)
		ended := s.ended.Load()
		var c shardCopy
		for i := range s.shards {
			if err := c.take(&s.shards[i], len(s.shards), now, ended); err != nil {
				panic(fmt.Sprintf("store: Export: %v", err))
			}
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

// Import puts an Entry of this store or another. Both must have the same secret, kind of users and salting, and the
// entry's strategy must be Config.Strategy or Config.Extends. Version 0.1.0's entries do not identify their strategy.
func (s *Store[U]) Import(e Entry) error {
	switch want := s.origin(s.name); e.Origin {
	case want, s.origin(s.extends), s.origin(""):
	default:
		return fmt.Errorf("store: entry of user %d: its origin is %016x, want %016x (Config.Strategy or Config.Extends, "+
			"Config.Secret, Config.Unsalted, and what users are known by)", e.User, e.Origin, want)
	}
	if s.kind == numbers && e.User >= uint64(s.users) {
		return fmt.Errorf("store: entry of user %d, want 0 to %d", e.User, s.users-1)
	}
	if err := s.put(e.User, e.Last, e.History); err != nil {
		return fmt.Errorf("store: entry of user %d: %w", e.User, err)
	}
	return nil
}

// origin returns Entry.Origin for histories of a strategy. If strategy is "", it returns version 0.1.0's.
func (s *Store[U]) origin(strategy string) uint64 {
	how := uint64(s.kind)<<8 | 3<<1
	if s.salted {
		how |= 1
	}
	if strategy != "" {
		how ^= xxhash.Sum64String(strategy)
	}
	return s.empty("").Fingerprint ^ how
}
