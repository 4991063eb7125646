package results_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// The committed runs contain what their manifests record, after edits by hand, too.
func TestCommittedIntact(t *testing.T) {
	manifests := strategytest.Value(filepath.Glob("reference/*/run.json"))
	manifests = append(manifests, strategytest.Value(filepath.Glob("reference/machines/*/run.json"))...)
	manifests = append(manifests, strategytest.Value(filepath.Glob("reference/machines/*/peers/run.json"))...)
	strategytest.AtLeast(t, len(manifests), 5, "committed runs")
	for _, path := range manifests {
		var m results.Manifest
		strategytest.Must(t, json.Unmarshal(strategytest.Value(os.ReadFile(path)), &m))
		for _, fault := range results.Faults(filepath.Dir(path), m) {
			t.Errorf("%s: %v", path, fault)
		}
	}
}

// Faults are named: the file, the line, the reason.
func TestFaults(t *testing.T) {
	rows := []results.Row{
		{Experiment: "e", Strategy: "a", Quantity: "q", Value: results.Num(1.5)},
		{Experiment: "e", Strategy: "b, and \"c\"", Quantity: "q", Value: results.Num(2.5)},
	}
	here := sysinfo.Environment()
	there := here
	there.Go, there.MemoryBytes = "go1.0", here.MemoryBytes+1
	says := func(what string, do func(dir string, m *results.Manifest) error, want ...string) {
		t.Helper()
		dir := t.TempDir()
		strategytest.Must(t,
			results.WriteFile(filepath.Join(dir, "e.csv"), []results.Dimension{along}, rows),
			results.WriteFile(filepath.Join(dir, "e.timing.csv"), []results.Dimension{along}, nil),
		)
		files, err := results.Sums(dir, "e")
		if err != nil || len(files) != 2 || files[0].Rows != 2 || files[1].Rows != 0 {
			t.Fatalf("sums %+v, %v", files, err)
		}
		m := results.Manifest{
			Environment: here,
			Experiments: []results.Status{{Name: "e", Status: results.Done, Files: files}},
		}
		strategytest.Must(t, do(dir, &m))
		faults := results.Faults(dir, m)
		if (len(faults) > 0) != (len(want) > 0) || len(faults) > 1 {
			t.Errorf("%s: faults %v", what, faults)
			return
		}
		for _, part := range want {
			strategytest.Contains(t, faults[0].Error(), part, "%s", what)
		}
	}
	says("as it was written", func(string, *results.Manifest) error { return nil })
	says("no sums to go by", func(dir string, m *results.Manifest) error {
		m.Experiments[0].Files = nil
		return results.WriteFile(filepath.Join(dir, "e.csv"), []results.Dimension{along}, rows[:1])
	})
	says("a row less", func(dir string, _ *results.Manifest) error {
		return results.WriteFile(filepath.Join(dir, "e.csv"), []results.Dimension{along}, rows[:1])
	}, "e.csv: ends at line 2, run.json says it has 2 rows: cut short")
	says("nothing left", func(dir string, _ *results.Manifest) error {
		return os.WriteFile(filepath.Join(dir, "e.csv"), nil, 0o644)
	}, "e.csv: ends at line 1", "2 rows")
	says("a row more", func(dir string, _ *results.Manifest) error {
		return results.WriteFile(filepath.Join(dir, "e.csv"), []results.Dimension{along}, append(rows, rows[0]))
	}, "e.csv: more rows than run.json records (2)")
	says("another value", func(dir string, _ *results.Manifest) error {
		other := []results.Row{rows[0], rows[1]}
		other[1].Value = results.Num(2.6)
		return results.WriteFile(filepath.Join(dir, "e.csv"), []results.Dimension{along}, other)
	}, "e.csv: a value in its 2 rows is not the one that was written")
	says("the times gone", func(dir string, _ *results.Manifest) error {
		return os.Remove(filepath.Join(dir, "e.timing.csv"))
	}, "e.timing.csv: missing")
	says("another machine", func(_ string, m *results.Manifest) error {
		m.Experiments[0].Environment = &there
		return nil
	}, "run.json: experiment e ran on", "go1.0", "times do not compare")
	strategytest.ErrorSays(t, "sums of nothing", strategytest.ErrorOf(results.Sums(t.TempDir(), "none")), "none.csv")
	if here.Same(there) || !here.Same(here) {
		t.Error("another Go is the same environment, or the same is not")
	}
	differences := strings.Join(here.Differences(there), "\n")
	if !strings.HasPrefix(differences, `go is "`) || !strings.Contains(differences, "\nmemory_bytes is \"") ||
		!strings.HasSuffix(strings.Split(differences, "\n")[0], `reference "go1.0"`) {
		t.Errorf("they differ in %s", differences)
	}
	there.Go = here.Go
	if !here.Same(there) {
		t.Error("more memory is another environment")
	}
}
