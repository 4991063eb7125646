// Package snapshot measures a backup of live histories and a restart from it: what is kept, what is
// forgotten, and the time.
package snapshot

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"

	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// SinceBackup is how many articles each user is shown between the last snapshot and the process's end: those
// of one refresh.
const SinceBackup = workload.PerRefresh

// asked is how many articles of the guaranteed window a user is asked for after the restart.
const asked = 20

// Counts is what a restart from a snapshot does to one strategy's histories: whole numbers, the same on every
// machine.
type Counts struct {
	Histories int64 `json:"histories"` // in the snapshot
	Payload   int64 `json:"payload"`   // its lengths in bytes, summed
	Lost      int64 `json:"lost"`      // users whose history or time is not what it was when it was saved

	// Articles shown before the snapshot, inside the window guaranteed at that moment, and those not
	// recognised after the restart.
	WindowChecks int64 `json:"window_checks"`
	WindowMisses int64 `json:"window_misses"`

	// Articles recorded after the snapshot and recognised just before the process ended; those shown again
	// after the restart.
	Forgotten measure.Rate `json:"forgotten"`

	// Users whose history or time is not what it was when the process ended, once the articles recorded after
	// the snapshot have been recorded again.
	Differ int64 `json:"differ"`
}

// Machine is what depends on the machine. Loading finds the snapshot in the system's cache where that has
// room for it.
type Machine struct {
	Bytes   int64   `json:"bytes"`   // of the snapshot
	Save    float64 `json:"save"`    // seconds until it was on the disk
	Load    float64 `json:"load"`    // seconds until a new store had it all, every history validated
	Trusted float64 `json:"trusted"` // seconds with checksums alone (store.Config.TrustSnapshots)
}

// Measure saves the live histories of a part of the population at the end of their lives, has every user be
// shown SinceBackup articles more, ends the process, as far as the histories know, and starts again from the
// snapshot: what was saved must be there, what came since is gone. Then it records that again, as from a log,
// which must make the histories what they were.
//
// The snapshot lies in dir and is removed at the end; it takes as much room as all histories. The part's
// store is empty afterwards, and the memory given back, the arena's too: a new process finds none. So this
// comes after all other questions.
func Measure(ctx context.Context, s measure.Subject, population workload.Full, part measure.Alive, dir string,
	o measure.Options,
) (counts Counts, machine Machine, err error) {
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
	var reopened *store.Store[int]
	forget := func() {
		if reopened != nil {
			reopened.Clear()
		}
	}
	defer forget()
	open := func(trust bool) (seconds float64) {
		return timed(func() error {
			forget()
			c := store.Config{Unsalted: true, Strategy: s.Strategy, Users: saved.Users, TrustSnapshots: trust}
			reopened, _, err = store.Open[int](ctx, path, c, about)
			r.part.Store = reopened
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
		return Counts{}, Machine{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	machine.Bytes, r.counts.Histories, r.counts.Payload = saved.Bytes, int64(saved.Histories), saved.Payload
	return r.counts, machine, nil
}

// A restart is what is known of a part's users beyond the process that had their histories.
type restart struct {
	measure.Subject
	population workload.Full
	part       measure.Alive
	counts     Counts

	// By user of the part: the digests of what was saved and of what it was when the process ended, and a bit
	// for each article of SinceBackup that was recognised then.
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

// each does something with every user, and adds up what it counts.
func (r *restart) each(ctx context.Context, o measure.Options, do func(w *restartWorker, user int)) error {
	o.Progress = nil
	users := measure.Range{From: r.part.First, To: r.part.First + r.part.Users}
	counts, err := shared.Sum(ctx, o, users, func() (*Counts, func(user int)) {
		w := &restartWorker{restart: r}
		return &w.counts, func(user int) { do(w, user) }
	})
	measure.Sum(&r.counts, counts)
	return err
}

// A restartWorker takes users through a step of the restart, one after the other.
type restartWorker struct {
	*restart
	counts  Counts
	history []byte
	ids     [max(asked, SinceBackup)]strategies.ID
	seen    [max(asked, SinceBackup)]bool
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

// since are the articles that a user is shown after the backup.
func (w *restartWorker) since(user int) []strategies.ID {
	w.population.Reader(user).IDs(w.ids[:SinceBackup], w.population.Shown(user))
	return w.ids[:SinceBackup]
}

// recognised has a bit for each of these that is.
func (w *restartWorker) recognised(user int) (known uint16) {
	seen := w.seen[:SinceBackup]
	w.part.Store.Seen(user-w.part.First, 0, w.since(user), seen)
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
	ids, seen := w.ids[:asked], w.seen[:asked]
	for i := range ids {
		ids[i] = reader.ID(shown - 1 - picks.At(snapshotPicks+i, window))
	}
	ids[0], ids[1] = reader.ID(shown-window), reader.ID(shown-1) // the oldest and the newest, always
	w.part.Store.Seen(local, 0, ids, seen)
	w.counts.WindowChecks += asked
	w.counts.WindowMisses += int64(measure.Count(seen, false))
}

// replay records again what no snapshot has, as a caller who keeps a log of it can.
func (w *restartWorker) replay(user int) {
	local := user - w.part.First
	w.part.Store.Record(local, 0, w.since(user))
	if w.digest(local) != w.ends[local] {
		w.counts.Differ++
	}
}

// snapshotPicks is where the picks of a user begin that no other measurement uses.
const snapshotPicks = 1000
