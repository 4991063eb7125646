package claims

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/results"
)

// Every claim with all that decides about it. A change of a bound, of a row it is
// looked up in or of a remedy is a change of what is claimed.
func TestGoldenClaims(t *testing.T) {
	var b strings.Builder
	rule := func(r Rule) {
		if len(r.Evidence) > 0 {
			fmt.Fprintf(&b, "  true if %v: %.9g to %.9g, tight %.9g to %.9g\n  because %s\n",
				r.Region, r.Region.Low, r.Region.High, r.Region.TightLow, r.Region.TightHigh, r.Because)
		}
		for _, e := range r.Evidence {
			fmt.Fprintf(&b, "  rows %v, among %d and %d\n", e, e.Of.Count, e.By.Count)
		}
	}
	for _, c := range All() {
		fmt.Fprintf(&b, "%s, %s %s: %s\n", c.ID, c.Source, c.Section, c.Says)
		fmt.Fprintf(&b, "  reading %q, %s [%s] = %v, experiments %q, silent %q\n", c.Reading, c.Quantity, c.Unit, c.Stated, c.Experiments(), c.Silent)
		rule(c.Rule)
		for _, a := range []struct {
			name string
			*Amendment
		}{{"slip", c.Slip}, {"remedy", c.Remedy}} {
			if a.Amendment != nil {
				fmt.Fprintf(&b, "  %s %q shows %v\n", a.name, a.Says, a.Shows)
				rule(a.Rule)
			}
		}
	}
	golden.File(t, "claims.golden", b.String())
}

// The verdict on a number at the edge of each kind of region, just below and just
// above: as a count, which is as it stands, and as a time, which may be off by Robust.
func TestGoldenEdges(t *testing.T) {
	var b strings.Builder
	for _, region := range []Region{equal(40), printed(0.0156, 0.0001), atMost(40), atLeast(40), about(500), interval(3, 7), equal(0), atMost(0)} {
		edges := []float64{region.Low, region.High}
		for _, edge := range edges {
			if math.IsInf(edge, 0) {
				continue
			}
			for _, v := range []float64{math.Nextafter(edge, math.Inf(-1)), edge, math.Nextafter(edge, math.Inf(1)), edge / 1.3, edge / 1.2, edge * 1.2, edge * 1.3, edge - 5, edge + 5} {
				row := plainRow("q", "", v)
				claim := Claim{ID: "T", Rule: Rule{each(measured("e", "s", "q")), region, "test"}}
				counted := judge([]Claim{claim}, cellsOf([]results.Row{row}, nil)).Findings[0]
				row.Count, row.Low, row.High = leastTimed, row.Value, row.Value
				timed := judge([]Claim{claim}, cellsOf(nil, []results.Row{row})).Findings[0]
				fmt.Fprintf(&b, "%v, %.17g: %v (%v) %s, as a time %v %s\n", region, v, counted.Verdict, counted.Estimate.Kind, counted.Beyond(), timed.Verdict, timed.Beyond())
			}
		}
	}
	golden.File(t, "edges.golden", b.String())
}

// What each kind of row comes to, alone and with each other one.
func TestGoldenEstimates(t *testing.T) {
	fewer := plainRow("fewer", "", 3)
	fewer.Count = 7
	uncounted := plainRow("uncounted", "", 5)
	uncounted.Count, uncounted.Theory = 0, results.Number{}
	share := results.Row{Experiment: "e", Strategy: "s", Quantity: "share", Unit: results.Ratio, Value: results.Num(0.5), Count: 50}
	wide := share
	wide.Quantity, wide.Count = "small share", 2
	odd := results.Row{Experiment: "e", Strategy: "s", Quantity: "no rate", Value: results.Num(2), Low: results.Num(1), High: results.Num(3), Count: 9}
	above := odd
	above.Quantity, above.Unit, above.Value = "above 1", results.Ratio, results.Num(1.5)
	half := odd
	half.Quantity, half.High = "half an interval", results.Number{}
	empty := odd
	empty.Quantity, empty.Value = "empty", results.Number{}
	rows := []results.Row{
		rate("rate", 2000, 100_000, 4), rate("thirty", 30, 1000, 1), rate("twenty-nine", 29, 1000, 1), rate("all but thirty", 970, 1000, 1),
		rate("all but twenty-nine", 971, 1000, 1), rate("none", 0, 1000, 1), rate("all", 1000, 1000, 1), share, wide,
		plainRow("count", "", 4), plainRow("zero", "", 0), plainRow("less", "", -2), fewer, uncounted, odd, above, half, empty,
	}
	var timing []results.Row
	for i, n := range []int64{leastTimed - 1, leastTimed, leastTimed + 1} {
		timing = append(timing, results.Row{
			Experiment: "e", Strategy: "s", Quantity: fmt.Sprint("time of ", n), Unit: results.Nanoseconds,
			Value: results.Num(10), Low: results.Num(9), High: results.Num(float64(12 + i)), Count: n,
		})
	}
	timing = append(timing, plainRow("time without bounds", results.Nanoseconds, 3))
	c := cellsOf(rows, timing)
	refs := []Ref{theory("e", "s", "rate"), theory("e", "s", "uncounted"), measured("e", "s", "count").among(99), measured("e", "s", "count").among(100), measured("e", "s", "gone")}
	for _, r := range append(rows, timing...) {
		refs = append(refs, measured("e", "s", r.Quantity))
	}
	var b strings.Builder
	for _, of := range refs {
		evidence := []Evidence{alone(of)}
		for _, by := range refs {
			evidence = append(evidence, over(of, by), less(of, by))
		}
		for _, e := range evidence {
			estimate, err := c.estimate(e)
			if err != nil {
				if e.How == Alone {
					fmt.Fprintf(&b, "%v: %v\n", e, err)
				}
				continue
			}
			theory, _ := estimate.Theory.Get()
			fmt.Fprintf(&b, "%v: %v %.6g (%.6g to %.6g), theory %.6g, of %d, effect %.6g, %T, below %.6g, above %.6g\n", e, estimate.Kind, estimate.Value,
				estimate.Low, estimate.High, theory, estimate.Count, estimate.DesignEffect, estimate.law,
				estimate.law.below(estimate.Value+0.001), estimate.law.above(estimate.Value-0.001))
		}
	}
	golden.File(t, "estimates.golden", b.String())
}

// The chances of an estimate as far out as a bound, for each law.
func TestGoldenLaws(t *testing.T) {
	var b strings.Builder
	for _, l := range []law{normal{2, 0.5}, normal{2, 0}, logNormal{2, 0.5}, logNormal{2, 0}, binomial{3, 10}, binomial{0, 10}, binomial{10, 10}, bounded{0.5, 20}, unknown{}} {
		for _, bound := range []float64{-1, 0, 0.25, 0.5, 1, 2, 3} {
			fmt.Fprintf(&b, "%T%v at %v: below %.6g, above %.6g\n", l, l, bound, l.below(bound), l.above(bound))
		}
	}
	fmt.Fprintf(&b, "margin %.6g, two-sided %v %v\n", bounded{0.5, 20}.margin(), twoSided(0.25), twoSided(0.75))
	golden.File(t, "laws.golden", b.String())
}

// A ledger counts its verdicts, and its kinds have names.
func TestCount(t *testing.T) {
	l := Ledger{Findings: []Finding{{Verdict: Holds}, {Verdict: Refuted}, {Verdict: Holds}}}
	if l.Count(Holds) != 2 || l.Count(Refuted) != 1 || l.Count(Corrected) != 0 {
		t.Errorf("%d hold, %d are refuted", l.Count(Holds), l.Count(Refuted))
	}
	if got := fmt.Sprint(ClosedForm, Counted, Sampled, Timed); got != "theory counted measured timed" {
		t.Errorf("the kinds are %s", got)
	}
	for _, c := range []struct {
		f    Finding
		want string
	}{
		{Finding{Verdict: Holds, Estimate: Estimate{Value: 1}, Claim: Claim{Rule: Rule{Region: interval(2, 3)}}}, ""},
		{Finding{Verdict: Refuted, Estimate: Estimate{Value: 1}, Claim: Claim{Rule: Rule{Region: interval(2, 3)}}}, "less"},
		{Finding{Verdict: Refuted, Estimate: Estimate{Value: 4}, Claim: Claim{Rule: Rule{Region: interval(2, 3)}}}, "more"},
	} {
		if got := c.f.Beyond(); got != c.want {
			t.Errorf("%v in %v: %q, want %q", c.f.Estimate.Value, c.f.Rule.Region, got, c.want)
		}
	}
	for _, c := range []struct{ low, value, high, theory float64 }{{1, 2, 3, 1}, {1, 2, 3, 3}, {1, 2, 3, 0.9}, {1, 2, 3, 3.1}} {
		inside, known := Estimate{Kind: Sampled, Value: c.value, Low: c.low, High: c.high, Theory: results.Num(c.theory)}.TheoryInside()
		if want := c.theory >= c.low && c.theory <= c.high; !known || inside != want {
			t.Errorf("theory %v in %v to %v: %t", c.theory, c.low, c.high, inside)
		}
	}
}
