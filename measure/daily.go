package measure

import (
	"context"
	"fmt"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// DailyCounts is the daily population with the rule that 24 hours without
// reading clear a history (§2, §6), and without it.
type DailyCounts struct {
	Rule   Regime `json:"rule"`
	NoRule Regime `json:"no_rule"`
}

// DailyMachine is what depends on the machine.
type DailyMachine struct {
	Parts   int     `json:"parts"`
	Slabs   int64   `json:"slabs"` // the store's memory in bytes after the last sweep, the parts' sum
	Seconds float64 `json:"seconds"`
}

// Daily simulates the two days of each of these users, in the order of a live system:
// what a refresh recalls is put to the history, the first few that pass are
// shown, and only those are recorded. With the rule, histories lie in a store
// that forgets; a user whom it forgot on the way is simulated a second
// time without it; all others' days are the same.
func Daily(ctx context.Context, s Subject, population workload.Daily, users Range, o Options) (DailyCounts, DailyMachine, error) {
	// What a history can take at most bounds what all take.
	parts := o.parts(int64(users.Len()) * int64(s.Theory.Bytes(workload.Least)+12) / 2)
	counts := DailyCounts{NewRegime(), NewRegime()}
	machine := DailyMachine{Parts: parts}
	begin := time.Now()
	for i := range parts {
		part := users.Part(i, parts)
		if part.Len() == 0 {
			continue
		}
		histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: part.Len(), Idle: store.Day, Arena: o.Arena})
		if err != nil {
			return counts, machine, fmt.Errorf("%s: %w", s.Name, err)
		}
		workers, err := Each(ctx, o, part,
			func() *dailyWorker { return newDailyWorker(s, population, histories, part.From) }, (*dailyWorker).live)
		if err == nil {
			for _, w := range workers {
				Sum(&counts, w.counts)
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

// A dailyWorker simulates users' days, one after the other.
type dailyWorker struct {
	Subject
	population workload.Daily
	histories  *store.Store[int]
	first      int
	counts     DailyCounts

	own      []byte  // the history of a life without the rule
	shown    []int32 // the articles shown to the user so far
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

func newDailyWorker(s Subject, p workload.Daily, h *store.Store[int], first int) *dailyWorker {
	sizes := s.Strategy.Sizes()
	habits := p.Config()
	n := habits.Recalled
	return &dailyWorker{
		most: habits.PerRefresh, articles: make([]int32, n), ages: make([]int, n), ids: make([]strategies.ID, n), seen: make([]bool, n),
		Subject: s, population: p, histories: h, first: first,
		counts: DailyCounts{NewRegime(), NewRegime()},
		own:    make([]byte, 0, sizes[len(sizes)-1]),
	}
}

// live simulates the user's days under the rule and, where that makes a
// difference, without it.
func (w *dailyWorker) live(user int) {
	ruled := w.days(user, true)
	free := ruled
	if ruled.expired {
		free = w.days(user, false)
	}
	// At the end, who has been away for a day is forgotten.
	alive := ruled.Held > 0 && workload.Horizon-ruled.last < store.Day
	if !alive {
		ruled.Held, ruled.Bytes = 0, 0
	}
	w.counts.Rule.Count(ruled)
	w.counts.NoRule.Count(free)
	for _, m := range w.moments { // those of the life without the rule
		w.counts.NoRule.ByHeld[m.held/GridStep].Add(m.fresh, m.hits)
	}
	if free.Bytes > 0 {
		w.counts.NoRule.Alive++
		w.counts.NoRule.Payload += int64(free.Bytes)
	}
}

// days simulates the two days once.
func (w *dailyWorker) days(user int, rule bool) (l Life) {
	visitor := w.population.Visitor(user)
	w.own, w.shown, w.moments = w.own[:0], w.shown[:0], w.moments[:0]
	for {
		now, ok := visitor.Next()
		if !ok {
			break
		}
		at := store.Timestamp(now)
		if rule && l.Held > 0 && at-l.last >= store.Day {
			l.Held, l.expired = 0, true
		}
		visitor.Recall(w.shown, w.articles, w.ages, w.ids)
		if rule {
			w.histories.Seen(user-w.first, at, w.ids, w.seen)
		} else {
			w.Strategy.Seen(w.own, w.ids, w.seen)
		}
		fresh, hits := l.Fresh, l.Hits
		w.choose(&l)
		if l.Held%GridStep == 0 && l.Held <= heldEnd {
			w.moments = append(w.moments, moment{l.Held, l.Fresh - fresh, l.Hits - hits})
		}
		if rule {
			w.histories.Record(user-w.first, at, w.record)
		} else {
			w.own = w.Strategy.Record(w.own, w.record)
		}
		if len(w.record) > 0 {
			l.Held += len(w.record)
			l.last = at
		}
	}
	l.Bytes = len(w.own)
	if rule {
		l.Bytes = w.histories.Size(user-w.first, l.last)
	}
	return l
}

// choose counts what the history said of the candidates and puts the articles
// to show, the first that it took for unseen, into w.record and w.shown.
func (w *dailyWorker) choose(l *Life) {
	l.Requests++
	w.record = w.record[:0]
	window := w.Theory.Window(l.Held)
	for i, seen := range w.seen {
		age := w.ages[i]
		switch {
		case age == 0:
			l.Fresh++
			if seen {
				l.Hits++
			}
		case age <= window:
			l.Checks++
			if !seen {
				l.Misses++
			}
		}
		if seen || len(w.record) == w.most {
			continue
		}
		w.record = append(w.record, w.ids[i])
		w.shown = append(w.shown, w.articles[i])
		l.Shown++
		if age > 0 {
			l.Repeats++
		}
	}
}
