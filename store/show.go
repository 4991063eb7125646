package store

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"unsafe"

	"dejavu/internal/garbage"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// longest is the most candidates that are served under one lock. A longer request is served in pieces.
const longest = 4000

// A scratch has room for one piece of a request, 84 KB.
type scratch struct {
	salted, shown [longest]strategies.ID
	seen          [longest]bool
	table         [2 * 4096]uint16 // for choose
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

type counts struct{ asked, hits, recorded, expired int64 }

// on returns the strategy at a time. A dated strategy is the one of that day.
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

// room returns a scratch for mix, or nil if articles are not mixed.
func (s *shared) room() *scratch {
	if s.salted {
		return garbage.Fill(scratches.Get().(*scratch))
	}
	return nil
}

func (w *scratch) free() {
	if w != nil {
		scratches.Put(w)
	}
}

// mix returns a user's articles as the strategy sees them: mixed, in the scratch until the next call, or unchanged.
func (s *shared) mix(w *scratch, key uint64, articles []strategies.ID) []strategies.ID {
	if w == nil {
		return articles
	}
	return s.salt(w.salted[:0], key, articles)
}

func (s *shared) salt(dst []strategies.ID, key uint64, articles []strategies.ID) []strategies.ID {
	if s.salted {
		return s.secret.Salt(key).Append(dst, articles)
	}
	return articles
}

func (sh *shard) seen(s strategies.Strategy, history []byte, articles []strategies.ID, seen []bool) {
	s.Seen(history, articles, seen)
	sh.counts.asked += int64(len(articles))
	sh.counts.hits += trues(seen)
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
	sh.mustReplace(u, h, s.Record(sh.stage(h), articles), s, "Record")
	sh.counts.recorded += int64(len(articles))
	if u.entry != nil && (len(h) == 0 || now > u.last) { // a newcomer's last may be of a history long gone
		u.last = now
	}
}

// stage returns a copy of a user's block if the history can grow, as there is no room behind a block.
func (sh *shard) stage(block []byte) []byte {
	if len(block) < len(sh.staging) {
		garbage.Fill(&sh.staging)
		return sh.staging[:copy(sh.staging, block)]
	}
	return block
}

func (sh *shard) mustReplace(u *user, old, history []byte, s strategies.Strategy, method string) {
	if !sh.replace(u, old, history) {
		panic(fmt.Sprintf("store: %T.%s returned a history of %d bytes, want 0 or one of its Sizes %v",
			s, method, len(history), s.Sizes()))
	}
}

// show serves a piece of a request that begins with candidate from. It shows nothing in before again.
func (sh *shard) show(
	s strategies.Strategy, u *user, now Timestamp, mixed []strategies.ID, limit int, w *scratch, from int,
	before map[strategies.ID]bool, dst []int,
) []int {
	if limit < 1 || len(mixed) == 0 {
		return dst
	}
	sh.seen(s, sh.history(u, now), mixed, w.seen[:len(mixed)])
	if len(before) > 0 {
		for i, id := range mixed {
			w.seen[i] = w.seen[i] || before[id]
		}
	}
	n, dst := w.choose(mixed, limit, from, dst)
	if n > 0 {
		sh.record(s, u, now, w.shown[:n])
	}
	return dst
}

// choose copies the first articles not seen into shown, up to limit, none of them twice, and appends their positions
// to dst. A hash table with linear probing holds the articles' places in shown, from 1 on.
func (w *scratch) choose(mixed []strategies.ID, limit, from int, dst []int) (n int, _ []int) {
	limit = min(limit, len(mixed))
	table := w.table[:1<<bits.Len(uint(2*limit-1))]
	clear(table)
next:
	for i, id := range mixed {
		if w.seen[i] {
			continue
		}
		slot := int(mix.Mix(uint64(id)) & uint64(len(table)-1))
		for ; table[slot] != 0; slot = (slot + 1) & (len(table) - 1) {
			if w.shown[table[slot]-1] == id {
				continue next
			}
		}
		w.shown[n] = id
		n++
		table[slot] = uint16(n)
		if dst = append(dst, from+i); n == limit {
			break
		}
	}
	return n, dst
}

// Show chooses the first of the candidates, up to limit, that the user has not seen, records them as shown at time now,
// and appends their positions among the candidates to dst. An article that is named twice is shown once.
//
// Up to 4000 candidates are one step, without an allocation if dst has room. More go in pieces of 4000, one step each.
func (s *Store[U]) Show(user U, now Timestamp, candidates []strategies.ID, limit int, dst []int) []int {
	key, w := s.mustKey(user), garbage.Fill(scratches.Get().(*scratch))
	begun := len(dst)
	var before map[strategies.ID]bool // mixed articles that earlier pieces have shown
	for from := 0; from < len(candidates) && len(dst)-begun < limit; from += longest {
		mixed := s.salt(w.salted[:0], key, candidates[from:min(from+longest, len(candidates))])
		n := len(dst)
		dst = s.showPiece(key, now, mixed, limit-(n-begun), w, from, before, dst)
		if from+longest < len(candidates) {
			if before == nil {
				before = map[strategies.ID]bool{}
			}
			for _, id := range w.shown[:len(dst)-n] {
				before[id] = true
			}
		}
	}
	scratches.Put(w)
	return dst
}

func (s *Store[U]) showPiece(
	key uint64, now Timestamp, mixed []strategies.ID, limit int, w *scratch, from int,
	before map[strategies.ID]bool, dst []int,
) []int {
	sh, u := s.enter(key)
	defer s.leave(sh)
	return sh.show(s.on(now), &u, now, mixed, limit, w, from, before, dst)
}

// Seen appends to dst, for each of the candidates, whether the user's history remembers it at time now. It does not
// reset the idle timer. To show what is not seen, use Show: another request may come between Seen and Record.
func (s *Store[U]) Seen(user U, now Timestamp, candidates []strategies.ID, dst []bool) []bool {
	key, w, n := s.mustKey(user), s.room(), len(dst)
	dst = slices.Grow(dst, len(candidates))[:n+len(candidates)]
	for more := true; more; more = len(candidates) > 0 {
		some := candidates[:min(longest, len(candidates))]
		s.seenPiece(key, now, s.mix(w, key, some), dst[n:n+len(some)])
		candidates, n = candidates[len(some):], n+len(some)
	}
	w.free()
	return dst
}

func (s *Store[U]) seenPiece(key uint64, now Timestamp, mixed []strategies.ID, seen []bool) {
	sh, u := s.enter(key)
	defer s.leave(sh)
	sh.seen(s.on(now), sh.history(&u, now), mixed, seen)
}

// Record adds the articles just shown, oldest first, at time now, in one step. It panics if the strategy returns a
// history whose length is not one of its Sizes.
//
// Repeats use up the window: of 500 articles recorded twice in a row, a window of 500 keeps 250. If a stream may
// deliver an event twice, call Show with its articles and their number as limit: it records what is not recognised.
func (s *Store[U]) Record(user U, now Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	key, w := s.mustKey(user), s.room()
	defer w.free()
	mixed := s.mix(w, key, shown)
	sh, u := s.enter(key)
	defer s.leave(sh)
	sh.record(s.on(now), &u, now, mixed)
}

// Delete removes one recording of each of the articles (strategies.Deleter), or fails if the strategy cannot.
func (s *Store[U]) Delete(user U, now Timestamp, articles []strategies.ID) error {
	strategy := s.on(now)
	deleter, ok := strategy.(strategies.Deleter)
	if !ok {
		return fmt.Errorf("store: %T cannot delete: it is not a strategies.Deleter", strategy)
	}
	key, w := s.mustKey(user), s.room()
	defer w.free()
	mixed := s.mix(w, key, articles)
	sh, u := s.enter(key)
	defer s.leave(sh)
	if h := sh.history(&u, now); len(h) > 0 {
		sh.mustReplace(&u, h, deleter.Delete(sh.stage(h), mixed), strategy, "Delete")
	}
	return nil
}
