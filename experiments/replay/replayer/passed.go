package replayer

import (
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
)

// A scratch is of a request: the ages of its articles, and what Passed needs.
type scratch struct {
	ages  []uint32
	since []uint8 // the ranges of the times since, by deal.ElapsedBin
	lanes [][]uint32
	shown []strategies.ID
}

// A heard is one request of the hand, and what its user's past was before it.
type heard struct {
	deal.Request
	shown, held, distinct uint32
}

// hear is the request to a user of that past.
func (p *past) hear(q deal.Request) heard { return heard{q, p.shown, p.held, p.distinct} }

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
		c.repeat(m, repeat{age: age, shown: q.shown, held: q.held, since: since[j]}, seen[j])
	}
	held := min(q.held, measure.HeldMost)
	c.FreshByHeld[held] += int64(fresh)
	// Of a past of its own only the whole is known.
	if w.distinct.spreads[i].kind == whole {
		c.FreshByDistinct[min(q.distinct, measure.HeldMost)] += int64(fresh)
	}
	c.HitsByHeld[held] += int64(hits)
	return hits
}
