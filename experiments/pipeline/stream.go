package pipeline

import "fmt"

// A Stream is the way from what was shown to the history that remembers it: an event log, a job that reads
// it, the write.
type Stream struct {
	// Delay is how many milliseconds pass from an article's being shown to its record's being in the history;
	// where Exponential is set, their mean, and records may overtake each other.
	Delay       uint64
	Exponential bool

	// Outage, if its Speed is not 0, is when the job stands still.
	Outage Outage
}

// An Outage is a time, From to To in seconds, in which a job reads nothing. The log goes on growing;
// afterwards the job reads what lies there in order, Speed times as fast as it came in, until it has caught
// up. What came in is taken for spread evenly over time, as that of many users is. So no user's records wait
// for another's more than by the clock, and each user can be simulated alone.
type Outage struct {
	From, To uint32
	Speed    uint32 // at least 2
}

// CaughtUp is the second from which on records are as early as ever.
func (o Outage) CaughtUp() float64 {
	return float64(o.To) + float64(o.To-o.From)/float64(o.Speed-1)
}

// check says what is wrong with a Stream.
func (s Stream) check() error {
	o := s.Outage
	switch {
	case s.Delay > maxDelay:
		return fmt.Errorf("pipeline: a delay of %d ms, want at most %d", s.Delay, maxDelay)
	case o != Outage{} && (o.Speed < 2 || o.To < o.From):
		return fmt.Errorf("pipeline: an outage from %d s to %d s, caught up with at %d times the speed: "+
			"want it to end after it begins, and twice the speed at least", o.From, o.To, o.Speed)
	}
	return nil
}

// maxDelay is a week, in milliseconds.
const maxDelay = 7 * 24 * 60 * 60 * 1000

// lands is the millisecond in which a record is in the history that came in at a second, and takes so many
// milliseconds once the job has read it.
func (s Stream) lands(second uint32, delay uint64) uint64 {
	at := uint64(second) * 1000
	if o := s.Outage; o.Speed > 0 && second >= o.From {
		at = max(at, uint64(o.To)*1000+uint64(second-o.From)*1000/uint64(o.Speed))
	}
	return at + delay
}

// An Edge is an exact list of what a user was just shown, kept where candidates are recalled, and asked
// beside the history. The zero Edge is none.
type Edge struct {
	Articles int    // the newest so many; 0 for any number
	Seconds  uint32 // and of these the ones that are younger; 0 for any age
}

// EntryBytes is what an article takes in it: its ID and, where age matters, the second in which it was shown.
func (e Edge) EntryBytes() int {
	if e.Seconds == 0 {
		return 8
	}
	return 8 + 4
}
