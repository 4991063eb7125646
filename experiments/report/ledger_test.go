package report

import (
	"cmp"
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

// confirmed holds what collect.py found in runs with other seeds.
type confirmed struct {
	Users int
	Seeds []uint64
	Found map[string][]struct {
		Verdict string
		Value   float64
	}
}

func confirmation(t *testing.T, name string) (c confirmed) {
	text := strategytest.Value(os.ReadFile(filepath.Join("..", "..", "results", "confirmation", name)))
	strategytest.Must(t, json.Unmarshal(text, &c))
	return c
}

// A claim's verdicts with other seeds: all the same value, the same verdict, different ones, or all undecided.
type agreement struct{ constant, alike, apart, open, opposite bool }

func (c confirmed) agreement(f claims.Finding) (a agreement) {
	verdicts, upheld, values := map[string]bool{}, map[bool]bool{}, map[float64]bool{}
	if f.Verdict.Decided() {
		upheld[f.Verdict.Upheld()] = true
	}
	decided := true
	for _, j := range c.Found[f.ID] {
		verdicts[j.Verdict], values[j.Value] = true, true
		i := slices.IndexFunc(claims.Verdicts, func(v claims.Verdict) bool { return v.String() == j.Verdict })
		if v := claims.Verdicts[i]; v.Decided() {
			upheld[v.Upheld()] = true
		} else {
			decided = false
		}
	}
	a.constant, a.opposite, a.apart = decided && len(values) == 1, len(upheld) > 1, len(verdicts) > 1
	a.open = !a.apart && verdicts[claims.Underpowered.String()]
	a.alike = !a.constant && !a.apart && decided
	return a
}

// docs/verdicts.md states the verdicts of twenty other seeds, from results/confirmation: every claim has one with each
// seed, never the default, and none turns into the opposite of another or of the reference's. A value that no seed
// changes confirms nothing: only decided verdicts that could have differed are counted.
func TestLedgerConfirmation(t *testing.T) {
	c := confirmation(t, "100000.json")
	if c.Users != 100_000 || len(c.Seeds) != 20 || slices.Contains(c.Seeds, results.DefaultSeed) {
		t.Errorf("the confirmation is of %d users and the seeds %v", c.Users, c.Seeds)
	}
	all := LedgerOf(reference(t, results.DefaultUsers)).Findings
	constant, alike, apart, open := 0, 0, []string(nil), []string(nil)
	for _, f := range all {
		if n := len(c.Found[f.ID]); n != len(c.Seeds) {
			t.Errorf("%s has verdicts with %d of %d other seeds: make 20 runs by the loop in docs/verdicts.md, then "+
				"'python3 results/confirmation/collect.py out/seed-* >results/confirmation/100000.json'", f.ID, n, len(c.Seeds))
		}
		switch a := c.agreement(f); {
		case f.Estimate.Kind == claims.ClosedForm && f.Verdict.Decided():
			constant++
		case a.opposite:
			t.Errorf("%s is upheld with one seed, and refuted with another or by the reference", f.ID)
		case a.constant:
			constant++
		case a.apart:
			apart = append(apart, f.ID)
		case a.open:
			open = append(open, f.ID)
		case a.alike:
			alike++
		}
	}
	docs := strings.Join(strings.Fields(string(strategytest.Value(os.ReadFile("../../docs/verdicts.md")))), " ")
	strategytest.Contains(t, docs, fmt.Sprintf("The runs with %d seeds had 100,000 users each, and came after the rules "+
		"were fixed on 2026-11-27 (digest %.12s). Of %d claims %d have the same value with every seed, so that seeds confirm "+
		"nothing of them. **%d decided verdicts could have differed, and did not**; %d differ, and none is the opposite "+
		"with some seed or of the reference's. With so few users, %d are undecided with every seed: %s.",
		len(c.Seeds), claims.FrozenDigest, len(all), constant, alike, len(apart), len(open),
		strings.Join(open, ", ")), "it")
	for _, id := range apart {
		strategytest.Contains(t, docs, "| "+id+" | ", "the claims whose verdict depends on the seed")
	}
}

// docs/replication.md says which verdicts a second seed changes at ten million users. Times do not follow from a seed.
func TestREADMESecondSeed(t *testing.T) {
	c := confirmation(t, "10000000.json")
	if c.Users != results.DefaultUsers || len(c.Seeds) != 1 || c.Seeds[0] == results.DefaultSeed {
		t.Errorf("a second seed of %d users: %v", c.Users, c.Seeds)
	}
	all, chance, differ := 0, 0, []string(nil)
	for _, f := range LedgerOf(reference(t, results.DefaultUsers)).Findings {
		if !f.Verdict.Judged() || f.Estimate.Kind == claims.Timed {
			continue
		}
		all++
		if f.Verdict.Decided() && f.Estimate.Kind == claims.Sampled {
			chance++
		}
		if verdict := c.Found[f.ID][0].Verdict; verdict != f.Verdict.String() {
			differ = append(differ, fmt.Sprintf("%s is %s, reference %s", f.ID, verdict, f.Verdict))
		}
	}
	said := fmt.Sprintf("A run of ten million users with a second seed, %d, was judged by the same rules. Of %d verdicts that do "+
		"not rest on times, %d are decided and rest on chance. Others than the reference's: %s.\n",
		c.Seeds[0], all, chance, cmp.Or(strings.Join(differ, "; "), "none"))
	golden.Document(t, "docs/replication.md", "second seed", said)
}

// docs/verdicts.md lists the claims that another tolerance would uphold, or no longer uphold.
func TestREADMEStretched(t *testing.T) {
	l := LedgerOf(reference(t, results.DefaultUsers)).Only(func(f claims.Finding) bool {
		s := f.Stretch
		return s.Known() && (s.Halved.Upheld() != f.Verdict.Upheld() || s.Doubled.Upheld() != f.Verdict.Upheld())
	})
	golden.Document(t, "docs/verdicts.md", "stretched",
		document.Markdown(l.Table("", inID, inVerdict, inStretched)))
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
