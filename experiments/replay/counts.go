package replay

import (
	"dejavu/measure"
	"dejavu/measure/deal"
)

// Counts is what came out for one strategy. All of it is whole numbers, the
// same for any number of workers.
type Counts struct {
	// Regime counts as Daily does: Fresh are candidates that this user was never
	// shown before, and Repeats those of the recorded that had been shown and were
	// not recognised. ByHeld is left empty.
	measure.Regime

	// Articles counts the queries of Fresh by article.
	Articles measure.Articles

	// By AgeBin of how many articles ago it was shown, 1 being the newest: the
	// candidates that had been shown before, and those of them recognised.
	Repeated, Recognised []int64

	// By articles recorded since the history was last empty, 0 to 4095 and more:
	// the fresh candidates, and those of them that were false positives.
	FreshByHeld, HitsByHeld []int64
}

func newCounts() Counts {
	return Counts{
		Regime: measure.NewRegime(), Articles: measure.NewArticles(),
		Repeated: make([]int64, deal.AgeBins), Recognised: make([]int64, deal.AgeBins),
		FreshByHeld: make([]int64, measure.HeldMost+1), HitsByHeld: make([]int64, measure.HeldMost+1),
	}
}

// like is whether both count the same.
func (r *Counts) like(s *Counts) bool {
	return len(r.Articles.Queries) == len(s.Articles.Queries) && len(r.Articles.Hits) == len(s.Articles.Hits) &&
		len(r.Held) == len(s.Held) && len(r.ByHeld) == len(s.ByHeld) &&
		len(r.Repeated) == len(s.Repeated) && len(r.Recognised) == len(s.Recognised) &&
		len(r.FreshByHeld) == len(s.FreshByHeld) && len(r.HitsByHeld) == len(s.HitsByHeld)
}
