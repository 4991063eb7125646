package measure

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// heldMost is the longest life the daily counts tell apart; longer ones count as it.
const heldMost = 4095

// heldEnd is where the live order's curve ends.
const heldEnd = 1000

// activityBins is the number of powers of two among articles recorded.
const activityBins = 13

// A Regime is the daily population under one rule of forgetting. All of it is
// whole numbers, the same on every machine.
type Regime struct {
	Requests int64 `json:"requests"`
	Shown    int64 `json:"shown"`   // articles shown, repeats included
	Repeats  int64 `json:"repeats"` // of those, shown before
	Fresh    Rate  `json:"fresh"`   // fresh candidates taken for seen

	// ByHeld[i] is Fresh when exactly i*GridStep articles had been recorded
	// since the history was last empty: the live order's curve.
	ByHeld []Rate `json:"by_held"`

	// Repeats recalled of articles inside the promised window, and those let through.
	WindowChecks int64 `json:"window_checks"`
	WindowMisses int64 `json:"window_misses"`

	// By articles recorded in the user's two days: bin b is users of
	// 2^b ... 2^(b+1)-1 of them.
	Users      [activityBins]int64 `json:"users"`
	ByActivity [activityBins]Rate  `json:"by_activity"`
	Bytes      [activityBins]int64 `json:"bytes"` // of histories at the end, summed

	Alive   int64   `json:"alive"`   // users with a history at the end
	Payload int64   `json:"payload"` // its lengths, summed
	Held    []int64 `json:"held"`    // Held[n] is users whose history at the end had seen n articles
}

func newRegime() Regime {
	return Regime{Held: make([]int64, heldMost+1), ByHeld: make([]Rate, heldEnd/GridStep+1)}
}

func (r *Regime) add(s *Regime) {
	r.Requests += s.Requests
	r.Shown += s.Shown
	r.Repeats += s.Repeats
	r.Fresh = r.Fresh.Plus(s.Fresh)
	for i := range r.ByHeld {
		r.ByHeld[i] = r.ByHeld[i].Plus(s.ByHeld[i])
	}
	r.WindowChecks += s.WindowChecks
	r.WindowMisses += s.WindowMisses
	for b := range activityBins {
		r.Users[b] += s.Users[b]
		r.ByActivity[b] = r.ByActivity[b].Plus(s.ByActivity[b])
		r.Bytes[b] += s.Bytes[b]
	}
	r.Alive += s.Alive
	r.Payload += s.Payload
	for n := range r.Held {
		r.Held[n] += s.Held[n]
	}
}

// DailyCounts is the daily population with the rule that 24 hours without
// reading clear a history (§2, §6), and without it.
type DailyCounts struct {
	Rule   Regime `json:"rule"`
	NoRule Regime `json:"no_rule"`
}

// Add adds what was counted of other readers.
func (c *DailyCounts) Add(d DailyCounts) {
	c.Rule.add(&d.Rule)
	c.NoRule.add(&d.NoRule)
}

// DailyMachine is what depends on the machine.
type DailyMachine struct {
	Parts   int     `json:"parts"`
	Slabs   int64   `json:"slabs"` // the store's memory in bytes after the last sweep, the parts' sum
	Seconds float64 `json:"seconds"`
}

// Add adds what was measured of other readers: parts elsewhere.
func (m *DailyMachine) Add(n DailyMachine) {
	m.Parts += n.Parts
	m.Slabs += n.Slabs
	m.Seconds += n.Seconds
}

// Daily lives the two days of each of these readers, in the order of a live system:
// what a refresh recalls is put to the history, the first few that pass are
// shown, and only those are recorded. With the rule, histories lie in a store
// that forgets; a reader whom it forgot on the way lives a second time without
// it, all others' lives are the same.
func Daily(ctx context.Context, s Subject, population workload.Daily, readers Range, o Options) (DailyCounts, DailyMachine, error) {
	// What a history can take at most bounds what all take.
	parts := o.parts(int64(readers.Len()) * int64(s.Theory.Bytes(workload.Least)+12) / 2)
	counts := DailyCounts{newRegime(), newRegime()}
	machine := DailyMachine{Parts: parts}
	begin := time.Now()
	for part := range parts {
		users := readers.Part(part, parts)
		if users.Len() == 0 {
			continue
		}
		histories, err := store.New(store.Config{Strategy: s.Strategy, Users: users.Len(), Idle: store.Day, Stock: o.Stock})
		if err != nil {
			return counts, machine, fmt.Errorf("%s: %w", s.Name, err)
		}
		workers := make([]*dailyWorker, o.workers())
		for i := range workers {
			workers[i] = newDailyWorker(s, population, histories, users.From)
		}
		err = each(ctx, o, workers, users, (*dailyWorker).live)
		if err == nil {
			for _, w := range workers {
				counts.Rule.add(&w.rule)
				counts.NoRule.add(&w.noRule)
			}
			histories.Forget(workload.Horizon)
			stats := histories.Stats()
			counts.Rule.Alive += int64(stats.Users)
			counts.Rule.Payload += stats.Payload
			machine.Slabs += stats.Slabs + stats.Bookkeeping
		}
		histories.Clear()
		if err != nil {
			return counts, machine, err
		}
	}
	machine.Seconds = time.Since(begin).Seconds()
	return counts, machine, nil
}

// A dailyWorker lives readers' days, one after the other.
type dailyWorker struct {
	Subject
	population   workload.Daily
	histories    *store.Store
	first        int
	rule, noRule Regime

	own      []byte  // the history of a life without the rule
	shown    []int32 // the articles shown to the reader so far
	most     int     // that a refresh shows
	articles []int32 // of a refresh's candidates, as the next three
	ages     []int
	ids      []strategies.ID
	seen     []bool
	record   []strategies.ID
	moments  []moment
}

// A moment is what a refresh found when held articles had been recorded.
type moment struct{ held, fresh, hits int }

func newDailyWorker(s Subject, p workload.Daily, h *store.Store, first int) *dailyWorker {
	sizes := s.Strategy.Sizes()
	habits := p.Config()
	n := habits.Recalled
	return &dailyWorker{
		most: habits.PerRefresh, articles: make([]int32, n), ages: make([]int, n), ids: make([]strategies.ID, n), seen: make([]bool, n),
		Subject: s, population: p, histories: h, first: first,
		rule: newRegime(), noRule: newRegime(),
		own: make([]byte, 0, sizes[len(sizes)-1]),
	}
}

// A life is what one reader's two days came to.
type life struct {
	requests, shown, repeats, fresh, hits, checks, misses int

	held    int         // articles recorded since the history was last empty
	last    store.Clock // when
	expired bool        // whether the history was cleared on the way
	bytes   int         // its length at the end
}

// live lives the reader's days under the rule and, where that makes a
// difference, without it.
func (w *dailyWorker) live(user int) {
	ruled := w.days(user, true)
	free := ruled
	if ruled.expired {
		free = w.days(user, false)
	}
	// At the end, who has been away for a day is forgotten.
	alive := ruled.held > 0 && workload.Horizon-ruled.last < store.Day
	if !alive {
		ruled.held, ruled.bytes = 0, 0
	}
	w.rule.count(ruled)
	w.noRule.count(free)
	for _, m := range w.moments { // those of the life without the rule
		w.noRule.ByHeld[m.held/GridStep].Add(m.fresh, m.hits)
	}
	if free.bytes > 0 {
		w.noRule.Alive++
		w.noRule.Payload += int64(free.bytes)
	}
}

// count adds a life, but for Alive and Payload.
func (r *Regime) count(l life) {
	r.Requests += int64(l.requests)
	r.Shown += int64(l.shown)
	r.Repeats += int64(l.repeats)
	r.WindowChecks += int64(l.checks)
	r.WindowMisses += int64(l.misses)
	r.Held[min(l.held, heldMost)]++
	if l.shown == 0 {
		return
	}
	r.Fresh.Add(l.fresh, l.hits)
	bin := min(bits.Len(uint(l.shown)), activityBins) - 1
	r.Users[bin]++
	r.ByActivity[bin].Add(l.fresh, l.hits)
	r.Bytes[bin] += int64(l.bytes)
}

// days lives the two days once.
func (w *dailyWorker) days(user int, rule bool) (l life) {
	visitor := w.population.Visitor(user)
	w.own, w.shown, w.moments = w.own[:0], w.shown[:0], w.moments[:0]
	for {
		now, ok := visitor.Next()
		if !ok {
			break
		}
		at := store.Clock(now)
		if rule && l.held > 0 && at-l.last >= store.Day {
			l.held, l.expired = 0, true
		}
		visitor.Recall(w.shown, w.articles, w.ages, w.ids)
		if rule {
			w.histories.Seen(user-w.first, at, w.ids, w.seen)
		} else {
			w.Strategy.Seen(w.own, w.ids, w.seen)
		}
		fresh, hits := l.fresh, l.hits
		w.choose(&l)
		if onGrid := l.held%GridStep == 0 && l.held <= heldEnd; onGrid && (l.held > 0 || l.requests == 1) {
			w.moments = append(w.moments, moment{l.held, l.fresh - fresh, l.hits - hits})
		}
		if rule {
			w.histories.Record(user-w.first, at, w.record)
		} else {
			w.own = w.Strategy.Record(w.own, w.record)
		}
		if len(w.record) > 0 {
			l.held += len(w.record)
			l.last = at
		}
	}
	l.bytes = len(w.own)
	if rule {
		l.bytes = w.histories.Size(user-w.first, l.last)
	}
	return l
}

// choose counts what the history said of the candidates and puts the articles
// to show, the first that it let through, into w.record and w.shown.
func (w *dailyWorker) choose(l *life) {
	l.requests++
	w.record = w.record[:0]
	window := w.Theory.Window(l.held)
	for i, seen := range w.seen {
		age := w.ages[i]
		switch {
		case age == 0:
			l.fresh++
			if seen {
				l.hits++
			}
		case age <= window:
			l.checks++
			if !seen {
				l.misses++
			}
		}
		if seen || len(w.record) == w.most {
			continue
		}
		w.record = append(w.record, w.ids[i])
		w.shown = append(w.shown, w.articles[i])
		l.shown++
		if age > 0 {
			l.repeats++
		}
	}
}
