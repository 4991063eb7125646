package simulate_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/simulate"
)

// users is how many readers the tests simulate, and seed what follows from.
const (
	users = 5000
	seed  = "2016"
)

// chosen are experiments whose measurements are sums over the readers: of the full
// population, of the daily one, of comings and goings.
var chosen = []string{"fill", "daily", "extend"}

// program is the experiments program, built from the source beside this module.
var program string

func TestMain(m *testing.M) { runner.WithProgram(m, &program) }

// The files that follow from the seed are those of one machine, byte for byte,
// and there are no others.
func TestTheSameBytesAsOnOneMachine(t *testing.T) {
	alone, apart := t.TempDir(), t.TempDir()
	args := append([]string{"run", fmt.Sprint("--users=", users), "--seed=" + seed, "--out=" + alone}, chosen...)
	// Its status says, too, how it compares with the reference, which is not asked here.
	said, runErr := exec.Command(program, args...).CombinedOutput()
	p, s := beam.NewPipelineWithRoot()
	if err := simulate.Simulate(s, simulate.Config{
		Program: program, Out: apart, Experiments: chosen, Users: users, Seed: 2016, Shards: 5, Workers: 1,
	}); err != nil {
		t.Fatal(err)
	}
	if err := ptest.Run(p); err != nil {
		t.Fatal(err)
	}
	want := rows(t, alone)
	if len(want) <= len(chosen) { // claims have rows too
		t.Fatalf("%d files: %v\n%s", len(want), runErr, said)
	}
	if got := rows(t, apart); !slices.Equal(got, want) {
		t.Fatalf("the files are %q, want %q", got, want)
	}
	for _, name := range want {
		if !bytes.Equal(read(t, apart, name), read(t, alone, name)) {
			t.Errorf("%s differs from that of one machine", name)
		}
	}
	if err := simulate.Outcome(t.Context(), apart); err != nil {
		t.Error(err)
	}
	if got, _ := filepath.Glob(filepath.Join(apart, "figures", "*.svg")); len(got) == 0 {
		t.Error("no figures")
	}
}

// rows names the files with rows that follow from the seed.
func rows(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name := filepath.Base(file); !strings.HasSuffix(name, ".timing.csv") {
			names = append(names, name)
		}
	}
	return names
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What a shard says when it fails reaches the one who runs the pipeline, and
// nothing is written.
func TestAShardThatFails(t *testing.T) {
	runner.SkipOnFlink(t, "it tries again, and the test is of what is said")
	out := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	if err := simulate.Simulate(s, simulate.Config{
		Program: program, Out: out, Experiments: []string{"tabel1"}, Users: 100, Shards: 2,
	}); err != nil {
		t.Fatal(err)
	}
	err := ptest.Run(p)
	if err == nil || !strings.Contains(err.Error(), `unknown experiment "tabel1", did you mean "table1"?`) {
		t.Errorf("the pipeline says %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("there is %s", out)
	}
}

func TestConfigIsChecked(t *testing.T) {
	good := simulate.Config{Program: "experiments", Out: "out", Users: 1, Shards: 1}
	for _, c := range []struct {
		change func(*simulate.Config)
		want   string
	}{
		{func(c *simulate.Config) { c.Program = "" }, "no program"},
		{func(c *simulate.Config) { c.Out = "" }, "no directory for results"},
		{func(c *simulate.Config) { c.Users = 0 }, "users is 0, want 1 to "},
		{func(c *simulate.Config) { c.Shards = 0 }, "shards is 0, want 1 to 10000"},
		{func(c *simulate.Config) { c.Shards = 10_001 }, "shards is 10001, want 1 to 10000"},
		{func(c *simulate.Config) { c.Workers = -1 }, "workers is -1, want 0 to 1024"},
		{func(c *simulate.Config) { c.Experiments = []string{"--again"} }, `experiment "--again" is not a name`},
	} {
		bad := good
		c.change(&bad)
		_, s := beam.NewPipelineWithRoot()
		if err := simulate.Simulate(s, bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", bad, err, c.want)
		}
	}
}

// A run with an experiment that failed is a failed one, though there are files.
func TestOutcome(t *testing.T) {
	dir := t.TempDir()
	if err := simulate.Outcome(t.Context(), dir); err == nil {
		t.Error("an empty directory is a run")
	}
	manifest := `{"experiments": [{"name": "fpr", "status": "failed", "error": "disk full"}, {"name": "fill", "status": "done"}]}`
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := simulate.Outcome(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "fpr failed: disk full") {
		t.Errorf("outcome is %v", err)
	}
}
