package ledger

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

// A Confirmation is the verdicts of runs with other seeds, which no rule was made with.
type Confirmation struct {
	Users int
	Seeds []uint64
	found map[string][]judgement // by claim, in the order of the seeds
}

// A judgement is what one seed made of a claim.
type judgement struct{ verdict, kind, value string }

// confirmationHeader are the columns of a saved Confirmation.
var confirmationHeader = []string{"users", "seed", "claim", "verdict", "kind", "value"}

// Add adds the verdicts of a run.
func (c *Confirmation) Add(l Ledger) {
	c.Users, c.Seeds = l.manifest.Users, append(c.Seeds, l.manifest.Seed)
	for _, f := range l.Findings {
		raw := l.raw(f)
		c.add(f.ID, judgement{raw["verdict"], raw["kind"], raw["value"]})
	}
}

func (c *Confirmation) add(claim string, j judgement) {
	if c.found == nil {
		c.found = map[string][]judgement{}
	}
	c.found[claim] = append(c.found[claim], j)
}

// Write writes a line for each claim and seed.
func (c Confirmation) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{confirmationHeader}
	for i, seed := range c.Seeds {
		for _, claim := range claims.All() {
			if j := c.found[claim.ID]; len(j) > i {
				lines = append(lines, []string{
					strconv.Itoa(c.Users), strconv.FormatUint(seed, 10), claim.ID, j[i].verdict, j[i].kind, j[i].value,
				})
			}
		}
	}
	return out.WriteAll(lines)
}

// ReadConfirmation reads what Write wrote.
func ReadConfirmation(r io.Reader) (c Confirmation, err error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return c, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], confirmationHeader) {
		return c, fmt.Errorf("the columns of a confirmation are %v", confirmationHeader)
	}
	for i, line := range lines[1:] {
		users, err := strconv.Atoi(line[0])
		if err != nil {
			return c, fmt.Errorf("line %d: users: %w", i+2, err)
		}
		seed, err := strconv.ParseUint(line[1], 10, 64)
		if err != nil {
			return c, fmt.Errorf("line %d: seed: %w", i+2, err)
		}
		c.Users = users
		if !slices.Contains(c.Seeds, seed) {
			c.Seeds = append(c.Seeds, seed)
		}
		c.add(line[2], judgement{line[3], line[4], line[5]})
	}
	return c, nil
}

// verdicts counts those of a claim, the best first.
func (c Confirmation) verdicts(claim string) (counts []string, of map[string]int) {
	of = map[string]int{}
	for _, j := range c.found[claim] {
		of[j.verdict]++
	}
	for _, v := range claims.Verdicts {
		if n := of[v.String()]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return counts, of
}

// changes reports whether the verdict depends on the seed, or is the opposite of the reference's with one, and why.
func (c Confirmation) changes(f claims.Finding) (why string, changes bool) {
	_, of := c.verdicts(f.ID)
	upheld, refuted := of[claims.Holds.String()]+of[claims.Approximately.String()], of[claims.Refuted.String()]
	opposite := upheld > 0 && (refuted > 0 || f.Verdict == claims.Refuted) || refuted > 0 && f.Verdict.Upheld()
	open := of[claims.Underpowered.String()] > 0
	switch found := c.found[f.ID]; {
	case opposite:
		return "the opposite", true
	case len(of) > 1 && found[0].kind == claims.Timed.String():
		return "a time, which is of the machine and its mood", true
	case len(of) > 1 && open:
		return "too few users: the interval reaches over the bound with some seeds", true
	default:
		return "the value lies on either side of what needs no 'about'", len(of) > 1
	}
}

// Table has the claims whose verdicts depend on the seed, or differ from the reference's, and why.
func (c Confirmation) Table(reference Ledger) document.Table {
	t := document.Table{Header: []string{
		"claim", "what it says (reading)", "true if", "verdicts", "found", "reference", "why",
	}}
	for _, f := range reference.Findings {
		why, changes := c.changes(f)
		if !changes {
			continue
		}
		counts, _ := c.verdicts(f.ID)
		facts := reference.facts(f)
		t.Rows = append(t.Rows, []string{
			f.ID, facts["what it says (reading)"], facts["true if"], strings.Join(counts, ", "), c.span(f),
			facts["verdict"], why,
		})
	}
	return t
}

// span is the least and the most that was found.
func (c Confirmation) span(f claims.Finding) string {
	var values []float64
	for _, j := range c.found[f.ID] {
		if v, err := strconv.ParseFloat(j.value, 64); err == nil {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return text.None
	}
	return amount(slices.Min(values), f.Unit) + " to " + amount(slices.Max(values), f.Unit)
}

// Title says how many verdicts depend on the seed.
func (c Confirmation) Title(reference Ledger) string {
	alike, open, opposite := 0, 0, 0
	for _, f := range reference.Findings {
		_, of := c.verdicts(f.ID)
		switch why, changes := c.changes(f); {
		case why == "the opposite":
			opposite++
		case changes:
			open++
		case of[claims.Unmeasured.String()]+of[claims.Untestable.String()] == 0:
			alike++
		}
	}
	return fmt.Sprintf("With %d seeds of %s users each, run after the rules were fixed on %s (digest %.12s), "+
		"of %d verdicts %d are the same with every seed, %d are not, and %d are the opposite with some seed, "+
		"or of the reference's.",
		len(c.Seeds), text.Thousands(c.Users), claims.Frozen.Date, claims.Frozen.Digest,
		alike+open+opposite, alike, open, opposite)
}

// Needed are the experiments whose rows claims rest on, in some order of all.
func Needed() (names []string) {
	for _, c := range claims.All() {
		names = append(names, c.Experiments()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ConfirmationSeed is the i-th seed of confirmations, from 0: far from each other, and from the default.
func ConfirmationSeed(i int) uint64 { return results.DefaultSeed + uint64(i+1)*1_000_000_007 }
