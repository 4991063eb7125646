// Package logs reads who was shown what, and when, from real logs.
//
// A log is one or more files in one of four formats: a table (CSV or TSV), lines of JSON, MIND's behaviors.tsv, or a web
// server's access log. Open returns its requests in the order of files and lines, and OpenOrdered in the order of their
// times.
//
// Nothing is guessed: what the options leave open is decided once, by the first 1000 records, for all files. What may be
// two things is refused, and the error names the flag that settles it. A record is a line, and gives all its events or
// none: one that does not fit is a Fault, which is counted and skipped, and too many of them end the log with an error.
// Events, their order and faults are the same for any number of workers.
//
// Memory depends on the longest line alone: some 3 MB for each of 2 Workers + 2 blocks of lines, and up to 900 MB while
// one line of JSON with a MB is parsed. An event of a CSV takes some 100 ns of processor time (BenchmarkRead). Two users
// or two articles among ten million share a digest with a chance of 3 in a million.
package logs

import (
	"fmt"
	"math"
	"reflect"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
)

// An Event is one article that one user was shown.
type Event struct {
	User    uint64        // xxHash of the user's key, or its number (Options.Numbered)
	Article strategies.ID // xxHash of the article's key, or its number
	Time    int64         // seconds since 1970, rounded down; all events of a request have the time of its first
	Request uint64        // number of the request in the log, from 0: its events follow each other
	Nanos   uint32        // of Time's second, if the log has fractions
}

// before reports whether an event has an earlier time.
func (e *Event) before(f *Event) bool {
	return e.Time < f.Time || e.Time == f.Time && e.Nanos < f.Nanos
}

// A Fault is a line that could not be read.
type Fault struct {
	File   string
	Line   int64 // from 1
	Reason string
}

// Error returns file:line: reason.
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason) }

// Counts says what was read so far. Lines is the sum of the lines that gave events and of Faults, Passed, LeftOut and
// Blank. A header does not count.
type Counts struct {
	Lines    int64
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

// Add adds what was read elsewhere.
func (c *Counts) Add(d Counts) {
	sums, more := reflect.ValueOf(c).Elem(), reflect.ValueOf(d)
	for i := range sums.NumField() {
		sums.Field(i).SetInt(sums.Field(i).Int() + more.Field(i).Int())
	}
}

// Clock is a notation of times: see package clock.
type Clock = clock.Clock

// The clocks that are named here; package clock has all.
const (
	Seconds = clock.Seconds
	Millis  = clock.Millis
)

// Position says how far the reading is: the end of the block of lines with the last event.
type Position struct {
	File  string
	Line  int64 // of that file
	Read  int64 // bytes of all files so far, as they are packed
	Total int64 // bytes of all files, 0 if one is a pipe
}

// MaxUsers is how many users a reader of logs can number: 31 bits, as in a store.
const MaxUsers = math.MaxInt32
