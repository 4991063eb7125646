package partition

import (
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
)

// A call is a request's number and its user's.
type call struct{ user, request uint64 }

// An answered call, and where the log has it.
type answered struct {
	call
	at       log.Offset
	time     store.Timestamp
	articles []strategies.ID
}

// RetryAge is for how many seconds a call is remembered at most: what is older does not
// keep the log from being trimmed.
const RetryAge store.Timestamp = 600

// retries remembers the last calls that were answered, so that one that comes again,
// because its answer was lost, gets the same. It follows from the log alone.
type retries struct {
	ring  []answered
	next  int // of the ring
	where map[call]int
}

func newRetries(limit int) retries {
	return retries{ring: make([]answered, 0, limit), where: map[call]int{}}
}

// find is what a call was answered.
func (r *retries) find(user, request uint64) (articles []strategies.ID, known bool) {
	i, known := r.where[call{user, request}]
	if !known || request == 0 {
		return nil, false
	}
	return r.ring[i].articles, true
}

// add remembers a call, in the place of the oldest.
func (r *retries) add(user, request uint64, at log.Offset, now store.Timestamp, articles []strategies.ID) {
	if request == 0 || cap(r.ring) == 0 {
		return
	}
	if len(r.ring) < cap(r.ring) {
		r.ring = append(r.ring, answered{})
	} else if old := r.ring[r.next].call; r.where[old] == r.next {
		delete(r.where, old)
	}
	a := &r.ring[r.next]
	a.call, a.at, a.time, a.articles = call{user, request}, at, now, append(a.articles[:0], articles...)
	r.where[a.call] = r.next
	r.next = (r.next + 1) % cap(r.ring)
}

// from is the offset of the oldest call to be remembered at a time, or otherwise, where there is none.
func (r *retries) from(now store.Timestamp, otherwise log.Offset) log.Offset {
	oldest := 0
	if len(r.ring) == cap(r.ring) {
		oldest = r.next
	}
	for i := range r.ring {
		a := &r.ring[(oldest+i)%len(r.ring)]
		if now-a.time <= RetryAge { // time does not run backwards
			return a.at
		}
	}
	return otherwise
}
