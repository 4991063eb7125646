package simulate_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"dejavu/cluster/internal/runner"
	"dejavu/cluster/simulate"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/suite"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

const users = 5000

func TestMain(m *testing.M) {
	os.Exit(runner.Run(m))
}

func alone(t *testing.T, names ...string) (out string) {
	t.Helper()
	var chosen []experiment.Experiment
	for _, x := range suite.All {
		if slices.Contains(names, x.Name) {
			chosen = append(chosen, x)
		}
	}
	scope := engine.Scope{Users: users, Seed: results.DefaultSeed, Entries: catalogue.All()}
	r := engine.New(t.Context(), scope, engine.NewProgress(io.Discard))
	r.Out = t.TempDir()
	m, err := suite.Run(r, chosen, suite.Manifest(r, nil, ""))
	if err != nil || m.Failures() != nil {
		t.Fatal(err, m.Failures())
	}
	return r.Out
}

// The rows that follow from the seed are those of one machine, byte for byte: of
// sums over users (extend), of what has times of its own (ship), of what is timed in
// passing (serve), and of what is not measured at all (arithmetic).
func TestTheSameBytesAsOnOneMachine(t *testing.T) {
	names := []string{"extend", "serve", "arithmetic", "ship"}
	c := simulate.Config{
		Out: t.TempDir(), Experiments: names, Users: users, Seed: results.DefaultSeed,
		Shards: 5, Workers: 1, Args: []string{"simulate"},
	}
	p, s := beam.NewPipelineWithRoot()
	strategytest.Must(t, simulate.Simulate(s, c))
	strategytest.Must(t, ptest.Run(p))
	want := alone(t, names...)
	for _, name := range names {
		got, wanted := read(t, c.Out, results.FileName(name)), read(t, want, results.FileName(name))
		if !bytes.Equal(got, wanted) {
			t.Errorf("%s differs from that of one machine:\n%s\nwant:\n%s", name, got, wanted)
		}
		here, there := read(t, c.Out, results.TimingFileName(name)), read(t, want, results.TimingFileName(name))
		if bytes.Count(here, []byte("\n")) != bytes.Count(there, []byte("\n")) {
			t.Errorf("times of %s:\n%s\non one machine:\n%s", name, here, there)
		}
	}
	read(t, c.Out, results.FileName(results.Claims))
	m, err := results.ReadManifest(c.Out)
	if err != nil || m.Failures() != nil || len(m.Experiments) != len(names) || !slices.Equal(m.Args, c.Args) {
		t.Errorf("the manifest is %+v, %v", m, err)
	}
	full := slices.IndexFunc(m.Costs, func(c results.Cost) bool { return c.Name == "full-chain" })
	if full < 0 || m.Costs[full].Seconds == 0 || m.Costs[full].Bytes == 0 || m.Seconds < m.Costs[full].Seconds {
		t.Errorf("%v seconds, costs are %+v", m.Seconds, m.Costs)
	}
	if got, _ := filepath.Glob(filepath.Join(c.Out, "figures", "*.svg")); len(got) == 0 {
		t.Error("no figures")
	}
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	return strategytest.Value(os.ReadFile(filepath.Join(dir, name)))
}
