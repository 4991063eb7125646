package results

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

//go:embed reference
var committed embed.FS

// Reference returns the committed run with this number of users and this seed,
// and whether there is one. It lies in reference/<users>/ in this package, and
// the program that uses this package carries it along.
func Reference(users int, seed uint64) (*Run, bool) {
	return findRun(committed, "reference", users, seed)
}

// VectorDir is where the committed run of a build with vectors lies.
const VectorDir = "vector"

// VectorReference returns the committed run of the experiment Latency by a build with
// GOEXPERIMENT=simd, on the machine of the reference run with the same users and
// seed: what it counts is the same, and its times alone are of interest.
func VectorReference() (*Run, error) { return named(VectorDir) }

// PeersReference returns the committed run of the peers.
func PeersReference() (*Run, error) { return named(PeersDir) }

// named reads a committed run by the name of its directory.
func named(name string) (*Run, error) {
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

// findRun looks through the directories below root for the run that a manifest
// announces, and reads only that one.
func findRun(fsys fs.FS, root string, users int, seed uint64) (*Run, bool) {
	entries, err := fs.ReadDir(fsys, root)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if e.Name() == PeersDir || e.Name() == VectorDir { // which have a function of their own
			continue
		}
		dir := path.Join(root, e.Name())
		data, err := fs.ReadFile(fsys, path.Join(dir, ManifestName))
		if err != nil {
			continue
		}
		var m Manifest
		if json.Unmarshal(data, &m) != nil || m.Users != users || m.Seed != seed {
			continue
		}
		sub, err := fs.Sub(fsys, dir)
		if err != nil {
			continue
		}
		if run, err := readFS(sub); err == nil { // a test reads every committed run
			return run, true
		}
	}
	return nil, false
}
