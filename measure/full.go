package measure

import (
	"context"
	"slices"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Questions to a user of the full population.
const (
	Asked       = 12 // fresh candidates of a request
	repeated    = 24 // repeated candidates of a life's last request
	promised    = 20 // of these, inside the window
	anyAge      = repeated - promised
	MaxAge      = 1000 // the oldest repeats
	AgeBucket   = 10   // articles for each point of the retention curve
	GridStep    = 50   // articles between points of a curve by articles shown
	GridEnd     = 2000
	longMoments = 8   // random moments of a long life
	NewestAsked = 100 // of the newest articles, if there is no window: a link of the chain
)

// Grid lists the points of curves by articles shown: steps, and 501, when a ring overwrites its first article.
var Grid = func() (grid [GridEnd/GridStep + 2]int) {
	for i := range grid[1:] {
		grid[i] = i * GridStep
	}
	grid[len(grid)-1] = workload.Least + 1
	slices.Sort(grid[:])
	return grid
}()

// A Point counts answers to users who were shown a number of articles.
type Point struct {
	Fresh Rate  `json:"fresh"` // false positives among fresh candidates
	Users int64 `json:"users"`
	Bytes int64 `json:"bytes"`   // of their histories
	Ones  int64 `json:"ones"`    // bits set in the queried arrays
	Of    int64 `json:"of_bits"` // bits of these arrays
}

// FullCounts contains one strategy's results of the full population, the same on every machine.
type FullCounts struct {
	Points [len(Grid)]Point `json:"points"` // by Grid
	// Cycle[i] counts fresh candidates at the end of lives of workload.Least+i articles, modulo workload.Turn.
	Cycle [workload.Turn]Rate `json:"cycle"`
	// Retention[i] counts repeats i*AgeBucket+1 to (i+1)*AgeBucket articles old at the end. Hits were recognised.
	Retention    [MaxAge / AgeBucket]Rate `json:"retention"`
	WindowChecks int64                    `json:"window_checks"` // repeated candidates inside the window,
	WindowMisses int64                    `json:"window_misses"` // and of these, not recognised
	// If there is no window: how many of the newest NewestAsked were not recognised, sum and most.
	NewestUsers  int64   `json:"newest_users"`
	NewestMissed int64   `json:"newest_missed"`
	NewestMost   Most    `json:"newest_most"`
	Windows      int64   `json:"windows"`      // the sum of windows at the end of all lives
	WindowLeast  Least   `json:"window_least"` // and the smallest
	Payload      int64   `json:"payload"`      // bytes of all histories at the end
	Users        int64   `json:"users"`
	Totals       []int64 `json:"totals"` // Payload of the population's first users, by Stops
}

// Steady returns the mean of Cycle: fresh candidates at the end of every life.
func (c *FullCounts) Steady() (r Rate) {
	for _, moment := range c.Cycle {
		Sum(&r, moment)
	}
	return r
}

// A Taken is the memory of the population's first users when all have lived, summed over parts.
type Taken struct {
	Slabs    int64 `json:"slabs"`    // the store's bytes, with bookkeeping
	Resident int64 `json:"resident"` // physical bytes, without what was in use before
}

// FullMachine contains the results that depend on the machine.
type FullMachine struct {
	Parts int     `json:"parts"`
	Taken []Taken `json:"taken"` // by Stops
}

var milestones = []int{100_000, 1_000_000, 10_000_000, 100_000_000}

// Stops lists the numbers of users of a population at which memory is measured: powers of ten, and all.
func Stops(population int) []int {
	below, _ := slices.BinarySearch(milestones, population)
	return append(slices.Clone(milestones[:below]), population)
}

// Full shows each of these users all articles of a life and asks on the way. It calls alive after each part.
func Full(ctx context.Context, s Subject, population workload.Full, users Range, o Options,
	alive func(Alive) error,
) (FullCounts, FullMachine, error) {
	stops := Stops(population.Users())
	counts, machine := newFullCounts(), FullMachine{Taken: make([]Taken, len(stops))}
	counts.Totals = make([]int64, len(stops))
	if users.Len() == 0 {
		return counts, machine, nil
	}
	parts := o.parts(fullNeed(s, users.Len()))
	machine.Parts = parts
	baseline := o.resident()
	memory := &touching{Strategy: s.Strategy}
	histories, err := o.histories(s, memory, users, parts, 0)
	if err != nil {
		return counts, machine, err
	}
	defer histories.Clear()
	for i := range parts {
		part := users.Part(i, parts)
		if part.Len() == 0 {
			continue
		}
		histories.Clear()
		at, now, payload := part.From, Taken{}, int64(0)
		for i, stop := range stops {
			if end := min(part.To, stop); end > at {
				found, err := Each(ctx, o, Range{at, end}, func() (*FullCounts, func(user int)) {
					w := &fullWorker{Subject: s, population: population, histories: histories, first: part.From}
					w.counts, w.ids = newFullCounts(), make([]strategies.ID, workload.MaxShown)
					w.fill, _ = s.Strategy.(FillReporter)
					return &w.counts, w.live
				})
				if err != nil {
					return counts, machine, err
				}
				Sum(&counts, found)
				stats := histories.Stats()
				payload, now.Slabs = stats.Payload, stats.Slabs+stats.Bookkeeping
				now.Resident = o.resident() - baseline
				at = end
			}
			// A part that ends before the stop counts fully, and one that begins after it not at all.
			counts.Totals[i] += payload
			Sum(&machine.Taken[i], now)
		}
		counts.Payload += payload
		if alive != nil {
			if err := alive(Alive{Store: histories, First: part.From, Users: part.Len(), memory: memory}); err != nil {
				return counts, machine, err
			}
		}
	}
	return counts, machine, nil
}

func newFullCounts() FullCounts {
	return FullCounts{WindowLeast: workload.MaxShown}
}

func fullNeed(s Subject, users int) int64 {
	mean := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		mean += workload.ShownShare(shown) * float64(s.Theory.Bytes(shown))
	}
	return int64(float64(users) * (1.05*mean + 12))
}

type fullWorker struct {
	Subject
	population workload.Full
	histories  *store.Store[int]
	first      int // the store's user 0
	fill       FillReporter

	counts     FullCounts
	ids        []strategies.ID // shown in the life
	candidates [Asked + repeated]strategies.ID
	ages       [repeated]int
	seen       [max(Asked+repeated, NewestAsked)]bool
	moments    []int
	history    []byte
}

func (w *fullWorker) live(user int) {
	reader := w.population.Reader(user)
	shown := w.population.Shown(user)
	ids := w.ids[:shown]
	reader.IDs(ids, 0)
	local, at, asked := user-w.first, 0, workload.Fresh
	for _, moment := range w.chooseMoments(user, shown) {
		w.histories.Record(local, 0, ids[at:moment])
		at = moment
		reader.IDs(w.candidates[:Asked], asked)
		asked += Asked
		n := Asked
		if moment == shown {
			w.chooseRepeats(user, ids)
			n += repeated
		}
		w.histories.Seen(local, 0, w.candidates[:n], w.seen[:0])
		w.countFresh(local, moment, shown)
	}
	w.countRepeats(local, ids)
}

// chooseMoments chooses 500, the end, and random points of the grid: one for a user in four, several in a long life.
func (w *fullWorker) chooseMoments(user, shown int) []int {
	n, _ := slices.BinarySearch(Grid[:], shown+1)
	w.moments = append(w.moments[:0], workload.Least, shown)
	picks := w.population.Picks(user)
	random := 0
	switch {
	case shown >= workload.Least+workload.Turn:
		random = longMoments
	case picks.At(-3, 4) == 0:
		random = 1
	}
	for i := range random {
		w.moments = append(w.moments, Grid[picks.At(i, n)])
	}
	slices.Sort(w.moments)
	w.moments = slices.Compact(w.moments)
	return w.moments
}

func (w *fullWorker) countFresh(local, moment, shown int) {
	hits := Count(w.seen[:Asked], true)
	if moment == shown {
		w.counts.Cycle[(shown-workload.Least)%workload.Turn].Add(Asked, hits)
	}
	i, onGrid := slices.BinarySearch(Grid[:], moment)
	if !onGrid {
		return
	}
	p := &w.counts.Points[i]
	p.Fresh.Add(Asked, hits)
	p.Users++
	if w.fill == nil {
		p.Bytes += int64(w.histories.Size(local, 0))
		return
	}
	w.history = w.histories.History(local, 0, w.history[:0])
	ones, of := w.fill.Fill(w.history)
	p.Bytes += int64(len(w.history))
	p.Ones += int64(ones)
	p.Of += int64(of)
}

// chooseRepeats adds articles of the life to the fresh candidates: some of random age for the retention curve, and then
// some inside the window, the oldest and the newest first.
func (w *fullWorker) chooseRepeats(user int, ids []strategies.ID) {
	shown := len(ids)
	window := w.Theory.Window(shown)
	picks := w.population.Picks(user)
	for i := range w.ages {
		switch {
		case i < anyAge || window == 0:
			w.ages[i] = 1 + picks.At(longMoments+i, min(shown, MaxAge))
		case i == anyAge:
			w.ages[i] = window
		case i == anyAge+1:
			w.ages[i] = 1
		default:
			w.ages[i] = 1 + picks.At(longMoments+i, window)
		}
		w.candidates[Asked+i] = ids[shown-w.ages[i]]
	}
}

func (w *fullWorker) countRepeats(local int, ids []strategies.ID) {
	shown := len(ids)
	window := w.Theory.Window(shown)
	w.counts.Windows += int64(window)
	w.counts.WindowLeast = min(w.counts.WindowLeast, Least(window))
	w.counts.Users++
	seen := w.seen[Asked : Asked+repeated]
	for i, age := range w.ages[:anyAge] {
		w.counts.Retention[(age-1)/AgeBucket].Add(1, Count(seen[i:i+1], true))
	}
	if window > 0 {
		w.counts.WindowChecks += promised
		w.counts.WindowMisses += int64(Count(seen[anyAge:], false))
		return
	}
	newest := w.seen[:NewestAsked]
	w.histories.Seen(local, 0, ids[shown-NewestAsked:], newest[:0])
	missed := Count(newest, false)
	w.counts.NewestUsers++
	w.counts.NewestMissed += int64(missed)
	w.counts.NewestMost = max(w.counts.NewestMost, Most(missed))
}

// Alive is a part of a population after its lives, in a store whose user 0 is First.
type Alive struct {
	Store        *store.Store[int]
	First, Users int
	memory       *touching
}

// Touching calls do. Meanwhile Seen only reads a byte of every cache line of the history.
func (a Alive) Touching(do func()) {
	a.memory.only = true
	defer func() { a.memory.only = false }()
	do()
}

type touching struct {
	strategies.Strategy
	only bool
}

// Fingerprint returns the fingerprint of the wrapped strategy.
func (t *touching) Fingerprint() string { return strategies.Fingerprint(t.Strategy) }

// Seen reads a byte of every cache line, and answers nothing, if only is set.
func (t *touching) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if !t.only {
		t.Strategy.Seen(history, candidates, seen)
		return
	}
	touched := byte(0)
	for at := 0; at < len(history); at += 64 {
		touched |= history[at]
	}
	if len(seen) > 0 {
		seen[0] = touched != 0
	}
}
