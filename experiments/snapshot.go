package main

import (
	"fmt"
	"os"
	"path/filepath"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// backedUpShare is that one reader in so many is backed up: the disk is slow, and
// what a history takes there hardly depends on how many there are. Whoever wants ten
// million of them on the disk names the experiment alone, with --users 400000000.
const backedUpShare = 40

// backedUp are the strategies whose histories are.
var backedUp = []string{"single", "chain"}

// backedUpReaders is how many readers have their histories backed up.
func backedUpReaders(users int) int { return max(500, users/backedUpShare) }

func snapshotName(strategy string) string { return "snapshot-" + strategy }

// A snapshotResult is a restart of one strategy's histories.
type snapshotResult struct {
	Counts  measure.SnapshotCounts
	Machine measure.SnapshotMachine
}

func (r snapshotResult) plus(next snapshotResult) snapshotResult {
	r.Counts.Add(next.Counts)
	r.Machine.Add(next.Machine)
	return r
}

// restarted takes the histories of a strategy through a snapshot and a restart. The
// snapshot lies beside the saved measurements for as long as it takes; one that a
// killed run has left there is removed.
func (s *suite) restarted(e catalogue.Entry) (snapshotResult, error) {
	return measured(s, snapshotName(e.Name), func() (r snapshotResult, err error) {
		users := backedUpReaders(s.users)
		population, err := workload.NewFull(s.seed, users)
		if err != nil {
			return r, err
		}
		subject, err := s.subject(e)
		if err != nil {
			return r, err
		}
		dir := filepath.Join(filepath.Dir(measurementPath(s.out, "")), "snapshots")
		if err := os.RemoveAll(dir); err != nil {
			return r, err
		}
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			return r, err
		}
		if err := os.Mkdir(dir, 0o700); err != nil { // a snapshot says what people read
			return r, err
		}
		defer os.RemoveAll(dir)
		readers := s.share(users)
		s.progress.expect(readers.Len())
		_, _, err = measure.Full(s.ctx, subject, population, readers, s.options, func(part measure.Alive) error {
			counts, machine, err := measure.Snapshot(s.ctx, subject, population, part, dir, s.options)
			r.Counts.Add(counts)
			r.Machine.Add(machine)
			if left := part.Store.Stats().Payload; err != nil && s.ctx.Err() == nil && left > 0 { // still in the process
				return fmt.Errorf("%w; it takes %s in %s: --out names a roomier disk, --users fewer readers",
					err, bytesText(float64(left)), dir)
			}
			return err
		})
		return r, err
	})
}

// eachBackedUp calls do for every entry whose histories are backed up.
func eachBackedUp(do func(e catalogue.Entry) error) error {
	for _, e := range entries {
		for _, name := range backedUp {
			if e.Name == name {
				if err := do(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// snapshot is what a restart brings back from a snapshot, and what saving and
// loading take.
func snapshot(s *suite) (rows, timing []results.Row, err error) {
	err = eachBackedUp(func(e catalogue.Entry) error {
		r, err := s.restarted(e)
		if err != nil {
			return err
		}
		subject, err := s.subject(e)
		if err != nil {
			return err
		}
		rows, timing = append(rows, r.rows(e.Name, subject)...), append(timing, r.times(e.Name)...)
		return nil
	})
	return rows, timing, err
}

// rows are what was counted.
func (r snapshotResult) rows(name string, subject measure.Subject) []results.Row {
	c := r.Counts
	row := func(quantity, unit string, value float64, count int64) results.Row {
		n := number(results.Snapshot, name, quantity, unit, value)
		n.Count = count
		return n
	}
	none := func(quantity string, count, of int64) results.Row {
		n := row(quantity, "", float64(count), of)
		n.Theory = results.Num(0)
		return n
	}
	let := 1 - meanOverLives(subject.Theory.FPR) // an article that was shown since is as good as fresh
	forgotten := rate(results.Snapshot, name, results.QForgotten, c.Forgotten)
	forgotten.Theory = results.Num(let)
	each := row(results.QForgottenEach, "", perUser(c.Forgotten.Hits, c.Histories), c.Histories)
	each.Theory = results.Num(measure.SinceBackup * let)
	return []results.Row{
		row(results.QBackedUp, "", float64(c.Histories), c.Histories),
		row(results.QPayloadTotal, results.Bytes, float64(c.Payload), c.Histories),
		none(results.QHistoriesLost, c.Lost, c.Histories),
		none(results.QInside, c.WindowMisses, c.WindowChecks),
		forgotten, each,
		none(results.QAstray, c.Astray, c.Histories),
	}
}

// times are what the machine had a say in. Each was taken once, of all histories.
func (r snapshotResult) times(name string) (timing []results.Row) {
	add := func(quantity, unit string, value float64) {
		n := number(results.Snapshot, name, quantity, unit, value)
		n.Count = r.Counts.Histories
		timing = append(timing, n)
	}
	m := r.Machine
	add(results.QSnapshotBytes, results.Bytes, float64(m.Bytes))
	for _, t := range []struct {
		quantity, perSecond string
		seconds             float64
	}{
		{results.QSave, results.QSavedPerSecond, m.Save},
		{results.QLoad, results.QLoadedPerSecond, m.Load},
		{results.QLoadTrusted, results.QTrustedPerSecond, m.Trusted},
	} {
		add(t.quantity, results.Nanoseconds, 1e9*t.seconds)
		if t.seconds > 0 {
			add(t.perSecond, results.Bytes, float64(m.Bytes)/t.seconds)
		}
	}
	return timing
}
