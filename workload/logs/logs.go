// Package logs reads who was shown what, and when, from real exposure logs: the same life that package workload
// simulates, as a service wrote it down.
//
// A log is one or more files in one of four formats: MIND's behaviors.tsv, the access log of a web server, and any CSV,
// or lines of JSON, with user, article and time. Files may be packed with gzip, zstd, bzip2 or zip, which their first bytes tell. Open
// has the events in the order of the files and their lines, in which times may run backwards, and OpenOrdered in the
// order of the times; Counts says how much was out of order.
//
// A file is read for itself, so that the files of a log can be read apart: one of a format with a header begins with
// its own, and a request ends with its file. Two things alone are the whole log's: how it is read, which its beginning
// tells for all files, and how many faults there may be (Options.Judge). What does not fit later is a fault.
//
// The guarantee: a line gives all its events or none. One that cannot be read is a Fault, which names file, line and
// reason; it is counted and passed over, and too many of them end the log with an error, so that a log in another
// format is not taken for a short one. The events, their order and the faults are the same for any number of workers.
//
// The cost of Open: memory depends on the log's longest line alone: some 3 MB for each block of lines on its way, of
// which there are two for each worker and two more, and up to 30 MB for one with an event for every two bytes of a line
// of a MB; while one of JSON is parsed, up to 900 MB. An event takes 75 ns of processor time of MIND and 110 to 150 of a
// CSV (BenchmarkRead); unpacking zstd adds as much again, and gzip twice as much. Two
// users or two articles share a digest with a chance of 3 in a million among ten million.
package logs

import (
	"math"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/format"
)

// What a log tells: package event.
type (
	Event  = event.Event
	Kind   = event.Kind
	Fault  = event.Fault
	Counts = event.Counts

	// How a log is read: packages format and clock.
	Options = format.Options
	Columns = format.Columns
	Clock   = clock.Clock
	Format  = format.Format
)

// What events, formats and options may be that is named here: a CSV and JSON have columns that may be named, and
// package clock has all clocks.
const (
	Shown   = event.Shown
	Ignored = event.Ignored
	Clicked = event.Clicked

	MIND   = format.MIND
	Access = format.Access
	CSV    = format.CSV
	JSON   = format.JSON

	Seconds  = clock.Seconds
	Millis   = clock.Millis
	Double   = format.Double
	NoQuotes = format.NoQuotes
	NoList   = format.NoList
)

// Formats lists the formats that can be read.
func Formats() []Format { return format.Names() }

// Position is how far the reading is: the end of the block of lines of which the last event came.
type Position struct {
	File  string
	Line  int64 // of that file
	Read  int64 // bytes of all files so far, as they are packed
	Total int64 // bytes of all files, 0 where one is a pipe
}

// MaxUsers bounds how many users a reader of logs numbers: by 31 bits, as a store does.
const MaxUsers = math.MaxInt32
