package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/replay"
	local "dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

// Every format, packed or not, in files with users in all of them, comes to the
// bytes of one machine, whatever the number of shards.
func TestTheSameBytesAsOnOneMachine(t *testing.T) {
	for i, format := range logs.Formats() {
		dir := t.TempDir()
		requests := days(t, 60, format)
		third := len(requests) / 3
		for j, suffix := range []string{".gz", "", ".zst"} {
			write(t, filepath.Join(dir, string(rune('a'+j))+suffix), format, requests[j*third:(j+1)*third])
		}
		files, want := filepath.Join(dir, "*"), filepath.Join(t.TempDir(), "want")
		strategytest.Must(t, here(t, want, files, "--format="+string(format)))
		shards := []int{1, 3, 7}
		if format != logs.CSV {
			shards = shards[i%3:][:1]
		}
		for _, n := range shards {
			got := filepath.Join(t.TempDir(), "got")
			c := asked(got, n, files)
			c.Reading.Format = string(format)
			strategytest.Must(t, onBeam(t, c))
			same(t, string(format), got, want)
		}
	}
}

// Whatever a part of a log cannot know by itself, it is told: the log's beginning and end, its format, its
// limits. The log is odd: a clock that goes back and forth, events far away, a request on both sides of a
// file's end, articles twice, files of blank lines and of faults alone.
func TestAnOddLog(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const header = "reader;item;when;request\n"
	file("a", "\n \n")
	file("b", header+"1;1;1573776100;a\n1;2;1573776100;a\n2;1;1573776101;b\n")
	file("c", header+"2;2;1573776101;b\n2;2;1573776101;b\n1;1;1573689000;c\n3;1;9999999999;d\n")
	file("d", header+"torn\ntorn again\n")
	file("e", header)
	var long strings.Builder
	long.WriteString(header)
	for i, r := range days(t, 30, logs.CSV) {
		for _, e := range r { // turned about, so that the clock runs back for each user
			at := start + workload.Horizon - (e.Time - start)
			fmt.Fprintf(&long, "%d;%d;%d;r%d\n", e.User, e.Article, at, i)
		}
	}
	file("f", long.String())
	files := filepath.Join(dir, "*")
	flags := []string{files, "--columns=user=reader,article=item,time=when,request=request", "--comma=;", "--format=csv", "--clock=s"}
	for _, c := range []struct {
		what   string
		flags  []string
		change func(c *replay.Config)
	}{
		{"as it is", nil, func(c *replay.Config) {}},
		{"in the order of the files", []string{"--order=file"}, func(c *replay.Config) { c.Reading.Order = "file" }},
		{"never forgotten", []string{"--idle=0"}, func(c *replay.Config) { c.Settings.Idle = 0 }},
		{"what passes", []string{"--passed", "--show=3", "--idle=1h"}, func(c *replay.Config) {
			c.Settings.Passed, c.Settings.Show, c.Settings.Idle = true, 3, time.Hour
		}},
	} {
		want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
		strategytest.Must(t, here(t, want, append(slices.Clone(flags), c.flags...)...))
		config := asked(got, 5, files)
		config.Reading.Columns = map[string]string{"user": "reader", "article": "item", "time": "when", "request": "request"}
		config.Reading.Comma, config.Reading.Format, config.Reading.Clock = ";", "csv", "s"
		c.change(&config)
		strategytest.Must(t, onBeam(t, config))
		same(t, c.what, got, want)
		if l := manifest(t, got).Log; l.Faults != 2 || l.Strayed != 1 || l.Twice == 0 || l.First != "2019-11-13T23:50:00Z" {
			t.Errorf("%s: the log is not as odd as it should be: %+v", c.what, l)
		}
	}
}

// What ends a replay on one machine ends it here, with the same words, and nothing is written.
func TestALogThatIsNone(t *testing.T) {
	runner.SkipOnFlink(t, "it tries again, and the test is of the messages")
	const header = "user,article,time\n"
	const good, bad = "1,2,1573776061\n", "1,2\n"
	torn := string(logtest.Pack(".gz", []byte(header+good+bad+bad))) // of many faults; it goes on and is cut
	torn += torn[:5]
	const acts = `{"session":1,"events":[{"aid":2,"ts":1000,"type":"orders"}]}` + "\n"
	faults := func(n int) func(*replay.Config) { return func(c *replay.Config) { c.Reading.Faults = n } }
	as := faults(1000) // the default
	for _, c := range []struct {
		flag     string
		change   func(c *replay.Config)
		contents []string
	}{
		{"--faults=1", faults(1), []string{header + good + bad, header + bad + good}},
		{"--faults=0", faults(0), []string{header + good, header + strings.Repeat(bad, 9)}},
		{"--faults=1000", as, []string{header + good + bad, header + good}},
		{"--faults=1000", as, []string{header, "", header}},
		{"--faults=1000", as, []string{"\n", ""}},
		{"--faults=1000", as, []string{acts, acts}},
		{"--faults=1000", as, []string{"Once upon a time\n"}},
		{"--faults=1000", as, []string{header + good, "user,time\n"}},
		{"--faults=1000", as, []string{"\x1f\x8bno gzip"}},
		{"--faults=1000", as, []string{header + strings.Repeat(good, 100), torn}},
		{
			"--max-users=2", func(c *replay.Config) { c.Settings.MaxUsers = 2 },
			[]string{header + good, header + "2,1,1573776062\n3,1,1573776063\n"},
		},
	} {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
		for i, text := range c.contents {
			strategytest.Must(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))), []byte(text), 0o600))
		}
		files := filepath.Join(dir, "*")
		want := here(t, filepath.Join(t.TempDir(), "want"), files, c.flag)
		if want == nil {
			t.Fatalf("%q is a log for the program", c.contents)
		}
		// A shard cannot say where in the log there were too many users, nor count lines.
		_, message, _ := strings.Cut(want.Error(), "replay: ")
		message, _, _ = strings.Cut(message, ": of ")
		if at := strings.Index(message, "more than 2 users"); at > 0 {
			message = message[at:]
		}
		config := asked(out, 3, files)
		c.change(&config)
		strategytest.ErrorSays(t, fmt.Sprintf("%q", c.contents), onBeam(t, config), message)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%q: there is %s", c.contents, out)
		}
	}
}

// A log in a storage is read there, and what is left lies there too.
func TestAStorage(t *testing.T) {
	dir := t.TempDir()
	requests := days(t, 20, logs.MIND)
	half := len(requests) / 2
	for i, name := range []string{"a.gz", "b"} {
		path := filepath.Join(dir, name)
		write(t, path, logs.MIND, requests[i*half:(i+1)*half])
		data := strategytest.Value(os.ReadFile(path))
		memfs.Write("memfs://log/"+name, data)
	}
	want, got := filepath.Join(t.TempDir(), "want"), t.TempDir()
	strategytest.Must(t, here(t, want, filepath.Join(dir, "*")))
	const out = "memfs://out/replay"
	strategytest.Must(t, onBeam(t, asked(out, 2, "memfs://log/*")))
	if m, err := replay.Outcome(t.Context(), out); err != nil || m.Log.Files[0] != "memfs://log/*" {
		t.Fatalf("%+v, %v", m.Log, err)
	}
	for _, name := range []string{"replay.csv", "replay.timing.csv", "run.json"} {
		in := strategytest.Value(memfs.New(t.Context()).OpenRead(t.Context(), out+"/"+name))
		data, err := io.ReadAll(in)
		strategytest.Must(t, errors.Join(err, in.Close(), os.WriteFile(filepath.Join(got, name), data, 0o600)))
	}
	m := manifest(t, want)
	m.Log.Files = []string{"memfs://log/*"}
	strategytest.Must(t, results.WriteManifest(want, m))
	same(t, "a storage", got, want)
	// The same replay may be written again; another one and a simulated run only with Force.
	strategytest.Must(t, onBeam(t, asked(out, 1, "memfs://log/*")))
	other := asked(out, 1, "memfs://log/b")
	strategytest.ErrorSays(t, "another log", onBeam(t, other), "the log is memfs://log/*, not memfs://log/b")
	other.Force = true
	strategytest.Must(t, onBeam(t, other))
	memfs.Write("memfs://taken/run.json", []byte(`{"users": 20, "started": "now"}`))
	for want, c := range map[string]replay.Config{
		"a run of 20 simulated users, not a":  asked("memfs://taken", 1, "memfs://log/b"),
		`no file matches "memfs://nothing/*"`: asked(out, 1, "memfs://nothing/*"),
	} {
		strategytest.ErrorSays(t, "the error", onBeam(t, c), want)
	}
	// A promise that was not kept is an error, for every caller that reads of it.
	broken := results.Row{
		Experiment: results.Replay, Strategy: "chain", Quantity: results.QInside, Value: results.Num(2), Count: 9,
	}
	strategytest.Must(t, results.WriteFile(filepath.Join(got, "broken"), local.Dimensions, []results.Row{broken}))
	memfs.Write(out+"/replay.csv", strategytest.Value(os.ReadFile(filepath.Join(got, "broken"))))
	strategytest.ErrorSays(t, "a broken promise", strategytest.ErrorOf(replay.Outcome(t.Context(), out)),
		"repeats were shown inside the guaranteed window: chain let 2 of 9 through")
	memfs.Write(out+"/replay.csv", []byte("torn"))
	strategytest.ErrorSays(t, "rows that cannot be read",
		strategytest.ErrorOf(replay.Outcome(t.Context(), out)), "line 1: ")
}

// program is the experiments program, built from the source beside this module.
var program string

func TestMain(m *testing.M) {
	path, remove := runner.Program()
	program = path
	status := runner.Run(m)
	remove()
	os.Exit(status)
}

// start is when the logs of these tests begin, in seconds since 1970.
const start = 1573776000

// strategies are an exact one, the paper's chain, one that goes by the calendar, and one that draws.
const strategies = "queue,chain,beyond/daily,beyond/ring"

func asked(out string, shards int, files ...string) replay.Config {
	return replay.Config{
		Named:    files,
		Reading:  local.Reading{Format: "auto", Comma: "auto", Clock: "auto", Order: local.ByTime, Faults: 1000, Share: 0.1},
		Settings: local.Settings{Strategies: strings.Split(strategies, ","), Idle: 24 * time.Hour, MaxUsers: logs.MaxUsers},
		Out:      out, Shards: shards,
	}
}

func onBeam(t *testing.T, c replay.Config) error {
	t.Helper()
	c, err := c.Find(t.Context())
	if err == nil {
		c, err = c.Detect(t.Context())
	}
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	replay.Replay(s, c)
	return ptest.Run(p)
}

// here replays with the program. What it prints is the error.
func here(t *testing.T, out string, args ...string) error {
	t.Helper()
	cmd := exec.Command(program, append([]string{"replay", "--out=" + out, "--strategies=" + strategies}, args...)...)
	var printed bytes.Buffer
	cmd.Stderr = &printed
	if cmd.Run() == nil {
		return nil
	}
	_, message, _ := strings.Cut(printed.String(), "experiments: ")
	return errors.New(strings.TrimSpace(message))
}

// same compares what both left: the rows that follow from the log, and what the
// manifests say of the log and its users.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	rows := strategytest.Value(os.ReadFile(filepath.Join(got, "replay.csv")))
	wanted := strategytest.Value(os.ReadFile(filepath.Join(want, "replay.csv")))
	if !bytes.Equal(rows, wanted) || len(wanted) < 1000 {
		t.Errorf("%s: replay.csv differs from that of one machine: %d bytes, want %d", what, len(rows), len(wanted))
	}
	g, w := manifest(t, got), manifest(t, want)
	w.Log.Asked, w.Log.Said = "", nil // a command line and a single reader have these
	if gl, wl := text(t, g.Log), text(t, w.Log); gl != wl || g.Users != w.Users {
		t.Errorf("%s: %d users of the log %s\nwant %d of %s", what, g.Users, gl, w.Users, wl)
	}
	strategytest.ErrorSays(t, what, strategytest.ErrorOf(replay.Outcome(t.Context(), got)), "")
	strategytest.ErrorSays(t, what, errors.Join(results.Faults(got, g)...), "")
}

func manifest(t *testing.T, dir string) results.Manifest {
	t.Helper()
	m, err := results.ReadManifest(dir)
	if err != nil || m.Log == nil {
		t.Fatalf("%s: %+v, %v", dir, m, err)
	}
	return m
}

func text(t *testing.T, v any) string {
	t.Helper()
	b := strategytest.Value(json.Marshal(v))
	return string(b)
}

func write(t *testing.T, path string, format logs.Format, requests [][]logs.Event) {
	t.Helper()
	text := logtest.Text(format, logs.Columns{}, requests...)
	strategytest.Must(t, os.WriteFile(path, logtest.Pack(path, text), 0o600))
}

// days are the requests of so many users of the daily population, in a format that says what they did of it.
func days(t *testing.T, users int, format logs.Format) [][]logs.Event {
	t.Helper()
	population := strategytest.Value(workload.NewDaily(2016, users))
	return logtest.Daily(population, start, format)
}
