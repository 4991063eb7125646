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
	Seen       []bool          // of SeenAll: which of the candidates the user has seen, as many
	Limit      int             // of ShowAll: how many are shown at most
	Shown      []strategies.ID // of ShowAll, which appends to it
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
	s.all(now, requests, func(r *Request[U], sh *shard, u user, history []byte) {
		sh.seen(strategy, history, sh.mix(&u, r.Candidates), r.Seen)
	})
}

// ShowAll serves requests of several users at time now, as Show would one after the other.
func (s *Store[U]) ShowAll(now Timestamp, requests []Request[U]) {
	strategy := s.on(now)
	s.all(now, requests, func(r *Request[U], sh *shard, u user, _ []byte) {
		sh.know(&u) // recording for others may have moved the history, or made the key known
		r.Shown = sh.show(strategy, &u, now, r.Candidates, r.Limit, r.Shown)
	})
}

// A service answers a request of a user whose shard is locked, and whose history that was when all shards were locked
// and nothing was served yet.
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
