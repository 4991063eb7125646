package delivery

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

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

// Snapshot measures a backup of live histories and a restart from it: what is kept, what is forgotten, and the time.
var Snapshot = experiment.Experiment{
	Name: results.Snapshot,
	About: "histories of one user in 40 backed up, and a restart: what is kept, forgotten, and the time " +
		"(of ten million: --users 400000000)",
	Needs:      shared.Tasks(backedUp, restarted),
	Dimensions: []results.Dimension{by.Step, by.Check},
	Rows:       shared.ByEntry(backedUp, restarted, ofEntry), Figures: snapshotFigures, Tables: snapshotTables,
}

// snapshotUsersOf returns how many users are backed up: one in 40, because the disk is slow. For ten million of them,
// run this experiment alone with --users 400000000.
func snapshotUsersOf(s engine.Scope) int { return max(500, s.Users/40) }

func backedUp(s engine.Scope) []catalogue.Entry {
	other := func(e catalogue.Entry) bool { return e.Name != "single" && e.Name != "chain" }
	return slices.DeleteFunc(slices.Clone(s.Entries), other)
}

type result struct {
	Counts  SnapshotCounts
	Machine Machine
}

func restarted(e catalogue.Entry) engine.Measurement[result] {
	return engine.Measurement[result]{
		Name: "snapshot-" + e.Name, Users: snapshotUsersOf, Cost: 10, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (found result, err error) {
			subject, population := r.Subject(e), catalogue.Must(workload.NewFull(r.Seed, snapshotUsersOf(r.Scope)))
			dir, remove, err := folder(r.Out)
			if err != nil {
				return found, err
			}
			defer remove()
			_, _, err = measure.Full(ctx, subject, population, users, r.Options, func(part measure.Alive) error {
				r.Bytes(part.Store.Stats().Slabs)
				counts, machine, err := SnapshotMeasure(ctx, subject, population, part, dir, r.Options)
				measure.Sum(&found.Counts, counts)
				measure.Sum(&found.Machine, machine)
				return advised(ctx, err, part.Store.Stats().Payload, dir)
			})
			return found, err
		},
	}
}

// advised adds to an error of saving a snapshot how many bytes it needs and what to do, unless the run was interrupted
// or no history is left to save.
func advised(ctx context.Context, err error, left int64, dir string) error {
	if err == nil || ctx.Err() != nil || left == 0 {
		return err
	}
	const how = "%w; it takes %s in %s: name another disk by --out, or fewer users by --users"
	return fmt.Errorf(how, err, text.Bytes(float64(left)), dir)
}

// folder makes an empty folder beside a run's saved measurements, or a temporary one for a run that saves none, and
// returns a function that removes it. It deletes what a killed run left there.
func folder(out string) (dir string, remove func(), err error) {
	if out == "" {
		dir, err = os.MkdirTemp("", "snapshots-*")
	} else {
		dir = filepath.Join(filepath.Dir(engine.Path(out, "")), "snapshots")
		err = cmp.Or(os.RemoveAll(dir), os.MkdirAll(filepath.Dir(dir), 0o755))
		if err == nil {
			err = os.Mkdir(dir, 0o700) // a snapshot says what people read
		}
	}
	return dir, func() { os.RemoveAll(dir) }, err
}

func ofEntry(r *engine.Run, e catalogue.Entry, found result) (rows, timing []results.Row, err error) {
	c, m := found.Counts, found.Machine
	number := func(quantity, unit string, value float64, count int64) results.Row {
		return row.Number(results.Snapshot, e.Name, quantity, unit, value).Among(count)
	}
	unseen := 1 - shared.MeanOverLives(r.Subject(e).Theory.FPR) // an article shown since is as good as unseen
	n, each := c.Histories, row.Mean(c.Forgotten.Hits, c.Histories)
	rows = []results.Row{
		number("histories", "", float64(n), n),
		number(results.QPayloadTotal, results.Bytes, float64(c.Payload), n),
		number(results.QHistoriesLost, "", float64(c.Lost), n).Expect(0),
		number(results.QInside, "", float64(c.WindowMisses), c.WindowChecks).Expect(0),
		row.Rate(results.Snapshot, e.Name, results.QForgotten, c.Forgotten).Expect(unseen),
		number(results.QForgottenEach, "", each, n).Expect(SinceBackup * unseen),
		number(results.QDiffering, "", float64(c.Differ), n).Expect(0),
	}
	timing = append(timing, number(results.QSnapshotBytes, results.Bytes, float64(m.Bytes), n))
	step := func(seconds float64, where []results.Condition) { // taken once, of all histories
		took := number(results.QSnapshotTime, results.Nanoseconds, 1e9*seconds, n)
		timing = append(timing, took.With(where...))
		if seconds > 0 {
			speed := number("bytes per second", results.Bytes, float64(m.Bytes)/seconds, n)
			timing = append(timing, speed.With(where...))
		}
	}
	step(m.Save, save)
	step(m.Load, load)
	step(m.Trusted, loadTrusted)
	return rows, timing, nil
}

// The timed steps: saving until the histories are on disk; loading with every history validated, or only checksums.
var (
	save        = []results.Condition{by.Step.Is("save")}
	load        = []results.Condition{by.Step.Is("load"), by.Check.Is("all")}
	loadTrusted = []results.Condition{by.Step.Is("load"), by.Check.Is("checksums")}
)

const (
	// SinceBackup is how many articles each user is shown between the last snapshot and the process's end.
	SinceBackup   = workload.PerRefresh
	snapshotAsked = 20   // articles of the guaranteed window, of each user after the restart
	snapshotPicks = 1000 // where the picks of a user begin that no other measurement uses
)

// SnapshotCounts counts what a restart from a snapshot does to one strategy's histories.
type SnapshotCounts struct {
	Histories    int64        `json:"histories"`     // in the snapshot
	Payload      int64        `json:"payload"`       // its lengths in bytes, summed
	Lost         int64        `json:"lost"`          // users whose history or time is not what it was when it was saved
	WindowChecks int64        `json:"window_checks"` // articles in the window guaranteed when the snapshot was made
	WindowMisses int64        `json:"window_misses"` // those not recognised after the restart
	Forgotten    measure.Rate `json:"forgotten"`     // articles since then recognised as the process ended; shown again
	Differ       int64        `json:"differ"`        // users not as they were when it ended, with these recorded again
}

// Machine has the results that depend on the machine. Loading reads the system's cache if the snapshot fits there.
type Machine struct {
	Bytes   int64   `json:"bytes"`   // of the snapshot
	Save    float64 `json:"save"`    // seconds until it was on the disk
	Load    float64 `json:"load"`    // seconds until a new store had it all, every history validated
	Trusted float64 `json:"trusted"` // seconds with checksums alone (store.Config.TrustSnapshots)
}

// SnapshotMeasure saves the histories of a part of the population, shows every user SinceBackup articles more, empties
// the store as if the process had ended, and opens the snapshot. Then it records the last articles again, as from a
// log, which must restore the histories.
//
// The snapshot in dir takes as many bytes as all histories, and is removed. The part's store and arena are empty
// afterwards.
func SnapshotMeasure(ctx context.Context, s measure.Subject, population workload.Full, part measure.Alive, dir string,
	o measure.Options,
) (counts SnapshotCounts, machine Machine, err error) {
	path := filepath.Join(dir, "histories")
	about := fmt.Sprintf("strategy %s as measured; IDs of the simulated catalogue", s.Name)
	defer os.Remove(path)
	r := newRestart(s, population, part)
	timed := func(do func() error) (seconds float64) {
		if begin := time.Now(); err == nil {
			err = do()
			seconds = time.Since(begin).Seconds()
		}
		return seconds
	}
	each := func(do func(*restartWorker, int)) {
		if err == nil {
			err = r.each(ctx, o, do)
		}
	}
	var saved store.Snapshot
	forget := func() { // what was opened
		if r.part.Store != part.Store {
			r.part.Store.Clear()
		}
	}
	defer forget()
	open := func(trust bool) (seconds float64) {
		return timed(func() error {
			forget()
			c := store.Config{Unsalted: true, Strategy: s.Strategy, Users: saved.Users, TrustSnapshots: trust}
			reopened, _, err := store.Open[int](ctx, path, c, about)
			if err == nil {
				r.part.Store = reopened
			}
			return err
		})
	}
	each((*restartWorker).note)
	machine.Save = timed(func() error {
		saved, err = part.Store.Save(ctx, path, about, 0)
		return err
	})
	each((*restartWorker).goOn)
	if err == nil { // the process ends
		part.Store.Clear()
		if o.Arena != nil {
			o.Arena.Release()
		}
	}
	machine.Trusted, machine.Load = open(true), open(false)
	each((*restartWorker).ask)
	each((*restartWorker).replay)
	if err != nil {
		return SnapshotCounts{}, Machine{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	machine.Bytes, r.counts.Histories, r.counts.Payload = saved.Bytes, int64(saved.Histories), saved.Payload
	return r.counts, machine, nil
}

// A restart keeps what is known of a part's users while the process is down.
type restart struct {
	measure.Subject
	population workload.Full
	part       measure.Alive
	counts     SnapshotCounts

	// By user of the part: digests of the history when it was saved and when the process ended, and a bit for each of
	// the SinceBackup articles that was recognised at the end.
	digests, ends []uint64
	known         []uint16
}

var _ [16 - SinceBackup]struct{} // known has a bit for each

func newRestart(s measure.Subject, population workload.Full, part measure.Alive) *restart {
	return &restart{
		Subject: s, population: population, part: part,
		digests: make([]uint64, part.Users), ends: make([]uint64, part.Users), known: make([]uint16, part.Users),
	}
}

// each calls do for every user and adds up the counts.
func (r *restart) each(ctx context.Context, o measure.Options, do func(w *restartWorker, user int)) error {
	o.Progress = nil
	users := measure.Range{From: r.part.First, To: r.part.First + r.part.Users}
	counts, err := measure.Each(ctx, o, users, func() (*SnapshotCounts, func(user int)) {
		w := &restartWorker{restart: r}
		return &w.counts, func(user int) { do(w, user) }
	})
	measure.Sum(&r.counts, counts)
	return err
}

type restartWorker struct {
	*restart
	counts  SnapshotCounts
	history []byte
	ids     [max(snapshotAsked, SinceBackup)]strategies.ID
	seen    [max(snapshotAsked, SinceBackup)]bool
}

func (w *restartWorker) digest(local int) uint64 {
	last, ok := w.part.Store.Last(local)
	w.history = w.part.Store.History(local, 0, w.history[:0])
	w.history = binary.LittleEndian.AppendUint32(w.history, uint32(last))
	if ok {
		w.history = append(w.history, 1)
	}
	return xxhash.Sum64(w.history)
}

func (w *restartWorker) note(user int) { w.digests[user-w.part.First] = w.digest(user - w.part.First) }

// since returns the articles that a user is shown after the backup.
func (w *restartWorker) since(user int) []strategies.ID {
	w.population.Reader(user).IDs(w.ids[:SinceBackup], w.population.Shown(user))
	return w.ids[:SinceBackup]
}

// recognised returns a bit for each of these articles that is recognised.
func (w *restartWorker) recognised(user int) (known uint16) {
	seen := w.seen[:SinceBackup]
	w.part.Store.Seen(user-w.part.First, 0, w.since(user), seen[:0])
	for i, s := range seen {
		if s {
			known |= 1 << i
		}
	}
	return known
}

func (w *restartWorker) goOn(user int) {
	local := user - w.part.First
	w.part.Store.Record(local, 0, w.since(user))
	w.known[local], w.ends[local] = w.recognised(user), w.digest(local)
}

func (w *restartWorker) ask(user int) {
	local := user - w.part.First
	if w.digest(local) != w.digests[local] {
		w.counts.Lost++
	}
	known := w.known[local]
	w.counts.Forgotten.Add(bits.OnesCount16(known), bits.OnesCount16(known&^w.recognised(user)))
	shown := w.population.Shown(user)
	window := w.Theory.Window(shown)
	if window == 0 {
		return
	}
	reader, picks := w.population.Reader(user), w.population.Picks(user)
	ids, seen := w.ids[:snapshotAsked], w.seen[:snapshotAsked]
	for i := range ids {
		ids[i] = reader.ID(shown - 1 - picks.At(snapshotPicks+i, window))
	}
	ids[0], ids[1] = reader.ID(shown-window), reader.ID(shown-1) // the oldest and the newest, always
	w.part.Store.Seen(local, 0, ids, seen[:0])
	w.counts.WindowChecks += snapshotAsked
	w.counts.WindowMisses += int64(measure.Count(seen, false))
}

// replay records again what the snapshot lacks, as a caller with a log can.
func (w *restartWorker) replay(user int) {
	local := user - w.part.First
	w.part.Store.Record(local, 0, w.since(user))
	if w.digest(local) != w.ends[local] {
		w.counts.Differ++
	}
}
