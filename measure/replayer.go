package measure

import (
	"dejavu/store"
	"dejavu/strategies"
)

func newReplayed() Replayed {
	r := Replayed{
		Regime:   newRegime(),
		Repeated: make([]int64, AgeBins), Recognised: make([]int64, AgeBins),
		FreshByHeld: make([]int64, heldMost+1), HitsByHeld: make([]int64, heldMost+1),
	}
	return r
}

func (r *Replayed) add(s *Replayed) {
	r.Regime.add(&s.Regime)
	for i := range r.Repeated {
		r.Repeated[i] += s.Repeated[i]
		r.Recognised[i] += s.Recognised[i]
	}
	for i := range r.FreshByHeld {
		r.FreshByHeld[i] += s.FreshByHeld[i]
		r.HitsByHeld[i] += s.HitsByHeld[i]
	}
}

// like is whether both count the same.
func (r *Replayed) like(s *Replayed) bool {
	return len(r.Held) == len(s.Held) && len(r.ByHeld) == len(s.ByHeld) &&
		len(r.Repeated) == len(s.Repeated) && len(r.Recognised) == len(s.Recognised) &&
		len(r.FreshByHeld) == len(s.FreshByHeld) && len(r.HitsByHeld) == len(s.HitsByHeld)
}

// A replayer replays some readers' requests. One goroutine uses it.
type replayer struct {
	Replay
	memories []*memory
	counts   []Replayed
	twice    int64

	// The past of each reader: one for all strategies, or with Passed one for each,
	// side by side. The lanes of truth are where in it an article was last
	// recorded, from 1; with Passed, the first says in which request it was
	// last put to the histories.
	truth *exact
	pasts []past
	asked []uint32 // requests of each reader: with Passed
	hits  []uint32 // by reader and strategy

	// Scratch: of a hand, or with Passed of a request.
	heard []heard
	ids   []strategies.ID
	ages  []uint32
	lanes [][]uint32
	seen  []bool
	shown []strategies.ID
}

// A past is what one reader was shown.
type past struct {
	shown, fresh uint32      // articles recorded; candidates that were fresh
	held         uint32      // recorded since the history was last empty
	last         store.Clock // and when
}

// A heard is one request of the hand.
type heard struct {
	dealt
	held uint32
}

func newReplayer(subjects []Subject, r Replay, stock *store.Stock) *replayer {
	w := &replayer{Replay: r, truth: newExact(1)}
	if r.Passed {
		w.truth = newExact(1 + len(subjects))
	}
	for _, s := range subjects {
		w.memories = append(w.memories, newMemory(s, r.Idle, stock))
		w.counts = append(w.counts, newReplayed())
	}
	return w
}

// expire begins a history anew that has expired by now, as the store does.
func (p *past) expire(at, idle store.Clock) {
	if idle > 0 && p.held > 0 && at >= p.last && at-p.last >= idle {
		p.held = 0
	}
}

// record counts articles recorded.
func (p *past) record(n int, at store.Clock) {
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
func (w *replayer) replay(h *hand) {
	if w.Passed {
		w.replayPassed(h)
		return
	}
	// The truth first, once for all strategies.
	w.heard, w.ids, w.ages = w.heard[:0], w.ids[:0], w.ages[:0]
	ids := h.ids
	for _, q := range h.requests {
		w.meet(int(q.reader))
		p := &w.pasts[q.reader]
		p.expire(q.at, w.Idle)
		table, from, base := w.truth.open(int(q.reader), int(q.n)), len(w.ids), p.shown
		for _, id := range ids[:q.n] {
			lanes, known := table.find(id)
			at := first(lanes)
			if known && at > base {
				w.twice++
				continue
			}
			age := uint32(0)
			if known {
				age = base - at + 1
			} else {
				p.fresh++
			}
			w.ids, w.ages = append(w.ids, id), append(w.ages, age)
			setFirst(lanes, base+uint32(len(w.ids)-from))
		}
		ids = ids[q.n:]
		q.n = uint32(len(w.ids) - from)
		w.heard = append(w.heard, heard{q, p.held})
		p.record(int(q.n), q.at)
	}
	for i, m := range w.memories {
		ids, ages := w.ids, w.ages
		for _, q := range w.heard {
			n := q.n
			seen := w.answers(int(n))
			hits := w.ask(i, m, q, ids[:n], ages[:n], seen)
			w.hits[int(q.reader)*len(w.memories)+i] += uint32(hits)
			c := &w.counts[i]
			for j, age := range ages[:n] {
				if age > 0 && !seen[j] {
					c.Repeats++
				}
			}
			m.record(q.dealt, ids[:n])
			ids, ages = ids[n:], ages[n:]
		}
	}
}

// replayPassed replays a hand in which each strategy has a past of its own.
func (w *replayer) replayPassed(h *hand) {
	ids := h.ids
	strategies := len(w.memories)
	for _, q := range h.requests {
		w.meet(int(q.reader))
		w.asked[q.reader]++
		table := w.truth.open(int(q.reader), int(q.n))
		w.ids, w.lanes = w.ids[:0], w.lanes[:0]
		for _, id := range ids[:q.n] {
			lanes, _ := table.find(id)
			if first(lanes) == w.asked[q.reader] {
				w.twice++
				continue
			}
			setFirst(lanes, w.asked[q.reader])
			w.ids, w.lanes = append(w.ids, id), append(w.lanes, lanes)
		}
		ids = ids[q.n:]
		q.n = uint32(len(w.ids))
		seen := w.answers(len(w.ids))
		for i, m := range w.memories {
			p := &w.pasts[int(q.reader)*strategies+i]
			p.expire(q.at, w.Idle)
			w.ages = w.ages[:0]
			for _, lanes := range w.lanes {
				age := uint32(0)
				if at := lanes[1+i]; at > 0 {
					age = p.shown - at + 1
				} else {
					p.fresh++
				}
				w.ages = append(w.ages, age)
			}
			w.hits[int(q.reader)*strategies+i] += uint32(w.ask(i, m, heard{q, p.held}, w.ids, w.ages, seen))
			w.shown = w.shown[:0]
			for j, seen := range seen {
				if seen || w.Most > 0 && len(w.shown) == w.Most {
					continue
				}
				w.shown = append(w.shown, w.ids[j])
				w.lanes[j][1+i] = p.shown + uint32(len(w.shown))
				if w.ages[j] > 0 {
					w.counts[i].Repeats++
				}
			}
			p.record(len(w.shown), q.at)
			m.record(q, w.shown)
		}
	}
}

// meet makes room for a reader.
func (w *replayer) meet(reader int) {
	n := len(w.memories)
	for len(w.hits) <= reader*n {
		w.hits = append(w.hits, make([]uint32, n)...)
		if w.Passed {
			w.pasts = append(w.pasts, make([]past, n)...)
			w.asked = append(w.asked, 0)
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
// that were taken for seen.
func (w *replayer) ask(i int, m *memory, q heard, ids []strategies.ID, ages []uint32, seen []bool) (hits int) {
	m.seen(q.dealt, ids, seen)
	c := &w.counts[i]
	c.Requests++
	fresh := 0
	for j, age := range ages {
		if age == 0 {
			fresh++
			if seen[j] {
				hits++
			}
			continue
		}
		bin := AgeBin(int(age))
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
	held := min(q.held, heldMost)
	c.FreshByHeld[held] += int64(fresh)
	c.HitsByHeld[held] += int64(hits)
	return hits
}

// finish counts readers and histories at the end.
func (w *replayer) finish(end store.Clock) {
	n := len(w.memories)
	for i, m := range w.memories {
		m.forget(end)
		c := &w.counts[i]
		for reader := range len(w.hits) / n {
			at := reader
			if w.Passed {
				at = reader*n + i
			}
			p := w.pasts[at]
			if p.fresh == 0 { // another of the log's readers, to whom nothing was put here
				continue
			}
			l := life{
				shown: int(p.shown), fresh: int(p.fresh), hits: int(w.hits[reader*n+i]),
				held: int(p.held), bytes: m.size(reader, end),
			}
			if l.bytes == 0 {
				l.held = 0
			} else {
				c.Alive++
				c.Payload += int64(l.bytes)
			}
			c.count(l)
		}
	}
}

// memory is the bytes that a strategy's histories take.
func (w *replayer) memory(i int) int64 { return w.memories[i].bytes() }

// close gives all memory back.
func (w *replayer) close() {
	for _, m := range w.memories {
		m.clear()
	}
}
