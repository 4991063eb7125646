package claims

import (
	"math"
	"testing"
)

// Slips are put right by counts and closed forms alone: a rate would be one more test than Holm's correction counts.
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

// What the committed run of ten million users finds of the paper's 0.0156, of one array, and beside it what the dual
// filter and the chain have as wholes. The truths are those of the exact formula, worked out elsewhere (Bose et al.
// 2008; the chain's by union, the means over a cycle). What is measured lies within 4.5 standard errors of them, but
// for one reference in twenty thousand. All verdicts stand in docs/verdicts.md, which a test of package ledger writes.
func TestReferenceVerdicts(t *testing.T) {
	got := map[string]Finding{}
	for _, f := range Judge(reference(t, 10_000_000)).Findings {
		got[f.ID] = f
	}
	for id, truth := range map[string]float64{
		"P12": 0.020268, "P21": 0.020480, "P19a": 0.006283, "P23a": 0.083033, "P23b": 0.079399, "P23c": 0.098229,
	} {
		e := got[id].Estimate
		if off := math.Abs(e.Value-truth) / ((e.High - e.Low) / 2); off > 4.5/z95 {
			t.Errorf("%s: %v to %v, want them around %v", id, e.Low, e.High, truth)
		}
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
