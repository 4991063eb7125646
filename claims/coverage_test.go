package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/measure"
	"dejavu/results"
)

// A simulation study of every interval that verdicts rest on: of studies whose truth is known, how many
// intervals hold it. Seeds are fixed, so that a test passes always or never; what a sound interval's chance
// of failing it would be over seeds is said beside the bounds.

// studies is how many times each is repeated. The number of intervals that cover has a standard deviation of 6.9
// at 95 %, so 927 to 973 leave out 3.3 of them to either side: a sound interval fails one seed in a thousand.
const (
	studies = 1000
	fewest  = 927
	most    = 973
)

// covered is how many of the studies' intervals hold the truth.
func covered(truth float64, study func(r *rand.Rand) (low, high float64)) (n int) {
	r := rand.New(rand.NewPCG(2016, 4))
	for range studies {
		if low, high := study(r); low <= truth && truth <= high {
			n++
		}
	}
	return n
}

// draw is a rate of 250 users who were asked 20 queries each.
func draw(r *rand.Rand, p float64) (rate measure.Rate) {
	for range 250 {
		rate.Add(20, hitsOf(r, 20, p))
	}
	return rate
}

// hitsOf is how many of so many queries hit.
func hitsOf(r *rand.Rand, queries int, p float64) (hits int) {
	for range queries {
		if r.Float64() < p {
			hits++
		}
	}
	return hits
}

// through is a rate as a row of results, read back as an estimate.
func through(t *testing.T, r measure.Rate) Estimate {
	t.Helper()
	low, high := r.Interval()
	row := row("q", results.Ratio, r.Value())
	row.Low, row.High, row.Count = results.Num(low), results.Num(high), r.Queries
	return read(t, row)
}

// Few hits: the exact interval covers at least as often as it says.
func TestExactIntervalsCover(t *testing.T) {
	for _, p := range []float64{0.0002, 0.001, 0.004, 0.9995} {
		n := covered(p, func(r *rand.Rand) (low, high float64) {
			e := through(t, draw(r, p))
			return e.Low, e.High
		})
		if n < fewest {
			t.Errorf("at %v %d of %d intervals cover, want %d or more", p, n, studies, fewest)
		}
	}
}

// Means of shares: Hoeffding's interval covers whatever they are spread like, and so more often than 95 times in 100.
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
		if n < fewest {
			t.Errorf("%d of %d intervals cover, want %d or more", n, studies, fewest)
		}
	}
}

// Quotients of two rates.
func TestQuotientIntervalsCover(t *testing.T) {
	const p, q = 0.0203, 0.0831
	n := covered(p/q, func(r *rand.Rand) (low, high float64) {
		e := through(t, draw(r, p)).with(through(t, draw(r, q)), true)
		return e.Low, e.High
	})
	if n < fewest || n > most {
		t.Errorf("%d of %d intervals of a quotient cover, want %d to %d", n, studies, fewest, most)
	}
}

// Over the whole ledger: where every claim on a rate is true, and barely so, the chance that even one is refuted is at
// most 5 %, and where every one is false, barely, that even one is upheld. Of 1000 ledgers that is 50, and 73 but for
// one seed in a thousand. Without the correction it would be 354: 17 claims, each wrongly refuted 2.5 times in 100.
func TestLedgerErrors(t *testing.T) {
	const tests, queries = 17, 40_000
	r := rand.New(rand.NewPCG(2016, 5))
	ledgers := func(region Region) (wrong int, uncorrected int) {
		var table []Claim
		for i := range tests {
			table = append(table, Claim{ID: fmt.Sprint(i), Rule: ruled(region, alone(fmt.Sprintf("e: %d of s", i)))})
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
		if wrong > 73 {
			t.Errorf("%v: %d of %d ledgers have a wrong verdict, want at most 50, or 73 by chance", region, wrong, studies)
		}
		if uncorrected < 250 {
			t.Errorf("%v: %d of %d ledgers without the correction: the test shows nothing", region, uncorrected, studies)
		}
	}
}
