package replay

import (
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/strategies"
)

// A scratch is what a request with Passed needs.
type scratch struct {
	ages  []uint32
	lanes [][]uint32
	shown []strategies.ID
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
			w.hits[int(q.User)*strategies+i] += uint32(w.ask(i, m, q, p.held, candidates, w.ages, seen))
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

// ask puts a request to a history and counts the answers; hits are the fresh ones
// that were false positives.
func (w *replayer) ask(i int, m *memory, q deal.Request, before uint32, ids []strategies.ID, ages []uint32, seen []bool) (hits int) {
	m.seen(q, ids, seen)
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
		if m.remembers(int(before), int(age)) {
			c.WindowChecks++
			if !seen[j] {
				c.WindowMisses++
			}
		}
	}
	held := min(before, measure.HeldMost)
	c.FreshByHeld[held] += int64(fresh)
	c.HitsByHeld[held] += int64(hits)
	return hits
}
