package measure

import (
	"context"
	"math/bits"
	"slices"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// DailyCounts counts the daily population with the rule that 24 idle hours clear a history, and without it.
type DailyCounts struct {
	Rule   Regime `json:"rule"`
	NoRule Regime `json:"no_rule"`
	Days   []Day  `json:"days"`
	Week   Served `json:"week"`
}

// A Day counts what was served on a day, and histories at its end.
type Day struct {
	Served
	Alive       int64 `json:"alive"` // users with a history, under the rule
	AliveNoRule int64 `json:"alive_no_rule"`
	Kept        Rate  `json:"kept"` // bytes of histories at the end: Queries without the rule, Hits with it
}

// Served counts repeats among articles shown, and false positives among fresh candidates, which were never shown.
type Served struct {
	Repeats       Rate `json:"repeats"`
	RepeatsNoRule Rate `json:"repeats_no_rule"`
	Fresh         Rate `json:"fresh"`
	FreshNoRule   Rate `json:"fresh_no_rule"`
}

func newDailyCounts(days int) DailyCounts {
	return DailyCounts{Rule: NewRegime(), NoRule: NewRegime(), Days: make([]Day, days)}
}

// DailyMachine contains the results that depend on the machine.
type DailyMachine struct {
	Parts   int     `json:"parts"`
	Slabs   int64   `json:"slabs"` // the store's bytes after the last sweep, summed over parts
	Seconds float64 `json:"seconds"`
}

// Daily simulates some days of each of these users. A refresh asks about recalled candidates; the first few that pass
// are shown and recorded. With the rule, a store forgets histories; users that it forgot are simulated again without
// it.
func Daily(ctx context.Context, s Subject, population workload.Daily, users Range, days int, o Options,
) (DailyCounts, DailyMachine, error) {
	// The longest history is an upper bound.
	parts := o.parts(int64(users.Len()) * int64(s.Theory.Bytes(workload.Least)+12) / 2)
	counts, machine := newDailyCounts(days), DailyMachine{Parts: parts}
	if users.Len() == 0 {
		return counts, machine, nil
	}
	begin := time.Now()
	histories, err := o.histories(s, s.Strategy, users, parts, store.Day)
	if err != nil {
		return counts, machine, err
	}
	defer histories.Clear()
	for i := range parts {
		part := users.Part(i, parts)
		histories.Clear()
		found, err := Each(ctx, o, part, func() (*DailyCounts, func(user int)) {
			w := newDailyWorker(s, population, histories, part.From, days)
			return &w.counts, w.live
		})
		if err != nil {
			return counts, machine, err
		}
		Sum(&counts, found)
		histories.Forget(store.Timestamp(days) * store.Day)
		stats := histories.Stats()
		counts.Rule.Alive += int64(stats.Users)
		counts.Rule.Payload += stats.Payload
		machine.Slabs += stats.Slabs + stats.Bookkeeping
	}
	machine.Seconds = time.Since(begin).Seconds()
	return counts, machine, nil
}

type dailyWorker struct {
	Subject
	population workload.Daily
	histories  *store.Store[int]
	first      int
	counts     DailyCounts

	own      []byte  // the history without the rule
	shown    []int32 // the articles shown to the user so far
	most     int     // articles that a refresh shows at most
	articles []int32 // a refresh's candidates; ages, ids and seen are parallel to it
	ages     []int
	ids      []strategies.ID
	seen     []bool
	record   []strategies.ID
	moments  []Life    // at refreshes that are points of Regime.ByHeld
	days     [2][]Life // days with and without the rule; expired: idle for 24 hours at the day's end
}

func newDailyWorker(s Subject, p workload.Daily, h *store.Store[int], first, days int) *dailyWorker {
	habits := p.Config()
	n := habits.Recalled
	return &dailyWorker{
		Subject: s, population: p, histories: h, first: first, most: habits.PerRefresh, counts: newDailyCounts(days),
		articles: make([]int32, n), ages: make([]int, n), ids: make([]strategies.ID, n), seen: make([]bool, n),
		days: [2][]Life{make([]Life, days), make([]Life, days)}, own: make([]byte, 0, slices.Max(s.Strategy.Sizes())),
	}
}

func (w *dailyWorker) live(user int) {
	ruled := w.simulate(user, true, w.days[0])
	free := ruled
	copy(w.days[1], w.days[0])
	if ruled.expired {
		free = w.simulate(user, false, w.days[1])
	}
	w.countDays()
	if last := len(w.days[0]) - 1; w.days[0][last].expired {
		ruled.Held, ruled.Bytes = 0, 0
	}
	w.counts.Rule.Count(ruled)
	w.counts.NoRule.Count(free)
	for _, m := range w.moments { // without the rule
		w.counts.NoRule.ByHeld[m.Held/GridStep].Add(m.Fresh, m.Hits)
	}
	if free.Bytes > 0 {
		w.counts.NoRule.Alive++
		w.counts.NoRule.Payload += int64(free.Bytes)
	}
}

func (w *dailyWorker) countDays() {
	var week [2]Life
	for i := range w.days[0] {
		ruled, free, d := w.days[0][i], w.days[1][i], &w.counts.Days[i]
		d.count(ruled, free)
		kept := ruled.Bytes
		if ruled.expired {
			kept = 0
		}
		if free.Bytes > 0 {
			d.AliveNoRule++
			d.Kept.Add(free.Bytes, kept)
		}
		if kept > 0 {
			d.Alive++
		}
		if i >= len(w.days[0])-7 {
			week[0].plus(ruled)
			week[1].plus(free)
		}
	}
	w.counts.Week.count(week[0], week[1])
}

func (s *Served) count(ruled, free Life) {
	if ruled.Shown+free.Shown+ruled.Fresh+free.Fresh == 0 {
		return
	}
	s.Repeats.Add(ruled.Shown, ruled.Repeats)
	s.RepeatsNoRule.Add(free.Shown, free.Repeats)
	s.Fresh.Add(ruled.Fresh, ruled.Hits)
	s.FreshNoRule.Add(free.Fresh, free.Hits)
}

// simulate runs the user's days once. A day's Bytes include a history that is idle for 24 hours at its end.
func (w *dailyWorker) simulate(user int, rule bool, days []Life) (l Life) {
	visitor := w.population.Visitor(user)
	w.own, w.shown, w.moments = w.own[:0], w.shown[:0], w.moments[:0]
	clear(days)
	size := func() int {
		if rule {
			return w.histories.Size(user-w.first, l.last)
		}
		return len(w.own)
	}
	for day := 0; ; {
		now, _ := visitor.Next()
		at := store.Timestamp(now)
		for ; day < len(days) && at >= store.Timestamp(day+1)*store.Day; day++ {
			days[day].Bytes, days[day].expired = size(), store.Timestamp(day+1)*store.Day-l.last >= store.Day
		}
		if day == len(days) {
			break
		}
		if rule && l.Held > 0 && at-l.last >= store.Day {
			l.Held, l.expired = 0, true
		}
		visitor.Recall(w.shown, w.articles, w.ages, w.ids)
		if rule {
			w.histories.Seen(user-w.first, at, w.ids, w.seen[:0])
		} else {
			w.Strategy.Seen(w.own, w.ids, w.seen)
		}
		found := w.choose(l.Held)
		l.plus(found)
		days[day].plus(found)
		if found.Held%GridStep == 0 && found.Held <= heldEnd {
			w.moments = append(w.moments, found)
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
	l.Bytes = days[len(days)-1].Bytes
	return l
}

// choose counts the answers of a history with held articles. It appends the articles to show to w.record and w.shown.
func (w *dailyWorker) choose(held int) Life {
	found := Life{Requests: 1, Held: held}
	w.record = w.record[:0]
	window := w.Theory.Window(held)
	for i, seen := range w.seen {
		age := w.ages[i]
		switch {
		case age == 0:
			found.Fresh++
			if seen {
				found.Hits++
			}
		case age <= window:
			found.Checks++
			if !seen {
				found.Misses++
			}
		}
		if seen || len(w.record) == w.most {
			continue
		}
		w.record = append(w.record, w.ids[i])
		w.shown = append(w.shown, w.articles[i])
		found.Shown++
		if age > 0 {
			found.Repeats++
		}
	}
	return found
}

const (
	HeldMost     = 16383 // users with more articles count as if they had this many
	heldEnd      = 1000  // the last point of the curve by articles recorded
	activityBins = 15    // by articles recorded, each twice as wide as the one before
)

// A Regime counts the daily population under one rule of forgetting.
type Regime struct {
	Requests     int64  `json:"requests"`
	Shown        int64  `json:"shown"`         // articles shown, repeats included
	Repeats      int64  `json:"repeats"`       // of these, shown before
	Fresh        Rate   `json:"fresh"`         // false positives among fresh candidates
	ByHeld       []Rate `json:"by_held"`       // Fresh if i*GridStep articles were recorded since the history was empty
	WindowChecks int64  `json:"window_checks"` // repeated candidates inside the window,
	WindowMisses int64  `json:"window_misses"` // and of these, not recognised
	// By articles recorded in all days: bin b counts users with 2^b to 2^(b+1)-1.
	Users      [activityBins]int64 `json:"users"`
	ByActivity [activityBins]Rate  `json:"by_activity"`
	Bytes      [activityBins]int64 `json:"bytes"`   // of histories at the end
	Alive      int64               `json:"alive"`   // users with a history at the end
	Payload    int64               `json:"payload"` // the sum of its lengths
	Held       []int64             `json:"held"`    // Held[n] counts users with n articles in the history at the end
}

// NewRegime returns a Regime of no users.
func NewRegime() Regime {
	return Regime{Held: make([]int64, HeldMost+1), ByHeld: make([]Rate, heldEnd/GridStep+1)}
}

// A Life sums up one user's days.
type Life struct {
	Requests int
	Shown    int
	Repeats  int // of these, shown before
	Fresh    int // fresh candidates
	Hits     int // of these, false positives
	Checks   int // repeated candidates inside the window
	Misses   int // of these, not recognised
	Held     int // articles recorded since the history was empty
	Bytes    int // of the history at the end

	last    store.Timestamp // of the last Record
	expired bool            // whether the rule cleared the history
}

func (l *Life) plus(part Life) {
	l.Requests += part.Requests
	l.Shown += part.Shown
	l.Repeats += part.Repeats
	l.Fresh += part.Fresh
	l.Hits += part.Hits
	l.Checks += part.Checks
	l.Misses += part.Misses
}

// Count adds a user's life, except Alive and Payload.
func (r *Regime) Count(l Life) {
	r.Requests += int64(l.Requests)
	r.Shown += int64(l.Shown)
	r.Repeats += int64(l.Repeats)
	r.WindowChecks += int64(l.Checks)
	r.WindowMisses += int64(l.Misses)
	r.Held[min(l.Held, HeldMost)]++
	if l.Shown == 0 {
		return
	}
	r.Fresh.Add(l.Fresh, l.Hits)
	bin := min(bits.Len(uint(l.Shown)), activityBins) - 1
	r.Users[bin]++
	r.ByActivity[bin].Add(l.Fresh, l.Hits)
	r.Bytes[bin] += int64(l.Bytes)
}
