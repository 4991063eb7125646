package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"dejavu/internal/mix"
	"dejavu/strategies"
)

// A scratch is room for the articles of one request, as long as the longest so far.
type scratch struct {
	salted, shown []strategies.ID
	seen          []bool
}

type counts struct{ asked, hits, recorded, expired int64 }

// on is the strategy at a time: of one that goes by the calendar, as it is on that day.
func (s *Store[U]) on(now Timestamp) strategies.Strategy {
	if s.dated == nil {
		return s.strategy
	}
	day := int(now / Day)
	if t := s.today.Load(); t.day == day {
		return t.Strategy
	}
	t := &today{day, s.dated.On(day)}
	if day > s.today.Load().day { // else it is a request from before midnight
		s.today.Store(t)
	}
	return t.Strategy
}

type today struct {
	day int
	strategies.Strategy
}

// salt is the articles as the strategy is given them: salted, in the shard's memory, or as they are.
func (sh *shard) salt(u *user, articles []strategies.ID) []strategies.ID {
	switch {
	case sh.salted:
		sh.scratch.salted = sh.saltOf(u.key).Append(sh.scratch.salted[:0], articles)
	case sh.earlier:
		sh.scratch.salted = sh.scratch.salted[:0]
		for _, id := range articles {
			sh.scratch.salted = append(sh.scratch.salted, strategies.ID(mix.Unmix(uint64(id))))
		}
	default:
		return articles
	}
	return sh.scratch.salted
}

// saltOf is the salt of the user with a key.
func (s *shared) saltOf(key uint64) strategies.Salt {
	if s.earlier {
		return s.secret.EarlierSalt(key)
	}
	return s.secret.Salt(key)
}

func (sh *shard) seen(s strategies.Strategy, history []byte, articles []strategies.ID, seen []bool) {
	s.Seen(history, articles, seen)
	sh.counts.asked += int64(len(articles))
	sh.counts.hits += trues(seen[:len(articles)])
}

func trues(all []bool) (n int64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(all))), len(all))
	for ; len(b) >= 8; b = b[8:] {
		n += int64(bits.OnesCount64(binary.LittleEndian.Uint64(b)))
	}
	for _, one := range b {
		n += int64(one)
	}
	return n
}

func (sh *shard) record(s strategies.Strategy, u *user, now Timestamp, articles []strategies.ID) {
	h := sh.history(u, now)
	sh.mustReplace(u, h, s.Record(sh.room(h), articles), s, "Record")
	sh.counts.recorded += int64(len(articles))
	if u.entry != nil && (len(h) == 0 || now > u.last) { // that of a newcomer may be of a history long gone
		u.last = now
	}
}

// room is a user's block where it can become longer: a copy, as there is no room behind a block.
func (sh *shard) room(block []byte) []byte {
	if len(block) < len(sh.staging) {
		return sh.staging[:copy(sh.staging, block)]
	}
	return block
}

// mustReplace is replace by what a strategy's method returned.
func (sh *shard) mustReplace(u *user, old, history []byte, s strategies.Strategy, method string) {
	if !sh.replace(u, old, history) {
		panic(fmt.Sprintf("store: %T.%s returned a history of %d bytes, want 0 or one of its Sizes %v",
			s, method, len(history), s.Sizes()))
	}
}

func (sh *shard) show(
	s strategies.Strategy, u *user, now Timestamp, candidates []strategies.ID, limit int, dst []strategies.ID,
) []strategies.ID {
	if limit < 1 || len(candidates) == 0 {
		return dst
	}
	mixed := sh.salt(u, candidates)
	sh.scratch.seen = slices.Grow(sh.scratch.seen[:0], len(mixed))[:len(mixed)]
	sh.seen(s, sh.history(u, now), mixed, sh.scratch.seen)
	shown := sh.scratch.shown[:0]
	for i, id := range mixed {
		if sh.scratch.seen[i] || slices.Contains(shown, id) {
			continue
		}
		shown, dst = append(shown, id), append(dst, candidates[i])
		if len(shown) == limit {
			break
		}
	}
	sh.scratch.shown = shown
	if len(shown) > 0 {
		sh.record(s, u, now, shown)
	}
	return dst
}

// Show appends to dst the first of the candidates, up to limit, that the user has not seen, records them as shown at
// time now, in that order, and returns the result. It is one step: of requests for one user at once, no two are given
// the same article that the strategy remembers. It does not allocate where dst has room; its time grows with limit².
func (s *Store[U]) Show(user U, now Timestamp, candidates []strategies.ID, limit int, dst []strategies.ID,
) []strategies.ID {
	sh, u := s.enter(user)
	defer s.leave(sh)
	return sh.show(s.on(now), &u, now, candidates, limit, dst)
}

// Seen sets seen[i] to whether the user's history remembers candidates[i], at time now. It does not reset the
// idle timer. To show what is not seen, use Show: another request may come between Seen and Record.
func (s *Store[U]) Seen(user U, now Timestamp, candidates []strategies.ID, seen []bool) {
	sh, u := s.enter(user)
	defer s.leave(sh)
	sh.seen(s.on(now), sh.history(&u, now), sh.salt(&u, candidates), seen)
}

// Record adds the articles just shown, oldest first, at time now; an empty shown changes nothing. It panics
// if the strategy returns a history whose length is not one of its Sizes.
func (s *Store[U]) Record(user U, now Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	sh, u := s.enter(user)
	defer s.leave(sh)
	sh.record(s.on(now), &u, now, sh.salt(&u, shown))
}

// Delete takes one recording of each of the articles back (strategies.Deleter). It does not reset the idle
// timer. Where the strategy cannot delete, the error says so and nothing changes.
func (s *Store[U]) Delete(user U, now Timestamp, articles []strategies.ID) error {
	strategy := s.on(now)
	deleter, ok := strategy.(strategies.Deleter)
	if !ok {
		return fmt.Errorf("store: %T cannot delete: it is not a strategies.Deleter", strategy)
	}
	sh, u := s.enter(user)
	defer s.leave(sh)
	h := sh.history(&u, now)
	if len(h) == 0 {
		return nil
	}
	sh.mustReplace(&u, h, deleter.Delete(sh.room(h), sh.salt(&u, articles)), strategy, "Delete")
	return nil
}

// History appends a copy of the user's history at time now to dst; it appends nothing for a newcomer.
func (s *Store[U]) History(user U, now Timestamp, dst []byte) []byte {
	sh, u := s.enter(user)
	defer s.leave(sh)
	return append(dst, sh.history(&u, now)...)
}

// Size is the length in bytes of the user's history at time now, 0 for a newcomer.
func (s *Store[U]) Size(user U, now Timestamp) int {
	sh, u := s.enter(user)
	defer s.leave(sh)
	return len(sh.history(&u, now))
}

// Last is the time that the history's idleness counts from; ok is false where there is none.
func (s *Store[U]) Last(user U) (at Timestamp, ok bool) {
	sh, u := s.enter(user)
	defer s.leave(sh)
	if u.entry == nil || u.at == nowhere {
		return 0, false
	}
	return u.last, true
}

// Put replaces the user's history by a copy of history, last recorded at time at; an empty one makes the user a
// newcomer. One that does not pass Validate is an error and changes nothing. Articles must be salted as Salt has it.
func (s *Store[U]) Put(user U, at Timestamp, history []byte) error {
	if _, err := s.key(user); err != nil {
		return err
	}
	if err := s.strategy.Validate(history); err != nil {
		return fmt.Errorf("store: history of user %v: %w", user, err)
	}
	sh, u := s.enter(user)
	defer s.leave(sh)
	if !sh.replace(&u, sh.block(&u), history) {
		return fmt.Errorf("store: history of user %v has %d bytes, want 0 or one of %v",
			user, len(history), s.strategy.Sizes())
	}
	if u.entry != nil {
		u.last = at
	}
	return nil
}

// A Past is a request of the past: so many articles were shown to a user at a time.
type Past struct {
	At Timestamp
	N  uint32
}

// Replay does what Seen and Record would do for each request in turn, with one lock, and with one copy of a
// history that grows, which is most of their time where requests are short. Articles are those of all
// requests, in their order, and seen becomes as long as these. It panics as Record does.
func (s *Store[U]) Replay(user U, requests []Past, articles []strategies.ID, seen []bool) {
	sh, u := s.enter(user)
	defer s.leave(sh)
	if len(requests) == 0 {
		return
	}
	before := sh.history(&u, requests[0].At)
	h, last := before, Timestamp(0)
	if len(h) > 0 {
		last = u.last
	}
	h = sh.room(h)
	articles = sh.salt(&u, articles)
	var strategy strategies.Strategy
	for _, r := range requests {
		if len(h) > 0 && sh.expired(last, r.At) {
			h = sh.staging[:0]
			sh.counts.expired++
		}
		strategy = s.on(r.At)
		some := articles[:r.N]
		sh.seen(strategy, h, some, seen[:r.N])
		articles, seen = articles[r.N:], seen[r.N:]
		if len(some) == 0 {
			continue
		}
		if len(h) == 0 || r.At > last {
			last = r.At
		}
		h = strategy.Record(h, some)
		sh.counts.recorded += int64(len(some))
	}
	sh.mustReplace(&u, before, h, strategy, "Record")
	if u.entry != nil {
		u.last = last
	}
}

// A Request is one of several of different users.
type Request[U User] struct {
	User       U
	Candidates []strategies.ID
	Seen       []bool          // of SeenAll: which of the candidates the user has seen, as many
	Limit      int             // of ShowAll: how many are shown at most
	Shown      []strategies.ID // of ShowAll, which appends to it
}

// together is how many requests are answered at a time; ahead, how many before its turn the whole of a
// history is asked for: it has come by then, and lies in the nearest cache still.
const (
	together = 32
	ahead    = 2
	longest  = 4000 // candidates of requests together, so that no lock is held longer than for one long request
)

// SeenAll answers requests of several users at time now, as Seen would one after the other. Users whose
// histories lie in no cache cost less than half so: the misses of many requests are under way at once. It
// locks the shards of up to 32 requests at a time, of up to 4000 candidates in all.
func (s *Store[U]) SeenAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	s.all(now, requests, func(r *Request[U], sh *shard, u user, history []byte) {
		sh.seen(strategy, history, sh.salt(&u, r.Candidates), r.Seen)
	})
}

// ShowAll serves requests of several users at time now, as Show would one after the other.
func (s *Store[U]) ShowAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	s.all(now, requests, func(r *Request[U], sh *shard, u user, _ []byte) {
		sh.know(&u) // recording for others may have moved history and entry, or made the key known
		r.Shown = sh.show(strategy, &u, now, r.Candidates, r.Limit, r.Shown)
	})
}

// A service answers a request of a user whose shard is locked, and whose history that was before any was served.
type service[U User] func(r *Request[U], sh *shard, u user, history []byte)

// all serves requests, as many together as may be.
func (s *Store[U]) all(now Timestamp, requests []Request[U], serve service[U]) {
	for len(requests) > 0 {
		n, sum := 1, len(requests[0].Candidates)
		for ; n < min(together, len(requests)); n++ {
			if sum += len(requests[n].Candidates); sum > longest {
				break
			}
		}
		s.together(now, requests[:n], serve)
		requests = requests[n:]
	}
}

// together serves requests under the locks of their shards.
func (s *Store[U]) together(now Timestamp, requests []Request[U], serve service[U]) {
	var (
		users  [together]user
		of     [together]*shard
		locked [together]uint32
	)
	n := len(requests)
	shards := locked[:0]
	for i := range requests {
		of[i], users[i] = s.place(s.mustKey(requests[i].User))
		shards = append(shards, of[i].number)
	}
	slices.Sort(shards)
	shards = slices.Compact(shards)
	for _, i := range shards {
		s.shards[i].mu.Lock()
	}
	defer func() {
		for _, i := range shards {
			s.shards[i].mu.Unlock()
		}
		runtime.KeepAlive(s)
	}()

	// Nothing in these loops depends on the iteration before, so that the processor overlaps the misses.
	var touched byte
	for i, sh := range of[:n] {
		if sh.closed {
			panic(afterClose)
		}
		sh.ask(&users[i])
	}
	var histories [together][]byte
	for i, sh := range of[:n] {
		histories[i] = sh.likely(&users[i])
	}
	for _, h := range histories[:n] {
		if len(h) > 0 {
			touched += h[0] + h[len(h)-1] // brings the pages' addresses too, as prefetch may not
		}
	}
	for i, sh := range of[:n] {
		sh.know(&users[i])
	}
	if s.idle != 0 { // dropping an expired history moves others, and entries: first all that have expired go
		dropped := false
		for i, sh := range of[:n] {
			if dropped {
				sh.know(&users[i])
			}
			dropped = sh.expire(&users[i], now) || dropped
		}
		for i := 0; dropped && i < n; i++ {
			of[i].know(&users[i])
		}
	}
	for i, sh := range of[:n] {
		histories[i] = sh.block(&users[i])
	}
	runtime.KeepAlive(touched)
	for _, h := range histories[:min(ahead, n)] {
		prefetchAll(h)
	}
	for i := range requests {
		if i+ahead < n {
			prefetchAll(histories[i+ahead])
		}
		serve(&requests[i], of[i], users[i], histories[i])
	}
}

func prefetchAll(history []byte) {
	if len(history) > 0 {
		// As many lines, and one more, as it may begin anywhere in its first.
		prefetch(unsafe.Pointer(unsafe.SliceData(history)), (len(history)-1)/64+2)
	}
}
