package store

import (
	"runtime"
	"slices"
	"unsafe"

	"dejavu/strategies"
)

// A Request is one of several of different users.
type Request[U User] struct {
	User       U
	Candidates []strategies.ID
	Seen       []bool // of SeenAll, which appends to it: which of the candidates the user has seen
	Limit      int    // of ShowAll: how many are shown at most
	Shown      []int  // of ShowAll, which appends to it: the positions of those shown
}

// together is how many requests are answered at a time; ahead, how many before its turn the whole of a
// history is asked for: it has come by then, and lies in the nearest cache still.
const (
	together = 32
	ahead    = 2
)

// SeenAll answers requests of several users at time now, as Seen would one after the other. Users whose
// histories lie in no cache cost less than half so: the misses of many requests are under way at once. It
// locks the shards of up to 32 requests at a time, of up to 4000 candidates in all.
func (s *Store[U]) SeenAll(now Timestamp, requests []Request[U]) {
	now = s.clock.read(now)
	strategy := s.on(now)
	for len(requests) > 0 {
		n := atOnce(requests)
		for i := range requests[:n] { // under no lock
			r := &requests[i]
			r.Seen = slices.Grow(r.Seen, len(r.Candidates))
		}
		if r := &requests[0]; len(r.Candidates) > longest {
			r.Seen = s.seen(s.mustKey(r.User), now, r.Candidates, r.Seen)
		} else {
			s.together(now, requests[:n], func(r *Request[U], a asked, _ *scratch) {
				n := len(r.Seen)
				r.Seen = r.Seen[:n+len(a.mixed)]
				a.shard.seen(strategy, a.history, a.mixed, r.Seen[n:])
			})
		}
		requests = requests[n:]
	}
}

// ShowAll serves requests of several users at time now, as Show would one after the other.
func (s *Store[U]) ShowAll(now Timestamp, requests []Request[U]) {
	now = s.clock.read(now)
	strategy := s.on(now)
	for len(requests) > 0 {
		n := atOnce(requests)
		if r := &requests[0]; len(r.Candidates) > longest {
			r.Shown = s.show(s.mustKey(r.User), now, r.Candidates, r.Limit, r.Shown)
		} else {
			s.together(now, requests[:n], func(r *Request[U], a asked, w *scratch) {
				a.shard.know(&a.user, false) // others' may have moved history and entry, or made the key known
				r.Shown = a.shard.show(strategy, &a.user, now, a.mixed, r.Limit, w, 0, r.Shown)
			})
		}
		requests = requests[n:]
	}
}

// atOnce is how many requests, from the first on, are served together: one that is longer than may be is alone.
func atOnce[U User](requests []Request[U]) int {
	n, sum := 1, len(requests[0].Candidates)
	for ; n < min(together, len(requests)); n++ {
		if sum += len(requests[n].Candidates); sum > longest {
			break
		}
	}
	return n
}

// An asked is a request of several whose shards are locked.
type asked struct {
	shard   *shard
	user    user
	mixed   []strategies.ID
	history []byte // before any of the requests is served
}

// together serves requests under the locks of their shards.
func (s *Store[U]) together(now Timestamp, requests []Request[U], serve func(*Request[U], asked, *scratch)) {
	var (
		room   [together]asked
		locked [together]uint32
	)
	all, shards := room[:len(requests)], locked[:0]
	w := scratches.Get().(*scratch)
	rest := w.salted[:]
	for i := range all {
		a, r := &all[i], &requests[i]
		a.shard, a.user = s.place(s.mustKey(r.User))
		a.mixed = s.salt(rest[:0], a.user.key, r.Candidates)
		rest = rest[len(r.Candidates):]
		shards = append(shards, a.shard.number)
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
	for i := range all {
		a := &all[i]
		if a.shard.closed {
			panic(afterClose)
		}
		a.shard.ask(&a.user)
	}
	for i := range all {
		all[i].history = all[i].shard.likely(&all[i].user)
	}
	for i := range all {
		if h := all[i].history; len(h) > 0 {
			touched += h[0] + h[len(h)-1] // brings the pages' addresses too, as prefetch may not
		}
	}
	for i := range all {
		all[i].shard.know(&all[i].user, false)
	}
	if s.idle != 0 { // dropping an expired history moves others, and entries: first all that have expired go
		dropped := false
		for i := range all {
			if dropped {
				all[i].shard.know(&all[i].user, false)
			}
			dropped = all[i].shard.expire(&all[i].user, now) || dropped
		}
		for i := 0; dropped && i < len(all); i++ {
			all[i].shard.know(&all[i].user, false)
		}
	}
	for i := range all {
		all[i].history = all[i].shard.block(&all[i].user)
	}
	runtime.KeepAlive(touched)
	for i := range min(ahead, len(all)) {
		prefetchAll(all[i].history)
	}
	for i := range requests {
		if i+ahead < len(all) {
			prefetchAll(all[i+ahead].history)
		}
		serve(&requests[i], all[i], w)
	}
	scratches.Put(w)
}

func prefetchAll(history []byte) {
	if len(history) > 0 {
		// As many lines, and one more, as it may begin anywhere in its first.
		prefetch(unsafe.Pointer(unsafe.SliceData(history)), (len(history)-1)/64+2)
	}
}
