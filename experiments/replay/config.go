package replay

import (
	"context"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/workload/logs"
)

// A Config says how a log is replayed. A request of the log is put to the user's history, and then all of it is
// recorded, for the log says that it was shown.
type Config struct {
	_ struct{}

	Idle     store.Timestamp        // seconds without an article recorded that clear a history; 0 is never
	From     int64                  // seconds since 1970, from which on Counts.Late counts; 0 is never
	Progress func(at logs.Position) // if not nil, called now and then with how far the reading is
}

// Machine holds what depends on the machine.
type Machine struct {
	Seconds  float64
	Slabs    []int64 // of each strategy's stores at the end
	Truth    int64   // bytes of the exact sets
	Resident int64   // of the process at the end, all histories alive
}

// Run replays the log with each of the subjects, and the exact truth beside them. The log is read once if it is in the
// order that is asked for; users are spread over the workers. A strategies.Dated is asked on the day of the exposure. A
// log without an exposure is deal.ErrNoExposure. The caller closes the log.
//
// Memory is the histories, 18 to 36 bytes for each article of a user, some 90 bytes a user, 64 kB a strategy and worker
// for counts by article, and 25 MB for what is on its way to the workers.
func (r Config) Run(
	ctx context.Context, subjects []measure.Subject, log deal.Log, o measure.Options,
) (t Tally, err error) {
	err = deal.Anew(func() error {
		t, err = r.replay(ctx, subjects, log, o)
		return err
	})
	if err == nil && t.Log.Exposures == 0 {
		err = deal.ErrNoExposure
	}
	if err != nil {
		return Tally{}, err
	}
	t.Log.Read = log.Counts()
	return t, nil
}

// replay takes requests from a dealer and counts the results, with histories as at the latest exposure.
func (r Config) replay(
	ctx context.Context, subjects []measure.Subject, log deal.Requests, o measure.Options,
) (t Tally, err error) {
	begin := time.Now()
	d := deal.Dealer[*replayer]{
		Workers: make([]*replayer, o.Goroutines()), Deal: (*replayer).replay,
		Progress: r.Progress, From: r.From,
	}
	for i := range d.Workers {
		d.Workers[i] = newReplayer(ctx, subjects, r, o.Arena)
	}
	defer func() {
		for _, w := range d.Workers {
			w.close()
		}
	}()
	if err := d.Run(ctx, log); err != nil {
		return t, err
	}
	measure.Together(len(d.Workers), func(i int) { d.Workers[i].finish(d.Latest()) })
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

// A Tally holds a replay's results: whole numbers, except the machine's.
type Tally struct {
	Strategies []Counts // in the order of the subjects
	Log        deal.Facts
	Machine    Machine
}

func newTally(strategies int) Tally {
	t := Tally{Strategies: make([]Counts, strategies), Machine: Machine{Slabs: make([]int64, strategies)}}
	for i := range t.Strategies {
		t.Strategies[i] = newCounts()
	}
	return t
}
