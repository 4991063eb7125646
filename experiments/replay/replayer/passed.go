package replayer

import (
	"slices"

	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
)

// replayPassed replays a hand in which each strategy has a past of its own.
func (w *replayer) replayPassed(h *deal.Hand) {
	ids := h.IDs
	for _, q := range h.Requests {
		user := int(q.User)
		w.meet(user)
		table := w.truth.Open(user, int(q.N))
		candidates := ids[:q.N]
		ids = ids[q.N:]
		w.lanes = w.lanes[:0]
		for _, id := range candidates {
			lanes, _ := table.Find(id)
			w.lanes = append(w.lanes, lanes)
		}
		w.seen = slices.Grow(w.seen[:0], len(candidates))[:len(candidates)]
		seen := w.seen
		for i, m := range w.memories {
			p := &w.pasts[user*len(w.memories)+i]
			p.expire(q.At, w.Idle)
			histories, local := m.at(user)
			histories.Seen(local, q.At, candidates, seen)
			c := &w.counts[i]
			c.Requests++
			before, fresh, hits := *p, 0, 0
			w.shown = w.shown[:0]
			distinct := 0
			for j, id := range candidates {
				lanes := w.lanes[j][2*i : 2*i+2]
				age := uint32(0)
				if at := deal.First(lanes); at > 0 {
					age = before.shown - at + 1
					since := uint8(deal.ElapsedBin(deal.Since(store.Timestamp(lanes[1]), q.At)))
					c.repeat(m, repeat{age: age, shown: before.shown, held: before.held, since: since}, seen[j])
				} else {
					fresh++
					c.Articles.Add(id, seen[j])
					if seen[j] {
						hits++
					}
				}
				if seen[j] || w.Most > 0 && len(w.shown) == w.Most {
					continue
				}
				w.shown = append(w.shown, id)
				deal.SetFirst(lanes, before.shown+uint32(len(w.shown)))
				lanes[1] = uint32(q.At)
				if age > 0 {
					c.Repeats++
				}
				if before.isNew(age) {
					distinct++
				}
			}
			held := min(before.held, measure.HeldMost)
			c.FreshByHeld[held] += int64(fresh)
			c.HitsByHeld[held] += int64(hits)
			// Of a past of its own only the whole is known.
			if w.distinct.spreads[i].kind == whole {
				c.FreshByDistinct[min(before.distinct, measure.HeldMost)] += int64(fresh)
			}
			p.fresh += uint32(fresh)
			w.hits[user*len(w.memories)+i] += uint32(hits)
			p.record(len(w.shown), distinct, q.At)
			histories.Record(local, q.At, w.shown)
		}
	}
}
