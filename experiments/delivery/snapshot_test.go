package delivery

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Where a disk is full, the message says what would do; where there was no error, nobody waits for the run,
// or nothing is left to write, there is nothing to say.
func TestAdvised(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	full := errors.New("no space left on device")
	says := func(ctx context.Context, cause error, left int64, want string) {
		t.Helper()
		err := advised(ctx, cause, left, "d")
		if !errors.Is(err, cause) || err != nil && err.Error() != want {
			t.Errorf("%v, %d bytes: %v, want %q", cause, left, err, want)
		}
	}
	says(t.Context(), full, 2500, "no space left on device; it takes 2.5 kB in d: "+
		"name another disk by --out, or fewer users by --users")
	says(t.Context(), full, 0, "no space left on device")
	says(ended, full, 2500, "no space left on device")
	says(t.Context(), nil, 2500, "")
}

// restartOf takes a full population through a restart.
func restartOf(t *testing.T, s measure.Subject, users int, o measure.Options) (
	counts SnapshotCounts, machine Machine, payload int64,
) {
	t.Helper()
	population := catalogue.Must(workload.NewFull(2016, users))
	dir := t.TempDir()
	full, _, err := measure.Full(t.Context(), s, population, measure.Range{To: users}, o, func(part measure.Alive) error {
		o.Progress = func(int) { t.Error("users count as progress again") } // they did when they lived
		c, m, err := SnapshotMeasure(context.Background(), s, population, part, dir, o)
		measure.Sum(&counts, c)
		measure.Sum(&machine, m)
		if left := part.Store.Stats().Users; err == nil && left != 0 {
			t.Errorf("%s: %d histories outlive the process", s.Name, left)
		}
		return err
	})
	strategytest.Must(t, err)
	strategytest.Equal(t, len(strategytest.Value(os.ReadDir(dir))), 0, "%s: files left", s.Name)
	return counts, machine, full.Payload
}

// What was saved comes back to the byte, for every strategy; what was recorded since does not, but for false
// positives.
func TestSnapshotLosesWhatCameSince(t *testing.T) {
	users := 2000
	if sysinfo.RaceDetector {
		users = 200
	}
	for _, s := range catalogue.Subjects("queue", "single", "dual", "dual-blanked", "chain", "chain-literal") {
		c, m, payload := restartOf(t, s, users, measure.Options{})
		if c.Lost != 0 || c.Differ != 0 || c.WindowMisses != 0 || c.Histories != int64(users) || c.Payload != payload {
			t.Errorf("%s: %+v after a restart, want nothing of %d histories of %d bytes lost", s.Name, c, users, payload)
		}
		strategytest.Equal(t, s.Name != "chain-literal", c.WindowChecks == int64(users)*snapshotAsked,
			"%s: %d repeats asked for", s.Name, c.WindowChecks)
		known, forgotten, since := c.Forgotten.Queries, c.Forgotten.Hits, int64(users)*SinceBackup
		switch {
		case forgotten > known || known > since:
			t.Errorf("%s: of %d articles recorded since, %d known and %d forgotten", s.Name, since, known, forgotten)
		case s.Name == "queue" && forgotten != since:
			t.Errorf("the queue knows %d articles that nobody told it", since-forgotten)
		case s.Name != "chain-literal" && known != since:
			t.Errorf("%s: %d of %d articles known just after they were shown", s.Name, known, since)
		// Even the single filter, three lives old, lets most through.
		case s.Name != "chain-literal" && forgotten < since/2:
			t.Errorf("%s: %d of %d articles forgotten, want most", s.Name, forgotten, since)
		}
		if m.Bytes <= c.Payload || m.Save <= 0 || m.Load <= 0 || m.Trusted <= 0 {
			t.Errorf("%s: %+v", s.Name, m)
		}
	}
}

// Planted faults: a history that is gone, one that is another's, one with another time, are counted, and the
// first two fail inside the window.
func TestSnapshotSeesLosses(t *testing.T) {
	s := catalogue.Subjects("queue")[0]
	population := catalogue.Must(workload.NewFull(7, 300))
	users, o := measure.Range{To: 300}, measure.Options{}
	_, _, err := measure.Full(t.Context(), s, population, users, o, func(part measure.Alive) error {
		r := newRestart(s, population, part)
		if err := r.each(context.Background(), measure.Options{}, (*restartWorker).note); err != nil {
			return err
		}
		err := errors.Join(
			part.Store.Put(10, 0, nil),
			part.Store.Put(20, 0, part.Store.History(21, 0, nil)),
			part.Store.Put(30, 5, part.Store.History(30, 0, nil)),
		)
		if err != nil {
			return err
		}
		if err := r.each(context.Background(), measure.Options{}, (*restartWorker).ask); err != nil {
			return err
		}
		if r.counts.Lost != 3 || r.counts.WindowMisses != 2*snapshotAsked {
			t.Errorf("%+v, want 3 lost and %d repeats missed", r.counts, 2*snapshotAsked)
		}
		// Nobody went on, so that a log has nothing to bring back.
		if err := r.each(context.Background(), measure.Options{}, (*restartWorker).replay); err != nil {
			return err
		}
		strategytest.Equal(t, r.counts.Differ, 300, "users with histories that differ after a log of other articles")
		return nil
	})
	strategytest.Must(t, err)
}

func TestSnapshotFails(t *testing.T) {
	s := catalogue.Subjects("single")[0]
	population := catalogue.Must(workload.NewFull(7, 10))
	users, o := measure.Range{To: 10}, measure.Options{}
	_, _, err := measure.Full(t.Context(), s, population, users, o, func(part measure.Alive) error {
		_, _, err := SnapshotMeasure(context.Background(), s, population, part, t.TempDir()+"/none", measure.Options{})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "single: ") || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that is not there gives %v", err)
	}
}

// Snapshots have a folder that is empty, nobody else's to read, and gone at the end: beside the measurements,
// or the system's for temporary files.
func TestFolder(t *testing.T) {
	out := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir()) // the system's, where it has that name
	for _, c := range []struct{ out, within string }{{out, out}, {out, out}, {"", os.TempDir()}} {
		dir, remove, err := folder(c.out)
		strategytest.Must(t, err)
		files, err := os.ReadDir(dir)
		if err != nil || len(files) > 0 || !strings.HasPrefix(dir, c.within) {
			t.Errorf("%s has %v, %v", dir, files, err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 && runtime.GOOS != "windows" {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
		remove()
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", dir, err)
		}
	}
	// One that a killed run has left is removed.
	dir, _, err := folder(out)
	strategytest.Must(t, err)
	strategytest.Must(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
	dir, remove, err := folder(out)
	strategytest.Must(t, err)
	defer remove()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v of a killed run, %v", files, err)
	}
	// Where there is a file in its place, that is told.
	taken := filepath.Join(out, "taken")
	strategytest.Must(t, os.WriteFile(taken, nil, 0o600))
	strategytest.ErrorSays(t, "a folder below a file", strategytest.ErrorOf(folder(taken)), "taken")
}
