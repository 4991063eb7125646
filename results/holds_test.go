package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What two runs differ in is named, the one that is there first.
func TestDiffers(t *testing.T) {
	log := func(files ...string) Manifest { return Manifest{Log: &Log{Files: files}} }
	base := Manifest{Users: 3, Seed: 5}
	for _, c := range []struct {
		a, b Manifest
		want string
	}{
		{base, Manifest{Users: 3, Seed: 5, Program: "another", Args: []string{"sizing"}}, ""},
		{base, Manifest{Users: 4, Seed: 5}, "users is 3, not 4"},
		{base, Manifest{Users: 3}, "seed is 5, not 0"},
		{base, Manifest{Users: 3, Seed: 5, Shard: Shard{1, 2}}, "shard is none, not 1/2"},
		{base, Manifest{Users: 3, Seed: 5, Population: "p"}, `population is the default, not "p"`},
		{log("a", "b"), base, "a replay of a b, not a run of 3 simulated users"},
		{log("a", "b"), log("a"), "the log is a b, not a"},
		{log("a", "b"), log("a", "b"), ""},
	} {
		if got := c.a.Differs(c.b); got != c.want {
			t.Errorf("%+v and %+v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// What has a name of rows and is none is told, but for what is written anew.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d.csv"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.csv", "mine.timing.csv", "other.csv", "claims.csv", ".half.csv", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("a,b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteFile(filepath.Join(dir, "good.csv"), nil, []Row{{Experiment: "good", Quantity: "q"}}); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, err := range Foreign(dir, func(experiment string) bool { return experiment == "mine" }) {
		said = append(said, err.Error())
	}
	if got := strings.Join(said, "; "); len(said) != 2 || said[0] != "d.csv is a directory" ||
		!strings.Contains(got, "other.csv is not a file of rows: line 1: header") {
		t.Errorf("found %s", got)
	}
}
