// Package store keeps the histories of ten million users alive at once.
//
// The problem: ten million histories of a few hundred bytes are five gigabytes.
// As ten million Go slices they would cost 24 bytes of header each, the
// allocator's rounding, and a collector that has ten million pointers to
// follow; and most of the users do not come back for a day, after which the
// paper forgets them (a user who recorded nothing for 24 hours starts again
// as a newcomer).
//
// Here histories lie side by side, one pool per length, in large chunks that
// hold no pointers. A pool is always dense: when a history leaves (it grew, it
// shrank, its user was forgotten), the pool's last one moves into the hole,
// and a chunk that runs empty serves another pool or goes back to the operating
// system. Stores that take turns may share an Arena of memory.
//
// Save writes all histories to a file while requests go on, and Open returns a
// store with them: what was recorded before a Save that succeeded survives the
// process, what was recorded since does not.
//
// The guarantee: every history is byte for byte what the strategy would have
// returned to a caller who kept it in a slice of its own and dropped it after
// Config.Idle seconds without a Record. Methods are safe for concurrent use, on
// different users and on the same one.
//
// The cost, beside the histories themselves: 10 bytes a user (4 say where the
// history lies, 4 when it last grew, 2 whose block it is) and less than 1 for
// the tables of chunks, 12 at the most; the unfilled end of one chunk per shard
// and length, well under 1 % at ten million users; one staging buffer per
// shard. A call pays a mutex and a few dependent loads, tens of nanoseconds,
// and does not allocate, but for new chunks.
package store

import (
	"fmt"
	"runtime"

	"dejavu/strategies"
)

// A Timestamp is a time on the run's own clock: whole seconds since its epoch. The
// store never looks at the wall clock; the caller says what time it is. The
// 32 bits last for 136 years.
type Timestamp uint32

// Day is the paper's limit: who recorded nothing for so long is forgotten.
const Day Timestamp = 24 * 60 * 60

// Config says what a Store is to hold.
type Config struct {
	_ struct{}

	// Strategy is asked what to remember; it decides the lengths of histories.
	Strategy strategies.Strategy

	// Users is the number of users; they are numbered 0 to Users-1.
	Users int

	// Idle is how many seconds without a Record make a history expire; 0
	// keeps histories for ever.
	Idle Timestamp

	// Shards is how many locks the users are spread over (user modulo
	// Shards), 1 to 65536 and at least one for every 65536 users. With 0
	// it is the smallest power of two from 16 up that will do: 256 for ten
	// million. The default looks at Users only, never at the machine.
	Shards int

	// TrustSnapshots lets Open and ReadSnapshot take histories whose checksums
	// are right without the strategy's Validate, which takes most of their time:
	// for the paper's chain, 0.9 of the 1.5 microseconds of a processor that a
	// history takes (AMD EPYC, Go 1.26). It is for files that nobody else can
	// write. Damage is found all the same; a history that a faulty or hostile
	// program made up, checksums and all, is not. It may answer anything for its
	// own user, and never more: the strategies of this module do not panic for it,
	// and leave the bytes of other users alone (strategies.Strategy, Validate).
	TrustSnapshots bool

	// Arena is where the store gets memory from first, and gives it back to;
	// with nil it goes to the operating system.
	Arena *Arena
}

// A Store holds one history for each of a fixed number of users. Make one
// with New.
//
// Time may differ between users and may go backwards. A history carries the
// latest Timestamp of the Records that made it, and has expired for a request that
// comes Idle seconds after that or later. A request that finds a history
// expired drops it for good, so that an earlier Timestamp afterwards does not bring
// it back; a request from before the last Record finds the history alive, and
// recording then does not bring the expiry nearer.
//
// Seen, Record, History and Last panic, as an index expression does, if the
// user's number is outside 0 to Users-1.
type Store struct {
	strategy strategies.Strategy
	users    int
	idle     Timestamp
	trust    bool
	classes  []class
	shards   []shard
	chunks   *source
}

// New returns a store in which every user is a newcomer. It reports an error
// if a field of the configuration is out of range, or if the strategy's Sizes
// are not ascending lengths that a store can hold.
func New(c Config) (*Store, error) {
	if c.Strategy == nil {
		return nil, fmt.Errorf("store: Strategy is nil, want one")
	}
	if c.Users < 1 || c.Users > maxUsers {
		return nil, fmt.Errorf("store: Users is %d, want 1 to %d", c.Users, int64(maxUsers))
	}
	if c.Shards < 0 || c.Shards > maxShards {
		return nil, fmt.Errorf("store: Shards is %d, want 0 (default) to %d", c.Shards, maxShards)
	}
	least := (c.Users + usersPerShard - 1) / usersPerShard
	if c.Shards == 0 {
		c.Shards = 16
		for c.Shards < least {
			c.Shards *= 2
		}
	}
	if c.Shards < least {
		return nil, fmt.Errorf("store: Shards is %d, want at least %d for %d users", c.Shards, least, c.Users)
	}
	sizes := c.Strategy.Sizes()
	if err := checkSizes(sizes); err != nil {
		return nil, err
	}
	chunkBytes := chunkBytesFor(sizes)
	s := &Store{
		strategy: c.Strategy,
		users:    c.Users,
		idle:     c.Idle,
		trust:    c.TrustSnapshots,
		classes:  classesOf(sizes, chunkBytes),
		shards:   make([]shard, c.Shards),
		chunks:   &source{bytes: chunkBytes, pages: pages{arena: c.Arena}},
	}
	for i := range s.shards {
		// Shard i holds the users i, i+Shards, i+2·Shards, ...
		count := (c.Users - i + c.Shards - 1) / c.Shards
		s.shards[i].shardFields = shardFields{
			words: make([]word, max(count, 0)), pools: make([]pool, len(sizes)), staging: make([]byte, sizes[len(sizes)-1]),
			classes: s.classes, chunks: s.chunks, idle: s.idle,
		}
	}
	// The collector does not know the slabs' memory. It is given back when the
	// store is garbage; enter and leave keep it from being so too early.
	runtime.AddCleanup(s, (*source).unmap, s.chunks)
	return s, nil
}

// enter locks the shard of a user and returns it with the user's number
// inside the shard.
func (s *Store) enter(user int) (*shard, int) {
	if uint(user) >= uint(s.users) {
		panic(fmt.Sprintf("store: user %d is out of range 0 to %d", user, s.users-1))
	}
	sh, local := s.at(uint32(user))
	sh.mu.Lock()
	return sh, local
}

// at is the shard of a user, and the user's number inside it.
func (s *Store) at(user uint32) (*shard, int) {
	n := uint32(len(s.shards)) // 32 bits divide much faster than 64
	return &s.shards[user%n], int(user / n)
}

// leave undoes enter. It is deferred, so that a strategy that panics under a
// server that recovers does not lock its shard for ever.
func (s *Store) leave(sh *shard) {
	sh.mu.Unlock()
	runtime.KeepAlive(s)
}

// Seen sets seen[i] to whether the user's history remembers candidates[i], at
// time now. The two slices must have the same length. The user's clock of
// idleness does not change: looking is not reading.
func (s *Store) Seen(user int, now Timestamp, candidates []strategies.ID, seen []bool) {
	sh, local := s.enter(user)
	defer s.leave(sh)
	s.strategy.Seen(sh.history(local, now), candidates, seen)
}

// Record adds the articles just shown to the user, oldest first, at time now.
// An empty shown changes nothing, the time of the last Record included.
//
// Record panics if the strategy breaks its contract and returns a history
// whose length is not one of its Sizes.
func (s *Store) Record(user int, now Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	sh, local := s.enter(user)
	defer s.leave(sh)
	h := sh.history(local, now)
	room := h // whose capacity ends with its block
	if len(h) < len(sh.staging) {
		// It may grow, and there is no room behind its block.
		room = sh.staging[:copy(sh.staging, h)]
	}
	result := s.strategy.Record(room, shown)
	// A newcomer's word may hold the time of a history long gone.
	if len(h) == 0 || now > sh.words[local].last {
		sh.words[local].last = now
	}
	if !sh.replace(local, h, result) {
		panic(fmt.Sprintf("store: %T.Record returned a history of %d bytes, want 0 or one of its Sizes %v",
			s.strategy, len(result), s.strategy.Sizes()))
	}
}

// History appends a copy of the user's history at time now to dst and
// returns the result; it appends nothing for a newcomer.
func (s *Store) History(user int, now Timestamp, dst []byte) []byte {
	sh, local := s.enter(user)
	defer s.leave(sh)
	return append(dst, sh.history(local, now)...)
}

// Size is the length in bytes of the user's history at time now, 0 for a newcomer.
func (s *Store) Size(user int, now Timestamp) int {
	sh, local := s.enter(user)
	defer s.leave(sh)
	return len(sh.history(local, now))
}

// Last is the time that the idleness of the user's history counts from; ok is
// false where the store holds none.
func (s *Store) Last(user int) (at Timestamp, ok bool) {
	sh, local := s.enter(user)
	defer s.leave(sh)
	if sh.words[local].at == nowhere {
		return 0, false
	}
	return sh.words[local].last, true
}

// Put replaces the user's history by a copy of history, last recorded at time
// at; an empty one makes the user a newcomer. It is the way in for
// histories from outside: one that does not pass the strategy's Validate is an
// error and changes nothing.
func (s *Store) Put(user int, at Timestamp, history []byte) error {
	if uint(user) >= uint(s.users) {
		return fmt.Errorf("store: user %d, want 0 to %d", user, s.users-1)
	}
	if err := s.strategy.Validate(history); err != nil {
		return fmt.Errorf("store: history of user %d: %w", user, err)
	}
	sh, local := s.enter(user)
	defer s.leave(sh)
	if !sh.replace(local, sh.block(local), history) {
		return fmt.Errorf("store: history of user %d has %d bytes, want 0 or one of %v",
			user, len(history), s.strategy.Sizes())
	}
	sh.words[local].last = at
	return nil
}
