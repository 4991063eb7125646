package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/measure"
	"dejavu/results"

	"gonum.org/v1/gonum/stat/distuv"
)

// A simulation study of every interval that verdicts rest on: how many intervals contain the known truth. Seeds are
// fixed, so a test passes always or never; the bounds' comments say how often a sound interval would fail over seeds.

// studies is the number of repetitions. The number of intervals that cover has a standard deviation of 6.9 at 95 %, so
// 927 to 973 leave out 3.3 of them to either side: a sound interval fails one seed in a thousand.
const (
	studies = 1000
	fewest  = 927
	most    = 973
)

// covered returns how many of the studies' intervals contain the truth.
func covered(truth float64, study func(r *rand.Rand) (low, high float64)) (n int) {
	r := rand.New(rand.NewPCG(2016, 4))
	for range studies {
		if low, high := study(r); low <= truth && truth <= high {
			n++
		}
	}
	return n
}

// draw returns a rate of 250 users with 20 queries each.
func draw(r *rand.Rand, p float64) (rate measure.Rate) {
	for range 250 {
		rate.Add(20, hitsOf(r, 20, p))
	}
	return rate
}

// hitsOf draws how many of the queries hit.
func hitsOf(r *rand.Rand, queries int, p float64) (hits int) {
	for range queries {
		if r.Float64() < p {
			hits++
		}
	}
	return hits
}

// through writes a rate as a row of results, and reads it back as an estimate.
func through(t *testing.T, r measure.Rate) Estimate {
	t.Helper()
	low, high := r.Interval()
	row := row("q", results.Ratio, r.Value())
	row.Low, row.High, row.Count = results.Num(low), results.Num(high), r.Queries
	return read(t, row)
}

// Means of shares: Hoeffding's interval covers whatever their distribution, and so more often than 95 times in 100.
func TestBoundedIntervalsCover(t *testing.T) {
	for _, draw := range []func(r *rand.Rand) float64{
		func(r *rand.Rand) float64 { return float64(r.IntN(2)) },
		func(r *rand.Rand) float64 { return r.Float64() },
		func(r *rand.Rand) float64 { return 0.49 + 0.02*r.Float64() },
	} {
		n := covered(0.5, func(r *rand.Rand) (low, high float64) {
			const users = 200
			sum := 0.
			for range users {
				sum += draw(r)
			}
			h := bounded{sum / users, users}
			return h.value - h.margin(), h.value + h.margin()
		})
		strategytest.AtLeast(t, n, fewest, "of %d intervals cover", studies)
	}
}

// Quotients of two rates.
func TestQuotientIntervalsCover(t *testing.T) {
	const p, q = 0.0203, 0.0831
	n := covered(p/q, func(r *rand.Rand) (low, high float64) {
		e := through(t, draw(r, p)).with(through(t, draw(r, q)), true)
		return e.Low, e.High
	})
	strategytest.Between(t, n, fewest, most, "of %d intervals of a quotient cover", studies)
}

// Over the whole ledger: if every claim on a rate is barely true, the chance that even one is refuted is at most 5 %,
// and if every one is barely false, that even one is upheld. Of 1000 ledgers that is 50, and at most 73 except for one
// seed in a thousand. Without the correction it would be 354: 17 claims, each wrongly refuted 2.5 times in 100.
func TestLedgerErrors(t *testing.T) {
	const tests, queries = 17, 40_000
	r := rand.New(rand.NewPCG(2016, 5))
	ledgers := func(region Region) (wrong int, uncorrected int) {
		var table []Claim
		for i := range tests {
			table = append(table, Claim{ID: fmt.Sprint(i), Rule: ruled(region, measured(fmt.Sprintf("e: %d of s", i)))})
		}
		for range studies {
			var rows []results.Row
			for i := range tests {
				// A rate of 2 %, its hits normal: their number is large.
				hits := math.Round(0.02*queries + r.NormFloat64()*math.Sqrt(0.02*0.98*queries))
				rows = append(rows, rate(fmt.Sprint(i), hits, queries, 1))
			}
			c := cellsOf(rows, nil)
			bad := func(v Verdict) bool { return v == Refuted == region.contains(0.02, 0.02) && v.Decided() }
			if slices.ContainsFunc(judge(table, c).Findings, func(f Finding) bool { return bad(f.Verdict) }) {
				wrong++
			}
			if slices.ContainsFunc(table, func(claim Claim) bool { return bad(c.test(claim.Rule).verdict()) }) {
				uncorrected++
			}
		}
		return wrong, uncorrected
	}
	for _, region := range []Region{atMost(0.02), atLeast(0.02), atMost(0.02 - 1e-9), atLeast(0.02 + 1e-9)} {
		wrong, uncorrected := ledgers(region)
		strategytest.AtMost(t, wrong, 73, "%v: of %d ledgers have a wrong verdict", region, studies)
		strategytest.AtLeast(t, uncorrected, 250,
			"%v: of %d ledgers without the correction: the test shows nothing", region, studies)
	}
}

// A coverage counts intervals, and those that contain the expected value.
type coverage struct{ rows, hold int }

// sound returns the range of hold if each interval contains its expected value with a chance of 95 %, independently.
// 99 % of sound programs have all four counts of TestReferenceCoverage in their ranges (Bonferroni).
func (c coverage) sound() (least, most int) {
	b, tail := distuv.Binomial{N: float64(c.rows), P: 0.95}, 0.005/4
	for b.CDF(float64(least)) < tail {
		least++
	}
	for most = c.rows; b.Survival(float64(most-1)) < tail; most-- {
	}
	return least, most
}

// coverages counts intervals by experiment; those with fewer than 200 are counted together. width stretches every
// interval, to plant a fault. Exact intervals, of fewer than 30 hits or misses, are left out: they contain more.
func coverages(rows []results.Row, width float64) map[string]coverage {
	of := map[string]coverage{}
	for _, r := range rows {
		value, v := r.Value.Get()
		theory, t := r.Theory.Get()
		low, l := r.Low.Get()
		high, h := r.High.Get()
		// Probe schemes in hashes are there because they are biased.
		if !v || !t || !l || !h || r.Unit != results.Ratio || r.Experiment == results.Hashes ||
			min(value, 1-value)*float64(r.Count) < normalHits-0.5 {
			continue
		}
		c := of[r.Experiment]
		c.rows++
		if value-width*(value-low) <= theory && theory <= value+width*(high-value) {
			c.hold++
		}
		of[r.Experiment] = c
	}
	var others coverage
	for name, c := range of {
		if c.rows < 200 {
			others = coverage{others.rows + c.rows, others.hold + c.hold}
			delete(of, name)
		}
	}
	if others.rows >= 200 {
		of["the others"] = others
	}
	return of
}

// unsound lists the experiments whose intervals contain the expected value too seldom or too often.
func unsound(of map[string]coverage) (faults []string) {
	for name, c := range of {
		if least, most := c.sound(); c.hold < least || c.hold > most {
			faults = append(faults, fmt.Sprintf("%s: %d of %d intervals hold theory, want %d to %d",
				name, c.hold, c.rows, least, most))
		}
	}
	return faults
}

// The intervals of the committed runs contain the expected value as often as 95 % intervals do. One sound program in a
// hundred fails.
func TestReferenceCoverage(t *testing.T) {
	for users, counts := range map[int]int{10_000_000: 3, 20_000: 1} {
		rows := reference(t, users).Rows
		of := coverages(rows, 1)
		strategytest.AtLeast(t, len(of), counts, "%d users: experiments with many intervals", users)
		if faults := unsound(of); len(faults) > 0 {
			t.Errorf("%d users: %q", users, faults)
		}
		// Planted: all intervals too narrow by three tenths, or too wide by half.
		for _, width := range []float64{0.7, 1.5} {
			strategytest.Equal(t, len(unsound(coverages(rows, width))), len(of),
				"%d users, %v times as wide: found in experiments", users, width)
		}
	}
}

// The committed runs agree with theory, row by row: within 4.5 standard errors, clustered by user, for every rate with
// enough hits and misses. By chance alone one of the 1400 such rows of the large run would fail in one of a hundred
// runs. And no repeat passed any window.
func TestReferenceAgreesWithTheory(t *testing.T) {
	for _, users := range []int{10_000_000, 20_000} {
		rates, windows := 0, 0
		for _, r := range reference(t, users).Rows {
			value, _ := r.Value.Get()
			if strings.HasPrefix(r.Quantity, results.QInside) {
				windows++
				strategytest.Equal(t, value, 0, "%d users: %v", users, r.Name())
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
		// A change of names must not make this test empty.
		if least := map[int]int{10_000_000: 1000, 20_000: 250}[users]; rates < least || windows < 40 {
			t.Errorf("%d users: %d rates and %d windows compared, want %d and 40 at least", users, rates, windows, least)
		}
	}
}

// deviation returns how many standard errors a measured rate lies from theory. ok is false if there is no theory, hits
// or misses are too few, or the row is from Hashes, where biased probe schemes are measured.
func deviation(r results.Row) (z float64, ok bool) {
	value, v := r.Value.Get()
	theory, t := r.Theory.Get()
	low, l := r.Low.Get()
	high, h := r.High.Get()
	hits, count := value*float64(r.Count), float64(r.Count)
	if !v || !t || !l || !h || r.Unit != results.Ratio || r.Experiment == results.Hashes ||
		min(hits, count-hits) < normalHits {
		return 0, false
	}
	// The side that was not cut off at 0 or 1.
	return (value - theory) / (max(high-value, value-low) / z95), true
}

// A row with an error of theory or of measurement is found.
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
