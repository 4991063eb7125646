package delivery

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// alive calls do with the live histories of a full population.
func alive(t *testing.T, s measure.Subject, users int, do func(workload.Full, measure.Alive) error) error {
	t.Helper()
	population := catalogue.Must(workload.NewFull(2016, users))
	_, _, err := measure.Full(t.Context(), s, population, measure.Range{To: users}, measure.Options{},
		func(part measure.Alive) error { return do(population, part) })
	return err
}

// Saved histories come back to the byte, for every strategy; later articles do not, except as false positives.
func TestSnapshotLosesWhatCameSince(t *testing.T) {
	users := 2000
	if sysinfo.RaceDetector {
		users = 200
	}
	for _, s := range catalogue.Subjects("queue", "single", "dual", "dual-blanked", "chain", "chain-literal") {
		var found restart
		dir := t.TempDir()
		strategytest.Must(t, alive(t, s, users, func(population workload.Full, part measure.Alive) (err error) {
			o := measure.Options{Progress: func(int) { t.Error("users count as progress again") }}
			one, err := measureRestart(t.Context(), s, population, part, filepath.Join(dir, "histories"), o)
			measure.Sum(&found, one)
			return err
		}))
		c := found.Counts
		strategytest.Equal(t, len(strategytest.Value(os.ReadDir(dir))), 0, "%s: files left", s.Name)
		if c.Lost != 0 || c.Differ != 0 || c.WindowMisses != 0 || c.Histories != int64(users) {
			t.Errorf("%s: %+v after a restart, want nothing of %d histories lost", s.Name, c, users)
		}
		strategytest.Equal(t, s.Name != "chain-literal", c.WindowChecks == int64(users)*snapshotAsked,
			"%s: %d repeats asked for", s.Name, c.WindowChecks)
		known, forgotten, since := c.Forgotten.Queries, c.Forgotten.Hits, int64(users)*sinceBackup
		switch {
		case forgotten > known || known > since:
			t.Errorf("%s: of %d articles recorded since, %d known and %d forgotten", s.Name, since, known, forgotten)
		case s.Name == "queue" && forgotten != since:
			t.Errorf("the queue knows %d articles that it was not shown", since-forgotten)
		case s.Name != "chain-literal" && known != since:
			t.Errorf("%s: %d of %d articles known just after they were shown", s.Name, known, since)
		// Even the single filter, three lives old, lets most through.
		case s.Name != "chain-literal" && forgotten < since/2:
			t.Errorf("%s: %d of %d articles forgotten, want most", s.Name, forgotten, since)
		}
		if found.Bytes <= int64(users) || found.Save <= 0 || found.Load <= 0 {
			t.Errorf("%s: %+v", s.Name, found)
		}
	}
}

// Planted faults: a history that is gone, one that is another's, one with another time, are counted before and after
// the log, and the first two fail inside the window.
func TestSnapshotSeesLosses(t *testing.T) {
	s := catalogue.Subjects("queue")[0]
	strategytest.Must(t, alive(t, s, 300, func(population workload.Full, part measure.Alive) error {
		other := strategytest.Value(store.New[int](store.Config{Unsalted: true, Strategy: s.Strategy, Users: 300}))
		for user := range 300 {
			from, at := user, store.Timestamp(0)
			switch user {
			case 10:
				continue
			case 20:
				from = 21
			case 30:
				at = 5
			}
			strategytest.Must(t, other.Put(user, at, part.Store.History(from, 0, nil)))
		}
		c, err := compareStores(t.Context(), s, population, part, other, measure.Options{})
		if c.Lost != 3 || c.WindowMisses != 2*snapshotAsked || c.Differ != 3 {
			t.Errorf("%+v, want 3 lost and %d repeats missed", c, 2*snapshotAsked)
		}
		return err
	}))
}

func TestSnapshotFails(t *testing.T) {
	s := catalogue.Subjects("single")[0]
	err := alive(t, s, 10, func(population workload.Full, part measure.Alive) error {
		path := filepath.Join(t.TempDir(), "none", "histories")
		return strategytest.ErrorOf(measureRestart(t.Context(), s, population, part, path, measure.Options{}))
	})
	strategytest.ErrorSays(t, "a folder that is not there", err, "none")
}

// Snapshots have an empty private folder: beside the measurements, or in the system's for temporary files. Leftovers of
// a killed run are removed.
func TestFolder(t *testing.T) {
	out := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir()) // the system's, where it has that name
	for _, c := range []struct{ out, within string }{{out, out}, {out, out}, {"", os.TempDir()}} {
		dir, err := folder(c.out)
		strategytest.Must(t, err)
		files, err := os.ReadDir(dir)
		if err != nil || len(files) > 0 || !strings.HasPrefix(dir, c.within) {
			t.Errorf("%s has %v, %v", dir, files, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
	}
	taken := filepath.Join(out, "taken")
	err := errors.Join(os.WriteFile(taken, nil, 0o600), strategytest.ErrorOf(folder(taken)))
	strategytest.ErrorSays(t, "a folder below a file", err, "taken")
}
