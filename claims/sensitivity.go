package claims

import (
	"crypto/sha256"
	"fmt"
	"math"
)

// stretched returns the claim with its tolerance multiplied by the factor, and false if it has none. The tolerance is
// the distance of the region's bounds from the stated number or, for a quotient without one, from 1.
func (c Claim) stretched(factor float64) (Claim, bool) {
	stated, states := c.Stated.Get()
	move := func(bound float64) float64 {
		switch {
		case math.IsInf(bound, 0) || !states && (c.Unit != Times || bound <= 0):
			return bound
		case states:
			return stated + factor*(bound-stated)
		default:
			return math.Pow(bound, factor)
		}
	}
	r := c.Region
	c.Region = Region{move(r.Low), move(r.High), move(r.TightLow), move(r.TightHigh)}
	return c, c.Region != r
}

// A Stretch holds the verdicts with the claim's tolerance halved and doubled: how far the verdict depends on a choice.
// Both are Untestable if there is no tolerance.
type Stretch struct{ Halved, Doubled Verdict }

// Known reports whether the claim has a tolerance.
func (s Stretch) Known() bool { return s != Stretch{} }

// stretch judges all claims again, with their tolerances halved and doubled.
func (l *Ledger) stretch(all []Claim, c cells) {
	tolerant := make([]bool, len(all))
	with := func(factor float64) []Finding {
		changed := make([]Claim, len(all))
		for i, claim := range all {
			changed[i], tolerant[i] = claim.stretched(factor)
		}
		return judge(changed, c).Findings
	}
	halved, doubled := with(0.5), with(2)
	for i := range all {
		if tolerant[i] {
			l.Findings[i].Stretch = Stretch{halved[i].Verdict, doubled[i].Verdict}
		}
	}
}

// The regions were last fixed on FrozenDate, with FrozenDigest. Whoever changes a region changes the digest, and adds
// a line to the amendments in docs/replication.md: which claim, its verdict before and after, and why.
const (
	FrozenDate   = "2026-11-27"
	FrozenDigest = "4dc633d58c05026219e0d9b745c631d7645f7eec947e62f148cbb7d0732341b9"
)

// Digest returns the SHA-256, in hexadecimal, of what decides the verdicts: each claim's words, evidence, region and
// reason, and its amendments' evidence, region and reason.
func Digest(all []Claim) string {
	sum := sha256.New()
	for _, c := range all {
		fmt.Fprintf(sum, "%s: %s (%s): %s\n", c.ID, c.Says, c.Reading, c.Silent)
		rules := []Rule{c.Rule}
		for _, a := range []*Amendment{c.Slip, c.Remedy} {
			if a != nil {
				rules = append(rules, a.Rule)
			}
		}
		for _, r := range rules {
			g := r.Region
			fmt.Fprintf(sum, "%v, %s\n", [...]float64{g.Low, g.High, g.TightLow, g.TightHigh}, r.Because)
			for _, e := range r.Evidence {
				fmt.Fprintf(sum, "%v %d %v\n", e, e.Among, e.Most)
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
