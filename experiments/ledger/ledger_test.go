package ledger

import (
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

// confirmedUsers is how many users the committed confirmation has with each seed.
const confirmedUsers = 100_000

// docs/verdicts.md says what the committed confirmation says of the committed run.
func TestREADMEConfirmation(t *testing.T) {
	c := confirmation(t)
	l := reference(t, results.DefaultUsers)
	if c.Users != confirmedUsers || len(c.Seeds) < 20 || slices.Contains(c.Seeds, results.DefaultSeed) {
		t.Errorf("the confirmation is of %d users and the seeds %v", c.Users, c.Seeds)
	}
	golden.Document(t, "docs/verdicts.md", "confirmation", document.Markdown(document.Paragraph(c.Title(l)), c.Table(l)))
}

func confirmation(t *testing.T) Confirmation {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "results", "confirmation", fmt.Sprint(confirmedUsers)+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := ReadConfirmation(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every claim that speaks of a rate has a verdict with every seed, and of R7d all are the same: its 200 filters tell.
func TestConfirmationIsWhole(t *testing.T) {
	c := confirmation(t)
	for _, claim := range claims.All() {
		if n := len(c.found[claim.ID]); n != len(c.Seeds) {
			t.Errorf("%s has %d verdicts of %d seeds", claim.ID, n, len(c.Seeds))
		}
	}
	if counts, of := c.verdicts("R7d"); len(of) != 1 {
		t.Errorf("R7d depends on the seed: %v", counts)
	}
}

// What is written is read again, and what depends on the seed is told from what does not, each with its reason.
func TestConfirmation(t *testing.T) {
	of := func(id string, reference claims.Verdict) claims.Finding {
		return claims.Finding{Claim: claims.Claim{ID: id, Says: "says", Unit: results.Ratio}, Verdict: reference}
	}
	c := Confirmation{Users: 7, Seeds: []uint64{5, 9}}
	for _, x := range []struct {
		id    string
		two   [2]claims.Verdict
		kind  string
		value [2]string
	}{
		{"P1", [2]claims.Verdict{claims.Holds, claims.Holds}, "counted", [2]string{"1", "1"}},
		{"P5", [2]claims.Verdict{claims.Holds, claims.Refuted}, "measured", [2]string{"0.1", "0.3"}},
		{"P12", [2]claims.Verdict{claims.Refuted, claims.Underpowered}, "measured", [2]string{"0.2", "0.1"}},
		{"P13", [2]claims.Verdict{claims.Refuted, claims.Refuted}, "measured", [2]string{"0.2", "0.2"}},
		{"R4b", [2]claims.Verdict{claims.Holds, claims.Underpowered}, "timed", [2]string{"1", "2"}},
		{"L4a", [2]claims.Verdict{claims.Holds, claims.Approximately}, "measured", [2]string{"1", ""}},
	} {
		for i := range x.two {
			c.add(x.id, judgement{x.two[i].String(), x.kind, x.value[i]})
		}
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadConfirmation(strings.NewReader(b.String()))
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%+v, %v, want %+v", again, err, c)
	}
	l := Ledger{Ledger: claims.Ledger{Findings: []claims.Finding{
		of("P1", claims.Holds), of("P5", claims.Holds), of("P12", claims.Refuted), of("P13", claims.Holds),
		of("R4b", claims.Holds), of("L4a", claims.Holds),
	}}}
	var got []string
	for _, row := range c.Table(l).Rows {
		got = append(got, strings.Join([]string{row[0], row[3], row[4], row[6]}, "|"))
	}
	want := []string{
		"P5|holds 1, refuted 1|10 % to 30 %|the opposite",
		"P12|refuted 1, underpowered 1|10 % to 20 %|too few users: the interval reaches over the bound with some seeds",
		"P13|refuted 2|20 % to 20 %|the opposite",
		"R4b|holds 1, underpowered 1|100 % to 200 %|a time, which is of the machine and its mood",
		"L4a|holds 1, holds approximately 1|100 % to 100 %|the value lies on either side of what needs no 'about'",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q,\nwant %q", got, want)
	}
	title := c.Title(l)
	if !strings.Contains(title, "2 seeds of 7 users") ||
		!strings.Contains(title, "of 6 verdicts 1 are the same with every seed, 3 are not, and 2 are the opposite") {
		t.Error(title)
	}
	for text, want := range map[string]string{
		"":             "columns",
		"users,seed\n": "columns",
		"users,seed,claim,verdict,kind,value\nx,1,P1,holds,,\n":  "line 2: users",
		"users,seed,claim,verdict,kind,value\n1,-1,P1,holds,,\n": "line 2: seed",
	} {
		if _, err := ReadConfirmation(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
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
