package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/replay"
	local "dejavu/experiments/replay"
	"dejavu/results"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"
)

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

// strategies are an exact one, the paper's chain, one that goes by the calendar, and one whose bits are drawn.
const strategies = "queue,chain,beyond/daily,beyond/stable"

// asked is a configuration with the defaults of the command line.
func asked(out string, shards int, files ...string) replay.Config {
	return replay.Config{
		Named:    files,
		Reading:  local.Reading{Format: "auto", Comma: ",", Clock: "auto", Order: local.ByTime, Faults: 1000, Share: 0.1},
		Settings: local.Settings{Strategies: strings.Split(strategies, ","), Idle: 24 * time.Hour, MaxUsers: logs.MaxUsers},
		Out:      out, Shards: shards,
	}
}

// onBeam replays on the runner.
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
	if err := replay.Replay(s, c); err != nil {
		t.Fatal(err)
	}
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
	if g, w := read(t, got, "replay.csv"), read(t, want, "replay.csv"); !bytes.Equal(g, w) || len(w) < 1000 {
		t.Errorf("%s: replay.csv differs from that of one machine: %d bytes, want %d", what, len(g), len(w))
	}
	g, w := manifest(t, got), manifest(t, want)
	w.Log.Asked = "" // of a command line, which these have not
	if gl, wl := text(t, g.Log), text(t, w.Log); gl != wl || g.Users != w.Users {
		t.Errorf("%s: %d users of the log %s\nwant %d of %s", what, g.Users, gl, w.Users, wl)
	}
	if _, err := replay.Outcome(t.Context(), got); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if faults := results.Faults(got, g); len(faults) > 0 {
		t.Errorf("%s: %v", what, faults)
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
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
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// write writes a file of a log, packed as its name says.
func write(t *testing.T, path string, format logs.Format, requests [][]logs.Event) {
	t.Helper()
	text := logtest.Text(format, logs.Columns{}, requests...)
	if err := os.WriteFile(path, logtest.Pack(path, text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// days are the requests of so many users of the daily population, in a format that says what they did of it.
func days(t *testing.T, users int, format logs.Format) [][]logs.Event {
	t.Helper()
	population, err := workload.NewDaily(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	return logtest.Daily(population, start, logtest.Kind(format), nil)
}
