package store

import (
	"slices"
	"unsafe"

	"dejavu/internal/garbage"
	"dejavu/strategies"
)

// A Request is one user's request to SeenAll or ShowAll.
type Request[U User] struct {
	User       U
	Candidates []strategies.ID
	Seen       []bool // SeenAll appends whether the user has seen each candidate
	Limit      int    // for ShowAll: the most articles to show
	Shown      []int  // ShowAll appends the positions of the articles shown
}

// together is the most requests answered at a time. A history is prefetched ahead requests before its turn.
const (
	together = 32
	ahead    = 2
)

// SeenAll answers each request as Seen would. Users outside the cache take less than half as long: misses overlap.
func (s *Store[U]) SeenAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	for i := range requests { // before any lock
		requests[i].Seen = slices.Grow(requests[i].Seen, len(requests[i].Candidates))
	}
	s.inTurns(requests, func(r *Request[U]) {
		r.Seen = s.Seen(r.User, now, r.Candidates, r.Seen)
	}, func(r *Request[U], a asked, _ *scratch) {
		n := len(r.Seen)
		r.Seen = r.Seen[:n+len(a.mixed)]
		a.shard.seen(strategy, a.shard.history(&a.user, now), a.mixed, r.Seen[n:])
	})
}

// ShowAll handles requests of several users at time now, as Show would one after the other.
func (s *Store[U]) ShowAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	s.inTurns(requests, func(r *Request[U]) {
		r.Shown = s.Show(r.User, now, r.Candidates, r.Limit, r.Shown)
	}, func(r *Request[U], a asked, w *scratch) {
		r.Shown = a.shard.show(strategy, &a.user, now, a.mixed, r.Limit, w, 0, nil, r.Shown)
	})
}

// inTurns handles requests, together if they fit a scratch, and alone if they are too long.
func (s *Store[U]) inTurns(requests []Request[U], alone func(*Request[U]), serve func(*Request[U], asked, *scratch)) {
	for len(requests) > 0 {
		n, sum := 1, len(requests[0].Candidates)
		for ; n < min(together, len(requests)); n++ {
			if sum += len(requests[n].Candidates); sum > longest {
				break
			}
		}
		if len(requests[0].Candidates) > longest {
			alone(&requests[0])
		} else {
			s.together(requests[:n], serve)
		}
		requests = requests[n:]
	}
}

type asked struct {
	shard *shard
	user  user
	mixed []strategies.ID
}

// together prefetches the memory for all requests, and then handles each under the lock of its shard.
func (s *Store[U]) together(requests []Request[U], serve func(*Request[U], asked, *scratch)) {
	var room [together]asked
	var blocks [together][]byte
	all := room[:len(requests)]
	w := garbage.Fill(scratches.Get().(*scratch))
	rest := w.salted[:]
	for i := range all {
		a, r := &all[i], &requests[i]
		a.shard, a.user = s.place(s.mustKey(r.User))
		a.mixed = s.salt(rest[:0], a.user.key, r.Candidates)
		rest = rest[len(r.Candidates):]
		a.shard.lock()
		a.shard.prefetchEntry(&a.user)
		a.shard.mu.Unlock()
	}
	for i := range all {
		a := &all[i]
		a.shard.lock()
		blocks[i] = a.shard.likelyBlock(&a.user)
		a.shard.mu.Unlock()
		if h := blocks[i]; len(h) > 0 {
			prefetch(unsafe.Pointer(&h[0]), 1)
			prefetch(unsafe.Pointer(&h[len(h)-1]), 1)
		}
	}
	for i := range min(ahead, len(all)) {
		prefetchAll(blocks[i])
	}
	for i := range all {
		if i+ahead < len(all) {
			prefetchAll(blocks[i+ahead])
		}
		s.serve(&requests[i], all[i], w, serve)
	}
	scratches.Put(w)
}

func (s *Store[U]) serve(r *Request[U], a asked, w *scratch, serve func(*Request[U], asked, *scratch)) {
	a.shard.lock()
	defer s.leave(a.shard)
	a.shard.lookUp(&a.user, false)
	serve(r, a, w)
}

func prefetchAll(history []byte) {
	if len(history) > 0 {
		// One line more: the history may begin anywhere in its first.
		prefetch(unsafe.Pointer(unsafe.SliceData(history)), (len(history)-1)/64+2)
	}
}
