package strategytest

import (
	"fmt"
	"math"

	"dejavu/strategies"
)

// An Estimate is a rate measured on independent histories. Estimates with equal Queries add up field by field.
type Estimate struct {
	Users       int   // independent histories
	Queries     int   // candidates asked of each history
	Hits        int64 // candidates reported as seen, summed over the histories
	HitsSquared int64 // the square of each history's hits, summed
}

// Rate returns the share of candidates that were reported as seen, in [0, 1]; 0 if nothing was asked.
func (e Estimate) Rate() float64 {
	if e.Users == 0 || e.Queries == 0 {
		return 0
	}
	return float64(e.Hits) / (float64(e.Users) * float64(e.Queries))
}

// stdErr returns the standard error of Rate with each history as one observation: a fuller history reports more of all
// candidates as seen, so they are not independent. With fewer than two histories it is infinite.
func (e Estimate) stdErr() float64 {
	if e.Users < 2 || e.Queries == 0 {
		return math.Inf(1)
	}
	n, mean := float64(e.Users), float64(e.Hits)/float64(e.Users)
	variance := max(0, float64(e.HitsSquared)-n*mean*mean) / (n - 1)
	return math.Sqrt(variance/n) / float64(e.Queries)
}

// Z returns how many standard errors Rate lies above theory, in [0, 1]. The standard error is measured between
// histories or binomial, whichever is larger; if theory expects fewer than 25 hits (or misses) it is binomial. A hit
// where theory allows none is at infinity, as is everything if theory is no probability.
func (e Estimate) Z(theory float64) float64 {
	if !(theory >= 0 && theory <= 1) {
		return math.Inf(1)
	}
	asked := float64(e.Users) * float64(e.Queries)
	difference := e.Rate() - theory
	if difference == 0 || asked == 0 {
		return 0
	}
	stderr := math.Sqrt(theory * (1 - theory) / asked)
	if asked*min(theory, 1-theory) >= 25 {
		stderr = max(stderr, e.stdErr())
	}
	return difference / stderr // ±Inf where theory is 0 or 1
}

// Add counts one history's hits.
func (e *Estimate) Add(hits int) {
	e.Users++
	e.Hits += int64(hits)
	e.HitsSquared += int64(hits) * int64(hits)
}

// MeasureFPR shows read random articles to each of a number of users, asks about queries fresh candidates, and counts
// the false positives. The result depends only on the arguments. Tests plant faults for Z to find.
func MeasureFPR(s strategies.Strategy, read, users, queries int, seed uint64) Estimate {
	fresh := make([]int, queries)
	for i := range fresh {
		fresh[i] = read + i
	}
	return measure(s, read, users, fresh, seed)
}

// measure counts, over users histories of read articles, how many of asked are seen: numbers below read were shown.
func measure(s strategies.Strategy, read, users int, asked []int, seed uint64) Estimate {
	e := Estimate{Queries: len(asked)}
	ids, candidates := make([]strategies.ID, read+len(asked)), make([]strategies.ID, len(asked))
	seen := make([]bool, len(asked))
	var history []byte
	for user := range users {
		fill(generator(seed, uint64(user)), ids)
		// The previous user's memory is this one's spare capacity.
		history = s.Record(history[:0], ids[:read])
		for i, at := range asked {
			candidates[i] = ids[at]
		}
		s.Seen(history, candidates, seen)
		e.Add(Count(seen))
	}
	return e
}

func (s Subject) reads() []int {
	if s.Reads != nil {
		return s.Reads
	}
	return []int{50, 100, 250, 500, 501, 750}
}

func checkFPR(s Subject, e effort) error {
	for i, read := range s.reads() {
		estimate := MeasureFPR(s.Strategy, read, e.times(e.users), e.queries, 0xf9<<32+e.seed()+uint64(i))
		err := compare(estimate, s.Theory.FPR(read), read, e.errors, "of the unseen articles are reported as seen")
		if err != nil {
			return err
		}
	}
	return nil
}

// checkForgets measures the rate of articles that left no trace, which must equal the rate of fresh ones.
func checkForgets(s Subject, e effort) error {
	if s.Forgets == nil {
		return nil
	}
	asked := 0
	for i, read := range s.reads() {
		var gone []int // numbers of articles shown
		for age := 1; age <= read; age++ {
			if s.Forgets(read, age) && len(gone) < e.queries {
				gone = append(gone, read-age)
			}
		}
		estimate := measure(s.Strategy, read, e.times(e.users), gone, 0xf0<<32+e.seed()+uint64(i))
		err := compare(estimate, s.Theory.FPR(read), read, e.errors, "of the forgotten articles are reported as seen")
		if err != nil {
			return err
		}
		asked += len(gone)
	}
	if asked == 0 {
		return fmt.Errorf("Subject.Forgets names no age at any of the reads %v, so nothing was measured", s.reads())
	}
	return nil
}

func checkFill(s Subject, e effort) error {
	filler, ok := s.Strategy.(interface {
		Fill(history []byte) (ones, of int)
		FillTheory(read int) float64
	})
	if !ok {
		return nil
	}
	if ones, of := filler.Fill(nil); ones != 0 || of < 1 {
		return fmt.Errorf("of an empty history %d of %d bits are set", ones, of)
	}
	for i, read := range s.reads() {
		var estimate Estimate
		ids := make([]strategies.ID, read)
		for user := range e.times(e.users / 20) {
			fill(generator(0xf1<<32+e.seed()+uint64(i), uint64(user)), ids)
			var ones int
			ones, estimate.Queries = filler.Fill(s.Strategy.Record(nil, ids))
			if estimate.Queries < 1 && read > 0 {
				return fmt.Errorf("%d of %d bits are set after %d articles, by Fill", ones, estimate.Queries, read)
			}
			estimate.Add(ones)
		}
		if err := compare(estimate, filler.FillTheory(read), read, e.errors, "of the bits are set"); err != nil {
			return err
		}
	}
	return nil
}

// compare compares a measured rate with theory. It may be off by a number of standard errors and, if few hits or
// misses but not none are expected, by three more, because small numbers are not normally distributed.
func compare(e Estimate, theory float64, read int, errors float64, what string) error {
	z := e.Z(theory)
	asked := float64(e.Users) * float64(e.Queries)
	expected := asked * min(theory, 1-theory)
	off := math.Abs(float64(e.Hits) - asked*theory)
	if math.Abs(z) <= errors || 1e-6 < expected && expected < 25 && off <= errors*math.Sqrt(expected)+3 {
		return nil
	}
	return offTheory(fmt.Sprintf(
		"after %d articles %.6g %s, and theory says %.6g: %.1f standard errors off (%d hits, %d users × %d queries)",
		read, e.Rate(), what, theory, z, e.Hits, e.Users, e.Queries))
}
