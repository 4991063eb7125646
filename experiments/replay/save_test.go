package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/workload/logs"
)

// What is saved is read again: the rows, the times and the manifest, which lists their
// files. Where one cannot be written there is no manifest.
func TestSavedIsRead(t *testing.T) {
	row := results.Row{Experiment: results.Replay, Strategy: "chain", Quantity: results.QFPR, Unit: results.Ratio, Value: results.Num(0.25)}
	slow := results.Row{Experiment: results.Replay, Strategy: "chain", Quantity: results.QRequestP50, Unit: results.Nanoseconds, Value: results.Num(3)}
	m := results.Manifest{Users: 7, Seconds: 1.5}
	dir := t.TempDir()
	if err := replay.Save(dir, m, []results.Row{row}, []results.Row{slow}); err != nil {
		t.Fatal(err)
	}
	run, err := results.ReadDir(dir)
	if err != nil || len(run.Rows) != 1 || run.Rows[0] != row || len(run.Timing) != 1 || run.Timing[0] != slow {
		t.Errorf("%+v and %+v, %v", run.Rows, run.Timing, err)
	}
	if all := run.Manifest.Experiments; len(all) != 1 || all[0].Name != results.Replay || all[0].Status != results.Done || all[0].Seconds != 1.5 || len(all[0].Files) != 2 {
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
	f := replay.Reading{Format: "auto", Comma: "auto", Quote: "auto", List: "auto", Clock: "auto", Order: replay.ByTime, Share: 0.1}
	for _, c := range []struct {
		o                                 logs.Options
		format, comma, quote, list, clock string
		columns                           map[string]string
	}{
		{logs.Options{}, "auto", "auto", "auto", "auto", "auto", map[string]string{}},
		{
			logs.Options{Format: logs.CSV, Comma: ";", Quote: logs.NoQuotes, List: "|", Clock: logs.Millis, NoHeader: true, Columns: logs.Columns{User: "1", Time: "3"}},
			"csv", ";", "none", "|", "ms",
			map[string]string{"user": "1", "time": "3"},
		},
	} {
		got := f.Decided(c.o)
		if got.Format != c.format || got.Comma != c.comma || got.Quote != c.quote || got.List != c.list || got.Clock != c.clock ||
			got.NoHeader != c.o.NoHeader || got.Order != replay.ByTime || len(got.Columns) != len(c.columns) {
			t.Errorf("%+v is read by %+v", c.o, got)
		}
		for what, column := range c.columns {
			if got.Columns[what] != column {
				t.Errorf("%s is column %q, want %q", what, got.Columns[what], column)
			}
		}
	}
}
