package results

import (
	"embed"
	"encoding/json"
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

// findRun looks through the directories below root for the run that a manifest
// announces, and reads only that one.
func findRun(fsys fs.FS, root string, users int, seed uint64) (*Run, bool) {
	entries, err := fs.ReadDir(fsys, root)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if e.Name() == PeersDir { // another program's, with readers and a seed of its own
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
