package results_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// The last of several rows with one key is found, and an experiment's rows in their order.
func TestCells(t *testing.T) {
	row := func(experiment, strategy string, value float64) results.Row {
		r := results.Row{Experiment: experiment, Strategy: strategy, Quantity: "q", Value: results.Num(value)}
		return r.With(along.At(5))
	}
	c := results.NewCells([]results.Row{row("a", "s", 1), row("b", "s", 2), row("a", "s", 3), row("a", "r", 4)})
	if r, ok := c.One(results.Find("q", along.At(5)).In("a").Of("s")); !ok || r.Value != results.Num(3) {
		t.Errorf("found %+v, %t", r, ok)
	}
	for _, k := range [][4]string{{"a", "s", "", "q"}, {"c", "s", "5", "q"}, {"a", "x", "5", "q"}, {"a", "s", "5", "p"}} {
		if r, ok := c.One(results.Find(k[3], along.Is(k[2])).In(k[0]).Of(k[1])); ok {
			t.Errorf("%q is %+v", k, r)
		}
	}
	// A row fills in what a query leaves open.
	open := results.Find("q", along.Open()).In("a").Of(results.Any)
	for _, r := range c.All(open) {
		strategytest.Equal(t, open.Fill(r), r.Name(), "%v filled is", open)
	}
	none := results.Find("q", along.Open(), results.Dimension{Name: "y"}.Open()).In("a").Of(results.Any)
	if found := c.All(open); len(found) != 3 || c.All(none) != nil || c.All(open.Of("r"))[0].Value != results.Num(4) {
		t.Errorf("%v finds %d rows, and %v finds %v", open, len(found), none, c.All(none))
	}
	var values []string
	for _, r := range c.Of("a") {
		values = append(values, r.Value.String())
	}
	if fmt.Sprint(values) != "[1 3 4]" || c.Of("c") != nil {
		t.Errorf("those of a are %v, of c %v", values, c.Of("c"))
	}
}

// Times that lie where other runs do not, and the machine's speed in the middle of all.
func TestTimeEdges(t *testing.T) {
	r := results.TimeRatio{Value: 2, Low: 0.5, High: 2}
	for machine, want := range map[float64]bool{0.9: true, 1: false, 2: false, 4: false, 4.1: true} {
		strategytest.Equal(t, r.Differs(machine), want, "on a machine %v times as slow it differs", machine)
	}
	num, units := results.Num, map[string]string{"r": results.Ratio, "bytes": results.Bytes}
	time := func(quantity string, low, value, high float64) results.Row {
		unit := cmp.Or(units[quantity], results.Nanoseconds)
		return results.Row{Quantity: quantity, Unit: unit, Low: num(low), Value: num(value), High: num(high)}
	}
	single := results.Row{Quantity: "single", Unit: results.Nanoseconds, Value: num(1)}
	ratio := results.Row{Quantity: "lone ratio", Unit: results.Ratio, Value: num(1)}
	want := []results.Row{
		time("a", 1, 2, 4), time("b", 1, 1, 1), time("c", 2, 2, 2), time("zero", 0, 1, 1), time("r", 0.5, 1, 1),
		time("bytes", 1, 1, 1), single, ratio, time("gone", 1, 1, 1),
	}
	got := []results.Row{
		time("a", 2, 6, 8), time("b", 7, 7, 7), time("c", 2, 2, 2), time("zero", 1, 3, 4), time("r", 0.5, 3, 3),
		time("bytes", 1, 1, 1), single, ratio,
	}
	got[1].Low, got[1].High = results.Number{}, results.Number{} // of a single run only the value counts
	times, ratios := results.CompareTimes(got, want)
	if len(times) != 4 || len(ratios) != 1 || ratios[0].Value != 3 {
		t.Errorf("%+v, %+v", times, ratios)
	}
	if a := times[0]; a.Value != 3 || a.Low != 0.5 || a.High != 2 {
		t.Errorf("%+v", a)
	}
	strategytest.Equal(t, results.MachineFactor(times), 3, "the machine is times as slow")
	strategytest.Equal(t, results.MachineFactor(times[:2]), 5, "the mean of 3 and 7")
	strategytest.Equal(t, results.MachineFactor(nil), 1, "of no times")
}

// What differs is said, and what is empty is called so.
func TestDifferenceText(t *testing.T) {
	q := results.Find("q").In("e")
	reads := func(d results.Difference, want string) {
		t.Helper()
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	reads(results.Difference{Name: q, Field: "value", Got: "1", Want: "2"}, "e: q: value is 1, reference 2")
	reads(results.Difference{Name: q.Of("s"), Field: "low", Want: "2"}, "e: q of s: low is empty, reference 2")
	reads(results.Difference{Name: q.With(along.At(5)), Got: "2"}, "e: q at x=5:  is 2, reference empty")
}

// A manifest is described to people, too: its shard, its machine, what failed.
func TestManifestText(t *testing.T) {
	for s, want := range map[results.Shard]string{{}: "none", {Index: 2, Of: 7}: "2/7", {Of: 7}: "0/7"} {
		strategytest.Equal(t, s.String(), want, "%+v is", s)
	}
	e := results.Environment{Go: "go1", OS: "linux", Arch: "amd64", CPU: "a", CPUs: 4, GOMAXPROCS: 2, MemoryBytes: 7}
	strategytest.Equal(t, e.String(), `"a" (no vectors, 2 of 4 processors, go1, linux/amd64)`, "the environment")
	m := results.Manifest{}
	strategytest.ErrorSays(t, "failures of a run that has none", m.Failures(), "")
	m.Unreported = "no ink"
	const unreported = "there is no report of these results: no ink; 'plot' makes it again"
	if err := m.Failures(); err == nil || err.Error() != unreported {
		t.Error(err)
	}
	m.Experiments = []results.Status{
		{Name: "fpr", Status: results.Done},
		{Name: "a", Status: results.Failed, Error: "b"},
		{Name: "c", Status: results.Failed, Error: "d"},
	}
	if err := m.Failures(); err == nil || err.Error() != "2 of the experiments failed: a: b; c: d\n"+unreported {
		t.Error(err)
	}
}

// A manifest is written for people, indented, in a file that all can read. It may be missing, but must not be damaged.
func TestManifestFile(t *testing.T) {
	dir := t.TempDir()
	strategytest.Equal(t, strategytest.Value(results.ReadManifest(dir)).Commit, "", "where there is none")
	written := results.Manifest{Seed: 7, Commit: "a<b", Shard: results.Shard{Index: 1, Of: 2}}
	strategytest.Must(t, results.WriteManifest(dir, written))
	path := filepath.Join(dir, results.ManifestName)
	text := strategytest.Value(os.ReadFile(path))
	const shard = "\"shard\": {\n    \"index\": 1,\n    \"of\": 2\n  }\n}\n"
	for _, want := range []string{"{\n  \"seed\": 7,\n", `"commit": "a<b",`, shard} {
		strategytest.Contains(t, string(text), want, "it")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if m, err := results.ReadManifest(dir); err != nil || m.Seed != 7 || m.Shard.Of != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	strategytest.Must(t, os.WriteFile(path, []byte("{"), 0o644))
	if _, err := results.ReadManifest(dir); err == nil || !strings.HasPrefix(err.Error(), dir+": run.json: ") {
		t.Error(err)
	}
	strategytest.Must(t, os.Remove(path))
	strategytest.Must(t, os.Mkdir(path, 0o755))
	strategytest.ErrorSays(t, "a directory is a manifest", strategytest.ErrorOf(results.ReadManifest(dir)), "run.json")
}

// Files without a name before their ending, directories, and files that begin with a dot are no rows.
func TestFilesThatAreNoRows(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".csv", ".timing.csv", ".e.csv", "e.csv.old", "csv", "claims.csv", "claims.timing.csv"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("nonsense"), 0o644))
	}
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, "d.csv"), 0o755))
	if run, err := results.ReadDir(dir); err != nil || len(run.All()) != 0 {
		t.Errorf("%+v, %v", run, err)
	}
	// What should be a file of rows, and is a directory, is neither gone nor cut short.
	m := results.Manifest{Experiments: []results.Status{{Files: []results.Sum{{File: "d.csv"}}}}}
	if faults := results.Faults(dir, m); len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "d.csv: ") ||
		strings.Contains(faults[0].Error(), "gone") {
		t.Errorf("%v", faults)
	}
}
