package deal

import (
	"errors"

	"dejavu/store"
	"dejavu/workload/logs"
)

// Requests are those of a log, or of some of its users, in the order of the log.
type Requests interface {
	NextRequest() []logs.Event // valid until the next call, empty at the end
	Err() error                // why it ended, nil for the end of the log
	Position() logs.Position   // the zero Position where it has none
}

// A Log is a whole log.
type Log interface {
	Requests
	Counts() logs.Counts // what was read so far
}

// Anew calls run, and calls it once more where the log turned out not to be in the order
// of its times, as a logs.Ordered does: what run has made of the log is void then.
func Anew(run func() error) error {
	err := run()
	if errors.Is(err, logs.ErrUnsorted) {
		err = run()
	}
	return err
}

// A Span is when a log was, which none of its parts can tell: days are counted
// from its first request, and histories at the latest exposure.
type Span struct {
	First int64 // time of the log's first request, in seconds since 1970
	Last  int64 // the latest exposure that is no more than 68 years from it, or First
}

// clockDays is from a clock's 0 to the first request.
const clockDays = 1 << 32 / int64(store.Day) / 2

// Clock is a time on the log's clock, and false more than 68 years away.
func (s Span) Clock(at int64) (store.Timestamp, bool) {
	at -= (s.First/int64(store.Day) - clockDays) * int64(store.Day)
	return store.Timestamp(at), at >= 0 && at < 1<<32
}

// Take takes a request of the log in, of which there must be a First.
func (s *Span) Take(request []logs.Event) {
	for _, e := range request {
		if _, ok := s.Clock(e.Time); ok && e.Kind.IsExposure() {
			s.Last = max(s.Last, e.Time)
			return // they share their time
		}
	}
}

// ErrNoExposure is for a log that says nothing.
var ErrNoExposure = errors.New("no exposure in the log")

// A Facts is what the log itself had.
type Facts struct {
	Read      logs.Counts // of a part nothing: it was not read there
	Users     int64
	Requests  int64 // of one exposure or more
	Exposures int64 // what was put to the histories
	Twice     int64 // not put to them, being in its request already
	NotShown  int64 // not put to them, being an act on what was shown before, or of the past
	Strayed   int64 // not put to them, more than 68 years from the first exposure
	First     int64 `sum:"least"` // the earliest exposure, in seconds since 1970
	Last      int64 `sum:"most"`  // the latest
}
