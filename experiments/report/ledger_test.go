package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// reference returns the committed run of that number of users.
func reference(t *testing.T, users int) *results.Run {
	t.Helper()
	run, ok := results.Reference(users, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users", users)
	}
	return run
}

// docs/verdicts.md lists the claims by verdict, as the committed run decides.
func TestREADMEVerdicts(t *testing.T) {
	l := LedgerOf(reference(t, results.DefaultUsers))
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
	golden.Document(t, "docs/verdicts.md", "verdicts", document.Markdown(counts))
}

// docs/verdicts.md states the verdicts of twenty other seeds, from results/confirmation: every claim has one with each
// seed, never the default, and none turns into the opposite of another or of the reference's.
func TestLedgerConfirmation(t *testing.T) {
	var c struct {
		Users int
		Seeds []uint64
		Found map[string][]struct{ Verdict string }
	}
	text := strategytest.Value(os.ReadFile(filepath.Join("..", "..", "results", "confirmation", "100000.json")))
	strategytest.Must(t, json.Unmarshal(text, &c))
	if c.Users != 100_000 || len(c.Seeds) != 20 || slices.Contains(c.Seeds, results.DefaultSeed) {
		t.Errorf("the confirmation is of %d users and the seeds %v", c.Users, c.Seeds)
	}
	alike, apart, open := 0, []string(nil), []string(nil)
	for _, f := range LedgerOf(reference(t, results.DefaultUsers)).Findings {
		strategytest.Equal(t, len(c.Found[f.ID]), len(c.Seeds), "%s has verdicts", f.ID)
		verdicts, upheld := map[string]bool{}, map[bool]bool{}
		if f.Verdict.Decided() {
			upheld[f.Verdict.Upheld()] = true
		}
		for _, j := range c.Found[f.ID] {
			verdicts[j.Verdict] = true
			for _, v := range claims.Verdicts {
				if v.Decided() && v.String() == j.Verdict {
					upheld[v.Upheld()] = true
				}
			}
		}
		switch {
		case len(upheld) > 1:
			t.Errorf("%s is upheld with one seed, and refuted with another or by the reference", f.ID)
		case len(verdicts) > 1:
			apart = append(apart, f.ID)
		case verdicts[claims.Underpowered.String()]:
			open = append(open, f.ID)
		case !verdicts[claims.Unmeasured.String()] && !verdicts[claims.Untestable.String()]:
			alike++
		}
	}
	docs := strings.Join(strings.Fields(string(strategytest.Value(os.ReadFile("../../docs/verdicts.md")))), " ")
	strategytest.Contains(t, docs, fmt.Sprintf("The runs with %d seeds had 100,000 users each, and came after the rules "+
		"were fixed on %s (digest %.12s). %d verdicts are the same with every seed, %d are not, and none is the opposite "+
		"with some seed or of the reference's. With so few users, %d are undecided with every seed: %s.",
		len(c.Seeds), claims.FrozenDate, claims.FrozenDigest, alike, len(apart), len(open), strings.Join(open, ", ")), "it")
	for _, id := range apart {
		strategytest.Contains(t, docs, "| "+id+" | ", "the claims whose verdict depends on the seed")
	}
}

// Saving a committed run's ledger gives the committed files.
func TestSave(t *testing.T) {
	for _, users := range []int{results.DefaultUsers, 20000} {
		run := reference(t, users)
		dir := t.TempDir()
		strategytest.Must(t, Save(dir, run))
		for _, name := range []string{results.FileName(results.Claims), results.TimingFileName(results.Claims)} {
			got := strategytest.Value(os.ReadFile(filepath.Join(dir, name)))
			want, err := os.ReadFile(filepath.Join("..", "..", "results", "reference", fmt.Sprint(users), name))
			strategytest.Must(t, err)
			if string(got) != string(want) {
				t.Errorf("%s of %d users: %s", name, users, golden.Difference(string(got), string(want)))
			}
		}
	}
}

func TestAgain(t *testing.T) {
	of := func(id string, users int, seed uint64) string {
		l := LedgerOf(&results.Run{Manifest: results.Manifest{Users: users, Seed: seed}})
		for _, f := range l.Findings {
			if f.ID == id {
				return l.again(f)
			}
		}
		return ""
	}
	is := func(id string, users int, seed uint64, want string) {
		t.Helper()
		strategytest.Equal(t, of(id, users, seed), want, "%s of %d", id, users)
	}
	is("P13", results.DefaultUsers, results.DefaultSeed, "go run ./experiments fpr sizing")
	is("P13", 20000, results.DefaultSeed, "go run ./experiments fpr sizing --users 20000")
	is("P13", 20000, 7, "go run ./experiments fpr sizing --users 20000 --seed 7")
	is("P2", 20000, results.DefaultSeed, "go run ./experiments table1") // speaks of ten million
	is("R13", 20000, results.DefaultSeed, "–")
}
