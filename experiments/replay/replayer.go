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
	// recorded, from 1.
	truth *deal.Exact
	pasts []past
	hits  []uint32 // by user and strategy

	// Scratch: of a hand, or with Passed of a request.
	heard []heard
	ages  []uint32
	lanes [][]uint32
	seen  []bool
	shown []strategies.ID
}

// A past is what one user was shown.
type past struct {
	shown, fresh uint32          // articles recorded; candidates that were fresh
	held         uint32          // recorded since the history was last empty
	last         store.Timestamp // and when
}

// A heard is one request of the hand.
type heard struct {
	deal.Request
	held uint32
}

func newReplayer(subjects []measure.Subject, r Config, arena *store.Arena) *replayer {
	w := &replayer{Config: r, truth: deal.NewExact(1)}
	if r.Passed {
		w.truth = deal.NewExact(len(subjects))
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
		p.held = 0
	}
}

// record counts articles recorded.
func (p *past) record(n int, at store.Timestamp) {
	if n == 0 {
		return
	}
	if p.held == 0 || at > p.last {
		p.last = at
	}
	p.shown += uint32(n)
	p.held += uint32(n)
}

// replay replays a hand.
func (w *replayer) replay(h *deal.Hand) {
	if w.Passed {
		w.replayPassed(h)
		return
	}
	// The truth first, once for all strategies.
	w.heard, w.ages = w.heard[:0], w.ages[:0]
	ids := h.IDs
	for _, q := range h.Requests {
		w.meet(int(q.User))
		p := &w.pasts[q.User]
		p.expire(q.At, w.Idle)
		table := w.truth.Open(int(q.User), int(q.N))
		for i, id := range ids[:q.N] {
			age, _ := table.Show(id, p.shown, p.shown+uint32(i)+1)
			if age == 0 {
				p.fresh++
			}
			w.ages = append(w.ages, age)
		}
		ids = ids[q.N:]
		w.heard = append(w.heard, heard{q, p.held})
		p.record(int(q.N), q.At)
	}
	for i, m := range w.memories {
		ids, ages := h.IDs, w.ages
		for _, q := range w.heard {
			n := q.N
			seen := w.answers(int(n))
			hits := w.ask(i, m, q, ids[:n], ages[:n], seen)
			w.hits[int(q.User)*len(w.memories)+i] += uint32(hits)
			c := &w.counts[i]
			for j, age := range ages[:n] {
				if age > 0 && !seen[j] {
					c.Repeats++
				}
			}
			m.record(q.Request, ids[:n])
			ids, ages = ids[n:], ages[n:]
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
			w.ages = w.ages[:0]
			for _, lanes := range w.lanes {
				age := uint32(0)
				if at := deal.First(lanes[i:]); at > 0 {
					age = p.shown - at + 1
				} else {
					p.fresh++
				}
				w.ages = append(w.ages, age)
			}
			w.hits[int(q.User)*strategies+i] += uint32(w.ask(i, m, heard{q, p.held}, candidates, w.ages, seen))
			w.shown = w.shown[:0]
			for j, seen := range seen {
				if seen || w.Most > 0 && len(w.shown) == w.Most {
					continue
				}
				w.shown = append(w.shown, candidates[j])
				deal.SetFirst(w.lanes[j][i:], p.shown+uint32(len(w.shown)))
				if w.ages[j] > 0 {
					w.counts[i].Repeats++
				}
			}
			p.record(len(w.shown), q.At)
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
func (w *replayer) ask(i int, m *memory, q heard, ids []strategies.ID, ages []uint32, seen []bool) (hits int) {
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
		bin := deal.AgeBin(int(age))
		c.Repeated[bin]++
		if seen[j] {
			c.Recognised[bin]++
		}
		if m.remembers(int(q.held), int(age)) {
			c.WindowChecks++
			if !seen[j] {
				c.WindowMisses++
			}
		}
	}
	held := min(q.held, measure.HeldMost)
	c.FreshByHeld[held] += int64(fresh)
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
