package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload/logs"
)

// reading and settings are what the command lines have for a default.
var (
	reading  = replay.Reading{Format: "auto", Comma: ",", Clock: "auto", Order: replay.ByTime, Faults: 1000, Share: 0.1}
	settings = replay.Settings{Idle: 24 * time.Hour}
)

func TestReadingIsChecked(t *testing.T) {
	says := func(change func(f *replay.Reading), want string) {
		t.Helper()
		f := reading
		change(&f)
		_, err := f.Options()
		strategytest.ErrorSays(t, "reading", err, want)
	}
	says(func(f *replay.Reading) {}, "")
	says(func(f *replay.Reading) { f.Comma = `\t` }, "")
	says(func(f *replay.Reading) { f.Format = "xml" }, `--format is "xml", want auto or one of ["mind"`)
	says(func(f *replay.Reading) { f.Columns = map[string]string{"reader": "1"} }, `--columns has "reader"`)
	says(func(f *replay.Reading) { f.Columns = map[string]string{"user": ""} }, "--columns gives user no column")
	says(func(f *replay.Reading) { f.Comma = "" }, `--comma is "", want auto or what separates two fields`)
	says(func(f *replay.Reading) { f.Clock = "h" }, `--clock is "h"`)
	says(func(f *replay.Reading) { f.Faults = -1 }, "--faults is -1, want 0 or more")
	says(func(f *replay.Reading) { f.Faults = 0 }, "")
	says(func(f *replay.Reading) { f.Share = 1 }, "")
	says(func(f *replay.Reading) { f.Comma = "::" }, "")
	says(func(f *replay.Reading) { f.Order = replay.ByFile }, "")
	says(func(f *replay.Reading) { f.Order = "" }, `--order is "", want time or file`)
	says(func(f *replay.Reading) { f.Share = 0 }, "--share is 0, want above 0")
	says(func(f *replay.Reading) { f.Share = 1.5 }, "--share is 1.5, want above 0")
	f := reading
	f.Clock, f.Format, f.Comma, f.Columns = "ms", "CSV", "tab", map[string]string{"request": "opened"}
	want := logs.Options{Format: logs.CSV, Comma: "\t", Clock: "ms", MaxShare: 0.1, ByTime: true}
	want.Columns.Request = "opened"
	for faults, most := range map[int]int{0: -1, 1: 1, 1000: 1000} { // 0 is of the options another default
		f.Faults, want.MaxFaults = faults, most
		if o, err := f.Options(); err != nil || !reflect.DeepEqual(o, want) {
			t.Errorf("%+v, %v, want %+v", o, err, want)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	named := func(names ...string) func(s *replay.Settings) {
		return func(s *replay.Settings) { s.Strategies = names }
	}
	says := func(change func(s *replay.Settings), want string) {
		t.Helper()
		s := settings
		change(&s)
		strategytest.ErrorSays(t, "settings", s.Check(), want)
	}
	says(func(s *replay.Settings) {}, "")
	says(func(s *replay.Settings) { s.Idle = 0 }, "")
	says(named("single", "ring"), "")
	says(func(s *replay.Settings) { s.Idle = -time.Second }, "--idle is -1s, want whole seconds from 0 to")
	says(func(s *replay.Settings) { s.Idle = time.Millisecond }, "--idle is 1ms, want whole seconds")
	says(func(s *replay.Settings) { s.Idle = time.Second }, "")
	says(func(s *replay.Settings) { s.Idle = (1<<32 - 1) * time.Second }, "")
	says(func(s *replay.Settings) { s.Idle = 1 << 32 * time.Second },
		"--idle is 1193046h28m16s, want whole seconds from 0 to 1193046h28m15s")
	says(named("bloom"), `--strategies: unknown strategy "bloom", want one of queue, `)
	says(named("single", "chain:window=500", "fpr=0.01", "ring"), "")
	says(named("chain:links=6", "chain: links=6"), `--strategies: "chain:links=6" is named twice`)
	says(named("chain", "links=6"), `--strategies: parameters "links=6" without a strategy`)
	says(named("queue:window=1000000"),
		`--strategies: strategy "queue:window=1000000": store: the strategy's Sizes has 20000 lengths, want 1 to 16383`)
	says(named("ring", "beyond/ring"), `--strategies: "beyond/ring" is named twice`)
	all := settings
	all.Strategies = []string{"all"}
	subjects, err := all.Subjects()
	if err != nil || len(subjects) != len(catalogue.Names()) {
		t.Errorf("all are %d strategies, %v", len(subjects), err)
	}
	subjects, err = settings.Subjects()
	if err != nil || len(subjects) != 7 || subjects[0].Name != "queue" {
		t.Errorf("by default there are %d strategies, %v", len(subjects), err)
	}
}

// A promise that is not kept is an error that names the strategy.
func TestBroken(t *testing.T) {
	rows := []results.Row{
		{Strategy: "good", Quantity: results.QInside, Value: results.Num(0), Count: 9},
		{Strategy: "bad", Quantity: results.QInside, Value: results.Num(1), Count: 7},
		{Strategy: "other", Quantity: results.QFPR, Value: results.Num(2), Count: 7},
	}
	strategytest.ErrorSays(t, "good", replay.Broken(rows[:1]), "")
	strategytest.ErrorSays(t, "and bad", replay.Broken(rows),
		"repeats were shown inside the guaranteed window: bad let 1 of 7 through")
}

// Saved files are read again: the rows, the times and the manifest that lists them. If one cannot be written there is
// no manifest.
func TestSavedIsRead(t *testing.T) {
	row := results.Row{Experiment: results.Replay, Strategy: "chain", Quantity: results.QFPR, Value: results.Num(0.25)}
	slow := row
	slow.Quantity = results.QRequestTime
	m := results.Manifest{Users: 7, Seconds: 1.5}
	dir := t.TempDir()
	strategytest.Must(t, strategytest.ErrorOf(replay.Save(dir, m, []results.Row{row}, []results.Row{slow})))
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
		strategytest.Must(t, os.MkdirAll(filepath.Join(dir, file, "in the way"), 0o755))
		strategytest.ErrorSays(t, fmt.Sprintf("%s is a directory, and there is no error", file),
			strategytest.ErrorOf(replay.Save(dir, m, []results.Row{row}, []results.Row{slow})), "it is not a regular file")
		if run, err := results.ReadDir(dir); err == nil && len(run.Manifest.Experiments) > 0 {
			t.Errorf("%s could not be written, and there is a manifest", file)
		}
	}
}
