package claims

import (
	"math"
	"testing"
)

// Slips are put right by counts and closed forms alone: a rate would be one
// more test than Holm's correction counts.
func TestSlipsAreCertain(t *testing.T) {
	c := index(reference(t, 10_000_000))
	for _, claim := range All() {
		if claim.Slip == nil {
			continue
		}
		if r := c.test(claim.Slip.Rule); r.chance || r.timed || len(r.missing) > 0 {
			t.Errorf("%s: its correction rests on %+v", claim.ID, r)
		}
	}
}

// What the committed run of ten million users decides.
func TestReferenceVerdicts(t *testing.T) {
	l := Judge(reference(t, 10_000_000))
	got := map[string]Finding{}
	decided := 0
	for _, f := range l.Findings {
		got[f.ID] = f
		if f.Verdict.Decided() {
			decided++
		}
	}
	if decided < 40 {
		t.Errorf("%d claims are decided, want 40 or more", decided)
	}
	// The paper's 0.0156, of one array, and beside it what the dual filter and the chain
	// have as wholes. The truths are those of the exact formula, worked out elsewhere
	// (Bose et al. 2008; the chain's by union, the means over a cycle). What is measured
	// lies within 4.5 standard errors of them, but for one reference in twenty thousand.
	for _, c := range []struct {
		id    string
		truth float64
		want  Verdict
	}{
		{"P12", 0.020268, Refuted},
		{"P21", 0.020480, Refuted},
		{"P19a", 0.006283, Vague},
		{"P23a", 0.083033, Vague},
		{"P23b", 0.079399, Vague},
		{"P23c", 0.098229, Vague},
	} {
		f := got[c.id]
		off := math.Abs(f.Estimate.Value-c.truth) / ((f.Estimate.High - f.Estimate.Low) / 2)
		if f.Verdict != c.want || c.want == Refuted && f.P > 1e-6 || off > 4.5/z95 {
			t.Errorf("%s: %v with p = %v, interval %v to %v; want %v, around %v",
				c.id, f.Verdict, f.P, f.Estimate.Low, f.Estimate.High, c.want, c.truth)
		}
	}
	// The readings of the chain are kept apart; the paper's central claim holds.
	for id, want := range map[string]Verdict{
		"P24a": Holds, "P25a": Refuted, "P25b": Holds, "P33": Corrected, "P34a": Holds, "P34b": Holds, "P34c": Holds,
	} {
		if v := got[id].Verdict; v != want {
			t.Errorf("%s: %v, want %v", id, v, want)
		}
	}
	// Theory lies in most intervals. Of 26 true ones, three of the same row, more
	// than 6 miss it in fewer than one reference in a thousand. Those of R10a are of
	// probe schemes that are there because they are biased.
	missed := 0
	for _, f := range l.Findings {
		if inside, known := f.Estimate.TheoryInside(); known && f.ID != "R10a" && !inside {
			missed++
		}
	}
	if missed > 6 {
		t.Errorf("theory lies outside %d measured intervals", missed)
	}
}

// Every row that a claim names is one that the committed run has, so that no
// verdict is lost to a misspelt name; until it is renewed, the smaller one.
func TestRowsAreThere(t *testing.T) {
	large, small := index(reference(t, 10_000_000)), index(reference(t, 20_000))
	for _, claim := range All() {
		for _, r := range claim.Refs() {
			_, err := large.read(r)
			if err == nil {
				continue
			}
			if _, none := small.read(r); none != nil {
				t.Errorf("%s: %v", claim.ID, err)
			} else {
				t.Logf("%s waits for the next reference: %v", claim.ID, err)
			}
		}
	}
}
