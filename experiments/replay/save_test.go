package replay_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/workload/logs"
)

// What is saved is read again: the rows, the times and the manifest, which lists their
// files. Where one cannot be written there is no manifest.
func TestSavedIsRead(t *testing.T) {
	row := results.Row{Experiment: results.Replay, Strategy: "chain", Quantity: results.QFPR, Value: results.Num(0.25)}
	slow := row
	slow.Quantity = results.QRequestTime
	m := results.Manifest{Users: 7, Seconds: 1.5}
	dir := t.TempDir()
	if err := replay.Save(dir, m, []results.Row{row}, []results.Row{slow}); err != nil {
		t.Fatal(err)
	}
	run, err := results.ReadDir(dir)
	if err != nil || len(run.Rows) != 1 || run.Rows[0] != row || len(run.Timing) != 1 || run.Timing[0] != slow {
		t.Errorf("%+v and %+v, %v", run.Rows, run.Timing, err)
	}
	if faults := results.Faults(dir, run.Manifest); len(faults) > 0 {
		t.Error(faults)
	}
	files := run.Manifest.Experiments[0].Files
	want := []results.Status{{Name: results.Replay, Status: results.Done, Seconds: 1.5, Files: files}}
	if all := run.Manifest.Experiments; !reflect.DeepEqual(all, want) || len(files) != 2 {
		t.Errorf("the manifest says %+v", all)
	}
	for _, file := range []string{results.FileName(results.Replay), results.TimingFileName(results.Replay)} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, file, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := replay.Save(dir, m, []results.Row{row}, []results.Row{slow}); err == nil {
			t.Errorf("%s is a directory, and there is no error", file)
		}
		if run, err := results.ReadDir(dir); err == nil && len(run.Manifest.Experiments) > 0 {
			t.Errorf("%s could not be written, and there is a manifest", file)
		}
	}
}

// With what was decided for a log, its flags read another file of it alike.
func TestDecided(t *testing.T) {
	f := replay.Reading{
		Format: "auto", Comma: "auto", Quote: "auto", List: "auto", Clock: "auto", Order: replay.ByTime, Share: 0.1,
		Columns: map[string]string{},
	}
	if got := f.Decided(logs.Options{}); !reflect.DeepEqual(got, f) {
		t.Errorf("nothing decided: %+v", got)
	}
	o := logs.Options{Format: logs.CSV, Comma: ";", Quote: logs.NoQuotes, List: "|", Clock: logs.Millis, NoHeader: true}
	o.Columns = logs.Columns{User: "1", Time: "3"}
	want := f
	want.Format, want.Comma, want.Quote, want.List, want.Clock, want.NoHeader = "csv", ";", "none", "|", "ms", true
	want.Columns = map[string]string{"user": "1", "time": "3"}
	if got := f.Decided(o); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v is read by %+v", o, got)
	}
}
