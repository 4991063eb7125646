package claims

import (
	"fmt"
	"math"
	"strings"

	"dejavu/results"
)

// Robust is the factor by which a time may be wrong on another machine: nine in ten ratios of the committed machines
// differ by less. A claim on times is decided only if it would be decided the same way with all times multiplied or
// divided by it.
const Robust = 2.0

// A Ledger lists every claim with its verdict.
type Ledger struct {
	Findings []Finding
	Tests    int // claims that rest on measured rates: what Holm's correction counts
}

// A Finding is a claim with its verdict on a run.
type Finding struct {
	Claim
	Verdict  Verdict
	Estimate Estimate // the evidence farthest from the claim, or nearest to the edge if all confirms it
	From     Evidence // the rows behind Estimate; both are zero without rows
	P        float64  // how unlikely the rows are if the verdict is wrong, corrected; NaN without chance
	Missing  []string // what the run lacks, if it is not measured
	Amended  string   // the corrected claim, or what would make it true
	Stretch  Stretch  // the verdict with another tolerance
}

// Beyond returns the side on which a refuted claim was wrong, "less" or "more" than stated. A claim on times is "open"
// if times that are wrong by the factor Robust may lie on either side of a bound, or of 1 if no bound is stated.
// Otherwise it is empty.
func (f Finding) Beyond() string {
	e := f.Estimate
	aroundOne := f.Verdict == Vague && f.Unit == Times && e.Low/Robust < 1 && e.High*Robust > 1
	switch {
	case e.Kind == Timed && (f.Verdict == Underpowered || aroundOne):
		return "open"
	case f.Verdict != Refuted:
		return ""
	case e.Value < f.Rule.Region.Low:
		return "less"
	default:
		return "more"
	}
}

// Most returns the upper end of the 95 % interval of a rate without a hit (Clopper and Pearson). ok is false if the
// claim is about another number.
func (f Finding) Most() (rate float64, ok bool) {
	e := f.Estimate
	if f.Rule.Region != equal(0) || e.Value != 0 || e.Count == 0 {
		return 0, false
	}
	return -math.Expm1(math.Log(0.025) / float64(e.Count)), true
}

// A tested is the result of a rule's evidence.
type tested struct {
	region               Region
	estimates            []Estimate
	refuting, upholding  float64 // p-values, of all its evidence together
	chance, timed, tight bool
	missing              []string
}

// test looks a rule's evidence up.
func (c cells) test(r Rule) tested {
	t := tested{region: r.Region, refuting: 1, tight: true}
	for _, e := range r.Evidence {
		estimate, err := c.estimate(e)
		if err != nil {
			t.missing = append(t.missing, err.Error())
			continue
		}
		t.estimates = append(t.estimates, estimate)
		t.chance = t.chance || estimate.Kind == Sampled
		t.timed = t.timed || estimate.Kind == Timed
		t.tight = t.tight && r.Region.TightLow <= estimate.Low && estimate.High <= r.Region.TightHigh
		// One piece of evidence refutes the claim, by the least p-value (Bonferroni); all must uphold it (an
		// intersection-union test).
		t.refuting = min(t.refuting, float64(len(r.Evidence))*estimate.refuting(r.Region))
		t.upholding = max(t.upholding, estimate.upholding(r.Region))
	}
	return t
}

// rate reports whether all the evidence is there and the verdict is subject to chance.
func (t tested) rate() bool { return t.chance && t.region.bounded() && len(t.missing) == 0 }

// verdict decides by the p-values.
func (t tested) verdict() Verdict {
	if len(t.missing) > 0 || len(t.estimates) == 0 {
		return Unmeasured
	}
	if !t.region.bounded() {
		return Vague
	}
	upheld, refuted := t.upholding <= Alpha, t.refuting <= Alpha
	if t.timed {
		upheld, refuted = true, false
		for _, e := range t.estimates {
			low, high := e.Low, e.High
			if e.Kind == Timed { // a share of it, whatever its sign
				low, high = min(low/Robust, low*Robust), max(high/Robust, high*Robust)
			}
			upheld = upheld && t.region.contains(low, high)
			refuted = refuted || high < t.region.Low || low > t.region.High
		}
	}
	switch {
	case upheld && t.tight:
		return Holds
	case upheld:
		return Approximately
	case refuted:
		return Refuted
	default:
		return Underpowered
	}
}

// farthest returns the evidence farthest outside the region or, if all lie inside, nearest to its edge.
func (t tested) farthest() (far int) {
	out := func(e Estimate) float64 { return max(t.region.Low-e.Value, e.Value-t.region.High) }
	for i, e := range t.estimates {
		if out(e) > out(t.estimates[far]) {
			far = i
		}
	}
	return far
}

// Judge gives a verdict on every claim of the ledger from a run's rows.
func Judge(run *results.Run) Ledger {
	all, c := All(), index(run)
	ledger := judge(all, c)
	ledger.stretch(all, c)
	return ledger
}

func judge(all []Claim, c cells) (ledger Ledger) {
	var refuting, upholding []float64
	tests := make([]tested, len(all))
	for i, claim := range all {
		tests[i] = c.test(claim.Rule)
		if t := tests[i]; t.rate() {
			refuting, upholding = append(refuting, t.refuting), append(upholding, t.upholding)
		}
	}
	refuting, upholding = Holm(refuting), Holm(upholding)
	for i, claim := range all {
		t := tests[i]
		f := Finding{Claim: claim, P: math.NaN(), Missing: t.missing}
		if t.rate() {
			t.refuting, t.upholding = refuting[ledger.Tests], upholding[ledger.Tests]
			ledger.Tests++
		}
		if claim.Silent == "" {
			f.Verdict = t.verdict()
		}
		if len(t.estimates) > 0 && len(t.missing) == 0 {
			far := t.farthest()
			f.Estimate, f.From = t.estimates[far], claim.Evidence[far]
		}
		if t.rate() {
			f.P = t.refuting
			if f.Verdict.Upheld() {
				f.P = t.upholding
			}
		}
		c.amend(&f)
		ledger.Findings = append(ledger.Findings, f)
	}
	return ledger
}

// amend corrects a claim refuted for a slip of the pen. Else it says what would make a claim true that is refuted or
// holds approximately, or what else was found if it cannot be tested.
func (c cells) amend(f *Finding) {
	if f.Slip != nil && f.Verdict == Refuted {
		t := c.test(f.Slip.Rule)
		switch v := t.verdict(); {
		case v == Unmeasured:
			f.Verdict, f.Missing = Unmeasured, t.missing
		case v.Upheld():
			f.Verdict = Corrected
			f.Amended = c.says(f.Slip)
		}
	}
	if f.Remedy == nil || f.Verdict == Holds || f.Verdict == Corrected || f.Verdict == Unmeasured {
		return
	}
	if len(f.Remedy.Rule.Evidence) == 0 || c.test(f.Remedy.Rule).verdict().Upheld() {
		f.Amended = c.says(f.Remedy)
	}
}

// says returns the amendment with its numbers, or "" if one of them is missing.
func (c cells) says(a *Amendment) string {
	var numbers []any
	for _, r := range a.Shows {
		e, err := c.read(r)
		if err != nil {
			return ""
		}
		numbers = append(numbers, digits(e.Value, 4))
	}
	return fmt.Sprintf(a.Says, numbers...)
}

// Count returns how many claims have that verdict.
func (l Ledger) Count(v Verdict) (n int) {
	for _, f := range l.Findings {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Changes returns one line for each verdict that differs from the reference, and how many were compared. It skips what
// the reference did not measure, but not what only l lacks. For a claim on times, which belong to a machine, it
// reports only a verdict that turned into its opposite.
func (l Ledger) Changes(reference Ledger) (changes []string, compared int) {
	want := map[string]Finding{}
	for _, f := range reference.Findings {
		want[f.ID] = f
	}
	for _, got := range l.Findings {
		w, ok := want[got.ID]
		lost := got.Verdict == Unmeasured && w.Estimate.Kind != Timed
		if !ok || !w.Verdict.Judged() || !got.Verdict.Judged() && !lost {
			continue
		}
		compared++
		opposite := got.Verdict.Decided() && w.Verdict.Decided() && got.Verdict.Upheld() != w.Verdict.Upheld()
		if got.Verdict == w.Verdict || got.Estimate.Kind == Timed && !opposite {
			continue
		}
		why := strings.Join(got.Missing, "; ")
		if !lost {
			e := got.Estimate
			why = fmt.Sprintf("%s is %s (%s to %s), true is %s",
				got.From, short(e.Value), short(e.Low), short(e.High), got.Rule.Region)
		}
		changes = append(changes, fmt.Sprintf("claim %s: %s, reference %s: %s", got.ID, got.Verdict, w.Verdict, why))
	}
	return changes, compared
}

// A Verdict is a judgement on a claim by rows.
type Verdict int

// The verdicts.
const (
	Untestable    Verdict = iota // no row can answer it
	Vague                        // too vague to be refuted: only what was found is shown
	Unmeasured                   // the run lacks rows
	Underpowered                 // the rows do not decide
	Refuted                      // false
	Corrected                    // true except for a slip of the pen
	Approximately                // true within what its "about" grants
	Holds                        // true
)

// Verdicts lists them, the best first.
var Verdicts = []Verdict{Holds, Approximately, Corrected, Refuted, Underpowered, Vague, Unmeasured, Untestable}

// String returns the verdict as tables show it.
func (v Verdict) String() string {
	return [...]string{
		"not testable", "not testable as stated", "not measured", "underpowered", "refuted",
		"holds after correction", "holds approximately", "holds",
	}[v]
}

// Upheld reports whether the claim is true, perhaps approximately or after correction.
func (v Verdict) Upheld() bool { return v == Holds || v == Approximately || v == Corrected }

// Decided reports whether the rows decided.
func (v Verdict) Decided() bool { return v.Upheld() || v == Refuted }

// Judged reports whether rows were found, whether or not they decided.
func (v Verdict) Judged() bool { return v.Decided() || v == Underpowered || v == Vague }
