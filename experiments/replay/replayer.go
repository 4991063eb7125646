package replay

import (
	"cmp"
	"context"
	"slices"

	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies"
)

// A replayer replays some users' requests. One goroutine uses it.
type replayer struct {
	Config
	ctx      context.Context
	memories []*memory
	counts   []Counts

	// The past of each user. truth's lanes hold where in it an article was last recorded, from 1, and when.
	truth *deal.Exact
	pasts []past
	hits  []uint32 // by user and strategy

	common Counts // what is the same for all strategies, in slices that they share

	// Of a hand, in the order of users: requests, their articles, and of each of these
	// how many were held before, the group, whether it is late, and the answer.
	order    []dealt
	groups   []group
	requests []store.Past
	ids      []strategies.ID
	held, of []uint32
	late     []bool
	repeats  []repeat
	seen     []bool
}

type group struct{ user, requests, articles int }

// A dealt is a request of a hand, and where in the hand its articles begin.
type dealt struct {
	deal.Request
	from int
}

// A repeat is an exposure of a hand that is no user's first of its article.
type repeat struct {
	at          uint32 // in the hand
	age         uint32
	shown, held uint32 // of the user's past before its request
	since       uint8
	late        bool
}

// A past is what one user was shown.
type past struct {
	shown, fresh uint32          // articles recorded; candidates that were fresh
	held         uint32          // recorded since the history was last empty
	last         store.Timestamp // and when
}

func newReplayer(ctx context.Context, subjects []measure.Subject, r Config, arena *store.Arena) *replayer {
	w := &replayer{Config: r, ctx: ctx, truth: deal.NewExact(2), common: newCounts()}
	for _, s := range subjects {
		m := &memory{Subject: s, idle: r.Idle, arena: arena}
		_, m.dated = s.Strategy.(strategies.Dated)
		m.certain, _ = s.Strategy.(measure.Rememberer)
		w.memories = append(w.memories, m)
		c := newCounts()
		c.FreshByHeld, c.Articles.Queries = w.common.FreshByHeld, w.common.Articles.Queries
		w.counts = append(w.counts, c)
	}
	return w
}

// expire clears a history that has expired by now, as the store does.
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
	p.last = max(p.last, at)
	p.shown += uint32(n)
	p.held += uint32(n)
}

// replay replays a hand: first the truth, once for all strategies, and then each strategy. Users are independent, so
// that one user's requests follow each other.
func (w *replayer) replay(h *deal.Hand) {
	w.sort(h)
	w.learn()
	for i, m := range w.memories {
		if w.ctx.Err() != nil {
			return
		}
		requests, ids := w.requests, w.ids
		w.seen = w.seen[:0]
		for _, g := range w.groups {
			histories, local := m.at(g.user)
			var err error
			if w.seen, err = histories.Replay(local, requests[:g.requests], ids[:g.articles], w.seen); err != nil {
				panic(err) // sort counted otherwise
			}
			requests, ids = requests[g.requests:], ids[g.articles:]
		}
		w.count(i, m, w.seen)
	}
}

// sort brings the requests of each of a hand's users together, in the order of the log.
func (w *replayer) sort(h *deal.Hand) {
	w.order, w.groups, w.requests, w.ids = w.order[:0], w.groups[:0], w.requests[:0], w.ids[:0]
	w.late = w.late[:0]
	from := 0
	for _, q := range h.Requests {
		w.meet(int(q.User))
		w.order = append(w.order, dealt{q, from})
		from += int(q.N)
	}
	slices.SortFunc(w.order, func(a, b dealt) int { return cmp.Or(cmp.Compare(a.User, b.User), a.from-b.from) })
	for i, q := range w.order {
		if i == 0 || q.User != w.order[i-1].User {
			w.groups = append(w.groups, group{user: int(q.User)})
		}
		g := &w.groups[len(w.groups)-1]
		g.requests++
		g.articles += int(q.N)
		w.requests = append(w.requests, store.Past{At: q.At, N: q.N})
		w.ids = append(w.ids, h.IDs[q.from:][:q.N]...)
		for range q.N {
			w.late = append(w.late, q.Late)
		}
	}
}

// learn finds the hand's repeats, and counts what is the same for all strategies.
func (w *replayer) learn() {
	w.held, w.of, w.repeats = w.held[:0], w.of[:0], w.repeats[:0]
	c := &w.common
	c.Requests += int64(len(w.requests))
	ids, requests := w.ids, w.requests
	for number, g := range w.groups {
		p := &w.pasts[g.user]
		for _, q := range requests[:g.requests] {
			p.expire(q.At, w.Idle)
			held, fresh := min(p.held, measure.HeldMost), 0
			table := w.truth.Open(g.user, int(q.N))
			for i, id := range ids[:q.N] {
				age, lanes := table.Show(id, p.shown, p.shown+uint32(i)+1)
				if age == 0 {
					fresh++
					c.Articles.Add(id, false)
				} else {
					at, since := len(w.of), uint8(deal.ElapsedBin(deal.Since(store.Timestamp(lanes[1]), q.At)))
					w.repeats = append(w.repeats, repeat{uint32(at), age, p.shown, p.held, since, w.late[at]})
				}
				lanes[1] = uint32(q.At)
				w.held = append(w.held, held)
				w.of = append(w.of, uint32(number))
			}
			if w.late[len(w.of)-1] {
				c.Late.Fresh += int64(fresh)
			}
			c.FreshByHeld[held] += int64(fresh)
			p.fresh += uint32(fresh)
			ids = ids[q.N:]
			p.record(int(q.N), q.At)
		}
		requests = requests[g.requests:]
	}
}

// count counts a strategy's answers to the hand, which it uses up.
func (w *replayer) count(i int, m *memory, seen []bool) {
	c := &w.counts[i]
	for _, r := range w.repeats {
		known := seen[r.at]
		seen[r.at] = false
		if !known {
			c.Repeats++
		}
		c.repeat(m, r, known)
	}
	// The rest are false positives, and few.
	for at, hit := range seen {
		if hit {
			c.HitsByHeld[w.held[at]]++
			c.Articles.Hit(w.ids[at])
			if w.late[at] {
				c.Late.FalsePositives++
			}
			w.hits[w.groups[w.of[at]].user*len(w.memories)+i]++
		}
	}
}

func (w *replayer) meet(user int) {
	n := len(w.memories)
	for len(w.hits) <= user*n {
		w.hits = append(w.hits, make([]uint32, n)...)
		w.pasts = append(w.pasts, past{})
	}
}

func (w *replayer) finish(end store.Timestamp) {
	n := len(w.memories)
	for i, m := range w.memories {
		for _, s := range m.stores {
			s.Forget(end)
		}
		c := &w.counts[i]
		c.Requests += w.common.Requests
		c.Late.Fresh += w.common.Late.Fresh
		for user := range len(w.hits) / n {
			p := w.pasts[user]
			if p.fresh == 0 { // another of the log's users, to whom nothing was put here
				continue
			}
			histories, local := m.at(user)
			l := measure.Life{
				Shown: int(p.shown), Fresh: int(p.fresh), Hits: int(w.hits[user*n+i]),
				Held: int(p.held), Bytes: histories.Size(local, end),
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

func (w *replayer) close() {
	for _, m := range w.memories {
		for _, s := range m.stores {
			s.Clear()
		}
	}
}
