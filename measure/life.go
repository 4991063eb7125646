package measure

import (
	"slices"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// A fullWorker lives users' lives, one after the other.
type fullWorker struct {
	Subject
	population workload.Full
	histories  *store.Store[int]
	first      int // the population's number of the store's user 0
	fill       FillReporter

	counts     FullCounts
	ids        []strategies.ID // the life's articles
	candidates [Asked + repeated]strategies.ID
	ages       [repeated]int
	seen       [max(Asked+repeated, NewestAsked)]bool
	moments    []int
	history    []byte
}

func newFullWorker(s Subject, p workload.Full, h *store.Store[int], first int) *fullWorker {
	w := &fullWorker{
		Subject: s, population: p, histories: h, first: first,
		counts: newFullCounts(), ids: make([]strategies.ID, workload.MaxShown),
	}
	w.fill, _ = s.Strategy.(FillReporter)
	return w
}

// live shows a user all articles of a life, stopping at some moments to ask.
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
		w.histories.Seen(local, 0, w.candidates[:n], w.seen[:n])
		w.countFresh(local, moment, shown)
	}
	w.countRepeats(local, ids)
}

// chooseMoments is 500 and the end, for one in four a random point of the grid, several in a long life.
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

// countFresh counts what the history said of the fresh candidates at a moment of the life.
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

// chooseRepeats makes articles of the life the candidates after the fresh ones: some of any age, for the retention
// curve, where all ages have the same chance, and then those promised, the oldest and the newest first.
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

// countRepeats counts what the history said of the repeats at the life's end.
func (w *fullWorker) countRepeats(local int, ids []strategies.ID) {
	shown := len(ids)
	window := w.Theory.Window(shown)
	w.counts.Windows += int64(window)
	w.counts.WindowLeast = min(w.counts.WindowLeast, int64(window))
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
	w.histories.Seen(local, 0, ids[shown-NewestAsked:], newest)
	missed := int64(Count(newest, false))
	w.counts.NewestUsers++
	w.counts.NewestMissed += missed
	w.counts.NewestMost = max(w.counts.NewestMost, missed)
}

// Alive is a part of a population whose histories are alive at once. First is user 0 of the store.
type Alive struct {
	Store        *store.Store[int]
	First, Users int

	memory *touching
}

// Touching calls do, and has the strategy do nothing meanwhile but what no strategy can do without: Seen
// brings the history's memory, a byte of every cache line, and its answers mean nothing.
func (a Alive) Touching(do func()) {
	a.memory.only = true
	defer func() { a.memory.only = false }()
	do()
}

// touching is a strategy that can be told to do nothing but to bring the history's memory.
type touching struct {
	strategies.Strategy
	only bool
}

// Seen reads a byte of every cache line, and answers nothing, where only is set.
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
