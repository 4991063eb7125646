// Package strategies defines the interface between a recommender and its memory of what each user was already shown.
//
// A strategy is a pure function over a flat byte history: one user's memory is a []byte, nil for a newcomer, which the
// strategy reads and extends the way append does. The strategy itself holds parameters only. So the same bytes serve
// in memory, in a snapshot and on the wire, and one strategy value serves any number of goroutines.
//
// An article inside the window (Theory.Window) is always recognised, while an unseen article may be reported as seen
// (Theory.FPR). The packages queue, single, dual and chain follow Zhao, Li, Zhu and Zhan, "Research on deduplication
// based on Bloom filters", Computing Technology and Automation 35(1), 2016 ("the paper" throughout).
package strategies

import "fmt"

// An ID identifies an article: the 64-bit digest of its key (XXHashString), or its number. Strategies mix its bits.
type ID uint64

// A Strategy decides what to remember of the articles one user was shown.
//
// A Strategy is safe for concurrent use on different histories, and for concurrent Seen on one history; Record needs
// its history to itself. No call allocates, except Record when a history grows.
type Strategy interface {
	// Seen sets seen[i] to whether history remembers candidates[i]. The two slices have the same length;
	// history is not modified and is nil, or a value that Record returned, or one that Validate accepted.
	Seen(history []byte, candidates []ID, seen []bool)

	// Record adds the articles just shown, oldest first, and returns the new history. Every element counts, repeats
	// included. Like append it works in place if the capacity allows, and else returns new memory. The result's length
	// is 0 (nothing was ever shown) or one of Sizes.
	Record(history []byte, shown []ID) []byte

	// Sizes lists, ascending, every length of a non-empty history. The caller must not modify it.
	Sizes() []int

	// Validate returns nil if Record can have returned the history, and otherwise an error that names the fault. A
	// history from outside (disk, network) must pass it before its answers mean anything.
	//
	// A forged history of one of Sizes harms only its own user: answers may be wrong, but no call panics, or reads or
	// writes beyond the history and, if Record or Delete extends it, its capacity.
	Validate(history []byte) error
}

// Theory predicts by closed forms how a strategy behaves after read distinct articles. Results are 0 if read ≤ 0.
type Theory interface {
	// Bytes returns the length of the history in bytes, header included.
	Bytes(read int) int

	// FPR returns the probability that an unseen article is reported as seen.
	FPR(read int) float64

	// Window returns how many of the most recent articles are always recognised.
	Window(read int) int
}

// A Deleter can delete articles: a user wants to see one again, or it was not shown after all.
type Deleter interface {
	// Delete removes one recording of each article, and returns the history, in place if it can. An article that was
	// recorded twice stays remembered. An article that is not remembered changes nothing.
	//
	// Deleting a false positive may make other articles forgotten. So delete only articles that were recorded, which
	// Seen cannot tell.
	Delete(history []byte, articles []ID) []byte
}

// A Dated strategy forgets by the calendar. The caller passes the day; a history carries the day of its last Record.
type Dated interface {
	Strategy

	// On returns the strategy as of a day, 0 to MaxDay, counted from any origin that all callers share. If a history's
	// own day is later, that day counts. The Strategy's own methods use the history's day, and day 0 for a newcomer.
	On(day int) Strategy
}

// MaxDay is the last day that a Dated strategy can be asked for: 179 years.
const MaxDay = 1<<16 - 1

// A Calendar has the methods Seen and Record with the day as an argument. OnDay implements On by them.
type Calendar interface {
	Strategy
	SeenOn(history []byte, day int, candidates []ID, seen []bool)
	RecordOn(history []byte, day int, shown []ID) []byte
}

// OnDay implements Dated.On. It panics if day is not 0 to MaxDay.
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

// Fingerprint returns the fingerprint of the dated strategy: its histories are the same on every day.
func (d onDay) Fingerprint() string { return Fingerprint(d.Calendar) }

func (d onDay) Seen(history []byte, candidates []ID, seen []bool) {
	d.SeenOn(history, d.day, candidates, seen)
}

func (d onDay) Record(history []byte, shown []ID) []byte { return d.RecordOn(history, d.day, shown) }
