package claims

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dejavu/results"
)

// A rate's p-values and design effect come back from the interval of its row.
func TestRateFromRow(t *testing.T) {
	e := read(t, rate("q", 2000, 100_000, 4))
	if e.Kind != Sampled || !close(e.DesignEffect, 4, 1e-4) {
		t.Errorf("kind %v, design effect %v: want a sample with 4", e.Kind, e.DesignEffect)
	}
	if inside, known := e.TheoryInside(); !inside || !known {
		t.Errorf("theory at the value: inside %v, known %v", inside, known)
	}
	// At the ends of the interval both p-values are 5 %.
	low, high := e.Low, e.High
	for _, p := range []float64{
		e.refuting(interval(0, low)), e.refuting(interval(high, 1)),
		e.upholding(interval(low, 1)), e.upholding(atMost(high)),
	} {
		if !close(p, 0.05, 1e-3) {
			t.Errorf("at the end of the interval p = %v, want 0.05", p)
		}
	}
	if p := e.refuting(atMost(0.02)); p != 1 {
		t.Errorf("at the value itself p = %v, want 1", p)
	}
}

// Few hits: the exact binomial. Limits computed with R's binom.test, as in
// measure's test of the interval: at each the two-sided p-value is 5 %.
func TestFewHitsFromRow(t *testing.T) {
	for _, c := range []struct{ hits, queries, low, high float64 }{
		{1, 100, 0.0002531460, 0.0544594}, {10, 20, 0.2719578, 0.7280422}, {0, 100, -1, 0.03621669}, {50, 50, 0.9288783, 2},
	} {
		e := read(t, rate("q", c.hits, c.queries, 1))
		if p := e.law.below(c.high); c.high < 1 && !close(p, 0.025, 1e-4) {
			t.Errorf("%v of %v at %v: %v are as few, want 0.025", c.hits, c.queries, c.high, p)
		}
		if p := e.law.above(c.low); c.low > 0 && !close(p, 0.025, 1e-4) {
			t.Errorf("%v of %v at %v: %v are as many, want 0.025", c.hits, c.queries, c.low, p)
		}
		if !math.IsNaN(e.DesignEffect) {
			t.Errorf("%v of %v: design effect %v from so few", c.hits, c.queries, e.DesignEffect)
		}
	}
	b := binomial{0, 100}
	if b.above(0) != 1 || b.above(-1) != 0 || b.below(1) != 0 || b.below(0) != 1 {
		t.Error("no hits: a rate of 0 explains them, one below 0 is none")
	}
	if b := (binomial{3, 100}); b.above(0) != 0 {
		t.Error("hits at a rate of 0")
	}
}

// Quotients and differences of two rows.
func TestTwoRows(t *testing.T) {
	rows := []results.Row{
		rate("a", 3000, 100_000, 1), rate("b", 1000, 50_000, 1), rate("few", 3, 50_000, 1),
		plainRow("bytes", results.Bytes, 508), plainRow("header", results.Bytes, 4), plainRow("none", results.Bytes, 0),
	}
	rows[3].Theory, rows[4].Count = results.Num(500), 7
	c := cellsOf(rows, nil)
	get := func(e Evidence) Estimate {
		t.Helper()
		out, err := c.estimate(e)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	// By hand: 1.5, and the square root of (1-0.03)/3000 + (1-0.02)/1000.
	q := get(over("e: a of s", "e: b of s"))
	s := math.Sqrt(0.97/3000 + 0.98/1000)
	ratio := math.Exp(1.959964 * s)
	if !close(q.Value, 1.5, 1e-9) || !close(q.High, 1.5*ratio, 1e-5) || !close(q.Low, 1.5/ratio, 1e-5) {
		t.Errorf("quotient %v, %v to %v", q.Value, q.Low, q.High)
	}
	if p := q.refuting(atMost(q.Low)); !close(p, 0.05, 1e-3) {
		t.Errorf("at the end of its interval p = %v", p)
	}
	d := get(less("e: a of s", "e: b of s"))
	s = math.Sqrt(0.03*0.97/100_000 + 0.02*0.98/50_000)
	if !close(d.Value, 0.01, 1e-9) || !close(d.High, 0.01+1.959964*s, 1e-5) || d.Count != 50_000 {
		t.Errorf("difference %v, up to %v, of %d", d.Value, d.High, d.Count)
	}
	e := get(less("e: bytes of s", "e: header of s"))
	if e.Value != 504 || e.Low != 504 || e.Kind != Counted || e.Count != 7 || e.Theory != results.Num(496) {
		t.Errorf("bytes less header: %+v", e)
	}
	if e := get(over("e: few of s", "e: b of s")); e.refuting(atLeast(100)) != 1 {
		t.Error("a quotient with few hits refutes something")
	}
	if _, err := c.estimate(over("e: a of s", "e: none of s")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("divided by nothing: %v", err)
	}
}

// The verdict is a matter of where the interval lies: inside, outside, or
// neither; and a claim that grants more is never worse off.
func TestVerdictByPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.Float64Range(200, 5000).Draw(t, "hits")
		effect := rapid.Float64Range(0.5, 10).Draw(t, "design effect")
		low := rapid.Float64Range(0, 0.06).Draw(t, "low")
		high := low + rapid.Float64Range(0, 0.05).Draw(t, "width")
		more := rapid.Float64Range(0, 0.02).Draw(t, "more")
		c := cellsOf([]results.Row{rate("q", math.Round(hits), 100_000, effect)}, nil)
		verdict := func(r Region) Verdict {
			return judge([]Claim{of(r)}, c).Findings[0].Verdict
		}
		e, _ := c.read(measured("e: q of s"))
		const edge = 1e-8 // 1.959964 of the row against the quantile itself
		r := interval(low, high)
		switch v := verdict(r); {
		case e.Low > low+edge && e.High < high-edge && v != Holds,
			(e.High < low-edge || e.Low > high+edge) && v != Refuted,
			e.Low < low-edge && low+edge < e.High && v != Underpowered,
			e.Low < high-edge && high+edge < e.High && v != Underpowered:
			t.Fatalf("%v to %v against %v: %v", e.Low, e.High, r, v)
		}
		if wider := interval(low-more, high+more); verdict(r).Upheld() && !verdict(wider).Upheld() {
			t.Fatalf("%v is upheld, %v is not", r, wider)
		}
		if verdict(interval(low-more, high+more)) == Refuted && verdict(r) != Refuted {
			t.Fatalf("the wider region alone is refuted")
		}
	})
}

// A closed form is inside an interval that has it between both ends, and only a
// sample is compared with one.
func TestTheoryInside(t *testing.T) {
	for _, tt := range []struct {
		kind          Kind
		theory        float64
		inside, known bool
	}{{Sampled, 2, true, true}, {Sampled, 0.5, false, true}, {Sampled, 3.5, false, true}, {Counted, 2, true, false}} {
		e := Estimate{Kind: tt.kind, Value: 2, Low: 1, High: 3, Theory: results.Num(tt.theory)}
		if inside, known := e.TheoryInside(); inside != tt.inside || known != tt.known {
			t.Errorf("%v, theory %v: inside %v, known %v", tt.kind, tt.theory, inside, known)
		}
	}
	if _, known := (Estimate{Kind: Sampled}).TheoryInside(); known {
		t.Error("no theory passes for one")
	}
}

// An interval needs no "about" where both of its ends lie in the tight part.
func TestTight(t *testing.T) {
	r := Region{Low: 0, High: 10, TightLow: 4, TightHigh: 6}
	for _, tt := range []struct {
		low, high float64
		want      bool
	}{{4, 6, true}, {3, 5, false}, {5, 7, false}, {3, 7, false}} {
		if got := r.tight(tt.low, tt.high); got != tt.want {
			t.Errorf("%v to %v: tight is %v", tt.low, tt.high, got)
		}
	}
}

// What nothing is known of is as the source says where the source says anything, and
// nowhere else.
func TestUpholdingAnything(t *testing.T) {
	below, above := math.Inf(-1), math.Inf(1)
	for _, c := range []struct {
		low, high, want float64
	}{{below, above, 0}, {0, above, 1}, {below, 9, 1}, {0, 9, 1}} {
		e := Estimate{Value: 5, Kind: Timed, law: unknown{}}
		if got := e.upholding(interval(c.low, c.high)); got != c.want {
			t.Errorf("from %v to %v: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
