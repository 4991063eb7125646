package replay_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/replay"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload/logs"
)

// reading and settings are what the command lines have for a default.
var (
	reading  = replay.Reading{Format: "auto", Comma: ",", Clock: "auto", Order: replay.ByTime, Faults: 1000, Share: 0.1}
	settings = replay.Settings{Idle: 24 * time.Hour, MaxUsers: logs.MaxUsers}
)

func TestReadingIsChecked(t *testing.T) {
	for _, c := range []struct {
		change func(f *replay.Reading)
		want   string
	}{
		{func(f *replay.Reading) {}, ""},
		{func(f *replay.Reading) { f.Comma = `\t` }, ""},
		{func(f *replay.Reading) { f.Format = "xml" }, `--format is "xml", want auto or one of [mind`},
		{func(f *replay.Reading) { f.Columns = map[string]string{"reader": "1"} }, `--columns has "reader"`},
		{func(f *replay.Reading) { f.Columns = map[string]string{"user": ""} }, "--columns gives user no column"},
		{func(f *replay.Reading) { f.Comma = "" }, `--comma is "", want auto or what stands between two fields`},
		{func(f *replay.Reading) { f.Clock = "h" }, `--clock is "h"`},
		{func(f *replay.Reading) { f.Faults = -1 }, "--faults is -1, want 0 or more"},
		{func(f *replay.Reading) { f.Faults = 0 }, ""},
		{func(f *replay.Reading) { f.Share = 1 }, ""},
		{func(f *replay.Reading) { f.Share = 0 }, "--share is 0, want above 0"},
		{func(f *replay.Reading) { f.Share = 1.5 }, "--share is 1.5, want above 0"},
	} {
		f := reading
		c.change(&f)
		_, err := f.Options()
		complains(t, err, c.want)
	}
	f := reading
	f.Faults, f.Clock, f.Format, f.Comma = 0, "ms", "CSV", "tab"
	f.Columns = map[string]string{"clicked": "opened"}
	o, err := f.Options()
	if err != nil || o.MaxFaults != -1 || o.Clock != logs.Millis || o.Format != logs.CSV || o.Comma != "\t" || o.Columns.Clicked != "opened" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(s *replay.Settings)
		want   string
	}{
		{func(s *replay.Settings) {}, ""},
		{func(s *replay.Settings) { s.Idle = 0 }, ""},
		{func(s *replay.Settings) { s.Strategies = []string{"single", "ring"} }, ""},
		{func(s *replay.Settings) { s.Idle = -time.Second }, "--idle is -1s, want whole seconds from 0 to"},
		{func(s *replay.Settings) { s.Idle = time.Millisecond }, "--idle is 1ms, want whole seconds"},
		{func(s *replay.Settings) { s.Show = -1 }, "--show is -1, want 1 or more"},
		{func(s *replay.Settings) { s.Show = 2 }, "--show is 2, which needs --passed"},
		{func(s *replay.Settings) { s.Idle = (1<<32 - 1) * time.Second }, ""},
		{func(s *replay.Settings) { s.Idle = 1 << 32 * time.Second }, "--idle is 1193046h28m16s, want whole seconds from 0 to 1193046h28m15s"},
		{func(s *replay.Settings) { s.Show, s.Passed = 1, true }, ""},
		{func(s *replay.Settings) { s.MaxUsers = 1 }, ""},
		{func(s *replay.Settings) { s.MaxUsers = logs.MaxUsers }, ""},
		{func(s *replay.Settings) { s.MaxUsers = 0 }, "--max-users is 0, want 1 to 2147483647"},
		{func(s *replay.Settings) { s.Strategies = []string{"bloom"} }, `--strategies: unknown strategy "bloom", want one of queue, `},
		{func(s *replay.Settings) { s.Strategies = []string{"single", "chain:window=500", "fpr=0.01", "ring"} }, ""},
		{func(s *replay.Settings) { s.Strategies = []string{"chain:links=6", "chain: links=6"} }, `--strategies: "chain:links=6" is named twice`},
		{func(s *replay.Settings) { s.Strategies = []string{"chain", "links=6"} }, `--strategies: parameters "links=6" without a strategy`},
		{func(s *replay.Settings) { s.Strategies = []string{"queue:window=1000000"} }, `--strategies: strategy "queue:window=1000000": store: the strategy's Sizes has 20000 lengths, want 1 to 16383`},
		{func(s *replay.Settings) { s.Strategies = []string{"ring", "beyond/ring"} }, `--strategies: "beyond/ring" is named twice`},
	} {
		s := settings
		c.change(&s)
		complains(t, s.Check(), c.want)
	}
	all := settings
	all.Strategies = []string{"all"}
	if entries, err := all.Entries(); err != nil || len(entries) != len(catalogue.Names()) {
		t.Errorf("all are %d strategies, %v", len(entries), err)
	}
	subjects, err := settings.Subjects()
	if err != nil || len(subjects) != 7 || subjects[0].Name != "queue" {
		t.Errorf("by default there are %d strategies, %v", len(subjects), err)
	}
}

func complains(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestOverwrites(t *testing.T) {
	for _, c := range []struct {
		m    results.Manifest
		err  error
		want string
	}{
		{results.Manifest{}, nil, ""},
		{results.Manifest{}, fs.ErrNotExist, ""},
		{results.Manifest{Started: "now", Log: &results.Log{}}, nil, ""},
		{results.Manifest{Started: "now", Users: 20}, nil, "--out: dir holds a run of 20 simulated users"},
		{results.Manifest{}, fs.ErrPermission, "--out: permission denied"},
	} {
		complains(t, replay.Overwrites("dir", c.m, c.err), c.want)
	}
}

// What a replay leaves: a log in, rows and a manifest out, and no promise broken.
func TestSave(t *testing.T) {
	s := settings
	s.Strategies, s.Passed, s.Show, s.Idle = []string{"single", "daily"}, true, 3, 90*time.Minute
	subjects, err := s.Subjects()
	if err != nil {
		t.Fatal(err)
	}
	const text = "user,article,time\n1,1,1573776000\n1,1,1573776001\ntorn\n2,1,1573776002\n"
	o, err := replay.Reading{Format: "auto", Comma: ",", Clock: "auto", Order: replay.ByTime, Faults: 1, Share: 1}.Options()
	if err != nil {
		t.Fatal(err)
	}
	l, err := logs.New(strings.NewReader(text), "log", o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tally, err := s.Config().Run(t.Context(), subjects, l, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, timing := replay.Rows(subjects, tally)
	log := s.Log([]string{"log"}, l.Format(), replay.ByTime, tally.Log)
	want := results.Log{
		Files: []string{"log"}, Format: "csv", Lines: 4, Faults: 1, Events: 3, Exposures: 3,
		First: "2019-11-15T00:00:00Z", Last: "2019-11-15T00:00:02Z", Idle: "1h30m", Record: "what was reported as unseen, the first 3 of a request",
	}
	if log.Files[0] != "log" {
		t.Errorf("the files are %q", log.Files)
	}
	if got := *log; got.Format != want.Format || got.Lines != want.Lines || got.Faults != want.Faults || got.Exposures != want.Exposures ||
		got.First != want.First || got.Last != want.Last || got.Idle != want.Idle || got.Record != want.Record {
		t.Errorf("the log is %+v, want %+v", got, want)
	}
	if s := settings.Log(nil, "", "", tally.Log); s.Idle != "24h" || s.Record != "all that was shown" {
		t.Errorf("by default: %+v", s)
	}
	dir := t.TempDir()
	if err := replay.Save(dir, results.Manifest{Users: 2, Seconds: 1, Log: log}, rows, timing); err != nil {
		t.Fatal(err)
	}
	run, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if faults := results.Faults(dir, run.Manifest); len(faults) > 0 || len(run.Rows) != len(rows) || len(run.Timing) != len(timing) {
		t.Errorf("%d and %d rows, want %d and %d; %v", len(run.Rows), len(run.Timing), len(rows), len(timing), faults)
	}
	written, err := os.ReadFile(filepath.Join(dir, "replay.csv"))
	if err != nil || !bytes.Contains(written, []byte("replay,single,,repeats,,1,")) {
		t.Errorf("replay.csv has not the one repeat, %v:\n%s", err, written)
	}
	if err := replay.Broken(run.Rows); err != nil {
		t.Error(err)
	}
}

// A promise that is not kept is an error that names the strategy.
func TestBroken(t *testing.T) {
	rows := []results.Row{
		{Strategy: "good", Quantity: results.QInside, Value: results.Num(0), Count: 9},
		{Strategy: "bad", Quantity: results.QInside, Value: results.Num(2), Count: 7},
		{Strategy: "other", Quantity: results.QFPR, Value: results.Num(2), Count: 7},
	}
	complains(t, replay.Broken(rows[:1]), "")
	complains(t, replay.Broken(rows), "repeats were shown inside the guaranteed window: bad let 2 of 7 through")
}
