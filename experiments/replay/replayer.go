package replay

import (
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
)

// A replayer replays some users' requests. One goroutine uses it.
type replayer struct {
	Config
	memories []*memory
	counts   []Counts

	// The past of each user: one for all strategies, or with Passed one for each,
	// side by side. The lanes of truth are where in it an article was last
	// recorded, from 1, and when.
	truth *deal.Exact
	pasts []past
	hits  []uint32 // by user and strategy

	// Scratch: of a hand, or with Passed of a request.
	heard []heard
	ages  []uint32
	since []uint8 // the ranges of the times since, by deal.ElapsedBin
	lanes [][]uint32
	seen  []bool
	shown []strategies.ID
}

// A past is what one user was shown.
type past struct {
	shown, fresh uint32          // articles recorded; candidates that were fresh
	held         uint32          // recorded since the history was last empty
	distinct     uint32          // of these, repeats of one another left out
	last         store.Timestamp // and when
}

// A heard is one request of the hand, and what its user's past was before it.
type heard struct {
	deal.Request
	shown, held, distinct uint32
}

// hear is the request to a user of that past.
func (p *past) hear(q deal.Request) heard { return heard{q, p.shown, p.held, p.distinct} }

// isNew is whether an article of that age, 0 for none, is none of those held.
func (p *past) isNew(age uint32) bool { return age == 0 || age > p.held }

// since is the range of the time from one showing to the next.
func since(from, to store.Timestamp) uint8 {
	if to < from { // the clock went backwards
		return 0
	}
	return uint8(deal.ElapsedBin(int(to - from)))
}

func newReplayer(subjects []measure.Subject, r Config, arena *store.Arena) *replayer {
	w := &replayer{Config: r, truth: deal.NewExact(2)}
	if r.Passed {
		w.truth = deal.NewExact(2 * len(subjects))
	}
	for _, s := range subjects {
		w.memories = append(w.memories, newMemory(s, r.Idle, arena))
		w.counts = append(w.counts, newCounts())
	}
	return w
}

// expire begins a history anew that has expired by now, as the store does.
func (p *past) expire(at, idle store.Timestamp) {
	if idle > 0 && p.held > 0 && at >= p.last && at-p.last >= idle {
		p.held, p.distinct = 0, 0
	}
}

// record counts articles recorded, and how many of them were none of those held.
func (p *past) record(n, distinct int, at store.Timestamp) {
	if n == 0 {
		return
	}
	if p.held == 0 || at > p.last {
		p.last = at
	}
	p.shown += uint32(n)
	p.held += uint32(n)
	p.distinct += uint32(distinct)
}

// replay replays a hand.
func (w *replayer) replay(h *deal.Hand) {
	if w.Passed {
		w.replayPassed(h)
		return
	}
	// The truth first, once for all strategies.
	w.heard, w.ages, w.since = w.heard[:0], w.ages[:0], w.since[:0]
	ids := h.IDs
	for _, q := range h.Requests {
		w.meet(int(q.User))
		p := &w.pasts[q.User]
		p.expire(q.At, w.Idle)
		table := w.truth.Open(int(q.User), int(q.N))
		distinct := 0
		for i, id := range ids[:q.N] {
			age, lanes := table.Show(id, p.shown, p.shown+uint32(i)+1)
			if age == 0 {
				p.fresh++
			}
			if p.isNew(age) {
				distinct++
			}
			w.ages = append(w.ages, age)
			w.since = append(w.since, since(store.Timestamp(lanes[1]), q.At))
			lanes[1] = uint32(q.At)
		}
		ids = ids[q.N:]
		w.heard = append(w.heard, p.hear(q))
		p.record(int(q.N), distinct, q.At)
	}
	for i, m := range w.memories {
		ids, ages, since := h.IDs, w.ages, w.since
		for _, q := range w.heard {
			n := q.N
			seen := w.answers(int(n))
			hits := w.ask(i, m, q, ids[:n], ages[:n], since[:n], seen)
			w.hits[int(q.User)*len(w.memories)+i] += uint32(hits)
			c := &w.counts[i]
			for j, age := range ages[:n] {
				if age > 0 && !seen[j] {
					c.Repeats++
				}
			}
			m.record(q.Request, ids[:n])
			ids, ages, since = ids[n:], ages[n:], since[n:]
		}
	}
}

// replayPassed replays a hand in which each strategy has a past of its own.
func (w *replayer) replayPassed(h *deal.Hand) {
	ids := h.IDs
	strategies := len(w.memories)
	for _, q := range h.Requests {
		w.meet(int(q.User))
		table := w.truth.Open(int(q.User), int(q.N))
		candidates := ids[:q.N]
		ids = ids[q.N:]
		w.lanes = w.lanes[:0]
		for _, id := range candidates {
			lanes, _ := table.Find(id)
			w.lanes = append(w.lanes, lanes)
		}
		seen := w.answers(len(candidates))
		for i, m := range w.memories {
			p := &w.pasts[int(q.User)*strategies+i]
			p.expire(q.At, w.Idle)
			w.ages, w.since = w.ages[:0], w.since[:0]
			for _, lanes := range w.lanes {
				age := uint32(0)
				if at := deal.First(lanes[2*i:]); at > 0 {
					age = p.shown - at + 1
				} else {
					p.fresh++
				}
				w.ages = append(w.ages, age)
				w.since = append(w.since, since(store.Timestamp(lanes[2*i+1]), q.At))
			}
			w.hits[int(q.User)*strategies+i] += uint32(w.ask(i, m, p.hear(q), candidates, w.ages, w.since, seen))
			w.shown = w.shown[:0]
			distinct := 0
			for j, seen := range seen {
				if seen || w.Most > 0 && len(w.shown) == w.Most {
					continue
				}
				w.shown = append(w.shown, candidates[j])
				deal.SetFirst(w.lanes[j][2*i:], p.shown+uint32(len(w.shown)))
				w.lanes[j][2*i+1] = uint32(q.At)
				if w.ages[j] > 0 {
					w.counts[i].Repeats++
				}
				if p.isNew(w.ages[j]) {
					distinct++
				}
			}
			p.record(len(w.shown), distinct, q.At)
			m.record(q, w.shown)
		}
	}
}

// meet makes room for a user.
func (w *replayer) meet(user int) {
	n := len(w.memories)
	for len(w.hits) <= user*n {
		w.hits = append(w.hits, make([]uint32, n)...)
		if w.Passed {
			w.pasts = append(w.pasts, make([]past, n)...)
		} else {
			w.pasts = append(w.pasts, past{})
		}
	}
}

func (w *replayer) answers(n int) []bool {
	if n > len(w.seen) {
		w.seen = make([]bool, 2*n)
	}
	return w.seen[:n]
}

// ask puts a request to a history and counts the answers; hits are the fresh ones
// that were false positives.
func (w *replayer) ask(i int, m *memory, q heard, ids []strategies.ID, ages []uint32, since []uint8, seen []bool) (hits int) {
	m.seen(q.Request, ids, seen)
	c := &w.counts[i]
	c.Requests++
	fresh := 0
	for j, age := range ages {
		if age == 0 {
			fresh++
			c.Articles.Add(ids[j], seen[j])
			if seen[j] {
				hits++
			}
			continue
		}
		c.repeat(m, q, int(age), int(since[j]), seen[j])
	}
	held := min(q.held, measure.HeldMost)
	c.FreshByHeld[held] += int64(fresh)
	c.FreshByDistinct[min(q.distinct, measure.HeldMost)] += int64(fresh)
	c.HitsByHeld[held] += int64(hits)
	return hits
}

// finish counts users and histories at the end.
func (w *replayer) finish(end store.Timestamp) {
	n := len(w.memories)
	for i, m := range w.memories {
		m.forget(end)
		c := &w.counts[i]
		for user := range len(w.hits) / n {
			at := user
			if w.Passed {
				at = user*n + i
			}
			p := w.pasts[at]
			if p.fresh == 0 { // another of the log's users, to whom nothing was put here
				continue
			}
			l := measure.Life{
				Shown: int(p.shown), Fresh: int(p.fresh), Hits: int(w.hits[user*n+i]),
				Held: int(p.held), Bytes: m.size(user, end),
			}
			if l.Bytes == 0 {
				l.Held = 0
			} else {
				c.Alive++
				c.Payload += int64(l.Bytes)
			}
			c.Count(l)
		}
	}
}

// close gives all memory back.
func (w *replayer) close() {
	for _, m := range w.memories {
		m.clear()
	}
}
