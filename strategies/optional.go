package strategies

// A Deleter can take articles back: a reader wants to see one again, or it was
// never shown after all.
type Deleter interface {
	// Delete takes one recording of each of the articles back, and returns the
	// history without it, in place where it can, like Record; the result's
	// length is 0 or one of Sizes. An article that was recorded oftener stays
	// remembered, and so may one that was recorded oftener than the structure
	// counts, however often it is taken back.
	//
	// An article that is not remembered changes nothing. One that is taken for
	// remembered, though no recording of it is left, because it never was
	// shown, or has expired, or was taken back before, takes something of other
	// articles with it, which may then be forgotten inside the window. So what
	// is to be deleted has to be known from elsewhere, not from Seen.
	Delete(history []byte, articles []ID) []byte
}

// A Dated strategy forgets by the calendar. Time enters as an argument: the
// strategy has no clock, and a history carries the day it was last recorded on.
type Dated interface {
	Strategy

	// On returns the strategy as it is on a day, counted from any origin that
	// all callers share, 0 to MaxDay. Its Seen knows what has expired by
	// then, its Record drops it and dates the new articles. Make one a day and
	// share it; a history from a later day is taken as it was then. Without a
	// day the Strategy's own methods leave a history on its last day, and
	// start a newcomer's on day 0.
	On(day int) Strategy
}

// MaxDay is the last day that a Dated strategy can be asked for: 179 years.
const MaxDay = 1<<16 - 1
