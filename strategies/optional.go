package strategies

import "fmt"

// A Deleter can take articles back: a user wants to see one again, or it was never shown after all.
type Deleter interface {
	// Delete takes one recording of each of the articles back, and returns the history without it, in place
	// where it can, like Record; the result's length is 0 or one of Sizes. An article that was recorded more
	// often stays remembered, and so may one that was recorded more often than the structure counts, however
	// often it is taken back.
	//
	// An article that is not remembered changes nothing. One that is taken for remembered, though no
	// recording of it is left, because it never was shown, or has expired, or was taken back before, takes
	// something of other articles with it, which may then be forgotten inside the window. So what is to be
	// deleted has to be known from elsewhere, not from Seen.
	Delete(history []byte, articles []ID) []byte
}

// A Dated strategy forgets by the calendar. Time enters as an argument: the
// strategy has no clock, and a history carries the day it was last recorded on.
type Dated interface {
	Strategy

	// On returns the strategy as it is on a day, counted from any origin that all callers share, 0 to MaxDay.
	// Its Seen knows what has expired by then, its Record drops it and dates the new articles. Make one a day
	// and share it; a history from a later day is taken as it was then. Without a day the Strategy's own
	// methods leave a history on its last day, and start a newcomer's on day 0.
	On(day int) Strategy
}

// MaxDay is the last day that a Dated strategy can be asked for: 179 years.
const MaxDay = 1<<16 - 1

// A Calendar is what a Dated strategy does on any day: Seen and Record, told the day. OnDay makes On of it.
type Calendar interface {
	Strategy
	SeenOn(history []byte, day int, candidates []ID, seen []bool)
	RecordOn(history []byte, day int, shown []ID) []byte
}

// OnDay is Dated.On. It panics where day is not 0 to MaxDay.
func OnDay(s Calendar, day int) Strategy {
	if day < 0 || day > MaxDay {
		panic(fmt.Sprintf("strategies: day %d, want 0 to %d", day, MaxDay))
	}
	return onDay{s, day}
}

type onDay struct {
	Calendar
	day int
}

func (d onDay) Seen(history []byte, candidates []ID, seen []bool) {
	d.SeenOn(history, d.day, candidates, seen)
}

func (d onDay) Record(history []byte, shown []ID) []byte { return d.RecordOn(history, d.day, shown) }
