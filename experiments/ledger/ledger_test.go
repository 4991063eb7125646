package ledger

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/experiments/golden"
	"dejavu/internal/document"
	"dejavu/results"
)

// reference is the ledger of a committed run.
func reference(t *testing.T, users int) Ledger {
	t.Helper()
	run, ok := results.Reference(users, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users", users)
	}
	return Of(run)
}

// README.md says what the ledger of the committed run says: how many claims met
// which verdict, and what became of the paper's one error rate.
func TestREADMEVerdicts(t *testing.T) {
	l := reference(t, results.DefaultUsers)
	counts := document.Table{Header: []string{"verdict", "claims", "which"}}
	for _, v := range claims.Verdicts {
		var ids []string
		for _, f := range l.Findings {
			if f.Verdict == v {
				ids = append(ids, f.ID)
			}
		}
		if len(ids) > 0 {
			counts.Rows = append(counts.Rows, []string{v.String(), fmt.Sprint(len(ids)), strings.Join(ids, " ")})
		}
	}
	l, err := l.Named([]string{"P12", "P14", "P19", "P21", "P23"})
	if err != nil {
		t.Fatal(err)
	}
	rate := l.Verdicts(false)
	rate.Title = ""
	golden.Document(t, "docs/verdicts.md", "verdicts", document.Markdown(
		counts, document.Paragraph("The paper's false positive rate of 1.56 %, reading by reading:"), rate))
}

// CSV has a line a claim, and its numbers are those of the ledger.
func TestCSV(t *testing.T) {
	l := reference(t, results.DefaultUsers)
	var b strings.Builder
	if err := l.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 1+len(l.Findings) {
		t.Fatalf("%d lines of CSV for %d claims, %v", len(lines), len(l.Findings), err)
	}
	column := func(line []string, name string) string { return line[slices.Index(lines[0], name)] }
	for i, f := range l.Findings {
		line := lines[1+i]
		if column(line, "id") != f.ID || column(line, "verdict") != f.Verdict.String() {
			t.Errorf("line %d: %v, want %s, %v", i+2, line, f.ID, f.Verdict)
		}
		if v, err := strconv.ParseFloat(column(line, "value"), 64); f.Verdict.Judged() &&
			(err != nil || math.Abs(v-f.Estimate.Value) > 1e-8*math.Abs(v)) {
			t.Errorf("%s: value %q, want %v", f.ID, column(line, "value"), f.Estimate.Value)
		}
	}
}

// What is saved of a committed run is what is committed beside it.
func TestSave(t *testing.T) {
	for _, users := range []int{results.DefaultUsers, 20000} {
		run, _ := results.Reference(users, results.DefaultSeed)
		dir := t.TempDir()
		if err := Save(dir, run); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{results.FileName(results.Claims), results.TimingFileName(results.Claims)} {
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", fmt.Sprint(users), name))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != string(want) {
				t.Errorf("%s of %d users: %s", name, users, golden.Difference(string(got), string(want)))
			}
		}
	}
}

// LaTeX has each claim in both tables, and none of the letters that it would not
// print.
func TestTeX(t *testing.T) {
	l := reference(t, results.DefaultUsers)
	tex := document.LaTeX(l.Verdicts(true), l.Grounds())
	for _, phrase := range []string{`\begin{longtable}`, ` \% (`, `$\varepsilon$`, `10\textasciicircum{}6`} {
		if !strings.Contains(tex, phrase) {
			t.Errorf("LaTeX lacks %q", phrase)
		}
	}
	if got := strings.Count(tex, "\nP12 & "); got != 2 {
		t.Errorf("P12 stands in %d LaTeX tables, want in both", got)
	}
	for _, special := range []string{"≈", "≥", "ε", "δ", "−", "§", "–", "& <"} {
		if strings.Contains(tex, special) {
			t.Errorf("LaTeX holds %q", special)
		}
	}
}

// A claim in full has what its two readings share and what they do not.
func TestFull(t *testing.T) {
	l, err := reference(t, results.DefaultUsers).Named([]string{"P19"})
	if err != nil || len(l.Findings) != 2 {
		t.Fatalf("%d readings of P19, want 2; %v", len(l.Findings), err)
	}
	l.manifest = manifest
	l.manifest.Users = results.DefaultUsers
	full := l.Full(l.Findings[0]).Text() + l.Full(l.Findings[1]).Text()
	for _, phrase := range []string{
		"P19a", "P19b", "no bound is stated", "not testable as stated", "theory in the interval",
		"0.0117 to 0.0195; as stated 0.015444 to 0.015756",
		"4332 bits and 6 hashes", "go run ./experiments table1", "go run ./experiments arithmetic", "GiB",
	} {
		if !strings.Contains(full, phrase) {
			t.Errorf("no %q in\n%s", phrase, full)
		}
	}
	for _, name := range []string{"P99", "P", "P1a3", ""} {
		if _, err := l.Named([]string{name}); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("unknown claim %q", name)) {
			t.Errorf("a claim called %q: %v", name, err)
		}
	}
}

// manifest is of a run that says what everything took.
var manifest = results.Manifest{
	Users: 1000,
	Experiments: []results.Status{
		{Name: "table1", Status: results.Done, Seconds: 200, Own: 8, Needs: []string{"full-queue", "full-dual", "hot"}},
		{Name: "daily", Status: results.Done, Seconds: 0.25, Own: 0.25, Needs: []string{"daily"}},
		{Name: "sizing", Status: results.Done, Seconds: 0.5, Own: 0.5},
		{Name: "extend", Status: results.Done, Seconds: 0.25, Own: 0.25, Needs: []string{"full-queue", "full-dual"}},
		{Name: "hashes", Status: results.Done, Seconds: 6, Own: 1, Needs: []string{"hashes", "lost"}},
		{Name: "arithmetic", Status: results.Done, Seconds: 0.125},
	},
	Costs: []results.Cost{
		{Name: "full-queue", Seconds: 120, Bytes: 12 << 30},
		{Name: "full-dual", Seconds: 60, Bytes: 8 << 30},
		{Name: "hot", Seconds: 4},
		{Name: "daily", Seconds: 50, Bytes: 7 << 29},
		{Name: "hashes", Seconds: 5},
	},
}

// What making a claim's rows again takes is what its experiments took, and each
// measurement that they need once, whichever experiment made it.
func TestCost(t *testing.T) {
	byID := map[string]claims.Finding{}
	for _, f := range claims.Judge(&results.Run{}).Findings {
		byID[f.ID] = f
	}
	for _, c := range []struct{ id, want string }{
		{"P1", "192.0 s, 12.0 GiB"},   // table1 alone
		{"P13", "192.5 s, 12.0 GiB"},  // and sizing
		{"P28a", "180.2 s, 12.0 GiB"}, // extend, without the times that table1 took
		{"P30a", "50.2 s, 3.5 GiB"},   // daily
		{"P9a", "–"},                  // arithmetic, by an old program
		{"R10b", "–"},                 // hashes, one of whose measurements has no cost
		{"P15", "–"},                  // fill did not run
		{"P2", "–"},                   // speaks of more users than this run has
	} {
		l := Ledger{manifest: manifest}
		if got := l.took(byID[c.id]); got != c.want {
			t.Errorf("%s took %q, want %q", c.id, got, c.want)
		}
	}
}

func TestAgain(t *testing.T) {
	of := func(id string, users int, seed uint64) string {
		l := Of(&results.Run{Manifest: results.Manifest{Users: users, Seed: seed}})
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
		{"P13", results.DefaultUsers, results.DefaultSeed, "go run ./experiments table1 sizing"},
		{"P13", 20000, results.DefaultSeed, "go run ./experiments table1 sizing --users 20000"},
		{"P13", 20000, 7, "go run ./experiments table1 sizing --users 20000 --seed 7"},
		{"P2", 20000, results.DefaultSeed, "go run ./experiments table1"}, // speaks of ten million
		{"R13", 20000, results.DefaultSeed, "–"},
	} {
		if got := of(c.id, c.users, c.seed); got != c.want {
			t.Errorf("%s of %d: %q, want %q", c.id, c.users, got, c.want)
		}
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
		f := claims.Finding{From: claims.Evidence{Ref: claims.Ref{Measured: results.Query{Experiment: "e", Quantity: "q"}}}}
		f.Unit, f.Estimate.Value, f.Estimate.Low, f.Estimate.High = c.unit, c.value, c.low, c.high
		f.Rule.Region = claims.Region{High: 1}
		if got := foundText(f); got != c.want {
			t.Errorf("%v (%v to %v): %q, want %q", c.value, c.low, c.high, got, c.want)
		}
	}
}

// Every finding is in the group of its verdict, what was refuted first, and the verdict's
// column says instead on which side the rows lie.
func TestGroups(t *testing.T) {
	l := reference(t, 20000)
	groups := l.Groups()
	if groups[0].Verdict != claims.Refuted {
		t.Errorf("the first group is %v", groups[0].Verdict)
	}
	verdict, sum := map[string]claims.Verdict{}, 0
	for _, f := range l.Findings {
		verdict[f.ID] = f.Verdict
	}
	for i, g := range groups {
		if slices.ContainsFunc(groups[:i], func(other Group) bool { return other.Verdict == g.Verdict }) {
			t.Errorf("%v is there twice", g.Verdict)
		}
		sum += len(g.Claims.Rows)
		if g.Claims.Title != "Claims: "+g.Verdict.String() || g.Claims.Anchor != "claim" {
			t.Errorf("%v: %q, anchored %q", g.Verdict, g.Claims.Title, g.Claims.Anchor)
		}
		if slices.Contains(g.Claims.Header, "verdict") || !slices.Contains(g.Claims.Header, "found is") {
			t.Errorf("%v: columns are %q", g.Verdict, g.Claims.Header)
		}
		for _, row := range g.Claims.Rows {
			if v, ok := verdict[row[0]]; !ok || v != g.Verdict {
				t.Errorf("%s is with what %v, its verdict is %v, %v", row[0], g.Verdict, v, ok)
			}
		}
	}
	if sum != len(l.Findings) {
		t.Errorf("%d claims in groups, %d in the ledger", sum, len(l.Findings))
	}
}
