// Package replayer takes strategies through a log, with the exact truth beside them, and counts what they
// would have answered: each request of a user is put to the user's history, and then recorded. The counts of
// parts of a log's users add up to those of the whole, so that a log can be replayed on many machines.
package replayer

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/workload/logs"
)

// A Config says how a log is replayed. A request of the log is put to the user's history, and then recorded:
// all of it, as theory has it, for the log says that it was shown; or with Passed what the strategy took for
// unseen alone, as the daily population lives, so that each strategy has a past of its own.
type Config struct {
	_ struct{}

	// Idle is how many seconds without an article recorded clear a history; 0 is never.
	Idle store.Timestamp

	// Passed records only what the strategy took for unseen, and of that the first Most of a
	// request; 0 is all.
	Passed bool
	Most   int

	// End is the time at which histories are counted, in seconds since 1970; 0 is
	// that of the latest exposure.
	End int64

	// MaxUsers is how many users the log may have, 1 to logs.MaxUsers; 0 is that.
	MaxUsers int

	// Progress, if not nil, is called now and then with how far the reading is.
	Progress func(at logs.Position)
}

// Machine is what depends on the machine.
type Machine struct {
	Seconds  float64 // of parts, their sum
	Slabs    []int64 // of each strategy's stores at the end
	Truth    int64   // bytes of the exact sets
	Resident int64   `sum:"most"` // of the process at the end, all histories alive; of parts, the most
}

// Run replays the log with each of the subjects, and the exact truth beside them. The log is read once, if it
// is in the order that is asked for; users are spread over the workers. A strategies.Dated is asked on the
// day of the exposure. A log without an exposure is ErrNoExposure. The caller closes the log.
//
// Memory is that of the histories, of 18 to 36 bytes for each article of a user, of some 70 bytes a user, of
// as many for each chain, and up to 512 for long windows, for one whose history has an article twice, of 64
// kB a strategy and worker for counts by article, however many articles the log has, and of 25 MB for what is
// on its way to the workers; with Passed there are 8 bytes more an article for each strategy.
func (r Config) Run(
	ctx context.Context, subjects []measure.Subject, log deal.Log, o measure.Options,
) (t Tally, err error) {
	err = deal.Anew(func() error {
		t, err = r.replay(ctx, subjects, &deal.Dealer[*replayer]{}, log, o)
		return err
	})
	if err != nil {
		return Tally{}, err
	}
	t.Log.Read = log.Counts()
	return t, r.Check(t)
}

// replay has the dealer deal some requests, and counts what came of them.
func (r Config) replay(
	ctx context.Context, subjects []measure.Subject, d *deal.Dealer[*replayer], log deal.Requests, o measure.Options,
) (t Tally, err error) {
	if r.Most < 0 || r.Most > 0 && !r.Passed {
		return t, fmt.Errorf("replay: Most is %d, want 0 or, with Passed, more", r.Most)
	}
	begin := time.Now()
	d.Workers = make([]*replayer, o.Goroutines())
	for i := range d.Workers {
		d.Workers[i] = newReplayer(ctx, subjects, r, o.Arena)
	}
	defer func() {
		for _, w := range d.Workers {
			w.close()
		}
	}()
	d.Deal, d.MaxUsers, d.Progress = (*replayer).replay, cmp.Or(r.MaxUsers, logs.MaxUsers), r.Progress
	if err := d.Run(ctx, log); err != nil {
		return t, err
	}
	end, err := d.Clock(r.End)
	if err != nil {
		return t, err
	}
	var group sync.WaitGroup
	for _, w := range d.Workers {
		group.Go(func() { w.finish(end) })
	}
	group.Wait()
	t = newTally(len(subjects))
	t.Log = d.Facts()
	for _, w := range d.Workers {
		t.Machine.Truth += w.truth.Bytes()
		for i := range t.Strategies {
			measure.Sum(&t.Strategies[i], w.counts[i])
			t.Machine.Slabs[i] += w.memories[i].bytes()
		}
	}
	t.Machine.Resident = sysinfo.Resident()
	t.Machine.Seconds = time.Since(begin).Seconds()
	return t, nil
}
