package measure

import (
	"context"

	"dejavu/strategies"
	"dejavu/workload"
)

// ExtendGrid lists how many articles were shown since the window grew.
var ExtendGrid = [...]int{0, 50, 100, 200, 300, 400, 500, 600}

// An ExtendPoint counts answers to users who were shown a number of articles since the change.
type ExtendPoint struct {
	Fresh  Rate  `json:"fresh"`  // false positives among fresh candidates
	Checks int64 `json:"checks"` // repeated candidates that must still be recognised,
	Misses int64 `json:"misses"` // and of these, not recognised
}

// ExtendCounts contains one strategy's results.
type ExtendCounts struct {
	Points [len(ExtendGrid)]ExtendPoint `json:"points"`
	Kept   int64                        `json:"kept"` // articles that are always recognised just after the change
	Users  int64                        `json:"users"`
}

// A Change replaces an old strategy by one with a longer window. If Keeps is set, Longer reads old histories. Otherwise
// its history begins empty, begins articles after the change, and answers queries from answers articles after it.
type Change struct {
	Old, Longer Subject
	Keeps       bool
	Begins      func(shown int) (begins, answers int) // shown: articles before the change; nil: 0, 0
}

// Extend takes one in twenty of these users through the change, at the end of a life with the old strategy.
func Extend(
	ctx context.Context, o Options, change Change, population workload.Full, users Range,
) (ExtendCounts, error) {
	return Each(ctx, o, users, func() (*ExtendCounts, func(user int)) {
		ids := make([]strategies.ID, workload.MaxShown+ExtendGrid[len(ExtendGrid)-1])
		w := &extendWorker{Change: change, population: population, ids: ids}
		return &w.counts, w.live
	})
}

type extendWorker struct {
	Change
	population workload.Full

	counts  ExtendCounts
	history []byte
	ids     []strategies.ID // shown before the change, and since
	fresh   [Asked]strategies.ID
	repeats [promised]strategies.ID
	seen    [repeated]bool
}

func (w *extendWorker) live(user int) {
	picks := w.population.Picks(user)
	if picks.At(-1, 20) != 0 {
		return
	}
	reader, shown := w.population.Reader(user), w.population.Shown(user)
	i := picks.At(-2, len(ExtendGrid))
	since, point := ExtendGrid[i], &w.counts.Points[i]
	ids := w.ids[:shown+since]
	reader.IDs(ids, 0)
	w.history = w.history[:0]
	begins, answers := 0, 0
	if w.Begins != nil {
		begins, answers = w.Begins(shown)
	}
	kept := 0 // articles from before the change that are always recognised after it
	if w.Keeps || answers > 0 {
		w.history = w.Old.Strategy.Record(w.history, ids[:shown])
		kept = w.Old.Theory.Window(shown)
	}
	w.counts.Kept += int64(kept)
	w.counts.Users++
	var s Subject
	var window int
	if since < answers {
		s, window = w.Old, w.Old.Theory.Window(shown+since)
		w.history = s.Strategy.Record(w.history, ids[shown:])
	} else {
		if !w.Keeps {
			w.history, kept = w.history[:0], 0
		}
		s = w.Longer
		w.history = s.Strategy.Record(w.history, ids[shown+begins:])
		// Until the longer window is full, it is what was kept and all since.
		known := kept + since - begins
		window = min(known, s.Theory.Window(max(known, 1)))
	}
	reader.IDs(w.fresh[:], workload.Catalogue-Asked)
	s.Strategy.Seen(w.history, w.fresh[:], w.seen[:Asked])
	point.Fresh.Add(Asked, Count(w.seen[:Asked], true))
	if window == 0 {
		return
	}
	for j := range w.repeats {
		age := window
		if j > 0 {
			age = 1 + picks.At(-3-j, window)
		}
		w.repeats[j] = ids[shown+since-age]
	}
	s.Strategy.Seen(w.history, w.repeats[:], w.seen[:promised])
	point.Checks += promised
	point.Misses += int64(Count(w.seen[:promised], false))
}
