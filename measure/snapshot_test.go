package measure

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"dejavu/store"
	"dejavu/workload"
)

// restarted takes a full population through a restart.
func restarted(t *testing.T, s Subject, users int, o Options) (counts SnapshotCounts, machine SnapshotMachine, payload int64) {
	t.Helper()
	population, err := workload.NewFull(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	full, _, err := Full(context.Background(), s, population, Range{0, users}, o, func(part Alive) error {
		c, m, err := Snapshot(context.Background(), s, population, part, dir, o)
		counts.Add(c)
		machine.Add(m)
		if left := part.Store.Stats().Users; err == nil && left != 0 {
			t.Errorf("%s: %d histories outlive the process", s.Name, left)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%s: %v are left, %v", s.Name, files, err)
	}
	return counts, machine, full.Payload
}

// What was saved comes back to the byte, for every strategy; what was recorded
// since does not, but for what is taken for seen by mistake.
func TestSnapshotLosesWhatCameSince(t *testing.T) {
	users := 2000
	if raceDetector {
		users = 200
	}
	for _, s := range subjects(t) {
		c, m, payload := restarted(t, s, users, Options{})
		if c.Lost != 0 || c.Astray != 0 || c.WindowMisses != 0 || c.Histories != int64(users) || c.Payload != payload {
			t.Errorf("%s: %+v after a restart, want nothing of %d histories of %d bytes lost", s.Name, c, users, payload)
		}
		if promises := s.Name != "chain-literal"; promises != (c.WindowChecks == int64(users)*promised) {
			t.Errorf("%s: %d repeats asked for", s.Name, c.WindowChecks)
		}
		known, forgotten := c.Forgotten.Queries, c.Forgotten.Hits
		switch {
		case c.Since != int64(users)*SinceBackup || forgotten > known || known > c.Since:
			t.Errorf("%s: of %d articles recorded since, %d known and %d forgotten", s.Name, c.Since, known, forgotten)
		case s.Name == "queue" && forgotten != c.Since:
			t.Errorf("the queue knows %d articles that nobody told it", c.Since-forgotten)
		case s.Name != "chain-literal" && known != c.Since:
			t.Errorf("%s: %d of %d articles known just after they were shown", s.Name, known, c.Since)
		// Even the single filter, three lives old, lets most through.
		case s.Name != "chain-literal" && forgotten < c.Since/2:
			t.Errorf("%s: %d of %d articles forgotten, want most", s.Name, forgotten, c.Since)
		}
		if m.Bytes <= c.Payload || m.Save <= 0 || m.Load <= 0 || m.Trusted <= 0 {
			t.Errorf("%s: %+v", s.Name, m)
		}
	}
}

// The counts are a function of the population alone.
func TestSnapshotDoesNotDependOnWorkersOrParts(t *testing.T) {
	s := subjects(t)[4]
	want, _, _ := restarted(t, s, 300, Options{Workers: 1, Parts: 1})
	for _, o := range []Options{{Workers: 3, Parts: 1}, {Workers: 2, Parts: 7, Stock: new(store.Stock)}} {
		if got, _, _ := restarted(t, s, 300, o); got != want {
			t.Errorf("counts with %+v are %+v, want %+v", o, got, want)
		}
	}
}

// Planted faults: a history that is gone, one that is another's, one with
// another time, are counted, and the first two fail inside the window.
func TestSnapshotSeesLosses(t *testing.T) {
	s := subjects(t)[0]
	population, err := workload.NewFull(7, 300)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Full(context.Background(), s, population, Range{0, 300}, Options{}, func(part Alive) error {
		r := newRestart(s, population, part)
		if err := r.each(context.Background(), Options{}, (*restartWorker).note); err != nil {
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
		if err := r.each(context.Background(), Options{}, (*restartWorker).ask); err != nil {
			return err
		}
		if r.counts.Lost != 3 || r.counts.WindowMisses != 2*promised {
			t.Errorf("%+v, want 3 lost and %d repeats missed", r.counts, 2*promised)
		}
		// Nobody went on, so that a log has nothing to bring back.
		if err := r.each(context.Background(), Options{}, (*restartWorker).replay); err != nil {
			return err
		}
		if r.counts.Astray != 300 {
			t.Errorf("%d readers astray after a log of other articles, want 300", r.counts.Astray)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSnapshotFails(t *testing.T) {
	s := subjects(t)[1]
	population, err := workload.NewFull(7, 10)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Full(context.Background(), s, population, Range{0, 10}, Options{}, func(part Alive) error {
		_, _, err := Snapshot(context.Background(), s, population, part, t.TempDir()+"/none", Options{})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "single: ") || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that is not there gives %v", err)
	}
}
