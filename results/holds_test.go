package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The first difference of two runs is named.
func TestDiffers(t *testing.T) {
	log := func(files ...string) Manifest { return Manifest{Log: &Log{Files: files}} }
	base := Manifest{Users: 3, Seed: 5}
	differs := func(a, b Manifest, want string) {
		t.Helper()
		strategytest.Equal(t, a.Differs(b), want, "%+v and %+v", a, b)
	}
	differs(base, Manifest{Users: 3, Seed: 5, Program: "another", Args: []string{"sizing"}}, "")
	differs(base, Manifest{Users: 4, Seed: 5}, "users is 3, not 4")
	differs(base, Manifest{Users: 3}, "seed is 5, not 0")
	differs(base, Manifest{Users: 3, Seed: 5, Shard: Shard{1, 2}}, "shard is none, not 1/2")
	differs(base, Manifest{Users: 3, Seed: 5, Population: "p"}, `population is the default, not "p"`)
	differs(log("a", "b"), base, "a replay of a b, not a run of 3 simulated users")
	differs(log("a", "b"), log("a"), "the log is a b, not a")
	differs(log("a", "b"), log("a", "b"), "")
}

// A file named like rows that is not is reported, unless it is to be written anew.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, "d.csv"), 0o755))
	for _, name := range []string{"mine.csv", "mine.timing.csv", "other.csv", "claims.csv", ".half.csv", "notes.txt"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("a,b\n"), 0o644))
	}
	strategytest.Must(t, WriteFile(filepath.Join(dir, "good.csv"), nil, []Row{{Experiment: "good", Quantity: "q"}}))
	var said []string
	for _, err := range Foreign(dir, func(experiment string) bool { return experiment == "mine" }) {
		said = append(said, err.Error())
	}
	if got := strings.Join(said, "; "); len(said) != 2 || said[0] != "d.csv is a directory" ||
		!strings.Contains(got, "other.csv is not a file of rows: line 1: header") {
		t.Errorf("found %s", got)
	}
}
