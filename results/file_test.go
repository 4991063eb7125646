package results_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

func TestReadDir(t *testing.T) {
	dir := t.TempDir()
	fpr := results.Row{Experiment: results.FPR, Quantity: results.QFPR, Value: results.Num(0.25)}
	slow := results.Row{Experiment: results.FPR, Quantity: "time", Value: results.Num(3)}
	want := results.Manifest{
		Seed: 1<<64 - 1, Users: 1000, Args: []string{"fpr", "--users", "1000"},
		Environment: sysinfo.Environment(),
		Experiments: []results.Status{
			{Name: "fpr", Status: results.Done, Seconds: 1.5},
			{Name: "x", Status: results.Failed, Error: "why"},
		},
	}
	strategytest.Must(t,
		results.WriteFile(filepath.Join(dir, results.FileName(results.FPR)), []results.Dimension{along}, []results.Row{fpr}),
		results.WriteFile(filepath.Join(dir, results.TimingFileName(results.FPR)), []results.Dimension{along},
			[]results.Row{slow}),
		results.WriteManifest(dir, want),
		os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644),
		os.Mkdir(filepath.Join(dir, "figures"), 0o755),
		os.Mkdir(filepath.Join(dir, "a.csv"), 0o755), // and what comes before the rows, by name
		os.WriteFile(filepath.Join(dir, ".fpr.csv.1"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "about.txt"), nil, 0o644),
		os.WriteFile(filepath.Join(dir, "claims.csv"), nil, 0o644),
	)
	run := strategytest.Value(results.ReadDir(dir))
	if !reflect.DeepEqual(run.Rows, []results.Row{fpr}) || !reflect.DeepEqual(run.Timing, []results.Row{slow}) {
		t.Errorf("got rows %v and %v", run.Rows, run.Timing)
	}
	strategytest.DeepEqual(t, run.Manifest, want, "got manifest")
	strategytest.DeepEqual(t, run.All(), []results.Row{fpr, slow}, "all rows")
}

func TestReadDirNamesTheFault(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"a bad value", "fpr.csv", header + "fpr,s,1,q,u,bad,,,,,\n", `fpr.csv: line 2, column 13: value: "bad"`},
		{"the wrong file", "fpr.csv", header + "fill,s,1,q,u,1,,,,,\n", `fpr.csv: row 1: experiment "fill"`},
		{"a bad manifest", "run.json", "{", "run.json"},
	} {
		dir := t.TempDir()
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644))
		_, err := results.ReadDir(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: got error %v, want one with %q", c.name, err, c.want)
		}
	}
	strategytest.ErrorSays(t, "a directory that does not exist is no error",
		strategytest.ErrorOf(results.ReadDir(filepath.Join(t.TempDir(), "none"))), "none")
}
