package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Snapshot measures a backup of live histories and a restart from it: histories kept and lost, and the time.
var Snapshot = experiment.Experiment{
	Name: results.Snapshot,
	About: "histories of one user in 40 backed up, and a restart: what is kept, forgotten, and the time " +
		"(of ten million: --users 400000000)",
	Needs:      func(s engine.Scope) []engine.Task { return shared.Tasks(backedUp(s), restarted) },
	Dimensions: []results.Dimension{by.Step, by.Check},
	Rows:       snapshotRows, Tables: snapshotTables,
}

// snapshotUsers returns how many users are backed up: one in 40, as disks are slow. For ten million, run this
// experiment alone with --users 400000000.
func snapshotUsers(s engine.Scope) int { return max(500, s.Users/40) }

func backedUp(s engine.Scope) []catalogue.Entry {
	other := func(e catalogue.Entry) bool { return e.Name != "single" && e.Name != "chain" }
	return slices.DeleteFunc(slices.Clone(s.Entries), other)
}

// A restart has counts, and the seconds until the histories were on disk, and until another store had validated them.
// Loading reads the system's cache if the snapshot fits.
type restart struct {
	Counts     snapshotCounts
	Bytes      int64 // of the snapshot
	Save, Load float64
}

func restarted(e catalogue.Entry) engine.Measurement[restart] {
	return engine.Measurement[restart]{
		Name: "snapshot-" + e.Name, Users: snapshotUsers, Cost: 10, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found restart, err error) {
			subject, population := r.Subject(e), catalogue.Must(workload.NewFull(r.Seed, snapshotUsers(r.Scope)))
			dir, err := folder(r.Out)
			if err != nil {
				return found, err
			}
			defer os.RemoveAll(dir)
			_, _, err = measure.Full(ctx, subject, population, users, r.Options, func(part measure.Alive) error {
				r.Bytes(2 * part.Store.Stats().Slabs)
				one, err := measureRestart(ctx, subject, population, part, filepath.Join(dir, "histories"), r.Options)
				measure.Sum(&found, one)
				if err != nil && ctx.Err() == nil {
					const how = "%s: %w; it takes %s in %s: name another disk by --out, or fewer users by --users"
					err = fmt.Errorf(how, e.Name, err, text.Bytes(float64(part.Store.Stats().Payload)), dir)
				}
				return err
			})
			return found, err
		},
	}
}

// folder makes an empty folder beside a run's saved measurements, or a temporary one if out is "". It deletes what a
// killed run left there.
func folder(out string) (string, error) {
	if out == "" {
		return os.MkdirTemp("", "snapshots-*")
	}
	dir := filepath.Join(filepath.Dir(engine.Path(out, "")), "snapshots")
	err := cmp.Or(os.RemoveAll(dir), os.MkdirAll(filepath.Dir(dir), 0o755))
	if err == nil {
		err = os.Mkdir(dir, 0o700) // a snapshot reveals what people read
	}
	return dir, err
}

func snapshotRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range backedUp(r.Scope) {
		found := restarted(e).Of(r)
		c, n := found.Counts, found.Counts.Histories
		number := func(quantity, unit string, value float64, count int64) results.Row {
			return row.Number(e.Name, quantity, unit, value).Among(count)
		}
		unseen := 1 - shared.MeanOverLives(r.Subject(e).Theory.FPR) // articles shown since are like unseen ones
		rows = append(rows,
			number("histories", "", float64(n), n),
			number(results.QHistoriesLost, "", float64(c.Lost), n).Expect(0),
			number(results.QInside, "", float64(c.WindowMisses), c.WindowChecks).Expect(0),
			row.Rate(e.Name, results.QForgotten, c.Forgotten).Expect(unseen),
			number(results.QForgottenEach, "", row.Mean(c.Forgotten.Hits, n), n).Expect(sinceBackup*unseen),
			number(results.QDiffering, "", float64(c.Differ), n).Expect(0))
		timing = append(timing,
			number(results.QSnapshotBytes, results.Bytes, float64(found.Bytes), n),
			number(results.QSnapshotTime, results.Nanoseconds, 1e9*found.Save, n).With(by.Step.Is("save")),
			number(results.QSnapshotTime, results.Nanoseconds, 1e9*found.Load, n).With(by.Step.Is("load"), by.Check.Is("all")))
	}
	return rows, timing
}

const (
	sinceBackup   = workload.PerRefresh // articles that each user is shown between the snapshot and the restart
	snapshotAsked = 20                  // articles inside the window that each user is asked about after the restart
	snapshotPicks = 1000                // the user's first pick that no other measurement uses
)

type snapshotCounts struct {
	Histories    int64        `json:"histories"`     // in the snapshot
	Lost         int64        `json:"lost"`          // users whose history or time was not restored
	WindowChecks int64        `json:"window_checks"` // articles inside the window when the snapshot was made
	WindowMisses int64        `json:"window_misses"` // of these, not recognised after the restart
	Forgotten    measure.Rate `json:"forgotten"`     // shown since and recognised before the restart; not after it
	Differ       int64        `json:"differ"`        // users whose history differs after these are recorded again
}

// measureRestart saves the histories of a part of the population, and opens the snapshot in another store, as a
// restarting process does. It then removes the snapshot.
func measureRestart(ctx context.Context, s measure.Subject, population workload.Full, part measure.Alive, path string,
	o measure.Options,
) (found restart, err error) {
	about := fmt.Sprintf("strategy %s as measured; IDs of the simulated catalogue", s.Name)
	defer os.Remove(path)
	begin := time.Now()
	saved, err := part.Store.Save(ctx, path, about, 0)
	if err != nil {
		return found, err
	}
	found.Bytes, found.Save = saved.Bytes, time.Since(begin).Seconds()
	begin = time.Now()
	c := store.Config{Unsalted: true, Strategy: s.Strategy, Users: saved.Users}
	reopened, _, err := store.Open[int](ctx, path, c, about)
	if err != nil {
		return found, err
	}
	found.Load = time.Since(begin).Seconds()
	defer reopened.Clear()
	found.Counts, err = compareStores(ctx, s, population, part, reopened, o)
	found.Counts.Histories = int64(saved.Histories)
	return found, err
}

// compareStores compares the saved histories with the restored ones. Then it shows each user sinceBackup more articles,
// in the saved store, and at the end records them in the reopened store, as from a log.
func compareStores(ctx context.Context, s measure.Subject, population workload.Full, part measure.Alive,
	reopened *store.Store[int], o measure.Options,
) (snapshotCounts, error) {
	o.Progress = nil
	users := measure.Range{From: part.First, To: part.First + part.Users}
	return measure.Each(ctx, o, users, func() (*snapshotCounts, func(user int)) {
		var counts snapshotCounts
		var before, after []byte
		since, window := make([]strategies.ID, sinceBackup), make([]strategies.ID, snapshotAsked)
		known, again, seen := make([]bool, sinceBackup), make([]bool, sinceBackup), make([]bool, snapshotAsked)
		differ := func(user int) bool {
			last, ok := part.Store.Last(user)
			lastAfter, okAfter := reopened.Last(user)
			before, after = part.Store.History(user, 0, before[:0]), reopened.History(user, 0, after[:0])
			return last != lastAfter || ok != okAfter || !bytes.Equal(before, after)
		}
		return &counts, func(user int) {
			local, shown, reader := user-part.First, population.Shown(user), population.Reader(user)
			if differ(local) {
				counts.Lost++
			}
			if n := s.Theory.Window(shown); n > 0 {
				picks := population.Picks(user)
				for i := range window {
					window[i] = reader.ID(shown - 1 - picks.At(snapshotPicks+i, n))
				}
				window[0], window[1] = reader.ID(shown-n), reader.ID(shown-1) // always the oldest and the newest
				reopened.Seen(local, 0, window, seen[:0])
				counts.WindowChecks += snapshotAsked
				counts.WindowMisses += int64(measure.Count(seen, false))
			}
			reader.IDs(since, shown)
			part.Store.Record(local, 0, since)
			part.Store.Seen(local, 0, since, known[:0])
			reopened.Seen(local, 0, since, again[:0])
			recognised, forgotten := 0, 0
			for i, k := range known {
				if k {
					recognised++
				}
				if k && !again[i] {
					forgotten++
				}
			}
			counts.Forgotten.Add(recognised, forgotten)
			reopened.Record(local, 0, since)
			if differ(local) {
				counts.Differ++
			}
		}
	})
}

var snapshotTables = []text.Table{{
	Title: "A restart from a backup, 10 articles after it was made [theory]",
	Lines: results.Q("snapshot: forgotten"),
	Columns: []text.Column{
		text.Strategy("strategy"),
		text.Value("histories", "histories", text.Of),
		text.Value("lost", "histories lost", text.Of),
		text.Value("repeats shown", "repeats shown inside the window", text.Of),
		text.Value("forgotten of the articles since", "forgotten", text.WithTheory),
		text.Value("differing with the log replayed", "differing", text.Of),
		text.Value("on the disk", "snapshot bytes", text.Of),
		text.Value("saved in", "snapshot time at step=save", text.Of),
		text.Value("loaded in", "snapshot time at step=load, check=all", text.Of),
	},
}}
