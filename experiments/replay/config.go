package replay

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/workload/logs"
)

// A Config says how a log is replayed. A request of the log is put to the user's history, and then recorded: all of it,
// as theory has it, for the log says that it was shown; or with Passed what the strategy took for unseen alone, as the
// daily population lives, so that each strategy has a past of its own.
type Config struct {
	_ struct{}

	Idle     store.Timestamp        // seconds without an article recorded that clear a history; 0 is never
	Passed   bool                   // record only what the strategy took for unseen,
	Most     int                    // and of that the first so many of a request; 0 is all
	MaxUsers int                    // users that the log may have, 1 to logs.MaxUsers; 0 is that
	From     int64                  // seconds since 1970, from which on Counts.Late counts, without Passed; 0 is never
	Progress func(at logs.Position) // if not nil, called now and then with how far the reading is
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
// Memory is that of the histories, of 18 to 36 bytes for each article of a user, of some 90 bytes a user, of
// 64 kB a strategy and worker for counts by article, however many articles the log has, and of 25 MB for what is on
// its way to the workers; with Passed there are 8 bytes more an article for each strategy.
func (r Config) Run(
	ctx context.Context, subjects []measure.Subject, log deal.Log, o measure.Options,
) (t Tally, err error) {
	err = deal.Anew(func() error {
		t, err = r.replay(ctx, subjects, &deal.Dealer[*replayer]{}, log, 0, o)
		return err
	})
	if err != nil {
		return Tally{}, err
	}
	t.Log.Read = log.Counts()
	return t, r.Check(t)
}

// replay has the dealer deal some requests, and counts what came of them, histories at that end, 0 for the latest
// exposure.
func (r Config) replay(
	ctx context.Context, subjects []measure.Subject, d *deal.Dealer[*replayer], log deal.Requests, end int64,
	o measure.Options,
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
	d.From = r.From
	if err := d.Run(ctx, log); err != nil {
		return t, err
	}
	at, err := d.Clock(end)
	if err != nil {
		return t, err
	}
	measure.Together(len(d.Workers), func(i int) { d.Workers[i].finish(at) })
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

// Part is Run for some users of a log: requests are all of theirs, in the order of the log, and the span is the log's.
// The tallies of parts that have each user of a log once add up to what Run counts of it, but for Read. A part may be
// empty.
func (r Config) Part(
	ctx context.Context, subjects []measure.Subject, requests deal.Requests, log deal.Span, o measure.Options,
) (Tally, error) {
	var d deal.Dealer[*replayer]
	d.Begin(log.First)
	return r.replay(ctx, subjects, &d, requests, log.Last, o)
}

// A Tally is what came out of a replay, of a whole log or of some of its
// users. But for the machine's side it is whole numbers, which add up.
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

// Check says whether the tally of all users is one of a log: deal.ErrNoExposure where nothing was put to the
// histories, and an error where more users came than MaxUsers says, which none of the parts can know.
func (r Config) Check(t Tally) error {
	switch most := cmp.Or(r.MaxUsers, logs.MaxUsers); {
	case t.Log.Exposures == 0:
		return deal.ErrNoExposure
	case t.Log.Users > int64(most):
		return deal.TooManyUsers(most, logs.Position{})
	}
	return nil
}

// Add adds what came of other users of the log, with the same subjects. To the zero Tally any may be added.
func (t *Tally) Add(u Tally) error {
	if t.Strategies == nil {
		*t = newTally(len(u.Strategies))
		t.Log.First, t.Log.Last = u.Log.First, u.Log.Last
	}
	if len(u.Strategies) != len(t.Strategies) {
		return fmt.Errorf("replay: a tally of %d strategies, want %d", len(u.Strategies), len(t.Strategies))
	}
	measure.Sum(t, u)
	return nil
}

const (
	tallyVersion = "dejavu replay tally 4\n" // begins a tally's bytes, and says how to read the others
	mostTally    = 64 << 20                  // bounds what a tally may unpack to
)

// plainTally has no methods, so that it is encoded field by field.
type plainTally Tally

// MarshalBinary makes some 2 kB for each strategy, and up to 20 kB more by how many articles there are: the
// fields as encoding/gob has them, packed by gzip, whose checksum vouches for them.
func (t Tally) MarshalBinary() ([]byte, error) {
	b := bytes.NewBufferString(tallyVersion)
	w := gzip.NewWriter(b)
	err := gob.NewEncoder(w).Encode(plainTally(t))
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("replay: a tally of %d strategies: %w", len(t.Strategies), err)
	}
	return b.Bytes(), nil
}

// UnmarshalBinary reads what MarshalBinary wrote, and nothing else.
func (t *Tally) UnmarshalBinary(data []byte) error {
	fail := func(err error) error { return fmt.Errorf("replay: %d bytes are not a tally: %w", len(data), err) }
	rest, ok := bytes.CutPrefix(data, []byte(tallyVersion))
	if !ok {
		return fail(fmt.Errorf("they do not begin with %q", tallyVersion))
	}
	var plain []byte
	r, err := gzip.NewReader(bytes.NewReader(rest))
	if err == nil {
		plain, err = io.ReadAll(io.LimitReader(r, mostTally)) // to the checksum, before any of it is believed
	}
	var u plainTally
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(plain)).Decode(&u)
	}
	if err != nil {
		return fail(err)
	}
	if len(u.Machine.Slabs) != len(u.Strategies) {
		return fail(fmt.Errorf("%d strategies, and stores of %d", len(u.Strategies), len(u.Machine.Slabs)))
	}
	for i, want := range newTally(len(u.Strategies)).Strategies {
		if u.Strategies[i].lengths() != want.lengths() {
			return fail(fmt.Errorf("strategy %d: its counts are not those of this program, perhaps of another version", i))
		}
	}
	*t = Tally(u)
	return nil
}
