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

// addedUp is what is counted whole and in ranges. 700 users divided by two, three and
// seven, or by 40 and 100 for variants first, leave rests.
func addedUp() (scope engine.Scope, chosen []experiment.Experiment, divisions []int) {
	// Users of all entries are measured alike: those beyond the paper stand for each
	// other, but for the ones that experiments ask for by name, or by what they can.
	kept := []string{"chain-best", "daily", "counting", "ring"}
	entries := slices.DeleteFunc(catalogue.All(), func(e catalogue.Entry) bool {
		name, beyond := strings.CutPrefix(e.Name, results.Beyond)
		return beyond && !slices.Contains(kept, name)
	})
	scope = engine.Scope{Users: 700, Seed: results.DefaultSeed, Entries: entries}
	if !sysinfo.RaceDetector {
		return scope, All, []int{3}
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
	return scope, chosen, []int{3}
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
		scope, chosen, _ := addedUp()
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

// counted is a measurement's value without what it says of the machine, and whether that could be taken away.
func counted(t *testing.T, task engine.Task, value json.RawMessage) (text string, ok bool) {
	t.Helper()
	if !task.Machine {
		return string(value), true
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(value, &members); err != nil {
		t.Fatalf("%s: %v", task.Name, err)
	}
	_, apart := members["Machine"]
	return string(members["Counts"]), apart
}

// saved is the value of a measurement that a run has saved.
func saved(t *testing.T, out, name string) json.RawMessage {
	t.Helper()
	data := strategytest.Value(os.ReadFile(engine.Path(out, name)))
	var file struct{ Value json.RawMessage }
	strategytest.Must(t, json.Unmarshal(data, &file))
	return file.Value
}

// apart measures a task in ranges of users, in any order, and adds them up.
func apart(t *testing.T, r *engine.Run, task engine.Task, n int, random *rand.Rand) (total json.RawMessage) {
	t.Helper()
	for i, part := range random.Perm(n) {
		r.Options.Workers, r.Options.Parts = 1+i%3, 1+part%4
		value, err := task.Make(t.Context(), r, measure.Range{To: task.Users(r.Scope)}.Part(part, n))
		if err == nil && total != nil {
			value, err = task.Add(total, value)
		}
		if err != nil {
			t.Fatalf("%s, part %d of %d: %v", task.Name, part, n, err)
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
	scope, chosen, divisions := addedUp()
	want := measured(t)
	away := scope
	away.Shard = results.Shard{Index: 1, Of: 2} // so that it takes no times
	worker := madeBy(t, away, "", 0, 0)
	home := madeBy(t, scope, t.TempDir(), 1, 1)
	random := rand.New(rand.NewPCG(1, 2))
	summed, compared := map[string]bool{}, 0
	for _, task := range Tasks(scope, chosen) {
		if task.Users == nil { // made once, and not compared
			copyFile(t, engine.Path(want.out, task.Name), engine.Path(home.Out, task.Name))
			continue
		}
		whole, ok := counted(t, task, saved(t, want.out, task.Name))
		var total json.RawMessage
		for _, n := range divisions {
			total = apart(t, worker, task, n, random)
			if sum, _ := counted(t, task, total); ok && sum != whole {
				t.Errorf("%s: %d ranges add up to another value than the whole", task.Name, n)
			}
		}
		summed[task.Name] = true
		if ok {
			compared++
		}
		strategytest.Must(t, task.Save(home, total, results.Cost{Name: task.Name}))
	}
	// Experiments that sum nothing were written whole.
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(x experiment.Experiment) bool {
		return !slices.ContainsFunc(Tasks(scope, []experiment.Experiment{x}),
			func(task engine.Task) bool { return task.Users != nil })
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
	// All but days of churn, which rows alone tell from what the machine has a say in.
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
	scope, chosen, _ := addedUp()
	planned, made := map[string]bool{}, map[string]bool{}
	for _, task := range Tasks(scope, chosen) {
		planned[task.Name] = true
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
	scope, chosen, _ := addedUp()
	want := measured(t)
	scope.Seed++
	r := madeBy(t, scope, t.TempDir(), 0, 0)
	for _, task := range Tasks(scope, chosen) {
		if strings.HasSuffix(task.Name, "-single") && task.Users != nil {
			value := strategytest.Value(task.Make(t.Context(), r, measure.Range{To: task.Users(scope)}))
			got, _ := counted(t, task, value)
			if before, ok := counted(t, task, saved(t, want.out, task.Name)); ok && got == before {
				t.Errorf("another seed gives the same %s", task.Name)
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
