package measure

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"dejavu/store"
	"dejavu/workload/logs"
)

// Requests are those of a log, or of some of its readers, in the order of the log:
// a *logs.Log, or a part of one.
type Requests interface {
	NextRequest() []logs.Event // valid until the next call, empty at the end
	Err() error                // why it ended, nil for the end of the log
	Position() logs.Position   // the zero Position where it has none
}

// A Span is when a log was, which none of its parts can tell: days are counted
// from its first request, and histories at the latest exposure.
type Span struct {
	First int64 // time of the log's first request, in seconds since 1970
	Last  int64 // the latest exposure that is no more than 68 years from it, or First
}

// clockDays is from a clock's 0 to the first request.
const clockDays = 1 << 32 / int64(store.Day) / 2

// clock is a time on the log's clock, and false more than 68 years away.
func (s Span) clock(at int64) (store.Clock, bool) {
	at -= (s.First/int64(store.Day) - clockDays) * int64(store.Day)
	return store.Clock(at), at >= 0 && at < 1<<32
}

// Take takes a request of the log in, of which there must be a First.
func (s *Span) Take(request []logs.Event) {
	for _, e := range request {
		if _, ok := s.clock(e.Time); ok && e.Kind.IsExposure() {
			s.Last = max(s.Last, e.Time)
			return // they share their time
		}
	}
}

// Part is Run for some readers of a log: requests are all of theirs, in the order
// of the log, and the span is the log's. The tallies of parts that have each reader
// of a log once add up to what Run counts of it, but for Read. A part may be empty.
func (r Replay) Part(ctx context.Context, subjects []Subject, requests Requests, log Span, o Options) (ReplayTally, error) {
	var d dealer[*replayer]
	d.begin(log.First)
	if r.End == 0 {
		r.End = log.Last
	}
	return r.replay(ctx, subjects, &d, requests, o)
}

// A ReplayTally is what came out of a replay, of a whole log or of some of its
// readers. But for the machine's side it is whole numbers, which add up.
type ReplayTally struct {
	Strategies []Replayed // in the order of the subjects
	Log        ReplayedLog
	Machine    ReplayMachine
}

func newReplayTally(strategies int) ReplayTally {
	t := ReplayTally{Strategies: make([]Replayed, strategies), Machine: ReplayMachine{Slabs: make([]int64, strategies)}}
	for i := range t.Strategies {
		t.Strategies[i] = newReplayed()
	}
	return t
}

// ErrNoExposure is for a log that says nothing.
var ErrNoExposure = errors.New("no exposure in the log")

// Check says whether the tally of all readers is one of a log: ErrNoExposure where
// nothing was put to the histories, and an error where more readers came than MaxUsers
// says, which none of the parts can know.
func (r Replay) Check(t ReplayTally) error {
	switch most := r.mostUsers(); {
	case t.Log.Exposures == 0:
		return ErrNoExposure
	case t.Log.Users > int64(most):
		return tooManyReaders(most, logs.Position{})
	}
	return nil
}

// Add adds what came of other readers of the log, with the same subjects. To the
// zero ReplayTally any may be added.
func (t *ReplayTally) Add(u ReplayTally) error {
	if t.Strategies == nil {
		*t = newReplayTally(len(u.Strategies))
		t.Log.First, t.Log.Last = u.Log.First, u.Log.Last
	}
	if len(u.Strategies) != len(t.Strategies) {
		return fmt.Errorf("measure: a tally of %d strategies, want %d", len(u.Strategies), len(t.Strategies))
	}
	for i := range t.Strategies {
		t.Strategies[i].add(&u.Strategies[i])
		t.Machine.Slabs[i] += u.Machine.Slabs[i]
	}
	t.Log.add(u.Log)
	t.Machine.Truth += u.Machine.Truth
	t.Machine.Seconds += u.Machine.Seconds
	t.Machine.Resident = max(t.Machine.Resident, u.Machine.Resident)
	return nil
}

func (l *ReplayedLog) add(m ReplayedLog) {
	l.Read.Add(m.Read)
	l.Users += m.Users
	l.Exposures += m.Exposures
	l.Twice += m.Twice
	l.NotShown += m.NotShown
	l.Strayed += m.Strayed
	l.First, l.Last = min(l.First, m.First), max(l.Last, m.Last)
}

// tallyVersion begins a tally's bytes, and says how to read the others.
const tallyVersion = "dejavu replay tally 1\n"

// plainTally has no methods, so that it is encoded field by field.
type plainTally ReplayTally

// MarshalBinary makes some 2 kB for each strategy: the fields as encoding/gob has
// them, packed by gzip, whose checksum vouches for them.
func (t ReplayTally) MarshalBinary() ([]byte, error) {
	b := bytes.NewBufferString(tallyVersion)
	w := gzip.NewWriter(b)
	err := gob.NewEncoder(w).Encode(plainTally(t))
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("measure: a tally of %d strategies: %w", len(t.Strategies), err)
	}
	return b.Bytes(), nil
}

// mostTally bounds what a tally may unpack to.
const mostTally = 64 << 20

// UnmarshalBinary reads what MarshalBinary wrote, and nothing else.
func (t *ReplayTally) UnmarshalBinary(data []byte) error {
	fail := func(err error) error { return fmt.Errorf("measure: %d bytes are no tally: %w", len(data), err) }
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
	want := newReplayed()
	for i := range u.Strategies {
		if got := &u.Strategies[i]; !got.like(&want) {
			return fail(fmt.Errorf("strategy %d has other counts than those of this program", i))
		}
	}
	*t = ReplayTally(u)
	return nil
}
