package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dejavu/claims"
	"dejavu/results"
)

type claimsCommand struct {
	IDs []string `arg:"" optional:"" name:"claim" help:"Claims to show in full, as P12 or P23b; a table of all if none is named."`
	Out string   `default:"out" help:"Directory with saved results." placeholder:"DIR"`

	Reference bool   `help:"Judge by the committed reference run, not by --out."`
	Users     int    `default:"10000000" help:"With --reference: the run of so many readers."`
	Seed      uint64 `default:"2016" help:"With --reference: the run of this seed."`

	Markdown bool `xor:"form" help:"Print Markdown."`
	CSV      bool `xor:"form" name:"csv" help:"Print CSV, a line a claim, with everything that is known of it."`
	TeX      bool `xor:"form" name:"tex" help:"Print LaTeX tables (longtable and booktabs)."`
}

// What a run is without flags.
const (
	defaultUsers = 10_000_000
	defaultSeed  = 2016
)

// run prints the ledger.
func (c *claimsCommand) run(stdout io.Writer) error {
	run, err := c.rows()
	if err != nil {
		return err
	}
	l := ledgerOf(run)
	if len(c.IDs) > 0 {
		if l.Findings, err = chosen(l.Findings, c.IDs); err != nil {
			return err
		}
	}
	switch {
	case c.CSV:
		err = l.writeCSV(stdout, l.Findings, true)
	case c.TeX:
		_, err = io.WriteString(stdout, tex(l.verdicts(true))+"\n"+tex(l.grounds()))
	case c.Markdown:
		_, err = fmt.Fprintf(stdout, "%s\n%s", l.verdicts(true).Markdown(), l.grounds().Markdown())
	case len(c.IDs) > 0:
		for _, f := range l.Findings {
			if _, err = fmt.Fprintln(stdout, l.full(f).Text()); err != nil {
				break
			}
		}
	default:
		_, err = fmt.Fprintf(stdout, "%s\n%s", l.verdicts(false).Text(), l.foot())
	}
	if err != nil || c.Reference {
		return err
	}
	return errors.Join(results.Faults(c.Out, run.Manifest)...)
}

// rows is the run to judge by.
func (c *claimsCommand) rows() (*results.Run, error) {
	if c.Reference {
		run, ok := results.Reference(c.Users, c.Seed)
		if !ok {
			return nil, usagef("--reference: no committed run of %d users and seed %d", c.Users, c.Seed)
		}
		return run, nil
	}
	nothing := func(why error) error {
		return usagef("--out: no results in %s: %w; 'go run ./experiments' makes them, 'claims --reference' judges by the committed run", c.Out, why)
	}
	if _, err := os.Stat(c.Out); err != nil {
		return nil, nothing(err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return nil, err
	}
	dropLeftovers(run)
	if len(run.All()) == 0 {
		return nil, nothing(errors.New("no experiment is finished"))
	}
	return run, nil
}

// chosen are the claims of those names: "P13b" is one, "P13" all its readings.
func chosen(findings []claims.Finding, names []string) ([]claims.Finding, error) {
	var found []claims.Finding
	for _, name := range names {
		before := len(found)
		for _, f := range findings {
			reading := strings.TrimPrefix(f.ID, name)
			if f.ID == name || reading != f.ID && len(reading) == 1 && reading[0] >= 'a' {
				found = append(found, f)
			}
		}
		if len(found) == before {
			return nil, usagef("unknown claim %q; 'claims' lists them", name)
		}
	}
	return found, nil
}

// A ledger is the verdicts on a run, and what the run says of its own cost.
type ledger struct {
	claims.Ledger
	run *results.Run
}

func ledgerOf(run *results.Run) ledger {
	if run.Manifest.Population != "" { // the sources speak of other readers
		run = &results.Run{Manifest: run.Manifest}
	}
	return ledger{claims.Judge(run), run}
}

// A cost is what reproducing rows takes.
type cost struct {
	seconds float64
	bytes   float64 // of histories, all alive; 0 where there are none to speak of
	known   bool
	atLeast bool // parts of it were taken over from an earlier run
}

func (c cost) String() string {
	if !c.known {
		return "–"
	}
	sign := ""
	if c.atLeast {
		sign = "≥ "
	}
	// Tenths are as much as a second run would agree on.
	return fmt.Sprintf("%s%.1f s, %.1f GiB", sign, c.seconds, c.bytes/(1<<30))
}

// cost is what the claim's experiments took in this run, with the measurements
// that other experiments made for them: each is made once, by the first that
// asks. It is not known of another number of readers.
func (l ledger) cost(f claims.Finding) (c cost) {
	if l.readers(f) != l.run.Manifest.Users {
		return cost{}
	}
	statuses := l.run.Manifest.Experiments
	counted := map[string]bool{}
	add := func(s results.Status) {
		if !counted[s.Name] {
			counted[s.Name] = true
			c.seconds += s.Seconds
		}
	}
	for _, name := range f.Experiments() {
		i := slices.IndexFunc(statuses, func(s results.Status) bool { return s.Name == name })
		x, ok := experimentNamed(name)
		if i < 0 || !ok {
			return cost{}
		}
		c.known = true
		add(statuses[i])
		for _, kind := range x.needs.kinds() {
			maker := maker(statuses, kind)
			add(maker)
			c.atLeast = c.atLeast || maker.TakenOver
			c.bytes = max(c.bytes, l.alive(kind))
		}
	}
	return c
}

// kinds names the measurements that are needed.
func (n needs) kinds() (kinds []string) {
	for _, k := range []struct {
		needed bool
		kind   string
	}{{n.full, "full"}, {n.daily, "daily"}, {n.hot, "hot"}, {n.hashes, "hashes"}} {
		if k.needed {
			kinds = append(kinds, k.kind)
		}
	}
	return kinds
}

// maker is the experiment that made the measurements of a kind: the first that
// needs them, better one that took none over.
func maker(statuses []results.Status, kind string) results.Status {
	var makers []results.Status
	for _, s := range statuses {
		if x, ok := experimentNamed(s.Name); ok && slices.Contains(x.needs.kinds(), kind) {
			makers = append(makers, s)
		}
	}
	for _, s := range makers {
		if !s.TakenOver {
			return s
		}
	}
	return makers[0] // who asks needs it, so there is one
}

// alive is how many bytes the largest strategy's histories took while alive.
func (l ledger) alive(kind string) (most float64) {
	c := index(l.run)
	for _, e := range entries {
		switch kind {
		case "full":
			held, ok := c.find(results.Table1, e.Name, "", results.QResidentTotal)
			parts, _ := c.find(results.Table1, e.Name, "", "parts")
			if ok {
				most = max(most, held.Value.Or(0)/max(parts.Value.Or(1), 1))
			}
		case "daily":
			held, _ := c.find(results.Daily, e.Name, "", results.QStoreTotal)
			most = max(most, held.Value.Or(0))
		}
	}
	return most
}

// readers is of how many readers a claim speaks, or else how many the run had.
func (l ledger) readers(f claims.Finding) int {
	users := l.run.Manifest.Users
	for _, r := range f.Refs() {
		users = max(users, int(r.Count))
	}
	return users
}

// again is the command that makes a claim's rows again.
func (l ledger) again(f claims.Finding) string {
	names := f.Experiments()
	if len(names) == 0 {
		return "–"
	}
	command := "go run ./experiments " + strings.Join(names, " ")
	m := l.run.Manifest
	if users := l.readers(f); users != 0 && users != defaultUsers {
		command += fmt.Sprintf(" --users %d", users)
	}
	if m.Users != 0 && m.Seed != defaultSeed {
		command += fmt.Sprintf(" --seed %d", m.Seed)
	}
	return command
}

// saveClaims writes the ledger beside the rows: claims.csv is the same bytes on
// every machine, claims.timing.csv is what rests on times.
func saveClaims(dir string, run *results.Run) error {
	l := ledgerOf(run)
	var fixed, timed []claims.Finding
	for _, f := range l.Findings {
		if f.Estimate.Kind == claims.Timed || f.Verdict == claims.Untestable {
			timed = append(timed, f) // what stands beside the untestable may be times
		} else {
			fixed = append(fixed, f)
		}
	}
	for name, findings := range map[string][]claims.Finding{
		results.FileName(results.Claims): fixed, results.TimingFileName(results.Claims): timed,
	} {
		err := results.Replace(filepath.Join(dir, name), func(w io.Writer) error { return l.writeCSV(w, findings, false) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeCSV writes a line a claim, numbers as they are. The cost belongs to a
// machine.
func (l ledger) writeCSV(w io.Writer, findings []claims.Finding, withCost bool) error {
	header := []string{
		"id", "source", "section", "claim", "reading", "quantity", "unit", "stated", "true if", "because", "rows",
		"kind", "theory", "value", "low", "high", "count", "design effect", "theory inside", "p", "verdict", "beyond",
		"true with", "missing", "command",
	}
	if withCost {
		header = append(header, "seconds", "bytes")
	}
	out := csv.NewWriter(w)
	_ = out.Write(header) // what goes wrong, Error tells
	for _, f := range findings {
		row := append(words(f), numbers(f)...)
		row = append(row, f.Verdict.String(), f.Beyond(), f.Amended, strings.Join(f.Missing, "; "), l.again(f))
		if c := l.cost(f); withCost && c.known {
			row = append(row, fmt.Sprintf("%.3f", c.seconds), fmt.Sprintf("%.0f", c.bytes))
		} else if withCost {
			row = append(row, "", "")
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// words are the columns that the claim itself fills.
func words(f claims.Finding) []string {
	region := ""
	if len(f.Rule.Evidence) > 0 {
		region = f.Rule.Region.String()
	}
	return []string{
		f.ID, string(f.Source), f.Section, f.Says, f.Reading, f.Quantity, f.Unit, f.Stated.String(), region,
		because(f), rowsOf(f),
	}
}

// because is the reason for a rule, or why there is none.
func because(f claims.Finding) string {
	switch {
	case f.Silent != "":
		return f.Silent
	case f.Waits != "":
		return "waits for " + f.Waits
	default:
		return f.Rule.Because
	}
}

// rowsOf names the rows of a claim's rule.
func rowsOf(f claims.Finding) string {
	var rows []string
	for _, e := range f.Rule.Evidence {
		rows = append(rows, e.String())
	}
	return strings.Join(rows, "; ")
}

// numbers are the columns that the run fills.
func numbers(f claims.Finding) []string {
	e := f.Estimate
	if !found(f) {
		return make([]string, 9)
	}
	number := func(v float64, digits int) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	inside := ""
	if in, known := e.TheoryInside(); known {
		inside = map[bool]string{true: "yes", false: "no"}[in]
	}
	theory := ""
	if v, ok := e.Theory.Get(); ok {
		theory = number(v, 7)
	}
	return []string{
		e.Kind.String(), theory, number(e.Value, 9), number(e.Low, 9), number(e.High, 9), strconv.FormatInt(e.Count, 10),
		number(e.DesignEffect, 4), inside, number(f.P, 2),
	}
}

// found reports whether the run had the claim's rows.
func found(f claims.Finding) bool { return len(f.From.Of.Experiment) > 0 }
