package claims

import (
	"cmp"
	"maps"
	"math"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A bench holds the rows that claims rest on, for a test to change.
type bench struct{ cells }

// newBench has the committed run's rows.
func newBench(t testing.TB) bench {
	if untouched == nil {
		untouched = cells{}
		large, small := index(reference(t, 10_000_000)), index(reference(t, 20_000))
		for _, c := range All() {
			for _, r := range c.Refs() {
				row, ok := large[r.Query()]
				if !ok { // experiments measure new rows in the smaller reference first
					row = small[r.Query()]
				}
				untouched[r.Query()] = row
			}
		}
	}
	return bench{maps.Clone(untouched)}
}

var untouched cells

// set sets the row that r names to v, with an interval whose half width is the share margin of v.
func (b bench) set(r Ref, v, margin float64) {
	theory := r.Measured.Quantity == ""
	row := b.cells[r.Query()]
	if theory {
		row.Theory = results.Num(v)
	} else {
		row.Value = results.Num(v)
	}
	if row.Low.IsSet() && !theory {
		row.Low, row.High = results.Num(v-margin*math.Abs(v)), results.Num(v+margin*math.Abs(v))
	}
	b.cells[r.Query()] = row
}

// make gives evidence the value v by its first row.
func (b bench) make(t testing.TB, e Evidence, v, margin float64) {
	t.Helper()
	if other := cmp.Or(e.Over, e.Less); other != nil {
		by := strategytest.Value(b.read(*other))
		if by.Kind == Timed { // of a busy machine its interval alone may be too wide
			b.set(*other, by.Value, margin)
		}
		if e.Over != nil {
			v *= by.Value
		} else {
			v += by.Value
		}
	}
	b.set(e.Ref, v, margin)
}

// within returns a value well inside the region, and beyond values well outside it, by a factor of 2.5 if possible:
// more than Robust.
func within(r Region) float64 {
	switch {
	case math.IsInf(r.High, 1):
		return r.TightLow * 2.5 // a share ends at 1, by fit
	case math.IsInf(r.Low, -1):
		return r.TightHigh / 2.5
	default:
		return math.Sqrt(r.TightLow * r.TightHigh)
	}
}

func beyond(r Region) (values []float64) {
	switch {
	case r.High == 0:
		values = append(values, 3)
	case !math.IsInf(r.High, 1):
		values = append(values, 2.5*r.High)
	}
	if r.Low > 0 {
		values = append(values, r.Low/2.5)
	}
	return values
}

// fit keeps a share a share.
func fit(c Claim, v float64) float64 {
	if c.Unit == results.Ratio {
		return min(v, 1)
	}
	return v
}

func (b bench) verdict(c Claim) Finding { return judge([]Claim{c}, b.cells).Findings[0] }

// Every verdict follows from its rows. For each claim with a rule: rows that confirm it uphold it; any one row that
// does not refutes it, or leaves it to its correction; a wide interval leaves it open; a missing row, not measured.
func TestVerdictsFollowRows(t *testing.T) {
	narrow, wide := 1e-5, 20.
	flipped := 0
	for _, c := range All() {
		if len(c.Rule.Evidence) == 0 || !c.Rule.Region.bounded() {
			continue
		}
		r := c.Rule.Region
		upheld := func() bench {
			b := newBench(t)
			for _, e := range c.Rule.Evidence {
				b.make(t, e, fit(c, within(r)), narrow)
			}
			return b
		}
		if f := upheld().verdict(c); f.Verdict != Holds {
			t.Errorf("%s: rows in the middle of %v make it %v: %v", c.ID, r, f.Verdict, f.Missing)
			continue
		}
		for i, e := range c.Rule.Evidence {
			for _, v := range beyond(r) {
				v = fit(c, v)
				b := upheld()
				// Later evidence may rest on this row too.
				b.make(t, e, v, narrow)
				f := b.verdict(c)
				if f.Verdict != Refuted && !(f.Verdict == Corrected && c.Slip != nil) {
					t.Errorf("%s: evidence %d at %v, outside %v, makes it %v", c.ID, i, v, r, f.Verdict)
				}
				if f.Verdict == Refuted && (f.Beyond() == "less") != (f.Estimate.Value < r.Low) {
					t.Errorf("%s: at %v it is refuted as %q", c.ID, v, f.Beyond())
				}
				flipped++
			}
		}
		if b := upheld(); b.verdict(c).Estimate.Kind == Sampled {
			for _, e := range c.Rule.Evidence {
				b.make(t, e, fit(c, within(r)), wide)
			}
			f := b.verdict(c)
			// Of few hits the count decides, not the interval, and of a mean without one its bounds.
			_, standard := f.Estimate.law.(normal)
			if f.Verdict != Underpowered && standard && f.From.Most == 0 {
				t.Errorf("%s: with an interval of twenty times the value it is %v", c.ID, f.Verdict)
			}
		}
		for _, e := range c.Rule.Evidence {
			for _, ref := range e.Refs() {
				b := upheld()
				delete(b.cells, ref.Query())
				f := b.verdict(c)
				if f.Verdict != Unmeasured || !strings.Contains(strings.Join(f.Missing, "\n"), ref.Query().String()) {
					t.Errorf("%s: without %v it is %v, missing %v", c.ID, ref, f.Verdict, f.Missing)
				}
			}
		}
	}
	strategytest.AtLeast(t, flipped, 100, "rows were tried: is the table gone?")
}

// For a claim that states no bound the rows decide nothing. They are shown, and a missing row is noticed.
func TestVagueClaimsShowRows(t *testing.T) {
	vague := 0
	for _, c := range All() {
		if len(c.Rule.Evidence) == 0 || c.Rule.Region.bounded() {
			continue
		}
		vague++
		shown := map[float64]bool{}
		for _, v := range []float64{0.125, 0.25} {
			b := newBench(t)
			for _, e := range c.Rule.Evidence {
				b.make(t, e, v, 1e-5)
			}
			f := b.verdict(c)
			if f.Verdict != Vague || f.Beyond() != "" || !math.IsNaN(f.P) {
				t.Errorf("%s: at %v it is %v, %q, p = %v", c.ID, v, f.Verdict, f.Beyond(), f.P)
			}
			shown[math.Round(1e6*f.Estimate.Value)] = true
		}
		strategytest.Equal(t, len(shown), 2, "%s: what is shown does not follow its rows", c.ID)
		for _, e := range c.Rule.Evidence {
			for _, ref := range e.Refs() {
				b := newBench(t)
				delete(b.cells, ref.Query())
				strategytest.Equal(t, b.verdict(c).Verdict, Unmeasured, "%s: without %v it is", c.ID, ref)
			}
		}
	}
	strategytest.AtLeast(t, vague, 5, "claims are vague: are they gone?")
	if l := judge(All(), newBench(t).cells); l.Tests != countTests(l) {
		t.Errorf("%d tests are corrected for, %d verdicts rest on rates", l.Tests, countTests(l))
	}
}

// countTests returns how many verdicts are subject to chance.
func countTests(l Ledger) (n int) {
	for _, f := range l.Findings {
		if f.Rule.Region.bounded() && f.Estimate.Kind == Sampled {
			n++
		}
	}
	return n
}

// Amendments are checked and shown by rows too.
func TestAmendmentsFollowRows(t *testing.T) {
	tried := 0
	for _, f := range Judge(reference(t, 10_000_000)).Findings {
		a := f.Remedy
		if f.Verdict == Corrected {
			a = f.Slip
		}
		if a == nil || f.Verdict != Refuted && f.Verdict != Corrected && f.Verdict != Vague {
			continue
		}
		if f.Amended == "" || strings.Contains(f.Amended, "%!") {
			t.Errorf("%s: its amendment does not hold, or cannot be printed: %q", f.ID, f.Amended)
			continue
		}
		for i, ref := range a.Shows {
			b := newBench(t)
			b.set(ref, 4711, 0)
			if now := b.verdict(f.Claim); now.Amended == f.Amended {
				t.Errorf("%s: number %d of %q is not the row's", f.ID, i+1, f.Amended)
			}
		}
		for _, e := range a.Rule.Evidence {
			b := newBench(t)
			b.make(t, e, beyond(a.Rule.Region)[0], 1e-5)
			if now := b.verdict(f.Claim); now.Amended != "" && now.Verdict == f.Verdict {
				t.Errorf("%s: %q stands although %v does not bear it out", f.ID, now.Amended, e)
			}
			tried++
		}
	}
	strategytest.AtLeast(t, tried, 20, "amendments were tried: are they gone?")
}
