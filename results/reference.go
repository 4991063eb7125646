package results

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

//go:embed reference
var committed embed.FS

// What a run is of without flags, and the largest committed one.
const (
	DefaultUsers = 10_000_000
	DefaultSeed  = 2016
)

// Reference returns the committed run with this number of users and this seed,
// and whether there is one. It lies in reference/<users>/ in this package, and
// the program that uses this package carries it along.
func Reference(users int, seed uint64) (*Run, bool) {
	run, err := Committed(strconv.Itoa(users)) // a test reads every committed run
	return run, err == nil && run.Manifest.Users == users && run.Manifest.Seed == seed
}

// PeersDir is where a run of other libraries lies, in the reference and in the
// directory of a run of the experiments.
const PeersDir = "peers"

// LiveDir is where a run of the real exposure service lies, as PeersDir: rows of Pipeline
// and Ship, which simulate one.
const LiveDir = "live"

// Beside returns the run of another program that lies in a folder of that name in a
// run's directory, and is the run's own then, or otherwise the committed one.
func Beside(out, name string) (run *Run, own bool, err error) {
	dir := filepath.Join(out, name)
	if _, err := os.Stat(dir); err != nil {
		run, err = Committed(name)
		return run, false, err
	}
	run, err = ReadDir(dir)
	return run, true, err
}

// Committed reads a committed run by the name of its directory: PeersDir, LiveDir, or "plain" for
// Latency by the plain kernels alone, on the machine of the reference run.
func Committed(name string) (*Run, error) {
	dir := path.Join("reference", name)
	sub, err := fs.Sub(committed, dir)
	if err != nil {
		return nil, err
	}
	run, err := readFS(sub)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return run, nil
}
