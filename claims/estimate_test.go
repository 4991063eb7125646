package claims

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

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

// A closed form is inside an interval that has it between both ends, and only a sample is compared with one.
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

// What nothing is known of is as the source says where the source says anything, and nowhere else.
func TestUpholdingAnything(t *testing.T) {
	below, above := math.Inf(-1), math.Inf(1)
	for _, c := range []struct {
		low, high, want float64
	}{{below, above, 0}, {0, above, 1}, {below, 9, 1}, {0, 9, 1}} {
		e := Estimate{Value: 5, Kind: Timed, law: unknown{}}
		strategytest.Equal(t, e.upholding(interval(c.low, c.high)), c.want, "from %v to %v", c.low, c.high)
	}
}
