package strategytest

import (
	"fmt"
	"math"
	"strconv"

	"dejavu/strategies"
)

// A KeyShape is how callers' IDs come: as digests, or as the numbers that their articles have.
type KeyShape struct {
	Name string
	ID   func(user, i uint64) strategies.ID // the i-th article of a user, i below 65536; all are different
}

// KeyShapes are the shapes on which Run tries a strategy: random numbers, numbers in a row and far apart, and digests
// of decimal numbers and of URLs that begin alike. A strategy that takes IDs for uniform bits fails at numbers.
func KeyShapes() []KeyShape {
	digest := strategies.XXHashString
	return []KeyShape{
		{"random", func(user, i uint64) strategies.ID { return strategies.ID(splitMix(splitMix(user+1) ^ i)) }},
		{"sequential", func(user, i uint64) strategies.ID { return strategies.ID(1_000_000 + user<<16 + i) }},
		{"far apart", func(user, i uint64) strategies.ID { return strategies.ID(i<<48 + user) }},
		{"decimal", func(user, i uint64) strategies.ID { return digest(strconv.FormatUint(user<<16+i, 10)) }},
		{"URLs", func(user, i uint64) strategies.ID {
			return digest(fmt.Sprintf("https://news.example/articles/%d/%d", user, i))
		}},
	}
}

// Hits is how many of so many unseen articles the history of each user reports as seen, after read articles. The IDs
// are salted where there is a secret.
func (k KeyShape) Hits(s strategies.Strategy, read, users, queries int, secret strategies.Secret) []int {
	hits := make([]int, users)
	ids, seen := make([]strategies.ID, read+queries), make([]bool, queries)
	var history []byte
	for user := range hits {
		for i := range ids {
			ids[i] = k.ID(uint64(user), uint64(i))
		}
		if !secret.IsZero() {
			ids = secret.Salt(uint64(user)).Append(ids[:0], ids)
		}
		history = s.Record(history[:0], ids[:read])
		s.Seen(history, ids[read:], seen)
		hits[user] = Count(seen)
	}
	return hits
}

// checkShapes measures the false positive rate of IDs of each shape, salted and not, against the closed form, and how
// far users differ. What they may differ by is what they do with random IDs, or the binomial where that is more: the
// mean may lie five standard errors off, and the squares add up to twice as much. With 300 users a right strategy
// fails one of the twenty with a probability of 1e-5 in all, where few hits are expected too.
func checkShapes(s Subject, _ effort) error {
	const users, queries = 300, 150
	reads := s.reads()
	read := reads[len(reads)-1]
	theory := s.Theory.FPR(read)
	spread := users * queries * theory * (1 - theory)
	secret, err := strategies.NewSecret([]byte("a secret of the kit's"))
	for i, shape := range KeyShapes() {
		for _, secret := range []strategies.Secret{{}, secret} {
			sum, squares := 0., 0.
			for _, n := range shape.Hits(s.Strategy, read, users, queries, secret) {
				sum += float64(n)
				squares += math.Pow(float64(n)-queries*theory, 2)
			}
			if i == 0 && secret.IsZero() {
				spread = max(spread, squares)
			}
			if off := sum - users*queries*theory; math.Abs(off) > 5*math.Sqrt(spread)+3 || squares > 2*spread+12 {
				return fmt.Errorf("after %d articles with %s IDs, salted %v, %.4g of the unseen are reported as seen; "+
					"theory says %.4g (squares of %.4g over the users, want %.4g)",
					read, shape.Name, !secret.IsZero(), sum/users/queries, theory, squares, spread)
			}
		}
	}
	return err
}
