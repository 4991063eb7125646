package daily

import (
	"fmt"

	"dejavu/strategies"
)

// On returns the strategy as it is on a day, 0 to strategies.MaxDay: Seen knows
// the articles of that day and the Days-1 before, and Record dates articles to
// it. A history whose last day is later is taken as on that day. It panics
// where there is no such day.
func (f *Filter) On(day int) strategies.Strategy {
	if day < 0 || day > strategies.MaxDay {
		panic(fmt.Sprintf("daily: day %d, want 0 to %d", day, strategies.MaxDay))
	}
	return &dated{f, day}
}

// dated is the strategy on a day. Lengths and Validate are the Filter's.
type dated struct {
	*Filter
	day int
}

// Seen masks out the days that have expired, and writes nothing.
func (d *dated) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	d.seen(history, d.day, candidates, seen)
}

// Record drops the days that have expired, in one pass, when the day's first
// article comes, and adds the articles to the day.
func (d *dated) Record(history []byte, shown []strategies.ID) []byte {
	return d.record(history, d.day, shown)
}
