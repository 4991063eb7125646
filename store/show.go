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

// longest is the most candidates that are handled under one lock. A longer request is handled in pieces.
const longest = 4000

// A scratch holds the temporary data for one piece, 84 KB.
type scratch struct {
	salted, shown [longest]strategies.ID
	seen          [longest]bool
	table         [2 * 4096]uint16 // for choose
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

type counts struct{ asked, hits, recorded, expired int64 }

// on returns the strategy for time now, which differs by day if it is dated.
func (s *Store[U]) on(now Timestamp) strategies.Strategy {
	if s.dated == nil {
		return s.strategy
	}
	day := int(now / Day)
	if t := s.today.Load(); t.day == day {
		return t.Strategy
	}
	t := &today{day, s.dated.On(day)}
	if day > s.today.Load().day { // not a late request from yesterday
		s.today.Store(t)
	}
	return t.Strategy
}

type today struct {
	day int
	strategies.Strategy
}

// scratch returns a scratch for mix, or nil if articles are not salted.
func (s *shared) scratch() *scratch {
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

// mix returns a user's articles as the strategy sees them, salted or not. They are valid until the next call.
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
	if u.entry != nil && (len(h) == 0 || now > u.last) { // a newcomer's u.last is meaningless
		u.last = now
	}
}

// stage returns a copy of a user's block with capacity for the longest history, or block itself if it is the longest.
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

// show handles a piece of a request, which begins with candidate from. It shows nothing that is in before.
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

// choose copies the first unseen articles into shown, up to limit, none twice, and appends their positions to dst. A
// hash table with linear probing maps an article to 1 + its index in shown.
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
// and appends their positions among the candidates to dst. A candidate that occurs twice is shown once. Each 4000
// candidates are one atomic step. Show does not allocate for up to 4000 if dst has capacity.
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

// Seen appends to dst, for each candidate, whether the user's history remembers it at time now. It does not reset the
// idle timer. To show what is unseen, use Show: another request may come between Seen and Record.
func (s *Store[U]) Seen(user U, now Timestamp, candidates []strategies.ID, dst []bool) []bool {
	key, w, n := s.mustKey(user), s.scratch(), len(dst)
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
// deliver an event twice, call Show with its articles and their number as limit: it records only unseen ones.
func (s *Store[U]) Record(user U, now Timestamp, shown []strategies.ID) {
	if len(shown) == 0 {
		return
	}
	key, w := s.mustKey(user), s.scratch()
	defer w.free()
	mixed := s.mix(w, key, shown)
	sh, u := s.enter(key)
	defer s.leave(sh)
	sh.record(s.on(now), &u, now, mixed)
}

// Delete removes one recording of each article. It returns an error if the strategy is not a strategies.Deleter.
func (s *Store[U]) Delete(user U, now Timestamp, articles []strategies.ID) error {
	strategy := s.on(now)
	deleter, ok := strategy.(strategies.Deleter)
	if !ok {
		return fmt.Errorf("store: %T cannot delete: it is not a strategies.Deleter", strategy)
	}
	key, w := s.mustKey(user), s.scratch()
	defer w.free()
	mixed := s.mix(w, key, articles)
	sh, u := s.enter(key)
	defer s.leave(sh)
	if h := sh.history(&u, now); len(h) > 0 {
		sh.mustReplace(&u, h, deleter.Delete(sh.stage(h), mixed), strategy, "Delete")
	}
	return nil
}
