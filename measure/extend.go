package measure

import (
	"context"

	"dejavu/strategies"
	"dejavu/workload"
)

// ExtendGrid is how many articles after the window grew readers are asked again.
var ExtendGrid = []int{0, 50, 100, 200, 300, 400, 500, 600}

// extendOne is how many readers there are to one who is taken through the change.
const extendOne = 20

// An ExtendPoint is what was found among readers who had been shown Since
// articles since the window grew.
type ExtendPoint struct {
	Since int  `json:"since"`
	Fresh Rate `json:"fresh"` // fresh candidates taken for seen

	// Repeats of articles that must still be recognised, and those not recognised.
	Checks int64 `json:"checks"`
	Misses int64 `json:"misses"`
}

// ExtendCounts is what the change of N yields for one strategy.
type ExtendCounts struct {
	Points []ExtendPoint `json:"points"` // one for each of ExtendGrid
	Kept   int64         `json:"kept"`   // articles certainly recognised just after the change, summed
	Users  int64         `json:"users"`
}

// Extend takes the live histories of a part of the population
// at the end of their lives, hands a copy of one in twenty to the longer strategy,
// lets the reader go on for a number of articles from ExtendGrid, and asks.
//
// With keep the longer strategy accepts the old histories; without, it cannot,
// and every reader begins anew.
func Extend(ctx context.Context, o Options, longer Subject, keep bool, old Subject,
	population workload.Full, part Alive,
) (ExtendCounts, error) {
	workers := make([]*extendWorker, o.workers())
	for i := range workers {
		sizes := longer.Strategy.Sizes()
		workers[i] = &extendWorker{
			longer: longer, old: old, keep: keep, population: population, part: part,
			counts:  newExtendCounts(),
			history: make([]byte, 0, sizes[len(sizes)-1]),
			ids:     make([]strategies.ID, ExtendGrid[len(ExtendGrid)-1]),
		}
	}
	quiet := o
	quiet.Progress = nil
	err := each(ctx, quiet, workers, Range{part.First, part.First + part.Users}, (*extendWorker).live)
	counts := newExtendCounts()
	for _, w := range workers {
		counts.Add(w.counts)
	}
	return counts, err
}

func newExtendCounts() ExtendCounts {
	c := ExtendCounts{Points: make([]ExtendPoint, len(ExtendGrid))}
	for i, since := range ExtendGrid {
		c.Points[i].Since = since
	}
	return c
}

// Add adds what another worker, or part, counted.
func (c *ExtendCounts) Add(d ExtendCounts) {
	if c.Points == nil {
		*c = newExtendCounts()
	}
	for i := range c.Points {
		p, q := &c.Points[i], &d.Points[i]
		p.Fresh = p.Fresh.Plus(q.Fresh)
		p.Checks += q.Checks
		p.Misses += q.Misses
	}
	c.Kept += d.Kept
	c.Users += d.Users
}

// An extendWorker takes readers through the change, one after the other.
type extendWorker struct {
	longer, old Subject
	keep        bool
	population  workload.Full
	part        Alive

	counts  ExtendCounts
	history []byte
	ids     []strategies.ID
	fresh   [Asked]strategies.ID
	repeats [promised]strategies.ID
	seen    [repeated]bool
}

func (w *extendWorker) live(user int) {
	picks := w.population.Picks(user)
	if picks.At(-1, extendOne) != 0 {
		return
	}
	reader, shown := w.population.Reader(user), w.population.Shown(user)
	w.history = w.history[:0]
	held := 0 // articles of the life that are certainly recognised
	if w.keep {
		w.history = w.part.Store.History(user-w.part.First, 0, w.history)
		held = w.old.Theory.Window(shown)
	}
	w.counts.Kept += int64(held)
	w.counts.Users++

	i := picks.At(-2, len(ExtendGrid))
	since, point := ExtendGrid[i], &w.counts.Points[i]
	reader.IDs(w.ids[:since], shown)
	w.history = w.longer.Strategy.Record(w.history, w.ids[:since])

	reader.IDs(w.fresh[:], workload.Catalogue-Asked)
	w.longer.Strategy.Seen(w.history, w.fresh[:], w.seen[:Asked])
	point.Fresh.Add(Asked, count(w.seen[:Asked], true))

	// The longer window is still filling up: all that was held, and all since,
	// as far as it reaches.
	window := min(held+since, w.longer.Theory.Window(max(held+since, 1)))
	if window == 0 {
		return
	}
	for j := range w.repeats {
		age := window
		if j > 0 {
			age = 1 + picks.At(-3-j, window)
		}
		w.repeats[j] = reader.ID(shown + since - age)
	}
	w.longer.Strategy.Seen(w.history, w.repeats[:], w.seen[:promised])
	point.Checks += promised
	point.Misses += int64(count(w.seen[:promised], false))
}
