package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dejavu/claims"
	"dejavu/experiments/golden"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/strategies/strategytest"
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
	l = strategytest.Value(l.Named([]string{"P12", "P14", "P19", "P21", "P23"}))
	rate := l.Verdicts(false)
	rate.Title = ""
	golden.Document(t, "docs/verdicts.md", "verdicts", document.Markdown(
		counts, document.Paragraph("The paper's false positive rate of 1.56 %, reading by reading:"), rate))
}

// confirmedUsers is how many users the committed confirmation has with each seed.
const confirmedUsers = 100_000

func confirmation(t *testing.T) (c Confirmation) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "results", "confirmation", fmt.Sprint(confirmedUsers)+".json"))
	strategytest.Must(t, err)
	strategytest.Must(t, json.Unmarshal(text, &c))
	return c
}

// docs/verdicts.md says what the committed confirmation says of the committed run.
func TestREADMEConfirmation(t *testing.T) {
	blocks := confirmation(t).Blocks(reference(t, results.DefaultUsers))
	golden.Document(t, "docs/verdicts.md", "confirmation", document.Markdown(blocks...))
}

// Every claim has a verdict with each of twenty seeds that are not the default, and of R7d all are the same: its 200
// filters tell, where two did not.
func TestConfirmationIsWhole(t *testing.T) {
	c := confirmation(t)
	if c.Users != confirmedUsers || len(c.Seeds) < 20 || slices.Contains(c.Seeds, results.DefaultSeed) {
		t.Errorf("the confirmation is of %d users and the seeds %v", c.Users, c.Seeds)
	}
	for _, f := range reference(t, results.DefaultUsers).Findings {
		if n := len(c.Found[f.ID]); n != len(c.Seeds) {
			t.Errorf("%s has %d verdicts of %d seeds", f.ID, n, len(c.Seeds))
		}
		if why, verdicts := c.why(f); f.ID == "R7d" && (why != "" || verdicts[claims.Holds] != len(c.Seeds)) {
			t.Errorf("R7d: %v, %s", verdicts, why)
		}
	}
}

// What depends on the seed is told from what does not, each with its reason, and what is written can be read.
func TestConfirmation(t *testing.T) {
	c := Confirmation{Users: 7, Seeds: []uint64{5, 9}, Found: map[string][]Judgement{}}
	l := Ledger{}
	judged := func(id string, reference claims.Verdict, seeds [2]claims.Verdict, timed bool, because string) {
		t.Helper()
		f := claims.Finding{Claim: claims.Claim{ID: id, Says: "says", Unit: results.Ratio}, Verdict: reference}
		l.Findings = append(l.Findings, f)
		for i, v := range seeds {
			c.Found[id] = append(c.Found[id], Judgement{v.String(), float64(2+i) / 10, timed})
		}
		if why, _ := c.why(f); why != because {
			t.Errorf("%s: %q, want %q", id, why, because)
		}
	}
	judged("P1", claims.Holds, [2]claims.Verdict{claims.Holds, claims.Holds}, false, "")
	judged("P5", claims.Holds, [2]claims.Verdict{claims.Holds, claims.Refuted}, false, oppositeVerdict)
	judged("P12", claims.Refuted, [2]claims.Verdict{claims.Refuted, claims.Underpowered}, false, tooFewUsers)
	judged("P13", claims.Holds, [2]claims.Verdict{claims.Refuted, claims.Refuted}, false, oppositeVerdict)
	judged("P14", claims.Refuted, [2]claims.Verdict{claims.Corrected, claims.Corrected}, false, oppositeVerdict)
	judged("R4b", claims.Holds, [2]claims.Verdict{claims.Holds, claims.Underpowered}, true, machineTime)
	judged("L4a", claims.Holds, [2]claims.Verdict{claims.Holds, claims.Approximately}, false, nearAbout)
	judged("L5", claims.Holds, [2]claims.Verdict{claims.Underpowered, claims.Underpowered}, false, "")
	judged("L6a", claims.Untestable, [2]claims.Verdict{claims.Untestable, claims.Untestable}, false, "")
	said := document.Markdown(c.Blocks(l)...)
	for _, want := range []string{
		"2 seeds of 7 users", "1 verdicts are the same with every seed, 6 are not, and 3 of these are the opposite",
		"With so few users, 1 are undecided with every seed: L5.", "| refuted 1, underpowered 1 |", "20 % to 30 %",
	} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	var b strings.Builder
	var again Confirmation
	err := errors.Join(c.Write(&b), json.Unmarshal([]byte(b.String()), &again))
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%+v, %v, want %+v", again, err, c)
	}
}

// What is saved of a committed run is what is committed beside it.
func TestSave(t *testing.T) {
	for _, users := range []int{results.DefaultUsers, 20000} {
		run, _ := results.Reference(users, results.DefaultSeed)
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
		strategytest.Equal(t, l.took(byID[c.id]), c.want, "%s took", c.id)
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
	is := func(id string, users int, seed uint64, want string) {
		t.Helper()
		strategytest.Equal(t, of(id, users, seed), want, "%s of %d", id, users)
	}
	is("P13", results.DefaultUsers, results.DefaultSeed, "go run ./experiments table1 sizing")
	is("P13", 20000, results.DefaultSeed, "go run ./experiments table1 sizing --users 20000")
	is("P13", 20000, 7, "go run ./experiments table1 sizing --users 20000 --seed 7")
	is("P2", 20000, results.DefaultSeed, "go run ./experiments table1") // speaks of ten million
	is("R13", 20000, results.DefaultSeed, "–")
}
