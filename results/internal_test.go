package results

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"
)

func TestReference(t *testing.T) {
	run, ok := Reference(20000, DefaultSeed)
	if !ok || len(run.Rows) == 0 || run.Manifest.Users != 20000 || run.Manifest.Seed != DefaultSeed {
		t.Errorf("got %+v, %v", run, ok)
	}
	// There is none of seed 3 or of 20001 users, and the peers' is not of all experiments.
	for _, c := range []struct {
		users int
		seed  uint64
	}{{20000, 3}, {20001, DefaultSeed}, {1_000_000, 0}} {
		if _, ok := Reference(c.users, c.seed); ok {
			t.Errorf("%d users, seed %d: found, want none", c.users, c.seed)
		}
	}
}

// An unreadable committed run would be skipped silently.
func TestCommittedRunsAreReadable(t *testing.T) {
	entries := strategytest.Value(fs.ReadDir(committed, "reference"))
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		run, err := Committed(e.Name())
		if err != nil {
			t.Errorf("reference/%s: %v", e.Name(), err)
			continue
		}
		_, ok := Reference(run.Manifest.Users, run.Manifest.Seed)
		if apart := slices.Contains([]string{PeersDir, "plain", machinesDir}, e.Name()); !ok && !apart {
			t.Errorf("reference/%s: not found by its users and seed", e.Name())
		}
	}
}

// A run of another program is the one in a run's own directory, if there is one.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	if run, own, err := Beside(dir, PeersDir); err != nil || own || len(run.All()) == 0 {
		t.Errorf("the committed run: own %t, %v", own, err)
	}
	if _, own, err := Beside(dir, "none"); err == nil || own {
		t.Errorf("none at all: own %t, %v", own, err)
	}
	mine := []Row{{Experiment: Peers, Quantity: "q", Value: Num(1)}}
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, PeersDir), 0o755))
	strategytest.Must(t, WriteFile(filepath.Join(dir, PeersDir, FileName(Peers)), nil, mine))
	if run, own, err := Beside(dir, PeersDir); err != nil || !own || len(run.Rows) != 1 || run.Rows[0] != mine[0] {
		t.Errorf("one's own: %+v, own %t, %v", run, own, err)
	}
}
