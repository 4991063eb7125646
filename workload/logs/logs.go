// Package logs reads who was shown what, and when, from real exposure logs: the
// same life that package workload simulates, as a service wrote it down.
//
// A log is one or more files in one of six formats: MIND's
// behaviors.tsv, KuaiRand's CSV, OTTO's sessions and Adressa's events as lines
// of JSON, and any CSV or lines of JSON with user, article and time. Files may be packed with gzip
// or zstd, which their first bytes tell. What comes out is one kind of Event,
// users interleaved, articles repeated. Open has it in the order of the files and their
// lines, in which times may run backwards, and OpenOrdered in the order of the times;
// Counts says how much was out of order. Users numbers users densely, so that what is
// kept for each can lie in arrays.
//
// A file is read for itself, so that the files of a log can be read apart: one of a
// format with a header begins with its own, and a request ends with its file. Two
// things alone are the whole log's: how it is read, format, delimiter and clock, which
// its beginning tells for all files, and how many faults there may be (Options.Judge).
// What comes later and does not fit is a fault, and never read in another way.
//
// The guarantee: a line gives all its events or none. One that cannot be read
// is a Fault, which names file, line and reason; it is counted and passed over,
// and too many of them end the log with an error, so that a log in another
// format is not taken for a short one. The events, their order and the faults
// are the same for any number of workers.
//
// The cost of Open: memory does not depend on the log's length, but on its longest
// line: at most some 3 MB for each block of lines on its way, of which there are
// two for each worker and two more, and some 30 MB where one has very many events. An
// event took 75 ns of processor time of
// MIND, 110 to 150 of a CSV, 260 of OTTO and 450 of Adressa, on a server busy with
// other work; what counts is bytes, 250 to 400 MB a second and processor, so
// that longer lines take longer (BenchmarkRead). Unpacking zstd adds up to as
// much again, and gzip up to twice as much. Two users or two articles
// share a digest with a chance of 3 in a million among ten million.
//
// NewWriter writes events in each of the formats, and Daily turns a simulated
// population into them, so that a replay can be compared with the simulator.
package logs

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
)

// Kind is what is known of a user's answer to an article.
type Kind uint8

const (
	Shown   Kind = iota // was shown; the log does not say what followed
	Ignored             // was shown, and not opened
	Clicked             // was opened, and so was shown
	Acted               // something was done with it after it was opened: a cart, an order
)

// String is the kind's name in small letters.
func (k Kind) String() string {
	if names := [...]string{"shown", "ignored", "clicked", "acted"}; int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// IsExposure is whether the article was shown then: it was not when it was Acted upon.
func (k Kind) IsExposure() bool { return k != Acted }

// An Event is one article of one user.
type Event struct {
	User    uint64        // xxHash of the user's key, or its number (Options.Numbered)
	Article strategies.ID // xxHash of the article's key, or its number
	Time    int64         // seconds since 1970, rounded down; a time without a zone is taken for UTC. All events of a request have that of its first
	Request uint64        // number of the request in the log, from 0: its events follow each other
	Kind    Kind
	Nanos   uint32 // of Time's second, where the log has fractions, so that it can be sorted
}

// Clock is how a log writes times.
type Clock = clock.Clock

// The clocks that are named here; package clock has all.
const (
	Seconds = clock.Seconds
	Millis  = clock.Millis
	RFC3339 = clock.RFC3339
)

// Columns names the columns of a CSV, as its header does, or the members of JSON: in any
// case, and without a type behind a colon. Where the file has no header, they are numbers:
// "1" is the first.
type Columns struct {
	User, Article, Time string // "" is "user", "article" and "time", or else the one column with a usual name

	// Clicked, where not empty, holds 1 or true for what was opened, 0 or false for
	// what was not, and nothing where that is not known.
	Clicked string
	// Request, where not empty, holds the request's key: consecutive lines of one
	// file, user and key are one request. Without it every line is one.
	Request string
}

// Options says how a log is read. The zero value takes every default, and finds out by
// the first 1000 records, of 128 kB at the most, what it does not say: once, for all the
// log (see Decided).
type Options struct {
	_        struct{}
	Format   Format  // "" finds out
	Columns  Columns // CSV and JSON alone
	NoHeader bool    // CSV alone: the first line is data, as it also is where Columns are numbers and it has a time
	Comma    string  // between the fields of a CSV; "" finds out
	Quote    string  // CSV alone: Double, NoQuotes, or "" for NoQuotes where Comma is a tab or ::
	List     string  // CSV and JSON: what stands between the articles of one field, or Brackets or NoList; "" finds out
	Clock    Clock   // how times are written; "" is the format's own, and finds out for a CSV and JSON. MIND has no other
	Numbered bool    // keys are numbers, as NewWriter writes them: not hashed, but taken as they are

	MaxLine   int           // bytes a line may have, 1024 to 1<<30; 0 is 1 MiB
	MaxFaults int           // so many faults are passed over, the next ends the log; 0 is 1000, and below 0 none are
	MaxShare  float64       // the share of lines that may be faults, looked at when the log ends; 0 is 0.1
	OnFault   func(f Fault) // called for each fault, in order, by NextRequest: at most for the first 1000 of a block of lines
	Workers   int           // goroutines that parse; 0 is one for each processor, 8 at the most
}

// withDefaults fills in what was left out, or says what is wrong.
func (o Options) withDefaults() (Options, error) {
	if o.Format != "" {
		f, err := ParseFormat(string(o.Format))
		if err != nil {
			return o, err
		}
		o.Format = f
	}
	o.MaxLine = cmp.Or(o.MaxLine, 1<<20)
	o.MaxFaults = cmp.Or(o.MaxFaults, 1000)
	o.MaxShare = cmp.Or(o.MaxShare, 0.1)
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), 8))
	switch {
	case strings.ContainsAny(o.Comma, "\"\r\n"):
		return o, fmt.Errorf("logs: Comma %q, want no quote and no line's end in it", o.Comma)
	case o.MaxLine < 1024 || o.MaxLine > 1<<30:
		return o, fmt.Errorf("logs: MaxLine %d, want 1024 to %d bytes", o.MaxLine, 1<<30)
	case !(o.MaxShare > 0 && o.MaxShare <= 1):
		return o, fmt.Errorf("logs: MaxShare %v, want above 0 and up to 1", o.MaxShare)
	case o.Workers < 1 || o.Workers > 1024:
		return o, fmt.Errorf("logs: Workers %d, want 1 to 1024", o.Workers)
	case o.Clock != "" && !slices.Contains(clock.Clocks(), o.Clock):
		return o, fmt.Errorf("logs: Clock %q, want one of %q", o.Clock, clock.Clocks())
	case !slices.Contains([]string{"", Double, NoQuotes}, o.Quote):
		return o, fmt.Errorf("logs: Quote %q, want %q or %q", o.Quote, Double, NoQuotes)
	}
	return o, nil
}

// Counts is what was read so far. Lines is the sum of those that gave events and
// of Faults, Passed and Blank; a header is no line, and a record of several
// lines is one.
type Counts struct {
	Lines    int64 // records, in all
	Faults   int64 // that could not be read
	Passed   int64 // that told of no article: a front page, a request that showed nothing
	Blank    int64 // without a character but white space
	Events   int64
	Requests int64

	// OutOfOrder is the events of requests that are earlier than one before them in
	// their file.
	OutOfOrder int64
}

// Add adds what was read of other files.
func (c *Counts) Add(d Counts) {
	c.Lines += d.Lines
	c.Faults += d.Faults
	c.Passed += d.Passed
	c.Blank += d.Blank
	c.Events += d.Events
	c.Requests += d.Requests
	c.OutOfOrder += d.OutOfOrder
}

// Position is how far the reading is: the end of the block of lines of which
// the last event came.
type Position struct {
	File  string
	Line  int64 // of that file
	Read  int64 // bytes of all files so far, as they are packed
	Total int64 // bytes of all files, 0 where one is a pipe
}
