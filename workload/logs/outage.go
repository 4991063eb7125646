package logs

import (
	"fmt"
	"time"
)

// An outage is a stretch of lines that goes on to the last one read, and of which nine in ten cannot be read or more: a
// log that was written in another way from some time on has one. Each fault weighs 1, each other line weighs -rare.
type outage struct {
	first Fault
	since int64 // the time of the last event before, 0 where there is none
	from  int64 // lines of the log before
	bad   int64 // lines of it that cannot be read
	next  int64 // lines of the log up to its last fault
	score int64
}

const rare, leastOutage = 9, 10 // the second is how many lines it has, and how many there are before it

// faults takes in n lines that cannot be read, after so many of the log.
func (o *outage) faults(lines, n int64, first Fault, since int64) {
	if o.score -= rare * (lines - o.next); o.score <= 0 {
		*o = outage{first: first, since: since, from: lines}
	}
	o.score, o.bad, o.next = o.score+n, o.bad+n, lines+n
}

// text says where it begins, if there is one after so many lines of the log.
func (o *outage) text(lines int64) string {
	if o.bad < leastOutage || o.from < leastOutage || o.score <= rare*(lines-o.next) {
		return ""
	}
	when := ""
	if o.since > 0 {
		when = ", after " + time.Unix(o.since, 0).UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("from line %d of %s on%s, %.3g %% of the lines cannot be read (%d of %d)",
		o.first.Line, o.first.File, when, 100*float64(o.bad)/float64(lines-o.from), o.bad, lines-o.from)
}
