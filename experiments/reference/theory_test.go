package reference

import (
	"math"
	"strings"
	"testing"

	"dejavu/results"
)

// What the committed runs measured is what theory says, row by row: within 4.5 standard errors, clustered by
// user, for every rate that rests on enough hits and misses. Of the 1400 such rows of the large run chance
// alone would let one fail in a hundred runs. And no repeat came through any window.
func TestReferenceAgreesWithTheory(t *testing.T) {
	for _, users := range []int{10_000_000, 20_000} {
		reference, ok := results.Reference(users, results.DefaultSeed)
		if !ok {
			t.Fatalf("no committed reference of %d users", users)
		}
		rates, windows := 0, 0
		for _, r := range reference.Rows {
			value, _ := r.Value.Get()
			if strings.HasPrefix(r.Quantity, results.QInside) {
				windows++
				if value != 0 {
					t.Errorf("%d users: %v: %v", users, r.Name(), value)
				}
				continue
			}
			z, ok := deviation(r)
			if !ok {
				continue
			}
			rates++
			if math.Abs(z) > 4.5 {
				t.Errorf("%d users: %v is %v, theory %v: %.1f standard errors apart", users, r.Name(), r.Value, r.Theory, z)
			}
		}
		// Rows of a name that changed must not make this test empty.
		if least := map[int]int{10_000_000: 1000, 20_000: 250}[users]; rates < least || windows < 40 {
			t.Errorf("%d users: %d rates and %d windows compared, want %d and 40 at least", users, rates, windows, least)
		}
	}
}

// deviation is how many standard errors a measured rate lies from its theory. ok is false where there is no
// theory, too little was found, or the row is of probe schemes that are there because they are biased.
func deviation(r results.Row) (z float64, ok bool) {
	const enough = 30 // hits and misses, as in an interval (measure.Rate)
	value, v := r.Value.Get()
	theory, t := r.Theory.Get()
	low, l := r.Low.Get()
	high, h := r.High.Get()
	hits, count := value*float64(r.Count), float64(r.Count)
	if !v || !t || !l || !h || r.Unit != results.Ratio || r.Experiment == results.Hashes ||
		min(hits, count-hits) < enough {
		return 0, false
	}
	// The side that was not cut off at 0 or 1.
	return (value - theory) / (max(high-value, value-low) / 1.959964), true
}

// A row that is off, by an error of theory or of measurement, is found.
func TestDeviationIsFound(t *testing.T) {
	r := results.Row{
		Unit: results.Ratio, Value: results.Num(0.0203), Low: results.Num(0.0200), High: results.Num(0.0206),
		Theory: results.Num(0.0203), Count: 1_000_000,
	}
	if z, ok := deviation(r); !ok || z != 0 {
		t.Errorf("a rate that is its theory's: %v standard errors, %v", z, ok)
	}
	r.Theory = results.Num(0.0195) // the textbook's for another geometry
	if z, ok := deviation(r); !ok || z < 4.5 {
		t.Errorf("a rate 4 %% above its theory: %v standard errors, %v", z, ok)
	}
	r.Count = 1000
	if _, ok := deviation(r); ok {
		t.Error("twenty hits are enough for a standard error")
	}
}
