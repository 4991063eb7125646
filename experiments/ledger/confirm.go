package ledger

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

// ConfirmationSeed is the i-th seed of confirmations, from 0: far from each other, and from the default.
func ConfirmationSeed(i int) uint64 { return results.DefaultSeed + uint64(i+1)*1_000_000_007 }

// A Confirmation is the verdicts of runs with other seeds, which no rule was made with.
type Confirmation struct {
	Users int                    `json:"users"`
	Seeds []uint64               `json:"seeds"`
	Found map[string][]Judgement `json:"found"` // by claim, in the order of the seeds
}

// A Judgement is what one seed made of a claim.
type Judgement struct {
	Verdict string  `json:"verdict"`
	Value   float64 `json:"value"` // of the evidence farthest from the claim; 0 without rows
	Timed   bool    `json:"timed,omitempty"`
}

// Add adds the verdicts of a run.
func (c *Confirmation) Add(l Ledger) {
	c.Users, c.Seeds = l.manifest.Users, append(c.Seeds, l.manifest.Seed)
	if c.Found == nil {
		c.Found = map[string][]Judgement{}
	}
	for _, f := range l.Findings {
		e := f.Estimate
		c.Found[f.ID] = append(c.Found[f.ID], Judgement{f.Verdict.String(), e.Value, e.Kind == claims.Timed})
	}
}

// Write writes it as JSON.
func (c Confirmation) Write(w io.Writer) error { return json.NewEncoder(w).Encode(c) }

// The reasons for which a verdict is not the same with every seed, or not the reference's.
const (
	oppositeVerdict = "the opposite"
	machineTime     = "a time, which is of the machine and its mood"
	tooFewUsers     = "too few users: the interval reaches over the bound with some seeds"
	nearAbout       = `the value lies on either side of what needs no "about"`
)

// why is why the verdict on a claim depends on the seed, or is the opposite of the reference's with one, and "" where
// it does not; and how often each verdict was given.
func (c Confirmation) why(reference claims.Finding) (why string, verdicts map[claims.Verdict]int) {
	verdicts = map[claims.Verdict]int{}
	refuted, upheld := reference.Verdict == claims.Refuted, reference.Verdict.Upheld()
	found := c.Found[reference.ID]
	for _, v := range claims.Verdicts {
		for _, j := range found {
			if j.Verdict == v.String() {
				verdicts[v]++
				refuted, upheld = refuted || v == claims.Refuted, upheld || v.Upheld()
			}
		}
	}
	switch {
	case refuted && upheld:
		return oppositeVerdict, verdicts
	case len(verdicts) < 2:
		return "", verdicts
	case found[0].Timed:
		return machineTime, verdicts
	case verdicts[claims.Underpowered] > 0:
		return tooFewUsers, verdicts
	}
	return nearAbout, verdicts
}

// Blocks say how many verdicts depend on the seed, which, and why.
func (c Confirmation) Blocks(reference Ledger) []document.Block {
	t := document.Table{Header: []string{
		"claim", "what it says (reading)", "true if", "verdicts", "found", "reference", "why",
	}}
	alike, open, opposite := 0, []string(nil), 0
	for _, f := range reference.Findings {
		why, verdicts := c.why(f)
		switch {
		case why == oppositeVerdict:
			opposite++
		case why == "" && verdicts[claims.Underpowered] > 0:
			open = append(open, f.ID)
		case why == "" && verdicts[claims.Unmeasured]+verdicts[claims.Untestable] == 0:
			alike++
		}
		if why == "" {
			continue
		}
		var values []float64
		for _, j := range c.Found[f.ID] {
			values = append(values, j.Value)
		}
		facts := reference.facts(f)
		t.Rows = append(t.Rows, []string{
			f.ID, facts["what it says (reading)"], facts["true if"],
			counted(func(v claims.Verdict) int { return verdicts[v] }),
			amount(slices.Min(values), f.Unit) + " to " + amount(slices.Max(values), f.Unit), facts["verdict"], why,
		})
	}
	said := fmt.Sprintf("With %d seeds of %s users each, run after the rules were fixed on %s (digest %.12s), "+
		"%d verdicts are the same with every seed, %d are not, and %d of these are the opposite with some seed "+
		"or of the reference's. ", len(c.Seeds), text.Thousands(c.Users), claims.FrozenDate, claims.FrozenDigest,
		alike, len(t.Rows), opposite)
	if len(open) > 0 {
		said += fmt.Sprintf("With so few users, %d are undecided with every seed: %s.", len(open), strings.Join(open, ", "))
	}
	return []document.Block{document.Paragraph(said), t}
}
