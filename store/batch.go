package store

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"dejavu/strategies"
)

// A Request asks which of the candidates one user has seen. Seen is set as by
// Store.Seen, and has the length of Candidates.
type Request struct {
	User       int
	Candidates []strategies.ID
	Seen       []bool
}

// together is how many requests SeenAll answers at a time, under the locks of
// their shards; ahead, how many requests before its turn the whole of a history
// is asked for: far enough that it has come by then, and near enough to lie in
// the nearest cache still.
const (
	together = 32
	ahead    = 2

	// longest bounds the candidates of requests answered together, so that no
	// lock is held for longer than one long request takes.
	longest = 4000
)

// lineBytes is the memory that a miss brings.
const lineBytes = 64

// SeenAll answers requests of several users at time now, as Seen would one
// after the other. Users whose histories lie in no cache cost less than half
// so: the misses of many requests are under way at once, and behind the
// arithmetic of others. It locks the shards of up to 32 requests at a time, in
// ascending order, of up to 4000 candidates in all.
func (s *Store) SeenAll(now Timestamp, requests []Request) {
	for len(requests) > 0 {
		n, candidates := 1, len(requests[0].Candidates)
		for n < min(len(requests), together) {
			if candidates += len(requests[n].Candidates); candidates > longest {
				break
			}
			n++
		}
		s.seenTogether(now, requests[:n])
		requests = requests[n:]
	}
}

func (s *Store) seenTogether(now Timestamp, requests []Request) {
	var locked [together]uint32
	shards := locked[:0]
	n := uint32(len(s.shards))
	for _, r := range requests {
		if uint(r.User) >= uint(s.users) {
			panic(fmt.Sprintf("store: user %d is out of range 0 to %d", r.User, s.users-1))
		}
		shards = append(shards, uint32(r.User)%n)
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

	// Each of these loops waits for one kind of memory: nothing in it depends on
	// the iteration before, so that the processor overlaps the misses.
	var touched byte
	for _, r := range requests {
		sh, local := s.at(uint32(r.User))
		touched += byte(sh.words[local].at)
	}
	// Dropping an expired history may move others, so all that have expired go
	// before anyone looks where the others lie.
	if s.idle != 0 {
		for _, r := range requests {
			sh, local := s.at(uint32(r.User))
			sh.history(local, now)
		}
	}
	var histories [together][]byte
	for i, r := range requests {
		sh, local := s.at(uint32(r.User))
		histories[i] = sh.block(local)
	}
	for _, h := range histories[:len(requests)] {
		if len(h) > 0 {
			touched += h[0] + h[len(h)-1] // brings the pages' addresses too, as prefetch may not
		}
	}
	runtime.KeepAlive(touched)

	for _, h := range histories[:min(ahead, len(requests))] {
		prefetchAll(h)
	}
	for i, r := range requests {
		if i+ahead < len(requests) {
			prefetchAll(histories[i+ahead])
		}
		s.strategy.Seen(histories[i], r.Candidates, r.Seen)
	}
}

func prefetchAll(history []byte) {
	if len(history) > 0 {
		// One line more, as it may begin anywhere in its first.
		prefetch(unsafe.Pointer(unsafe.SliceData(history)), (len(history)-1)/lineBytes+2)
	}
}
