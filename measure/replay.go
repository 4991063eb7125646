package measure

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dejavu/store"
	"dejavu/workload/logs"
)

// A Replay says how a log is replayed. A request of the log is put to the
// reader's history, and then recorded: all of it, as theory has it, for the log
// says that it was shown; or with Passed what the history lets through alone, as
// the daily population lives, so that each strategy has a past of its own.
type Replay struct {
	_ struct{}

	// Idle is how many seconds without an article recorded clear a history; 0
	// is never.
	Idle store.Clock

	// Passed records only what was let through, and of that the first Most of a
	// request; 0 is all.
	Passed bool
	Most   int

	// End is the time at which histories are counted, in seconds since 1970; 0 is
	// that of the latest exposure.
	End int64

	// MaxUsers is how many readers the log may have, 1 to logs.MaxUsers; 0 is that.
	MaxUsers int

	// Progress, if not nil, is called now and then with how far the reading is.
	Progress func(at logs.Position)
}

// mostUsers is how many readers the log may have.
func (r Replay) mostUsers() int {
	if r.MaxUsers == 0 {
		return logs.MaxUsers
	}
	return r.MaxUsers
}

// A Replayed is what came out for one strategy. All of it is whole numbers, the
// same for any number of workers.
type Replayed struct {
	// Regime counts as Daily does: Fresh are candidates that this reader was never
	// shown before, and Repeats those of the recorded that had been shown and were
	// not recognised. ByHeld is left empty.
	Regime

	// By AgeBin of how many articles ago it was shown, 1 being the newest: the
	// candidates that had been shown before, and those of them recognised.
	Repeated, Recognised []int64

	// By articles recorded since the history was last empty, 0 to 4095 and more:
	// the fresh candidates, and those of them that were taken for seen.
	FreshByHeld, HitsByHeld []int64
}

// A ReplayedLog is what the log itself had.
type ReplayedLog struct {
	Read      logs.Counts // of a part nothing: it was not read there
	Users     int64
	Exposures int64 // what was put to the histories
	Twice     int64 // not put to them, being in its request already
	NotShown  int64 // not put to them, being an act on what was shown before, or of the past
	Strayed   int64 // not put to them, more than 68 years from the first exposure
	First     int64 // the earliest exposure, in seconds since 1970
	Last      int64 // the latest
}

// ReplayMachine is what depends on the machine.
type ReplayMachine struct {
	Seconds  float64 // of parts, their sum
	Slabs    []int64 // of each strategy's stores at the end
	Truth    int64   // bytes of the exact sets
	Resident int64   // of the process at the end, all histories alive; of parts, the most
}

// Run replays the log with each of the subjects, and the exact truth beside them.
// The log is read once; readers are spread over the workers. A strategies.Dated is
// asked on the day of the exposure. A log without an exposure is ErrNoExposure.
// The caller closes the log.
//
// Memory is that of the histories, of 14 to 27 bytes for each article of a reader,
// and of some 70 bytes a reader; with Passed there are 4 bytes more an
// article for each strategy.
func (r Replay) Run(ctx context.Context, subjects []Subject, log *logs.Log, o Options) (ReplayTally, error) {
	t, err := r.replay(ctx, subjects, &dealer[*replayer]{}, log, o)
	if err != nil {
		return ReplayTally{}, err
	}
	t.Log.Read = log.Counts()
	return t, r.Check(t)
}

// replay has the dealer deal some requests, and counts what came of them.
func (r Replay) replay(ctx context.Context, subjects []Subject, d *dealer[*replayer], log Requests, o Options) (t ReplayTally, err error) {
	if r.Most < 0 || r.Most > 0 && !r.Passed {
		return t, fmt.Errorf("measure: Most is %d, want 0 or, with Passed, more", r.Most)
	}
	begin := time.Now()
	d.workers = make([]*replayer, o.workers())
	for i := range d.workers {
		d.workers[i] = newReplayer(subjects, r, o.Stock)
	}
	defer func() {
		for _, w := range d.workers {
			w.close()
		}
	}()
	d.deal, d.maxUsers, d.progress = (*replayer).replay, r.mostUsers(), r.Progress
	if err := d.run(ctx, log); err != nil {
		return t, err
	}
	end, err := d.clockOf(r.End)
	if err != nil {
		return t, err
	}
	var group sync.WaitGroup
	for _, w := range d.workers {
		group.Go(func() { w.finish(end) })
	}
	group.Wait()
	t = newReplayTally(len(subjects))
	t.Log = d.facts
	for _, w := range d.workers {
		t.Log.Twice += w.twice
		t.Log.Exposures -= w.twice
		t.Machine.Truth += w.truth.bytes()
		for i := range t.Strategies {
			t.Strategies[i].add(&w.counts[i])
			t.Machine.Slabs[i] += w.memory(i)
		}
	}
	t.Machine.Resident = Resident()
	t.Machine.Seconds = time.Since(begin).Seconds()
	return t, nil
}
