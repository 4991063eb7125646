package claims

import (
	"fmt"
	"math"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"

	"pgregory.net/rapid"
)

func TestSlipAndRemedy(t *testing.T) {
	rule := func(q string, r Region) Rule { return ruled(r, measured("e: "+q+" of s")) }
	gone := []Ref{measured("e: gone of s").Ref}
	rows := []results.Row{plainRow("printed", "", 4), plainRow("meant", "", 40), plainRow("size", "", 4332)}
	claim := Claim{
		ID: "T", Rule: rule("printed", equal(40)),
		Slip:   &Amendment{Says: "7 for 6", Rule: rule("meant", equal(40))},
		Remedy: &Amendment{Says: "%s bits", Shows: []Ref{measured("e: size of s").Ref}, Rule: rule("size", atLeast(4000))},
	}
	for _, c := range []struct {
		what string
		edit func(c *Claim)
		want Verdict
		says string
	}{
		{"the slip is put right", func(*Claim) {}, Corrected, "7 for 6"},
		{"what is meant is false too", func(c *Claim) { c.Slip.Rule = rule("meant", equal(41)) }, Refuted, "4332 bits"},
		{"nobody knows what is meant", func(c *Claim) { c.Slip.Rule = rule("gone", equal(40)) }, Unmeasured, ""},
		{"no slip, but a remedy", func(c *Claim) { c.Slip = nil }, Refuted, "4332 bits"},
		{"a remedy that is none", func(c *Claim) { c.Slip, c.Remedy.Rule = nil, rule("size", atLeast(5000)) }, Refuted, ""},
		{"a remedy without its number", func(c *Claim) { c.Slip, c.Remedy.Shows = nil, gone }, Refuted, ""},
		{"nothing to put right", func(c *Claim) { c.Rule = rule("printed", equal(4)) }, Holds, ""},
		{"untestable", func(c *Claim) { *c = Claim{ID: "T", Silent: "taste"} }, Untestable, ""},
		{"untestable, and more was found", func(c *Claim) {
			*c = Claim{ID: "T", Silent: "taste", Remedy: c.Remedy}
		}, Untestable, "4332 bits"},
	} {
		changed := claim
		slip, remedy := *claim.Slip, *claim.Remedy
		changed.Slip, changed.Remedy = &slip, &remedy
		c.edit(&changed)
		f := judge([]Claim{changed}, cellsOf(rows, nil)).Findings[0]
		if f.Verdict != c.want || f.Amended != c.says {
			t.Errorf("%s: %v, %q; want %v, %q", c.what, f.Verdict, f.Amended, c.want, c.says)
		}
	}
}

// One row that needs an "about" makes a claim hold only approximately.
func TestOneRowIsNotTight(t *testing.T) {
	c := Claim{ID: "T", Rule: ruled(about(500), measured("e: far of s"), measured("e: near of s"))}
	rows := []results.Row{plainRow("far", "", 400), plainRow("near", "", 500)}
	strategytest.Equal(t, finding(c, rows, nil).Verdict, Approximately, "400 and 500, about 500")
}

// Holm's correction makes the verdict of one claim depend on how many there are:
// a deviation that one test finds is lost among thirty.
func TestJudgeCorrects(t *testing.T) {
	row := rate("q", 2100, 100_000, 1) // 2.2055 standard errors above 0.02: p = 0.0274
	claim := of(atMost(0.02))
	many := []Claim{claim}
	for i := range 29 {
		many = append(many, Claim{ID: fmt.Sprint("U", i), Rule: of(atMost(0.021)).Rule})
	}
	c := cellsOf([]results.Row{row}, nil)
	if l := judge([]Claim{claim}, c); l.Findings[0].Verdict != Refuted || l.Tests != 1 {
		t.Errorf("one test: %v of %d", l.Findings[0].Verdict, l.Tests)
	}
	l := judge(many, c)
	if f := l.Findings[0]; f.Verdict != Underpowered || l.Tests != 30 || !close(f.P, min(1, 30*0.0274), 0.01) {
		t.Errorf("among thirty: %v of %d, p = %v", f.Verdict, l.Tests, f.P)
	}
	// So does the evidence of one claim: the least of two p-values counts double.
	both := claim
	both.Rule.Evidence = []Evidence{measured("e: q of s"), measured("e: q of s")}
	if f := judge([]Claim{both}, c).Findings[0]; f.Verdict != Underpowered || !close(f.P, 2*0.0274, 0.01) {
		t.Errorf("one of two rows beyond: %v, p = %v", f.Verdict, f.P)
	}
	// Counts and closed forms are no tests.
	many = append(many, Claim{ID: "V", Rule: ruled(equal(3), measured("e: n of s"))})
	l = judge(many, cellsOf([]results.Row{row, plainRow("n", "", 3)}, nil))
	if l.Tests != 30 || !math.IsNaN(l.Findings[30].P) {
		t.Errorf("a count is corrected for: %d tests, p = %v", l.Tests, l.Findings[30].P)
	}
}

func TestChanges(t *testing.T) {
	ledger := func(v Verdict, k Kind) Ledger {
		return Ledger{Findings: []Finding{{
			Claim:   Claim{ID: "T", Rule: ruled(atMost(0.02), measured("e: q of s at x=500"))},
			Verdict: v, From: measured("e: q of s at x=500"),
			Estimate: Estimate{Kind: k, Value: 0.03, Low: 0.025, High: 0.035},
		}}}
	}
	for _, c := range []struct {
		got, want         Verdict
		kind              Kind
		changes, compared int
	}{
		{Holds, Holds, Sampled, 0, 1},
		{Refuted, Holds, Sampled, 1, 1},
		{Underpowered, Refuted, Sampled, 1, 1},
		{Approximately, Holds, Counted, 1, 1},
		{Unmeasured, Holds, Sampled, 1, 1},
		{Unmeasured, Holds, Timed, 0, 0},
		{Unmeasured, Unmeasured, Sampled, 0, 0},
		{Refuted, Unmeasured, Sampled, 0, 0},
		{Untestable, Untestable, ClosedForm, 0, 0},
		{Refuted, Holds, Timed, 1, 1},
		{Underpowered, Holds, Timed, 0, 1},
		{Approximately, Holds, Timed, 0, 1},
	} {
		changes, compared := ledger(c.got, c.kind).Changes(ledger(c.want, c.kind))
		if len(changes) != c.changes || compared != c.compared {
			t.Errorf("%+v: %d changes of %d", c, len(changes), compared)
		}
		for _, change := range changes {
			if c.got == Unmeasured {
				continue // says what is missing: nothing here
			}
			want := fmt.Sprintf("claim T: %v, reference %v: "+
				"e: q of s at x=500 is 0.03 (0.025 to 0.035), true is at most 0.02", c.got, c.want)
			if change != want {
				t.Errorf("%q, want %q", change, want)
			}
		}
	}
}

func ExampleJudge() {
	run, ok := results.Reference(10_000_000, 2016)
	if !ok {
		return
	}
	for _, f := range Judge(run).Findings {
		if f.ID == "P12" {
			fmt.Printf("%s: %v\n", f.Says, f.Verdict)
			fmt.Println("true with", f.Amended)
		}
	}
	// Output:
	// 500 articles in 4064 bits with 6 hashes: f = 0.0156: refuted
	// true with 4332 bits and 6 hashes
}

// The rate that a count of 0 leaves possible: only for a claim of 0, and a count of 0.
func TestMost(t *testing.T) {
	for _, tt := range []struct {
		region Region
		value  float64
		count  int64
		ok     bool
	}{{equal(0), 0, 1000, true}, {equal(0), 1, 1000, false}, {equal(0), 0, 0, false}, {atMost(1), 0, 1000, false}} {
		f := Finding{Claim: Claim{Rule: Rule{Region: tt.region}}, Estimate: Estimate{Value: tt.value, Count: tt.count}}
		if rate, ok := f.Most(); ok != tt.ok || ok && !close(rate, 0.003682, 1e-3) { // 1 - 0.025^(1/1000)
			t.Errorf("%v of %v, %d asked: %v, %v", tt.value, tt.region, tt.count, rate, ok)
		}
	}
}

// A claim on times is open if runs off by Robust may lie on either side of its bound, or of 1 if none is stated, such
// as sending candidates over shipping a history. Other estimates are not open, however wide.
func TestOpenTimes(t *testing.T) {
	for _, c := range []struct {
		verdict   Verdict
		kind      Kind
		unit      string
		low, high float64
		want      string
	}{
		{Vague, Timed, Times, 2.13, 4.48, ""},
		{Vague, Timed, Times, 1.01 * Robust, 3, ""},
		{Vague, Timed, Times, 0.99 * Robust, 3, "open"},
		{Vague, Timed, Times, 0.2, 0.99 / Robust, ""},
		{Vague, Timed, Times, 0.2, 1.01 / Robust, "open"},
		{Vague, Timed, results.Nanoseconds, 0.9, 1.6, ""},
		{Vague, Sampled, Times, 0.9, 1.6, ""},
		{Holds, Timed, Times, 0.9, 1.6, ""},
		{Underpowered, Timed, Times, 2.13, 4.48, "open"},
		{Underpowered, Sampled, Times, 2.13, 4.48, ""},
	} {
		f := Finding{
			Claim: Claim{Unit: c.unit, Rule: Rule{Region: anything}}, Verdict: c.verdict,
			Estimate: Estimate{Kind: c.kind, Low: c.low, High: c.high},
		}
		strategytest.Equal(t, f.Beyond(), c.want, "%v of %v to %v %s, %v", c.verdict, c.low, c.high, c.unit, c.kind)
	}
}

// A difference of times decides only if it would when multiplied or divided by Robust, also below zero.
func TestDifferencesOfTimes(t *testing.T) {
	for _, c := range []struct {
		region    Region
		low, high float64
		want      Verdict
	}{
		{atLeast(-1), -0.99 / Robust, -0.1, Holds},
		{atLeast(-1), -1.01 / Robust, -0.1, Underpowered},
		{atLeast(-1), -3, -0.99 * Robust, Underpowered},
		{atLeast(-1), -3, -Robust, Underpowered},
		{atLeast(-1), -3, -1.01 * Robust, Refuted},
		{atMost(-1), -3, -1.01 * Robust, Holds},
		{atMost(-1), -3, -0.99 * Robust, Underpowered},
		{atMost(-1), -1.01 / Robust, -0.1, Underpowered},
		{atMost(-1), -1 / Robust, -0.1, Underpowered},
		{atMost(-1), -0.99 / Robust, -0.1, Refuted},
	} {
		verdict := func(e Estimate) Verdict {
			return tested{estimates: []Estimate{e}, timed: true, tight: true, region: c.region}.verdict()
		}
		strategytest.Equal(t, verdict(Estimate{Kind: Timed, Low: c.low, High: c.high}), c.want,
			"%v to %v, true is %v", c.low, c.high, c.region)
		// A count beside a time has no error.
		want := Refuted
		if c.region.contains(c.low, c.low) {
			want = Holds
		}
		strategytest.Equal(t, verdict(Estimate{Kind: Counted, Low: c.low, High: c.low}), want,
			"%v counted, true is %v", c.low, c.region)
	}
}

// A p-value decides up to Alpha, and an upheld claim is tight or not.
func TestVerdicts(t *testing.T) {
	const beyond = Alpha * 1.001
	for _, c := range []struct {
		upholding, refuting float64
		tight               bool
		want                Verdict
	}{
		{Alpha, 1, true, Holds},
		{Alpha, 1, false, Approximately},
		{1, Alpha, true, Refuted},
		{beyond, beyond, true, Underpowered},
	} {
		all := tested{region: interval(0, 10), estimates: make([]Estimate, 1), tight: c.tight}
		all.upholding, all.refuting = c.upholding, c.refuting
		strategytest.Equal(t, all.verdict(), c.want, "%v upholds, %v refutes", c.upholding, c.refuting)
	}
}

// The farthest estimate is shown or, if all are inside, the one nearest to an end.
func TestFarthest(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   int
	}{
		{[]float64{5, 9, 4}, 1},
		{[]float64{5, 6, 1}, 2},
		{[]float64{9, 11, 5}, 1},
		{[]float64{9, 11, -2}, 2},
		{[]float64{5, 5}, 0},
		{[]float64{0.5, 9, 10}, 2},
	} {
		all := tested{region: interval(0, 10)}
		for _, v := range c.values {
			all.estimates = append(all.estimates, Estimate{Value: v})
		}
		strategytest.Equal(t, all.farthest(), c.want, "of %v the one at", c.values)
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
	strategytest.Equal(t, (binomial{3, 100}).above(0), 0, "hits at a rate of 0")
}

// By hand: exp(-2·20·0.25²) and √(ln 40 / 40) of Hoeffding's bound, and no quotient of rates is below 0.
func TestLaws(t *testing.T) {
	h, l := bounded{0.5, 20}, logNormal{2, 0.5}
	if !close(h.above(0.25), 0.0820850, 1e-6) || !close(h.below(0.75), 0.0820850, 1e-6) ||
		!close(h.margin(), 0.303681, 1e-6) {
		t.Errorf("a bounded mean: %v, %v, margin %v", h.above(0.25), h.below(0.75), h.margin())
	}
	if l.above(0) != 0 || l.above(-1) != 0 || l.below(0) != 1 || l.below(-1) != 1 {
		t.Errorf("a quotient: %v %v, %v %v", l.above(0), l.above(-1), l.below(0), l.below(-1))
	}
}

// The verdict depends on the interval: inside, outside, or neither; and a claim that allows more never does worse.
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
		e, _ := c.read(measured("e: q of s").Ref)
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

// Theory is inside an interval if it is between both ends, and only a sample is compared.
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
