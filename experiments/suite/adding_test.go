package suite

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// addedUp returns what is counted whole and in three ranges. 700 users, and 1 in 40 or 100 of them, leave a remainder.
func addedUp() (scope engine.Scope, chosen []experiment.Experiment) {
	// Users of all entries are measured alike: those beyond the paper stand for each
	// other, but for the ones that experiments ask for by name, or by what they can.
	kept := []string{"chain-best", "daily", "counting", "ring"}
	entries := slices.DeleteFunc(catalogue.All(), func(e catalogue.Entry) bool {
		name, beyond := strings.CutPrefix(e.Name, results.Beyond)
		return beyond && !slices.Contains(kept, name)
	})
	scope = engine.Scope{Users: 700, Seed: results.DefaultSeed, Entries: entries}
	if !sysinfo.RaceDetector {
		return scope, All
	}
	// Theory takes ten times as long there, and holds no goroutines.
	scope.Users = 100
	scope.Entries = slices.DeleteFunc(entries, func(e catalogue.Entry) bool {
		return e.Name != "single" &&
			e.Name != "chain"
	})
	for _, x := range All {
		if slices.Contains([]string{results.Memory, results.Daily, results.Extend, results.Snapshot}, x.Name) {
			chosen = append(chosen, x)
		}
	}
	return scope, chosen
}

// madeBy returns a run of a scope in a directory.
func madeBy(t *testing.T, scope engine.Scope, out string, workers, parts int) *engine.Run {
	r := engine.New(t.Context(), scope, engine.NewProgress(io.Discard))
	r.Out, r.Program = out, "abacus"
	r.Options.Workers, r.Options.Parts = workers, parts
	return r
}

// A whole is a run of all that is added up, by one worker.
type whole struct {
	out   string
	text  map[string]string // the deterministic rows of each experiment, as they are written
	costs []results.Cost
}

var (
	wholeOnce sync.Once
	wholeRun  whole
)

// measured returns the whole run, which is made once for all tests.
func measured(t *testing.T) whole {
	t.Helper()
	wholeOnce.Do(func() {
		scope, chosen := addedUp()
		out := strategytest.Value(os.MkdirTemp("", "whole"))
		r := madeBy(t, scope, out, 1, 1)
		text := written(t, r, chosen)
		wholeRun = whole{out, text, r.Costs}
	})
	if wholeRun.text == nil {
		t.Fatal("there is no whole run")
	}
	return wholeRun
}

// written are the deterministic rows of experiments, as they are written.
func written(t *testing.T, r *engine.Run, chosen []experiment.Experiment) map[string]string {
	t.Helper()
	text := map[string]string{}
	for _, x := range chosen {
		rows, _, err := x.Rows(r)
		if err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
		var b strings.Builder
		if err := results.Write(&b, x.Dimensions, rows); err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
		text[x.Name] = b.String()
	}
	return text
}

// counted returns a measurement's value without its parts that depend on the machine, and whether it could remove them.
func counted(t *testing.T, p engine.Planned, value json.RawMessage) (text string, ok bool) {
	t.Helper()
	if !p.Machine {
		return string(value), true
	}
	var members map[string]json.RawMessage
	strategytest.Must(t, json.Unmarshal(value, &members))
	_, apart := members["Machine"]
	return string(members["Counts"]), apart
}

// saved returns the value of a measurement that a run has saved.
func saved(t *testing.T, out, name string) json.RawMessage {
	t.Helper()
	data := strategytest.Value(os.ReadFile(engine.Path(out, name)))
	var file struct{ Value json.RawMessage }
	strategytest.Must(t, json.Unmarshal(data, &file))
	return file.Value
}

// apart measures a task in ranges of users, in random order, and adds them up.
func apart(t *testing.T, r *engine.Run, task engine.Task, n int, random *rand.Rand) (total json.RawMessage) {
	t.Helper()
	p := task.Planned(r.Scope)
	for i, part := range random.Perm(n) {
		r.Options.Workers, r.Options.Parts = 1+i%3, 1+part%4
		value, err := task.MakeJSON(t.Context(), r, measure.Range{To: p.Users}.Part(part, n))
		if err == nil && total != nil {
			value, err = task.AddJSON(total, value)
		}
		if err != nil {
			t.Fatalf("%s, part %d of %d: %v", p.Name, part, n, err)
		}
		total = value
	}
	return total
}

// Every measurement of every experiment is the same, whole by one worker, or summed over
// ranges of users that were measured apart, by several workers and in parts, and added
// in any order: to the last digit of what is counted, and in the rows that come of it.
func TestAddsUp(t *testing.T) {
	notShort(t)
	t.Parallel()
	scope, chosen := addedUp()
	want := measured(t)
	away := scope
	away.Shard = results.Shard{Index: 1, Of: 2} // so that it takes no times
	worker := madeBy(t, away, "", 0, 0)
	home := madeBy(t, scope, t.TempDir(), 1, 1)
	random := rand.New(rand.NewPCG(1, 2))
	summed, compared := map[string]bool{}, 0
	for _, task := range Tasks(scope, chosen) {
		p := task.Planned(scope)
		if p.Users == 0 { // made once, and not compared
			copyFile(t, engine.Path(want.out, p.Name), engine.Path(home.Out, p.Name))
			continue
		}
		whole, ok := counted(t, p, saved(t, want.out, p.Name))
		total := apart(t, worker, task, 3, random)
		if sum, _ := counted(t, p, total); ok && sum != whole {
			t.Errorf("%s: ranges add up to another value than the whole", p.Name)
		}
		summed[p.Name] = true
		if ok {
			compared++
		}
		strategytest.Must(t, task.SaveJSON(home, total, results.Cost{Name: p.Name}))
	}
	// Experiments that sum nothing were written whole.
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(x experiment.Experiment) bool {
		return !slices.ContainsFunc(Tasks(scope, []experiment.Experiment{x}),
			func(task engine.Task) bool { return task.Planned(scope).Users > 0 })
	})
	for name, text := range written(t, home, chosen) {
		if text != want.text[name] {
			t.Errorf("%s: the rows of sums are not those of the whole: %s", name, golden.Difference(text, want.text[name]))
		}
	}
	for _, c := range home.Costs {
		if c.Seconds > 0 && summed[c.Name] {
			t.Errorf("%s was summed, and measured again", c.Name)
		}
	}
	// All but those whose rows alone tell what was counted from what the machine has a say in.
	if compared < len(summed)-6 || compared < 5 {
		t.Errorf("%d of %d measurements compared", compared, len(summed))
	}
}

// What experiments ask for is what they say they need: a measurement that is not planned would be missing in
// shards and clusters, and one that nobody asks for is made for nothing.
func TestAskedForAsPlanned(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("some experiments alone leave measurements that others ask for")
	}
	notShort(t)
	t.Parallel()
	scope, chosen := addedUp()
	planned, made := map[string]bool{}, map[string]bool{}
	for _, task := range Tasks(scope, chosen) {
		planned[task.Planned(scope).Name] = true
	}
	for _, c := range measured(t).costs {
		if made[c.Name] {
			t.Errorf("%s was made twice", c.Name)
		}
		if made[c.Name] = true; !planned[c.Name] {
			t.Errorf("%s was asked for, and is not planned", c.Name)
		}
	}
	for name := range planned {
		if !made[name] {
			t.Errorf("%s is planned, and nobody asks for it", name)
		}
	}
}

// notShort skips what makes a whole run, but under the race detector, where it is a small one.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() && !sysinfo.RaceDetector {
		t.Skip("a whole run")
	}
}

// Another seed gives other counts.
func TestSeedIsUsed(t *testing.T) {
	notShort(t)
	t.Parallel()
	scope, chosen := addedUp()
	want := measured(t)
	scope.Seed++
	r := madeBy(t, scope, t.TempDir(), 0, 0)
	for _, task := range Tasks(scope, chosen) {
		if p := task.Planned(scope); strings.HasSuffix(p.Name, "-single") && p.Users > 0 {
			value := strategytest.Value(task.MakeJSON(t.Context(), r, measure.Range{To: p.Users}))
			got, _ := counted(t, p, value)
			if before, ok := counted(t, p, saved(t, want.out, p.Name)); ok && got == before {
				t.Errorf("another seed gives the same %s", p.Name)
			}
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data := strategytest.Value(os.ReadFile(from))
	strategytest.Must(t, os.MkdirAll(filepath.Dir(to), 0o755))
	strategytest.Must(t, os.WriteFile(to, data, 0o600))
}
