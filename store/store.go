// Package store keeps the histories of millions of users in memory, for a service or a simulation.
//
// Histories of one length form a pool, in large chunks without pointers for the garbage collector. A pool is dense:
// when a history leaves, the pool's last one moves to its place, and an empty chunk is reused or released.
//
// Users have keys, strings or integers of any type, or are numbered (Config.Users). Show asks and records in one step,
// so that two requests of one user never get the same article. Articles are salted for each user (Config.Secret), so
// that popular articles do not hide others from all users at once. Save and Open write and read snapshots.
//
// A history is byte for byte what the strategy returns to a caller who salts articles with Salt, and drops it after
// Config.Idle seconds without a Record. Methods are safe for concurrent use.
//
// Beside its history a user costs at most 12 bytes, with a key 28. A call takes a mutex, and waits for memory twice:
// for the location of the history, and for the history. It allocates only chunks and index pages.
package store

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"dejavu/strategies"
)

// A Timestamp is a time in seconds since an epoch of the caller's. A store has no clock: pass At(time.Now()).
type Timestamp uint32

// At returns t in seconds since 1970, UTC: 0 before 1970, and the largest Timestamp from February 2106 on.
func At(t time.Time) Timestamp { return Timestamp(min(max(t.Unix(), 0), math.MaxUint32)) }

// Day is the paper's limit: a user who recorded nothing for a day is forgotten.
const Day Timestamp = 24 * 60 * 60

// Config configures a Store.
type Config struct {
	_        struct{}
	Strategy strategies.Strategy
	Users    int       // if not 0, users are numbered 0 to Users-1; otherwise they have keys
	Idle     Timestamp // seconds without a Record after which a history expires; 0 keeps histories for ever
	// Shards is the number of locks, 1 to 65536 and at least one for every 65536 of Users. 0 means 256 for users with
	// keys, and otherwise the smallest sufficient power of two from 16 up. A shard takes 2^24-2 keys.
	Shards int
	// Secret makes salts and the digests of string keys. If it is zero, New draws one, and Save returns an error.
	Secret   strategies.Secret
	Unsalted bool // passes articles on unchanged: for simulations, or if no article is popular
	// TrustSnapshots skips Validate for histories that are read from a snapshot. It is for files that nobody else can
	// write: a forged history gives its own user wrong answers.
	TrustSnapshots bool
	// Extends is a strategy whose histories Strategy continues (a shorter chain): its snapshots are accepted too.
	Extends strategies.Strategy
	Arena   *Arena // if not nil, where memory comes from and returns to
	// HugePages asks Linux for pages of 2 MiB, which its setting "madvise" allows. From a million users on, most requests
	// then take 0.7 to 0.9 of the time. While other processes need memory, Linux may be slow to find such pages.
	HugePages bool
}

// A Store holds one history for each user who has been shown something. Make one with New.
//
// Times may differ between users and go backwards. A history keeps the latest Timestamp of its Records. A request Idle
// seconds or more after that drops it. A strategies.Dated strategy gets the Timestamp's day, counted from 0.
//
// If users are numbered, methods panic for a user outside 0 to Users-1. Requests and Export panic after Close.
type Store[U User] struct {
	*shared
	strategy strategies.Strategy
	dated    strategies.Dated // the strategy, or nil if it is not Dated
	today    atomic.Pointer[today]
	users    int  // their number, if they are numbered
	signed   bool // U is a signed integer
	trust    bool
	drawn    bool // New drew the secret
	shards   []shard
}

// New returns a store in which every user is a newcomer. It returns an error if a field of the configuration is out of
// range, or if the strategy's Sizes are not ascending lengths that a store can hold.
func New[U User](c Config) (*Store[U], error) {
	if c.Strategy == nil {
		return nil, fmt.Errorf("store: Strategy is nil, want one")
	}
	kind, signed, err := c.kindOf(reflect.TypeFor[U]())
	if err == nil {
		err = c.setShards()
	}
	if err != nil {
		return nil, err
	}
	sizes := c.Strategy.Sizes()
	if err := checkSizes(sizes); err != nil {
		return nil, err
	}
	name := strategies.Fingerprint(c.Strategy)
	if len(name) > mostStrategy {
		return nil, fmt.Errorf("store: the strategy's Fingerprint has %d bytes, want at most %d", len(name), mostStrategy)
	}
	s := &Store[U]{
		strategy: c.Strategy, users: c.Users, signed: signed, trust: c.TrustSnapshots, drawn: c.Secret.IsZero(),
	}
	if s.drawn {
		c.Secret = strategies.RandomSecret()
	}
	if s.dated, _ = c.Strategy.(strategies.Dated); s.dated != nil {
		s.today.Store(&today{0, s.dated.On(0)})
	}
	l := layoutOf(kind, len(sizes))
	chunkBytes := chunkBytesFor(sizes, l)
	s.shared = &shared{
		classes: classesOf(sizes, chunkBytes, l), layout: l, idle: c.Idle,
		chunks: &source{bytes: chunkBytes, arena: c.Arena, huge: c.HugePages},
		kind:   kind, salted: !c.Unsalted, secret: c.Secret, places: c.Secret.Salt(1 << 63),
		name: name,
	}
	if c.Extends != nil {
		s.extends = strategies.Fingerprint(c.Extends)
	}
	s.shards = make([]shard, c.Shards)
	for i := range s.shards {
		s.shards[i].shardFields = shardFields{
			pools: make([]pool, len(sizes)), staging: make([]byte, sizes[len(sizes)-1]), shared: s.shared, number: uint32(i),
		}
		if !s.keyed() { // shard i holds the users i, i+Shards, i+2·Shards, ...
			s.shards[i].entries = make([]entry, (c.Users-i+c.Shards-1)/c.Shards)
		}
	}
	// A cleanup frees the memory of a store that is garbage. KeepAlive in leave prevents that during a request.
	runtime.AddCleanup(s, (*source).unmap, s.chunks)
	return s, nil
}

// kindOf returns how users of a type are identified, and whether it is signed. It checks Users.
func (c *Config) kindOf(t reflect.Type) (k kind, signed bool, err error) {
	signed = t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64
	switch text := t.Kind() == reflect.String; {
	case c.Users < 0 || int64(c.Users) > maxUsers:
		err = fmt.Errorf("store: Users is %d, want 0 (keys) to %d", c.Users, int64(maxUsers))
	case text && c.Users > 0:
		err = fmt.Errorf("store: Users is %d for users of type %v, want 0: strings are keys", c.Users, t)
	case text:
		k = digests
	case c.Users > 0:
		bits := t.Bits()
		if signed {
			bits--
		}
		if bits < 31 && c.Users > 1<<bits {
			err = fmt.Errorf("store: Users is %d, want at most the %d numbers of the type %v", c.Users, 1<<bits, t)
		}
	default:
		k = keys
	}
	return k, signed, err
}

// setShards sets a Shards of 0 to its default. It returns an error if Shards is out of range.
func (c *Config) setShards() error {
	least, byDefault := 1, 256
	if c.Users > 0 {
		least, byDefault = (c.Users-1)/usersPerShard+1, 16
	}
	if c.Shards < 0 || c.Shards > maxShards {
		return fmt.Errorf("store: Shards is %d, want 0 (default) to %d", c.Shards, maxShards)
	}
	if c.Shards == 0 {
		for c.Shards = byDefault; c.Shards < least; c.Shards *= 2 {
		}
	}
	if c.Shards < least {
		return fmt.Errorf("store: Shards is %d, want at least %d for %d users", c.Shards, least, c.Users)
	}
	return nil
}

// Forget drops every history that has expired at time now and returns their number. Requests drop expired histories
// too: Forget only releases memory earlier. It locks a shard for about 1024 users at a time.
func (s *Store[U]) Forget(now Timestamp) int {
	defer runtime.KeepAlive(s)
	if s.idle == 0 {
		return 0
	}
	dropped := 0
	for i := range s.shards {
		for part := math.MaxInt; part > 0; {
			var n int
			n, part = s.shards[i].forget(now, part)
			dropped += n
		}
	}
	return dropped
}

const forgotAtOnce = 1024 // users, about

// forget drops expired histories in the parts (entries or buckets) first to end-1. An index shrinks from its end.
func (sh *shard) forget(now Timestamp, end int) (dropped, first int) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	parts, users := len(sh.entries), 1
	if sh.keyed() {
		parts, users = sh.users.main.n, splitAt
	}
	end = min(end, parts)
	first = max(end-forgotAtOnce/users, 0)
	for n := end - 1; n >= first; n-- {
		for sh.forgetOne(n, now) {
			dropped++
		}
	}
	return dropped, first
}

// forgetOne drops one expired history of a part, if there is one.
func (sh *shard) forgetOne(n int, now Timestamp) bool {
	if !sh.keyed() {
		return sh.expire(&user{entry: &sh.entries[n]}, now)
	}
	if n >= sh.users.main.n { // the index shrank
		return false
	}
	for b := sh.users.main.at(n); b != nil; b = sh.users.next(b) {
		for i := range b.count() {
			if sh.expire(&user{entry: &b.entries[i], hash: uint64(b.hash(i))}, now) {
				return true
			}
		}
	}
	return false
}

// Close releases all memory once requests under way have ended. Later requests panic; an unfinished snapshot fails.
func (s *Store[U]) Close() { s.end(true) }

// Clear makes every user a newcomer and releases all memory. An unfinished snapshot fails.
func (s *Store[U]) Clear() { s.end(false) }

func (s *Store[U]) end(closed bool) {
	defer runtime.KeepAlive(s)
	for i := range s.shards { // lock all at once: no user may come back before the memory is released
		sh := &s.shards[i]
		sh.mu.Lock()
		defer sh.mu.Unlock()
		clear(sh.entries)
		clear(sh.pools)
		sh.users = index{}
		sh.closed = sh.closed || closed
	}
	s.chunks.unmap()
	s.ended.Add(1)
}

const headerBytes = int64(unsafe.Sizeof([]byte(nil)))

// Stats counts what a store holds. Expired histories count until a request or Forget drops them.
type Stats struct {
	Users   int   // users with a history
	Payload int64 // the sum of the lengths of all histories, in bytes
	// Slabs counts the bytes of chunks, with unused room; Bookkeeping is all other memory.
	Slabs, Bookkeeping int64
	// Since New: candidates asked about, candidates seen, articles recorded, histories expired.
	Asked, Hits, Recorded, Expired int64
}

// Stats returns what the store holds. It locks one shard at a time.
func (s *Store[U]) Stats() Stats {
	defer runtime.KeepAlive(s)
	var st Stats
	for i := range s.shards {
		s.shards[i].addTo(&st)
	}
	spares, lists := s.chunks.idleBytes()
	st.Slabs += spares
	st.Bookkeeping += lists + int64(unsafe.Sizeof(*s)+unsafe.Sizeof(*s.chunks)) +
		int64(cap(s.classes))*int64(unsafe.Sizeof(class{}))
	return st
}

func (sh *shard) addTo(st *Stats) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	st.Bookkeeping += int64(unsafe.Sizeof(*sh)) + int64(cap(sh.entries))*int64(unsafe.Sizeof(entry{})) + sh.users.bytes() +
		int64(cap(sh.pools))*int64(unsafe.Sizeof(pool{})) +
		int64(cap(sh.staging))
	st.Asked += sh.counts.asked
	st.Hits += sh.counts.hits
	st.Recorded += sh.counts.recorded
	st.Expired += sh.counts.expired
	for k := range sh.pools {
		p := &sh.pools[k]
		st.Users += p.used
		st.Payload += int64(p.used) * int64(sh.classes[k].size)
		st.Bookkeeping += headerBytes * int64(cap(p.chunks))
		for i := range p.chunks {
			bytes := sh.chunks.bytes
			if i == len(p.chunks)-1 {
				bytes = p.warm
			}
			owners := sh.layout.owner * min(bytes/sh.classes[k].stride(), sh.classes[k].perChunk)
			st.Bookkeeping += int64(owners)
			st.Slabs += int64(bytes - owners)
		}
	}
}
