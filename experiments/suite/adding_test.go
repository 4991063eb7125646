package suite

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// addedUp returns what is counted whole and in three ranges. 350 users, and 1 in 40 or 100 of them, leave a remainder.
func addedUp() (scope engine.Scope, chosen []experiment.Experiment) {
	// Users of all entries are measured alike. So one stands for all beyond the paper, except those that experiments
	// ask for by name, or by what they can.
	kept := []string{"chain-best", "daily", "counting", "ring"}
	entries := slices.DeleteFunc(catalogue.All(), func(e catalogue.Entry) bool {
		name, beyond := strings.CutPrefix(e.Name, results.Beyond)
		return beyond && !slices.Contains(kept, name)
	})
	scope = engine.Scope{Users: 350, Seed: results.DefaultSeed, Entries: entries}
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
	r := engine.New(stopwatch.WithEffort(t.Context(), 1e-3), scope, engine.NewProgress(io.Discard))
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

// written returns the text of experiments' deterministic rows.
func written(t *testing.T, r *engine.Run, chosen []experiment.Experiment) map[string]string {
	t.Helper()
	text := map[string]string{}
	for _, x := range chosen {
		rows, _, err := rowsOf(r, x)
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

// Every measurement is the same, whole by one worker, or summed over three shards measured by several workers and in
// parts: to the last digit, and in its rows.
func TestAddsUp(t *testing.T) {
	notShort(t)
	t.Parallel()
	scope, chosen := addedUp()
	want := measured(t)
	var shards []results.Part
	for i := range 3 {
		shard := scope
		shard.Shard = results.Shard{Index: i, Of: 3}
		r := madeBy(t, shard, t.TempDir(), 1+i, 1+2*i)
		for _, task := range Tasks(shard, chosen) {
			strategytest.Must(t, task.Ready(r))
		}
		shards = append(shards, results.Part{Dir: r.Out, Manifest: results.Manifest{Shard: shard.Shard}})
	}
	home := madeBy(t, scope, t.TempDir(), 1, 1)
	home.Again, home.Shards = true, shards
	for name, text := range written(t, home, chosen) {
		if text != want.text[name] {
			t.Errorf("%s: the rows of sums are not those of the whole: %s", name, golden.Difference(text, want.text[name]))
		}
	}
	summed, compared := 0, 0
	for _, task := range Tasks(scope, chosen) {
		p := task.Planned(scope)
		if p.Users == 0 {
			continue
		}
		summed++
		whole, ok := counted(t, p, saved(t, want.out, p.Name))
		sum, _ := counted(t, p, saved(t, home.Out, p.Name))
		if ok {
			compared++
		}
		if ok && sum != whole {
			t.Errorf("%s: shards add up to another value than the whole", p.Name)
		}
	}
	// All but those whose counts and timings only the rows tell apart.
	if compared < summed-6 || compared < 5 {
		t.Errorf("%d of %d measurements compared", compared, summed)
	}
}

// Experiments ask for exactly what they say they need: an unplanned measurement would be missing in shards and
// clusters, and an unused one is wasted.
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

// notShort skips slow tests, except under the race detector, where the run is small.
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
			strategytest.Must(t, task.Ready(r))
			got, _ := counted(t, p, saved(t, r.Out, p.Name))
			if before, ok := counted(t, p, saved(t, want.out, p.Name)); ok && got == before {
				t.Errorf("another seed gives the same %s", p.Name)
			}
		}
	}
}
