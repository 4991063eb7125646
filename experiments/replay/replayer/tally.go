package replayer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/workload/logs"
)

// Part is Run for some users of a log: requests are all of theirs, in the order
// of the log, and the span is the log's. The tallies of parts that have each user
// of a log once add up to what Run counts of it, but for Read. A part may be empty.
func (r Config) Part(
	ctx context.Context, subjects []measure.Subject, requests deal.Requests, log deal.Span, o measure.Options,
) (Tally, error) {
	var d deal.Dealer[*replayer]
	d.Begin(log.First)
	if r.End == 0 {
		r.End = log.Last
	}
	return r.replay(ctx, subjects, &d, requests, o)
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

// tallyVersion begins a tally's bytes, and says how to read the others.
const tallyVersion = "dejavu replay tally 3\n"

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

// mostTally bounds what a tally may unpack to.
const mostTally = 64 << 20

// UnmarshalBinary reads what MarshalBinary wrote, and nothing else.
func (t *Tally) UnmarshalBinary(data []byte) error {
	fail := func(err error) error { return fmt.Errorf("replay: %d bytes are not a tally: %w", len(data), err) }
	rest, ok := bytes.CutPrefix(data, []byte(tallyVersion))
	if !ok {
		return fail(fmt.Errorf("they do not begin with %q", tallyVersion))
	}
	r, err := gzip.NewReader(bytes.NewReader(rest))
	if err != nil {
		return fail(err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostTally)) // to the checksum, before any of it is believed
	if err != nil {
		return fail(err)
	}
	var u plainTally
	if err := gob.NewDecoder(bytes.NewReader(plain)).Decode(&u); err != nil {
		return fail(err)
	}
	if len(u.Machine.Slabs) != len(u.Strategies) {
		return fail(fmt.Errorf("%d strategies, and stores of %d", len(u.Strategies), len(u.Machine.Slabs)))
	}
	want := newCounts()
	for i := range u.Strategies {
		if u.Strategies[i].lengths() != want.lengths() {
			return fail(fmt.Errorf("strategy %d: its counts are not those of this program, perhaps of another version", i))
		}
	}
	*t = Tally(u)
	return nil
}
