package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/results"
)

// A Kind says what an Estimate rests on.
type Kind int

// The kinds: a closed form; a complete count; a sampled rate or mean; a time, which depends on the machine.
const (
	ClosedForm Kind = iota
	Counted
	Sampled
	Timed
)

// String names the kind.
func (k Kind) String() string { return [...]string{"theory", "counted", "measured", "timed"}[k] }

// An Estimate is the number that evidence gives, with its uncertainty.
type Estimate struct {
	Kind             Kind
	Value, Low, High float64        // Low to High is the 95 % interval; Value if nothing is uncertain
	Theory           results.Number // the expected value of a closed form
	Count            int64          // observations; 0 if that has no meaning

	// DesignEffect is the factor by which clustering queries by user increases a rate's variance (Kish, Survey
	// Sampling, 1965). It is NaN if unknown.
	DesignEffect float64

	law law
}

// TheoryInside reports whether the expected value lies inside the measured interval, and whether both are known. One
// in twenty intervals misses by chance; one that misses by far points to a fault, first of all in the code.
func (e Estimate) TheoryInside() (inside, known bool) {
	theory, ok := e.Theory.Get()
	return e.Low <= theory && theory <= e.High, ok && e.Kind == Sampled
}

// A cell is a row of a run. timing is set if it depends on the machine.
type cell struct {
	results.Row
	timing bool
}

// cells finds the rows of a run.
type cells map[results.Query]cell

// index keeps the first of several rows with one key.
func index(run *results.Run) cells {
	c := cells{}
	for i, r := range run.All() {
		if _, ok := c[r.Name()]; !ok {
			c[r.Name()] = cell{r, i >= len(run.Rows)}
		}
	}
	return c
}

// leastTimed is the fewest requests that a time must rest on.
const leastTimed = 1000

// normalHits is the fewest hits, and misses, for which a rate is treated as normal, as in measure.Rate.
const normalHits = 30

// read makes an estimate of the row that r names, or an error that says what is missing.
func (c cells) read(r Ref) (Estimate, error) {
	row, ok := c[r.Query()]
	if !ok {
		return Estimate{}, fmt.Errorf("%s: no such row", r)
	}
	if r.Among != 0 && row.Count != r.Among {
		return Estimate{}, fmt.Errorf("%s: rests on %d, want %d", r, row.Count, r.Among)
	}
	value, column, theory := row.Value, "value", r.Measured.Quantity == ""
	if theory {
		value, column = row.Theory, "theory"
	}
	v, ok := value.Get()
	if !ok {
		return Estimate{}, fmt.Errorf("%s: %s is empty", r, column)
	}
	e := Estimate{
		Kind: Counted, Value: v, Low: v, High: v, Theory: row.Theory,
		Count: row.Count, DesignEffect: math.NaN(), law: normal{value: v},
	}
	low, bounds := row.Low.Get()
	high, both := row.High.Get()
	bounds = bounds && both
	extreme := strings.Contains(string(r.Query().Where), "statistic=worst")
	share := row.Unit == results.Ratio && 0 <= v && v <= 1 && row.Count > 0 && (bounds || !extreme)
	switch {
	case theory:
		e.Kind, e.Count = ClosedForm, 0
	case row.timing:
		e.Kind, e.law = Timed, unknown{}
		if !bounds || row.Count < leastTimed {
			return Estimate{}, fmt.Errorf("%s: rests on %d requests, want an interval and %d or more", r, row.Count, leastTimed)
		}
		e.Low, e.High = low, high
	case bounds && share:
		e.sample(low, high)
	case share:
		h := bounded{v, float64(row.Count)}
		e.Kind, e.law = Sampled, h
		e.Low, e.High = max(0, v-h.margin()), min(1, v+h.margin())
	case bounds:
		e.mean(max(high-v, v-low) / z95)
	case r.Most > 0 && row.Count > 0:
		// Numbers from 0 to Most with mean v have a variance of at most v(Most-v) (Bhatia and Davis, 2000).
		e.mean(math.Sqrt(max(0, v*(r.Most-v)) / float64(row.Count)))
	}
	return e, nil
}

// mean makes e a sampled mean with a standard error.
func (e *Estimate) mean(stdErr float64) {
	e.Kind, e.law = Sampled, normal{e.Value, stdErr}
	e.Low, e.High = e.Value-z95*stdErr, e.Value+z95*stdErr
}

// sample makes e a rate with an interval.
func (e *Estimate) sample(low, high float64) {
	e.Kind, e.Low, e.High = Sampled, low, high
	n := float64(e.Count)
	hits := math.Round(e.Value * n)
	if min(hits, n-hits) < normalHits {
		e.law = binomial{hits, n}
		return
	}
	// The side that was not cut off at 0 or 1.
	stdErr := max(high-e.Value, e.Value-low) / z95
	e.law = normal{e.Value, stdErr}
	e.DesignEffect = stdErr * stdErr * n / (e.Value * (1 - e.Value))
}

// estimate makes an estimate from one row or two.
func (c cells) estimate(e Evidence) (Estimate, error) {
	a, err := c.read(e.Ref)
	other := cmp.Or(e.Over, e.Less)
	if err != nil || other == nil {
		return a, err
	}
	b, err := c.read(*other)
	if err == nil && e.Over != nil && b.Value == 0 {
		err = fmt.Errorf("%s: 0, nothing can be divided by it", e.Over)
	}
	if err != nil {
		return b, err
	}
	return a.with(b, e.Over != nil), nil
}

// with returns a over b, or a less b.
func (a Estimate) with(b Estimate, over bool) Estimate {
	out := Estimate{Kind: max(a.Kind, b.Kind), Count: a.Count, DesignEffect: math.NaN()}
	if a.Count == 0 || b.Count != 0 && b.Count < a.Count {
		out.Count = b.Count
	}
	combine := func(x, y float64) float64 {
		if over {
			return x / y
		}
		return x - y
	}
	out.Value, out.Low, out.High = combine(a.Value, b.Value), combine(a.Low, b.High), combine(a.High, b.Low)
	x, known := a.Theory.Get()
	if y, both := b.Theory.Get(); known && both && (!over || y != 0) {
		out.Theory = results.Num(combine(x, y))
	}
	switch out.Kind {
	case ClosedForm, Counted:
		out.Low, out.High, out.law = out.Value, out.Value, normal{value: out.Value}
		return out
	case Timed:
		out.law = unknown{}
		return out
	}
	sa, ok := stdErr(a)
	sb, both := stdErr(b)
	switch {
	case !ok || !both || over && !(a.Value > 0 && b.Value > 0):
		out.law = unknown{} // keeps the interval of the ends, which is too wide
		if over && b.Low <= 0 {
			out.High = math.Inf(1)
		}
	case over:
		s := math.Hypot(sa/a.Value, sb/b.Value)
		out.law = logNormal{out.Value, s}
		out.Low, out.High = out.Value*math.Exp(-z95*s), out.Value*math.Exp(z95*s)
	default:
		s := math.Hypot(sa, sb)
		out.law = normal{out.Value, s}
		out.Low, out.High = out.Value-z95*s, out.Value+z95*s
	}
	return out
}

// stdErr returns the standard error of an estimate, if it has one.
func stdErr(e Estimate) (float64, bool) {
	l, ok := e.law.(normal)
	return l.stdErr, ok
}

// refuting returns the two-sided p-value of the estimate if the truth lies in r: 1 if the estimate itself does.
func (e Estimate) refuting(r Region) float64 {
	switch {
	case e.Value < r.Low:
		return twoSided(e.law.below(r.Low))
	case e.Value > r.High:
		return twoSided(e.law.above(r.High))
	default:
		return 1
	}
}

// upholding returns the p-value of the estimate if the truth lies outside r: the larger of two one-sided tests, one at
// each end of r (Schuirmann, 1987), each at the level of a two-sided one.
func (e Estimate) upholding(r Region) float64 {
	if !r.contains(e.Value, e.Value) {
		return 1
	}
	if e.Kind == ClosedForm || e.Kind == Counted {
		return 0 // on the edge too
	}
	p := 0.
	if !math.IsInf(r.Low, -1) {
		p = max(p, twoSided(e.law.above(r.Low)))
	}
	if !math.IsInf(r.High, 1) {
		p = max(p, twoSided(e.law.below(r.High)))
	}
	return p
}

// A law describes how an estimate scatters around the truth. below and above return the chance of an estimate at most,
// or at least, as large as this one, if the truth is bound.
type law interface {
	below(bound float64) float64
	above(bound float64) float64
}

// normal describes an estimate with a standard error, 0 for a number without error.
type normal struct{ value, stdErr float64 }

func (n normal) below(bound float64) float64 { return normalTail(bound-n.value, n.stdErr) }
func (n normal) above(bound float64) float64 { return normalTail(n.value-bound, n.stdErr) }

// normalTail returns the chance of lying that far, or farther, on one side.
func normalTail(distance, stdErr float64) float64 {
	if stdErr == 0 && distance == 0 {
		return 1
	}
	return 0.5 * math.Erfc(distance/stdErr/math.Sqrt2)
}

// logNormal describes a quotient of two estimates: its logarithm is normal.
type logNormal struct{ value, stdErr float64 }

func (l logNormal) below(bound float64) float64 {
	return normalTail(math.Log(max(bound, 0)/l.value), l.stdErr)
}

func (l logNormal) above(bound float64) float64 {
	return normalTail(math.Log(l.value/max(bound, 0)), l.stdErr)
}

// binomial describes hits among independent queries: the exact law of few hits.
type binomial struct{ hits, queries float64 }

func (b binomial) below(bound float64) float64 {
	if bound <= 0 || b.hits >= b.queries {
		return 1
	}
	return mathext.RegIncBeta(b.queries-b.hits, b.hits+1, max(0, 1-bound))
}

func (b binomial) above(bound float64) float64 {
	switch {
	case bound < 0:
		return 0
	case b.hits <= 0:
		return 1
	}
	return mathext.RegIncBeta(b.hits, b.queries-b.hits+1, min(1, bound))
}

// bounded is the law of a mean of count numbers between 0 and 1, nothing else being known (Hoeffding, Probability
// inequalities for sums of bounded random variables, 1963).
type bounded struct{ value, count float64 }

func (h bounded) below(bound float64) float64 { return h.tail(bound - h.value) }
func (h bounded) above(bound float64) float64 { return h.tail(h.value - bound) }

func (h bounded) tail(distance float64) float64 {
	if distance <= 0 {
		return 1
	}
	return math.Exp(-2 * h.count * distance * distance)
}

// margin returns half the width of the 95 % interval.
func (h bounded) margin() float64 { return math.Sqrt(math.Log(2/0.05) / (2 * h.count)) }

// unknown describes an estimate with an interval and no law: it proves nothing.
type unknown struct{}

func (unknown) below(float64) float64 { return 1 }
func (unknown) above(float64) float64 { return 1 }

// twoSided converts a one-sided p-value, so that the 95 % interval and a p-value of 5 % agree.
func twoSided(p float64) float64 { return min(1, 2*p) }

// z95 is the half width of a 95 % interval in standard errors.
var z95 = distuv.UnitNormal.Quantile(0.975)

// Alpha bounds the chance of even one wrong refutation among all claims that rest on measured rates, and the chance of
// even one wrong confirmation. A single claim, true or false, risks only one of them. A ledger contains both kinds, so
// its chance of any wrong verdict is at most twice Alpha.
const Alpha = 0.05

// Holm adjusts p-values for multiple tests (Holm, A simple sequentially rejective multiple test procedure, 1979): if
// adjusted values up to α are rejected, the chance of any wrong rejection is at most α, however the tests depend on
// each other. The result has the order of p, and no value above 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	most := 0. // a larger p never becomes the smaller one
	for rank, i := range order {
		most = max(most, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = most
	}
	return adjusted
}
