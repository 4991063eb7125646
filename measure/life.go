package measure

import (
	"slices"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// A fullWorker lives readers' lives, one after the other.
type fullWorker struct {
	Subject
	population workload.Full
	histories  *store.Store
	first      int // the population's number of the store's user 0
	filler     Filler

	counts  FullCounts
	ids     []strategies.ID // the life's articles
	fresh   [Asked]strategies.ID
	repeats [NewestAsked]strategies.ID
	seen    [NewestAsked]bool
	moments []int
	history []byte
}

func newFullWorker(s Subject, p workload.Full, h *store.Store, first int) *fullWorker {
	w := &fullWorker{
		Subject: s, population: p, histories: h, first: first,
		counts: newFullCounts(), ids: make([]strategies.ID, workload.MaxShown),
	}
	w.filler, _ = s.Strategy.(Filler)
	return w
}

// live shows a reader all articles of a life, stopping at some moments to ask.
func (w *fullWorker) live(user int) {
	reader := w.population.Reader(user)
	shown := w.population.Shown(user)
	ids := w.ids[:shown]
	reader.IDs(ids, 0)
	at, asked := 0, workload.Fresh
	for _, moment := range w.chooseMoments(user, shown) {
		w.histories.Record(user-w.first, 0, ids[at:moment])
		at = moment
		reader.IDs(w.fresh[:], asked)
		asked += Asked
		w.ask(user, moment, shown)
	}
	w.askRepeats(user, ids)
}

// chooseMoments is when a reader is asked: at 500 and at the end, every other
// reader at one random point of the grid too, and at several in a long life.
func (w *fullWorker) chooseMoments(user, shown int) []int {
	n, _ := slices.BinarySearch(Grid, shown+1)
	w.moments = append(w.moments[:0], workload.Least, shown)
	picks := w.population.Picks(user)
	random := picks.At(-3, 2)
	if shown >= workload.Least+workload.Turn {
		random = longMoments
	}
	for i := range random {
		w.moments = append(w.moments, Grid[picks.At(i, n)])
	}
	slices.Sort(w.moments)
	w.moments = slices.Compact(w.moments)
	return w.moments
}

// ask puts the fresh candidates to the history at a moment of the life.
func (w *fullWorker) ask(user, moment, shown int) {
	seen := w.seen[:Asked]
	w.histories.Seen(user-w.first, 0, w.fresh[:], seen)
	hits := count(seen, true)
	if moment == shown {
		w.counts.Steady.Add(Asked, hits)
	}
	i, onGrid := slices.BinarySearch(Grid, moment)
	if !onGrid {
		return
	}
	p := &w.counts.Points[i]
	p.Fresh.Add(Asked, hits)
	p.Users++
	p.Bytes += int64(w.histories.Size(user-w.first, 0))
	if w.filler != nil {
		w.history = w.histories.History(user-w.first, 0, w.history[:0])
		ones, of := w.filler.Fill(w.history)
		p.Ones += int64(ones)
		p.Of += int64(of)
	}
}

// askRepeats puts articles of the life to the history at its end.
func (w *fullWorker) askRepeats(user int, ids []strategies.ID) {
	shown := len(ids)
	window := w.Theory.Window(shown)
	w.counts.Windows += int64(window)
	w.counts.WindowLeast = min(w.counts.WindowLeast, int64(window))
	w.counts.Users++

	// Any age: the retention curve. All ages have the same chance.
	const curve = repeated - promised
	picks := w.population.Picks(user)
	var ages [repeated]int
	for i := range ages {
		within := min(shown, MaxAge)
		switch {
		case i == curve && window > 0: // the oldest and the newest promised
			ages[i] = window
			continue
		case i == curve+1 && window > 0:
			ages[i] = 1
			continue
		case i >= curve && window > 0:
			within = window
		}
		ages[i] = 1 + picks.At(longMoments+i, within)
	}
	for i, age := range ages {
		w.repeats[i] = ids[shown-age]
	}
	w.histories.Seen(user-w.first, 0, w.repeats[:repeated], w.seen[:repeated])
	for i, age := range ages[:curve] {
		hit := 0
		if w.seen[i] {
			hit = 1
		}
		w.counts.Retention[(age-1)/AgeBucket].Add(1, hit)
	}
	if window > 0 {
		w.counts.WindowChecks += promised
		w.counts.WindowMisses += int64(count(w.seen[curve:repeated], false))
		return
	}

	copy(w.repeats[:], ids[shown-NewestAsked:])
	w.histories.Seen(user-w.first, 0, w.repeats[:], w.seen[:])
	missed := int64(count(w.seen[:], false))
	w.counts.NewestUsers++
	w.counts.NewestMissed += missed
	w.counts.NewestMost = max(w.counts.NewestMost, missed)
}

func count(seen []bool, value bool) (n int) {
	for _, s := range seen {
		if s == value {
			n++
		}
	}
	return n
}
