package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
)

// A Ledger holds the verdicts on a run. Findings may be narrowed to those to be shown.
type Ledger struct {
	claims.Ledger
	manifest results.Manifest
}

// LedgerOf judges a run. Of a population of its own nothing is measured, for the sources speak of other users.
func LedgerOf(run *results.Run) Ledger {
	if run.Manifest.Population != "" {
		run = &results.Run{Manifest: run.Manifest}
	}
	return Ledger{claims.Judge(run), run.Manifest}
}

// Named returns the ledger with these claims only: "P25b" is one, "P25" all its readings. Case does not matter. The
// error names an unknown claim.
func (l Ledger) Named(names []string) (Ledger, error) {
	named := l
	named.Findings = nil
	for _, name := range names {
		some := l.Only(func(f claims.Finding) bool {
			reading, ok := strings.CutPrefix(strings.ToLower(f.ID), strings.ToLower(name))
			return ok && (reading == "" || len(reading) == 1 && reading[0] >= 'a')
		})
		if len(some.Findings) == 0 {
			return named, fmt.Errorf("unknown claim %q; 'claims' lists them", name)
		}
		named.Findings = append(named.Findings, some.Findings...)
	}
	return named, nil
}

// Save writes the ledger of a run beside its rows: claims.csv is the same bytes on every machine, claims.timing.csv is
// what rests on times.
func Save(dir string, run *results.Run) error {
	save := func(name string, timed bool) error {
		l := LedgerOf(run).Only(func(f claims.Finding) bool { // what stands beside the untestable may be times
			return timed == (f.Estimate.Kind == claims.Timed || f.Verdict == claims.Untestable)
		})
		return results.Replace(filepath.Join(dir, name), l.Table("", csvColumns...).CSV)
	}
	return errors.Join(save(results.FileName(results.Claims), false), save(results.TimingFileName(results.Claims), true))
}

// users returns the number of users that a claim's rows cover, or else the run's.
func (l Ledger) users(f claims.Finding) int {
	users := l.manifest.Users
	for _, r := range f.Refs() {
		users = max(users, int(r.Among))
	}
	return users
}

// again returns the command that makes a claim's rows again.
func (l Ledger) again(f claims.Finding) string {
	names := f.Experiments()
	if len(names) == 0 {
		return text.None
	}
	command := "go run ./experiments " + strings.Join(names, " ")
	if users := l.users(f); users != 0 && users != results.DefaultUsers {
		command += fmt.Sprintf(" --users %d", users)
	}
	if m := l.manifest; m.Users != 0 && m.Seed != results.DefaultSeed {
		command += fmt.Sprintf(" --seed %d", m.Seed)
	}
	return command
}

// Only returns the ledger with the findings that keep accepts.
func (l Ledger) Only(keep func(claims.Finding) bool) Ledger {
	l.Findings = slices.DeleteFunc(slices.Clone(l.Findings), func(f claims.Finding) bool { return !keep(f) })
	return l
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

// Verdicts lists a claim a line; wide adds the theory, the design effect and the p-value.
func (l Ledger) Verdicts(wide bool) document.Table {
	columns := []column{inID, inWhere, inSays, inStated, inFound, inOf, inVerdict, inStretched, inAmended}
	if wide {
		columns = append(columns, inTheory, inInside, inDesign, inP)
	}
	return l.Table(l.Title(), columns...)
}

// frozen says when the regions were fixed, and whether they have changed.
func frozen() string {
	digest := claims.Digest(claims.All())
	if digest != claims.FrozenDigest {
		return fmt.Sprintf("regions of digest %.12s, not those fixed on %s", digest, claims.FrozenDate)
	}
	return fmt.Sprintf("regions fixed on %s, digest %.12s", claims.FrozenDate, digest)
}

// Judged lists the verdicts of a run, for the top of its report. It has no rows if no claim can be judged.
func (l Ledger) Judged() document.Table {
	t := l.Only(func(f claims.Finding) bool { return f.Verdict.Judged() }).Verdicts(false)
	t.Title = l.Title() + "; " + frozen()
	return t
}

// Grounds says why each verdict was reached, and how to check it.
func (l Ledger) Grounds() document.Table {
	return l.Table(fmt.Sprintf("How they were reached (Holm's correction over %d claims that rest on rates)", l.Tests),
		inID, inQuantity, inTrueIf, inBecause, inRows, inAgain)
}

// Full lists all that is known of a claim, a line a thing.
func (l Ledger) Full(f claims.Finding) document.Table {
	t := document.Table{Header: []string{f.ID, f.Says}}
	for _, c := range []column{
		{"source", inWhere.show},
		inReading, inQuantity, inStated, inTrueIf, inBecause, inRows,
		{"found", inFound.show},
		inFarthest,
		{"observations", inOf.show},
		inTheory,
		{"theory in the interval", inInside.show},
		inDesign, inP, inVerdict,
		inStretched, inAmended, inMissing, inAgain,
	} {
		values := []string{c.show(l, f)}
		switch c.header {
		case inRows.header:
			values = evidence(f)
		case inMissing.header:
			values = f.Missing
		}
		for _, v := range values {
			if v != "" && v != text.None {
				t.Rows = append(t.Rows, []string{c.header, v})
			}
		}
	}
	return t
}

// Foot says how to see more, and what is missing.
func (l Ledger) Foot() []document.Block {
	var blocks []document.Block
	var commands []string // each once
	for _, f := range l.Findings {
		if again := l.again(f); f.Verdict == claims.Unmeasured && !slices.Contains(commands, again) {
			commands = append(commands, again)
		}
	}
	if len(commands) > 0 {
		missing := fmt.Sprintf("Not measured in this run of %s: %d. What measures them:",
			plural.Of(l.manifest.Users, "user", "users"), l.Count(claims.Unmeasured))
		blocks = []document.Block{document.Paragraph(missing), document.List{Items: commands}}
	}
	return append(blocks, document.Paragraph(fmt.Sprintf(
		"Of %d claims that rest on rates, the chance that any is wrongly refuted is at most %.0f %%, and that any is "+
			"wrongly upheld at most %.0f %% (Holm's correction, for each). The chance of any wrong verdict is then at most "+
			"%.0f %%. Of what decides them: %s. 'claims P12' shows how the verdict on claim P12 was reached.",
		l.Tests, 100*claims.Alpha, 100*claims.Alpha, 200*claims.Alpha, frozen())))
}
