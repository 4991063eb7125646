package store

import "dejavu/strategies"

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
		last = sh.entry(u.local).last
	}
	h = sh.room(h)
	articles = sh.mix(&u, articles)
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
	if u.local != nobody {
		sh.entry(u.local).last = last
	}
}
