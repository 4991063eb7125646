// Package event is what a log tells: who was shown what and when, the lines that tell nothing, and
// how many there were of each.
package event

import (
	"cmp"
	"fmt"
	"reflect"

	"dejavu/strategies"
)

// Kind is what is known of a user's answer to an article.
type Kind uint8

const (
	Shown   Kind = iota // was shown; the log does not say what followed
	Ignored             // was shown, and not opened
	Clicked             // was opened, and so was shown
)

// String is the kind's name in small letters.
func (k Kind) String() string {
	if names := [...]string{"shown", "ignored", "clicked"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// An Event is one article of one user.
type Event struct {
	User    uint64        // xxHash of the user's key, or its number (Options.Numbered)
	Article strategies.ID // xxHash of the article's key, or its number
	Time    int64         // seconds since 1970, rounded down; all events of a request have that of its first
	Request uint64        // number of the request in the log, from 0: its events follow each other
	Kind    Kind
	Nanos   uint32 // of Time's second, where the log has fractions, so that it can be sorted
}

// Moment is when the event was.
func (e *Event) Moment() Moment { return Moment{e.Time, e.Nanos} }

// A Moment is a time as a log has it.
type Moment struct {
	Seconds int64
	Nanos   uint32
}

// Compare is below 0 where m is before n, and above 0 where it is after it.
func (m Moment) Compare(n Moment) int {
	return cmp.Or(cmp.Compare(m.Seconds, n.Seconds), cmp.Compare(m.Nanos, n.Nanos))
}

// A Fault is a line that could not be read.
type Fault struct {
	File   string
	Line   int64 // from 1; of a record of several lines, the first
	Reason string
}

// Error is file:line: reason.
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason) }

// Counts is what was read so far. Lines is the sum of those that gave events and of Faults, Passed, LeftOut and Blank;
// a header is no line, and a record of several lines is one.
type Counts struct {
	Lines    int64 // records, in all
	Faults   int64 // that could not be read
	Empty    int64 // of Faults, those that had no user or no article
	Passed   int64 // that told of no article: a front page, a request that showed nothing
	LeftOut  int64 // that gave no event because the options leave out its user, or its articles
	Blank    int64 // without a character but white space
	Events   int64
	Requests int64

	OtherMethods int64 // of Passed and LeftOut, lines of an access log with another method than GET
	OutOfOrder   int64 // events of requests that are earlier than one before them in their file
}

// Add adds what was read of other files.
func (c *Counts) Add(d Counts) {
	sums, more := reflect.ValueOf(c).Elem(), reflect.ValueOf(d)
	for i := range sums.NumField() {
		sums.Field(i).SetInt(sums.Field(i).Int() + more.Field(i).Int())
	}
}
