package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/results"
)

// Judged is the verdicts that the rows give, for the top of a run's report; without
// rows where no claim can be judged.
func (l Ledger) Judged() results.Table {
	title := l.Title()
	l.Findings = slices.DeleteFunc(slices.Clone(l.Findings), func(f claims.Finding) bool { return !f.Verdict.Judged() })
	t := l.Verdicts(false)
	t.Title = title
	return t
}

// Title counts the verdicts, in a line.
func (l Ledger) Title() string {
	var counts []string
	for _, v := range claims.Verdicts {
		if n := l.Count(v); n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return "Verdicts on what the sources say: " + strings.Join(counts, ", ")
}

// Verdicts is the ledger as people read it; wide has the theory, the design
// effect and the p-value too.
func (l Ledger) Verdicts(wide bool) results.Table {
	t := results.Table{
		Title:  l.Title(),
		Header: []string{"claim", "where", "what it says (reading)", "stated", "found (95 %)", "of", "verdict", "true with"},
	}
	if wide {
		t.Header = append(t.Header, "theory", "inside", "design effect", "p, Holm")
	}
	for _, f := range l.Findings {
		says := f.Says
		if f.Reading != "" {
			says += " (" + f.Reading + ")"
		}
		row := []string{
			f.ID, string(f.Source) + " " + f.Section, says, statedText(f), foundText(f), ofText(f), verdictText(f), f.Amended,
		}
		if wide {
			row = append(row, theoryText(f), insideText(f), effectText(f), chanceText(f))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Grounds is why each verdict is what it is, and what it takes to look again.
func (l Ledger) Grounds() results.Table {
	t := results.Table{
		Title:  fmt.Sprintf("How they were reached (Holm's correction over %d claims that rest on rates)", l.Tests),
		Header: []string{"claim", "quantity", "true if", "because", "rows", "again with", "which took"},
	}
	for _, f := range l.Findings {
		w := words(f)
		t.Rows = append(t.Rows, []string{f.ID, f.Quantity, w[8], because(f), rowsOf(f), l.again(f), l.took(f)})
	}
	return t
}

// Full is all that is known of a claim, a line a thing.
func (l Ledger) Full(f claims.Finding) results.Table {
	t := results.Table{Header: []string{f.ID, f.Says}}
	line := func(name, says string) {
		if says != "" && says != text.None {
			t.Rows = append(t.Rows, []string{name, says})
		}
	}
	line("source", string(f.Source)+" "+f.Section)
	line("reading", f.Reading)
	line("quantity", f.Quantity)
	line("stated", statedText(f))
	line("true if", words(f)[8])
	line("because", because(f))
	for _, e := range f.Rule.Evidence {
		line("rows", e.String())
	}
	line("found", foundText(f))
	if len(f.Rule.Evidence) > 1 {
		line("farthest", f.From.String())
	}
	line("observations", ofText(f))
	line("theory", theoryText(f))
	line("theory in the interval", insideText(f))
	line("design effect", effectText(f))
	line("p, Holm", chanceText(f))
	line("verdict", verdictText(f))
	line("true with", f.Amended)
	for _, m := range f.Missing {
		line("missing", m)
	}
	line("again with", l.again(f))
	line("which took", l.took(f))
	return t
}

// Foot says how to see more, and what is missing.
func (l Ledger) Foot() string {
	var b strings.Builder
	var commands []string // each once
	for _, f := range l.Findings {
		if f.Verdict == claims.Unmeasured {
			if again := l.again(f); !slices.Contains(commands, again) {
				commands = append(commands, again)
			}
		}
	}
	if len(commands) > 0 {
		fmt.Fprintf(&b, "Not measured in this run of %d users: %d. What measures them:\n  %s\n",
			l.manifest.Users, l.Count(claims.Unmeasured), strings.Join(commands, "\n  "))
	}
	fmt.Fprintf(&b, "Of %d claims that rest on rates, the chance that any is wrongly refuted is at most %.0f %%, and that any is wrongly upheld at most %.0f %% (Holm's correction, for each). The chance of any wrong verdict is then at most %.0f %%. 'claims P12' shows how the verdict on claim P12 was reached.\n",
		l.Tests, 100*claims.Alpha, 100*claims.Alpha, 200*claims.Alpha)
	return b.String()
}

// amount is a number of a claim's unit, for people.
func amount(v float64, unit string) string {
	switch unit {
	case results.Bytes:
		return text.Of(results.Row{Unit: results.Bytes, Value: results.Num(v)})
	case results.Ratio:
		return plain(100*v, 4) + " %"
	case results.Bits:
		return plain(v, 7) + " bits"
	case claims.Times:
		return plain(v, 4) + " times"
	default:
		return plain(v, 6)
	}
}

// plain is a number with so many digits, a whole one with all of them.
func plain(v float64, digits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 || math.Abs(v) >= math.Pow10(digits) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

func statedText(f claims.Finding) string {
	v, ok := f.Stated.Get()
	if !ok {
		return text.None
	}
	return amount(v, f.Unit)
}

// foundText is what the rows say, with as many digits as the interval deserves.
func foundText(f claims.Finding) string {
	e := f.Estimate
	if !found(f) {
		return text.None
	}
	if most, ok := f.Most(); ok {
		return fmt.Sprintf("0 (below %.1e each)", most)
	}
	if e.Low == e.High || math.IsInf(e.High, 0) {
		return amount(e.Value, f.Unit)
	}
	scale, unit := 1., ""
	switch f.Unit {
	case results.Ratio:
		scale, unit = 100, " %"
	case claims.Times:
		unit = " times"
	}
	if e.Value == 0 && e.Low == 0 {
		return fmt.Sprintf("0 (below %s%s)", plain(scale*e.High, 2), unit)
	}
	half := scale * (e.High - e.Low) / 2
	decimals := max(0, int(math.Ceil(-math.Log10(half)))+1)
	if decimals > 6 {
		return fmt.Sprintf("%.2g%s (%.2g to %.2g)", scale*e.Value, unit, scale*e.Low, scale*e.High)
	}
	return fmt.Sprintf("%.*f%s (%.*f to %.*f)", decimals, scale*e.Value, unit, decimals, scale*e.Low, decimals, scale*e.High)
}

// ofText is how many observations that rests on.
func ofText(f claims.Finding) string {
	switch {
	case !found(f):
		return text.None
	case f.Estimate.Kind == claims.ClosedForm:
		return "theory"
	case f.Estimate.Count == 0:
		return text.None
	default:
		return fmt.Sprint(f.Estimate.Count)
	}
}

func verdictText(f claims.Finding) string {
	if side := f.Beyond(); side != "" {
		return f.Verdict.String() + ": " + side
	}
	return f.Verdict.String()
}

func theoryText(f claims.Finding) string {
	v, ok := f.Estimate.Theory.Get()
	if !ok || !found(f) {
		return text.None
	}
	return amount(v, f.Unit)
}

func insideText(f claims.Finding) string {
	inside, known := f.Estimate.TheoryInside()
	switch {
	case !known || !found(f):
		return text.None
	case inside:
		return "yes"
	default:
		return "no"
	}
}

func effectText(f claims.Finding) string {
	if e := f.Estimate.DesignEffect; found(f) && !math.IsNaN(e) {
		return fmt.Sprintf("%.3f", e)
	}
	return text.None
}

func chanceText(f claims.Finding) string {
	switch p := f.P; {
	case math.IsNaN(p):
		return text.None
	case p < 1e-12:
		return "< 1e-12"
	default:
		return fmt.Sprintf("%.2g", p)
	}
}
