package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// Experiment is snapshot.
var Experiment = experiment.Experiment{
	Name:  results.Snapshot,
	About: "histories of one user in 40 backed up, and a restart: what is kept, forgotten, and the time (of ten million: --users 400000000)",
	Needs: func(s run.Scope) []run.Task { return shared.Tasks(backedUp(s), restarted) },
	Rows:  rows, Figures: Figures, Tables: func(c results.Cells) []results.Table { return []results.Table{table(c)} },
}

// share is that one user in so many is backed up: the disk is slow, and what a
// history takes there hardly depends on how many there are. To have ten million of
// them on the disk, name the experiment alone, with --users 400000000.
const share = 40

// usersOf is how many users have their histories backed up.
func usersOf(s run.Scope) int { return max(500, s.Users/share) }

// backedUp are the strategies whose histories are.
func backedUp(s run.Scope) []catalogue.Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e catalogue.Entry) bool { return e.Name != "single" && e.Name != "chain" })
}

// A result is a restart of one strategy's histories.
type result struct {
	Counts  Counts
	Machine Machine
}

// restarted takes the histories of a strategy through a snapshot and a restart.
func restarted(e catalogue.Entry) run.Measurement[result] {
	return run.Measurement[result]{
		Name: "snapshot-" + e.Name, Users: usersOf, Cost: 15, Machine: true,
		Make: func(ctx context.Context, r *run.Run, users measure.Range) (found result, err error) {
			population, err := workload.NewFull(r.Seed, usersOf(r.Scope))
			if err != nil {
				return found, err
			}
			subject, err := r.Subject(e)
			if err != nil {
				return found, err
			}
			dir, remove, err := folder(r.Out)
			if err != nil {
				return found, err
			}
			defer remove()
			_, _, err = measure.Full(ctx, subject, population, users, r.Options, func(part measure.Alive) error {
				r.Held(part.Store.Stats().Slabs)
				counts, machine, err := Measure(ctx, subject, population, part, dir, r.Options)
				measure.Sum(&found.Counts, counts)
				measure.Sum(&found.Machine, machine)
				return advised(ctx, err, part.Store.Stats().Payload, dir)
			})
			return found, err
		},
	}
}

// advised says to an error of a snapshot how many bytes it takes and what to do, where
// the histories are still in the process and nobody ended the run.
func advised(ctx context.Context, err error, left int64, dir string) error {
	if err == nil || ctx.Err() != nil || left == 0 {
		return err
	}
	return fmt.Errorf("%w; it takes %s in %s: name another disk by --out, or fewer users by --users", err, text.Bytes(float64(left)), dir)
}

// folder makes an empty folder beside the saved measurements of a run, for as long as
// it takes, and returns what removes it; one that a killed run has left there is
// removed. A run without a directory has the system's for temporary files.
func folder(out string) (dir string, remove func(), err error) {
	if out == "" {
		dir, err = os.MkdirTemp("", "snapshots-*")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	dir = filepath.Join(filepath.Dir(run.Path(out, "")), "snapshots")
	if err := os.RemoveAll(dir); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil { // a snapshot says what people read
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, backedUp(r.Scope), restarted, ofEntry)
}

func ofEntry(_ *run.Run, e catalogue.Entry, subject measure.Subject, found result) (rows, timing []results.Row, err error) {
	return found.counted(e.Name, subject), found.times(e.Name), nil
}

// counted are the rows of what was counted.
func (r result) counted(name string, subject measure.Subject) []results.Row {
	c := r.Counts
	number := func(quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Snapshot, name, quantity, unit, value).Among(count)
	}
	none := func(quantity string, count, of int64) results.Row {
		return number(quantity, "", float64(count), of).Expect(0)
	}
	unseen := 1 - shared.MeanOverLives(subject.Theory.FPR) // an article that was shown since is as good as unseen
	return []results.Row{
		number(results.QBackedUp, "", float64(c.Histories), c.Histories),
		number(results.QPayloadTotal, results.Bytes, float64(c.Payload), c.Histories),
		none(results.QHistoriesLost, c.Lost, c.Histories),
		none(results.QInside, c.WindowMisses, c.WindowChecks),
		row.Rate(results.Snapshot, name, results.QForgotten, c.Forgotten).Expect(unseen),
		number(results.QForgottenEach, "", row.Mean(c.Forgotten.Hits, c.Histories), c.Histories).Expect(SinceBackup * unseen),
		none(results.QHistoriesDiffer, c.Differ, c.Histories),
	}
}

// times are what the machine had a say in. Each was taken once, of all histories.
func (r result) times(name string) (timing []results.Row) {
	add := func(quantity, unit string, value float64) {
		timing = append(timing, row.Number(results.Snapshot, name, quantity, unit, value).Among(r.Counts.Histories))
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

// table has a line for each strategy whose histories were backed up.
func table(c results.Cells) results.Table {
	t := results.Table{
		Title: fmt.Sprintf("A restart from a backup, %d articles after it was made [theory]", SinceBackup),
		Header: []string{
			"strategy", "histories", "lost", "repeats shown", "forgotten of the articles since", "differing with the log replayed",
			"on the disk", "saved in", "loaded in", "checksums alone",
		},
	}
	for _, name := range catalogue.Names() {
		cell := func(quantity string) results.Row {
			r, _ := c.Find(results.Snapshot, name, "", quantity)
			return r
		}
		forgotten := cell(results.QForgotten)
		if !forgotten.Value.IsSet() {
			continue
		}
		speed := func(time, perSecond string) string {
			return text.Of(cell(time)) + ", " + text.Of(cell(perSecond)) + "/s"
		}
		t.Rows = append(t.Rows, []string{
			name, text.Of(cell(results.QBackedUp)), text.Of(cell(results.QHistoriesLost)), text.Of(cell(results.QInside)),
			text.WithTheory(forgotten), text.Of(cell(results.QHistoriesDiffer)),
			text.Of(cell(results.QSnapshotBytes)), speed(results.QSave, results.QSavedPerSecond), speed(results.QLoad, results.QLoadedPerSecond),
			speed(results.QLoadTrusted, results.QTrustedPerSecond),
		})
	}
	return t
}
