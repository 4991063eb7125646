package claims

import (
	"math"
	"testing"

	"dejavu/strategies/strategytest"
)

// The rules are those that were fixed: what runs since have found did not shape them.
func TestFrozen(t *testing.T) {
	if digest := Digest(All()); digest != Frozen.Digest {
		t.Errorf("the regions' digest is %s, and %s of %s in frozen.toml", digest, Frozen.Digest, Frozen.Date)
	}
}

// Whatever decides a verdict is in the digest: planted changes of each kind, one at a time.
func TestDigestTellsChanges(t *testing.T) {
	base := Digest(All())
	seen := map[string]string{base: "no change"}
	for what, alter := range map[string]func(all []Claim){
		"a bound":       func(all []Claim) { all[0].Region.High += 1e-9 },
		"a tight bound": func(all []Claim) { all[0].Region.TightLow -= 1e-9 },
		"a reason":      func(all []Claim) { all[0].Because += "!" },
		"a row":         func(all []Claim) { all[0].Evidence = all[1].Evidence },
		"users of a row": func(all []Claim) {
			all[1].Evidence = []Evidence{{Ref: Ref{Measured: all[1].Evidence[0].Measured}}}
		},
		"a slip's bound":   func(all []Claim) { change(all, "P3").Slip.Region.High *= 2 },
		"a remedy's bound": func(all []Claim) { change(all, "P12").Remedy.Region.High *= 2 },
		"a claim less":     func(all []Claim) { all[0] = all[1] },
		"a claim's words":  func(all []Claim) { all[0].Says += "!" },
	} {
		all := All()
		alter(all)
		digest := Digest(all)
		if before, ok := seen[digest]; ok {
			t.Errorf("%s has the digest of %s", what, before)
		}
		seen[digest] = what
	}
}

// change is a claim whose amendments are copies.
func change(all []Claim, id string) *Claim {
	for i := range all {
		if c := &all[i]; c.ID == id {
			for _, a := range []**Amendment{&c.Slip, &c.Remedy} {
				if *a != nil {
					amendment := **a
					*a = &amendment
				}
			}
			return c
		}
	}
	panic("no claim " + id)
}

// A tolerance is stretched around what is stated, or from 1 as a factor, and there is none where nothing was chosen.
func TestStretched(t *testing.T) {
	for _, c := range []struct {
		id              string
		halved, doubled Region
		none            bool
	}{
		{
			id:     "P19b",
			halved: Region{0.01365, 0.01755, 0.015522, 0.015678}, doubled: Region{0.0078, 0.0234, 0.015288, 0.015912},
		},
		{id: "P12", halved: interval(0.01555, 0.01565), doubled: interval(0.0154, 0.0158)},
		{id: "P15", halved: atLeast(0.95), doubled: atLeast(0.8)},
		{id: "R12a", halved: atMost(math.Sqrt(0.9)), doubled: atMost(0.81)},
		{id: "R4b", halved: interval(0.75, 1.5), doubled: interval(0, 3)},
		{id: "P1", none: true},
		{id: "P13", none: true},
		{id: "P19a", none: true},
		{id: "R8a", none: true},
	} {
		claim := *change(All(), c.id)
		half, known := claim.stretched(0.5)
		double, _ := claim.stretched(2)
		if known == c.none {
			t.Errorf("%s has a tolerance: %v", c.id, known)
		}
		if !c.none && (!near(half.Region, c.halved) || !near(double.Region, c.doubled)) {
			t.Errorf("%s: %v and %v, want %v and %v", c.id, half.Region, double.Region, c.halved, c.doubled)
		}
	}
}

func near(a, b Region) bool {
	for _, ends := range [][2]float64{
		{a.Low, b.Low}, {a.High, b.High}, {a.TightLow, b.TightLow}, {a.TightHigh, b.TightHigh},
	} {
		if ends[0] != ends[1] && math.Abs(ends[0]-ends[1]) > 1e-9 {
			return false
		}
	}
	return true
}

// A verdict near the edge of its tolerance is seen to turn, and one far from it is not: P19b, 29 % off where a quarter
// is granted, would hold within half, and a full filter has 2 % however 1.56 % is rounded.
func TestStretchOfReference(t *testing.T) {
	all := map[string]Finding{}
	for _, f := range Judge(reference(t, 10_000_000)).Findings {
		all[f.ID] = f
	}
	for id, want := range map[string]Stretch{
		"P19b": {Refuted, Approximately}, "P12": {Refuted, Refuted}, "P11a": {Approximately, Holds}, "P1": {},
	} {
		strategytest.Equal(t, all[id].Stretch, want, "%s", id)
	}
}
