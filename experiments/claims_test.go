package main

import (
	"encoding/csv"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"dejavu/claims"
	"dejavu/results"
)

// golden compares text with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		write(t, path, got)
		return
	}
	if want := read(t, path); got != want {
		t.Errorf("%s is not what is printed, 'go test ./experiments -run Golden -update' writes it anew: %s",
			path, firstDifference(got, want))
	}
}

// The ledgers of the committed runs, as they are printed.
func TestGoldenLedgers(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"claims-10000000.txt", nil},
		{"claims-20000.txt", []string{"--users", "20000"}},
		{"claims-10000000.md", []string{"--markdown"}},
	} {
		r := program(t.Context(), append([]string{"claims", "--reference"}, c.args...)...)
		wants(t, r, exitOK, r.stdout, "P12", "refuted: more")
		golden(t, c.name, r.stdout)
	}
}

// README.md says what the ledger of the committed run says: how many claims met
// which verdict, and what became of the paper's one error rate.
func TestREADMEVerdicts(t *testing.T) {
	reference, ok := results.Reference(defaultUsers, defaultSeed)
	if !ok {
		t.Fatal("no committed reference")
	}
	l := ledgerOf(reference)
	summary := l.summary().Markdown()
	found, err := chosen(l.Findings, []string{"P12", "P14b", "P19", "P21", "P23"})
	if err != nil {
		t.Fatal(err)
	}
	l.Findings = found
	rate := l.verdicts(false)
	rate.Title = ""

	holds(t, "verdicts", summary+"\nThe paper's error rate of 1.56 %, reading by reading:\n\n"+rate.Markdown())
}

// Every form has a line a claim, and CSV's numbers are those of the ledger.
func TestLedgerForms(t *testing.T) {
	t.Parallel()
	reference, ok := results.Reference(defaultUsers, defaultSeed)
	if !ok {
		t.Fatal("no committed reference")
	}
	l := claims.Judge(reference)
	r := program(t.Context(), "claims", "--reference", "--csv")
	lines, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil || len(lines) != 1+len(l.Findings) {
		t.Fatalf("%d lines of CSV for %d claims, %v", len(lines), len(l.Findings), err)
	}
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	for i, f := range l.Findings {
		line := lines[1+i]
		if column(line, "id") != f.ID || column(line, "verdict") != f.Verdict.String() {
			t.Errorf("line %d: %v, want %s, %v", i+2, line, f.ID, f.Verdict)
		}
		if v, err := strconv.ParseFloat(column(line, "value"), 64); f.Verdict.Judged() && (err != nil || math.Abs(v-f.Estimate.Value) > 1e-8*math.Abs(v)) {
			t.Errorf("%s: value %q, want %v", f.ID, column(line, "value"), f.Estimate.Value)
		}
	}

	r = program(t.Context(), "claims", "--reference", "--tex")
	wants(t, r, exitOK, r.stdout, `\begin{longtable}`, ` \% (`, `$\varepsilon$`, `10\textasciicircum{}6`)
	if got := strings.Count(r.stdout, "\nP12 & "); got != 2 {
		t.Errorf("P12 stands in %d LaTeX tables, want in both", got)
	}
	for _, special := range []string{"≈", "≥", "ε", "δ", "−", "§", "–", "& <"} {
		if strings.Contains(r.stdout, special) {
			t.Errorf("LaTeX holds %q", special)
		}
	}

	r = program(t.Context(), "claims", "--reference", "P13")
	wants(t, r, exitOK, r.stdout, "P13a", "P13b", "theory in the interval", "yes", "at most 0.02", "4078 bits and 6 hashes",
		"go run ./experiments table1 sizing", "GiB")
	if strings.Contains(r.stdout, "P12") {
		t.Error("P12 is shown, too")
	}
}

// What reproducing a claim takes is what the run spent, with what other
// experiments measured for it.
func TestLedgerCost(t *testing.T) {
	done := func(name string, seconds float64, takenOver bool) results.Status {
		return results.Status{Name: name, Status: results.Done, Seconds: seconds, TakenOver: takenOver}
	}
	byID := map[string]claims.Finding{}
	for _, f := range claims.Judge(&results.Run{}).Findings {
		byID[f.ID] = f
	}
	gib := func(v float64) results.Number { return results.Num(v * (1 << 30)) }
	machine := []results.Row{
		{Experiment: results.Table1, Strategy: "queue", Quantity: results.QResidentTotal, Value: gib(36)},
		{Experiment: results.Table1, Strategy: "queue", Quantity: "parts", Value: results.Num(3)},
		{Experiment: results.Table1, Strategy: "dual", Quantity: results.QResidentTotal, Value: gib(8)},
		{Experiment: results.Daily, Strategy: "queue", Quantity: results.QStoreTotal, Value: gib(3.5)},
	}
	whole := []results.Status{
		done("table1", 200, false), done("fpr", 50, false), done("daily", 0.25, false), done("sizing", 0.5, false),
		done("arithmetic", 0.125, false), done("extend", 0.25, false), done("hashes", 6, false),
	}
	for _, c := range []struct {
		id       string
		statuses []results.Status
		want     string
	}{
		{"P1", whole, "200.0 s, 12.0 GiB"},   // table1 alone
		{"P13a", whole, "200.5 s, 12.0 GiB"}, // and sizing
		{"P28a", whole, "200.2 s, 12.0 GiB"}, // extend, whose histories table1 made
		{"P30a", whole, "50.2 s, 3.5 GiB"},   // daily, which fpr measured
		{"P9a", whole, "0.1 s, 0.0 GiB"},     // arithmetic
		{"R10b", whole, "6.0 s, 0.0 GiB"},    // hashes
		{"P15", whole, "–"},                  // fill did not run
		// A second run took table1's histories over; the first says what they took.
		{"P28a", []results.Status{done("extend", 0.25, true), done("table1", 200, false)}, "200.2 s, 12.0 GiB"},
		{"P28a", []results.Status{done("extend", 0.25, true)}, "≥ 0.2 s, 12.0 GiB"},
		{"P2", whole, "–"}, // speaks of more readers than this run has
	} {
		l := ledger{run: &results.Run{Timing: machine, Manifest: results.Manifest{Users: 1000, Experiments: c.statuses}}}
		if got := l.cost(byID[c.id]).String(); got != c.want {
			t.Errorf("%s took %q, want %q", c.id, got, c.want)
		}
	}
}

func TestLedgerCommand(t *testing.T) {
	of := func(id string, users int, seed uint64) string {
		l := ledgerOf(&results.Run{Manifest: results.Manifest{Users: users, Seed: seed}})
		for _, f := range l.Findings {
			if f.ID == id {
				return l.again(f)
			}
		}
		return ""
	}
	for _, c := range []struct {
		id    string
		users int
		seed  uint64
		want  string
	}{
		{"P13a", defaultUsers, defaultSeed, "go run ./experiments table1 sizing"},
		{"P13a", 20000, defaultSeed, "go run ./experiments table1 sizing --users 20000"},
		{"P13a", 20000, 7, "go run ./experiments table1 sizing --users 20000 --seed 7"},
		{"P2", 20000, defaultSeed, "go run ./experiments table1"}, // speaks of ten million
		{"R13", 20000, defaultSeed, "–"},
	} {
		if got := of(c.id, c.users, c.seed); got != c.want {
			t.Errorf("%s of %d: %q, want %q", c.id, c.users, got, c.want)
		}
	}
	// The flags' defaults are what the commands leave out.
	var flags command
	parser, err := kong.New(&flags, kong.Vars{"maxUsers": "1"}, kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{}, {"claims"}} {
		if _, err := parser.Parse(args); err != nil {
			t.Fatal(err)
		}
	}
	if flags.Run.Users != defaultUsers || flags.Run.Seed != defaultSeed || flags.Claims.Users != defaultUsers || flags.Claims.Seed != defaultSeed {
		t.Errorf("by default %d users and seed %d, want %d and %d", flags.Run.Users, flags.Run.Seed, defaultUsers, defaultSeed)
	}
}

// An amount has the digits that its interval deserves.
func TestFoundText(t *testing.T) {
	for _, c := range []struct {
		unit             string
		value, low, high float64
		want             string
	}{
		{results.Ratio, 0.02025813, 0.0202385862, 0.0202776738, "2.0258 % (2.0239 to 2.0278)"},
		{results.Ratio, 0.0205, 0.018, 0.023, "2.05 % (1.80 to 2.30)"},
		{results.Ratio, 0, 0, 1.84e-8, "0 (below 1.8e-06 %)"},
		{results.Ratio, 1.28e-7, 3.2e-9, 7.1e-7, "0.000013 % (0.000000 to 0.000071)"},
		{claims.Times, 2.08646, 2.0807, 2.09224, "2.0865 times (2.0807 to 2.0922)"},
		{claims.Times, 29953.3, 29953.3, 29953.3, "29953 times"},
		{results.Bytes, 5.08e9, 5.08e9, 5.08e9, "5.08 GB"},
		{results.Bits, 958505838, 958505838, 958505838, "958505838 bits"},
		{results.Bits, 2821.928, 2821.928, 2821.928, "2821.928 bits"},
		{"", 349.518, 349.518, 349.518, "349.518"},
	} {
		f := claims.Finding{From: claims.Evidence{Of: claims.Ref{Experiment: "e"}}}
		f.Unit, f.Estimate.Value, f.Estimate.Low, f.Estimate.High = c.unit, c.value, c.low, c.high
		f.Rule.Region = claims.Region{High: 1}
		if got := foundText(f); got != c.want {
			t.Errorf("%v (%v to %v): %q, want %q", c.value, c.low, c.high, got, c.want)
		}
	}
}

// The ledger stands first in the report of a run, and beside its rows; what
// depends on the machine is in a file of its own.
func TestLedgerOfRun(t *testing.T) {
	withCatalogue(t, named(t, "queue"), named(t, "single"))
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "table1", "arithmetic", "sizing", "--users", "300", "--out", out)
	wants(t, r, exitOK, r.stdout, "Verdicts on what the sources say: holds ", "500 IDs of 8 bytes")
	report := read(t, filepath.Join(out, "report.md"))
	if v, h := strings.Index(report, "**Verdicts on"), strings.Index(report, "**Table 1"); v < 0 || h < v {
		t.Errorf("the verdicts stand at %d of the report, the tables at %d", v, h)
	}
	fixed, timed := read(t, filepath.Join(out, "claims.csv")), read(t, filepath.Join(out, "claims.timing.csv"))
	if !strings.Contains(fixed, "\nP1,") || strings.Contains(fixed, "seconds") || strings.Contains(fixed, "\nP29,") || !strings.Contains(timed, "\nP29,") {
		t.Errorf("claims.csv:\n%s\nclaims.timing.csv:\n%s", fixed, timed)
	}
	// Judging again is judging the same rows.
	r = program(t.Context(), "claims", "--out", out, "P1")
	wants(t, r, exitOK, r.stdout, "4000 B", "holds", "300")
	// A claim whose rows the run lacks says which, and what makes them.
	r = program(t.Context(), "claims", "--out", out, "P23b", "P4b")
	wants(t, r, exitOK, r.stdout, "not measured", "table1: fpr steady of chain-literal: no such row",
		"go run ./experiments table1 arithmetic --users 300", "rests on 300, want 10000000", "again with │ go run ./experiments table1 ")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := os.Remove(filepath.Join(out, "run.json")); err != nil {
		t.Fatal(err)
	}
	r = program(t.Context(), "claims", "--out", out, "P1") // rows that somebody else's tool wrote
	wants(t, r, exitOK, r.stdout, "holds")
}
