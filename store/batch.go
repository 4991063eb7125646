package store

import (
	"runtime"
	"slices"
	"unsafe"

	"dejavu/strategies"
)

// A Request asks which of the candidates one user has seen; Seen has their length.
type Request[U User] struct {
	User       U
	Candidates []strategies.ID
	Seen       []bool
}

// A ShowRequest asks for articles to show one user: those that Store.Show appends to Shown.
type ShowRequest[U User] struct {
	User       U
	Candidates []strategies.ID
	Limit      int
	Shown      []strategies.ID
}

// together is how many requests are answered at a time; ahead, how many before its turn the whole of a
// history is asked for: it has come by then, and lies in the nearest cache still.
const (
	together = 32
	ahead    = 2
	// longest bounds the candidates of requests together: no lock is held longer than for one long request.
	longest = 4000
)

// SeenAll answers requests of several users at time now, as Seen would one after the other. Users whose
// histories lie in no cache cost less than half so: the misses of many requests are under way at once. It
// locks the shards of up to 32 requests at a time, of up to 4000 candidates in all.
func (s *Store[U]) SeenAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	who := func(i int) (U, int) { return requests[i].User, len(requests[i].Candidates) }
	s.all(now, len(requests), who, func(i int, sh *shard, u user, history []byte) {
		r := &requests[i]
		sh.seen(strategy, history, sh.mix(&u, r.Candidates), r.Seen)
	})
}

// ShowAll serves requests of several users at time now, as Show would one after the other.
func (s *Store[U]) ShowAll(now Timestamp, requests []ShowRequest[U]) {
	strategy := s.on(now)
	who := func(i int) (U, int) { return requests[i].User, len(requests[i].Candidates) }
	s.all(now, len(requests), who, func(i int, sh *shard, u user, _ []byte) {
		sh.know(&u) // recording for others may have moved the history, or made the key known
		r := &requests[i]
		r.Shown = sh.show(strategy, &u, now, r.Candidates, r.Limit, r.Shown)
	})
}

// all serves n requests, as many together as may be; who is a request's user and candidates.
func (s *Store[U]) all(now Timestamp, n int, who func(i int) (U, int), serve service) {
	for from, to := 0, 0; from < n; from = to {
		for sum := 0; to < min(n, from+together); to++ {
			_, candidates := who(to)
			if sum += candidates; sum > longest && to > from {
				break
			}
		}
		s.together(now, from, to, who, serve)
	}
}

// A service answers the request numbered i, of a user whose shard is locked and whose history that was when
// all shards were locked and nothing was served yet.
type service func(i int, sh *shard, u user, history []byte)

// together serves the requests from one on and before another under the locks of their shards.
func (s *Store[U]) together(now Timestamp, from, to int, who func(i int) (U, int), serve service) {
	var (
		users  [together]user
		of     [together]*shard
		locked [together]uint32
	)
	n := to - from
	shards := locked[:0]
	for i := range n {
		name, _ := who(from + i)
		of[i], users[i] = s.place(s.mustKey(name))
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
		sh.know(&users[i])
		if local := users[i].local; local != nobody {
			touched += byte(sh.entry(local).at)
		}
	}
	if s.idle != 0 { // dropping an expired history may move others: first all that have expired go
		for i, sh := range of[:n] {
			sh.expire(&users[i], now)
		}
	}
	var histories [together][]byte
	for i, sh := range of[:n] {
		histories[i] = sh.block(users[i].local)
	}
	for _, h := range histories[:n] {
		if len(h) > 0 {
			touched += h[0] + h[len(h)-1] // brings the pages' addresses too, as prefetch may not
		}
	}
	runtime.KeepAlive(touched)

	for _, h := range histories[:min(ahead, n)] {
		prefetchAll(h)
	}
	for i := range n {
		if i+ahead < n {
			prefetchAll(histories[i+ahead])
		}
		serve(from+i, of[i], users[i], histories[i])
	}
}

func prefetchAll(history []byte) {
	if len(history) > 0 {
		// As many lines, and one more, as it may begin anywhere in its first.
		prefetch(unsafe.Pointer(unsafe.SliceData(history)), (len(history)-1)/64+2)
	}
}
