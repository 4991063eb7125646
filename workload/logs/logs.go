// Package logs reads who was shown what, and when, from real logs.
//
// A log is one or more files in one of four formats: a table (CSV or TSV), lines of JSON, MIND's behaviors.tsv, or a
// web server's access log. Open returns its requests, in the order of lines or of times.
//
// Nothing is guessed: what the options leave open is decided once for all files, by the first 1000 lines. If these are
// ambiguous, an error names the flag that decides. A line provides all its events or none. A line that cannot be read
// is a Fault, which is counted and skipped; too many faults end the log with an error.
//
// A log takes 4 MB, and up to 900 MB while it parses a line of JSON of one MB. BenchmarkRead measures times. Two users
// or two articles among ten million share a digest with a chance of 3 in a million.
package logs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dejavu/internal/plural"
	"dejavu/strategies"
	"dejavu/workload/logs/clock"
)

// An Event is one article that one user was shown.
type Event struct {
	User    uint64        // xxHash of the user's key, or its number (Options.Numbered)
	Article strategies.ID // xxHash of the article's key, or its number
	Time    int64         // seconds since 1970, rounded down; the events of a request have the same
	Request uint64        // the request's number in the log, from 0: its events are consecutive
	Nanos   uint32        // nanoseconds after Time
}

func (e *Event) before(f *Event) bool {
	return e.Time < f.Time || e.Time == f.Time && e.Nanos < f.Nanos
}

// A Fault is a line that could not be read.
type Fault struct {
	File   string
	Line   int64 // from 1
	Reason string
}

// Error returns "file:line: reason".
func (f Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason) }

// Counts counts what was read so far. Lines, without headers, is the sum of lines with events, Faults, Passed,
// LeftOut and Blank.
type Counts struct {
	Lines        int64
	Faults       int64 // lines that cannot be read
	Empty        int64 // of these, lines without a user or an article
	Passed       int64 // lines without an article: a front page, a request that showed nothing
	LeftOut      int64 // lines without an event because the options leave out the user, or all articles
	Blank        int64 // lines of white space
	Events       int64
	Requests     int64
	OtherMethods int64 // of Passed and LeftOut, lines of an access log with another method than GET
	OutOfOrder   int64 // events of requests that are earlier than one before them in the file
}

// Position says how much was read.
type Position struct {
	File  string
	Line  int64 // of that file
	Read  int64 // bytes of all files, before unpacking, with some read ahead
	Total int64 // bytes of all files
}

// MaxUsers is the most users that a reader of logs can number, as in a store.
const MaxUsers = math.MaxInt32

// Format names the format of a log's lines.
type Format string

// The formats. In MIND a line is a request; the history and the labels -0 and -1 are ignored. In an access log the user
// is the login, or else the address, and the article is what a GET with the status 200, 206 or 304 requests, after the
// virtual host. In JSON the name a.b is member b of member a, and articles in an array were shown at once.
const (
	MIND   Format = "mind"   // behaviors.tsv: impression, user, time, history, impressions, with or without a header
	Access Format = "access" // common or combined, with or without a virtual host
	JSON   Format = "json"   // an object a line, with a member each for user, article and time
	CSV    Format = "csv"    // a table with a column each for user, article and time
)

// Formats lists the formats that can be read.
func Formats() []Format { return []Format{MIND, Access, JSON, CSV} }

// Values of Options.Quote and Options.List.
const (
	Double, NoQuotes = "double", "none"
	NoList, JSONList = "none", "json" // a field is one article, or a JSON array
)

// Columns names the columns of a table or the members of JSON. Without a header, names are numbers from "1" on.
type Columns struct {
	User, Article, Time string // "" is the one column with a usual name
	Request             string // consecutive lines with one user and request are one request; if "", each line is one
}

// roles lists the roles of columns. Every log has the first three.
var roles = [4]string{"user", "article", "time", "request"}

// Places returns the columns in the order of roles, and the roles.
func (c *Columns) Places() (columns [4]*string, what [4]string) {
	return [4]*string{&c.User, &c.Article, &c.Time, &c.Request}, roles
}

// flag returns the flag that names the columns, quoted for a shell.
func (c *Columns) flag() (flag string) {
	columns, _ := c.Places()
	for i, column := range columns {
		if *column != "" {
			flag += "," + roles[i] + "=" + quoted(*column)
		}
	}
	return strings.Replace(flag, ",", "--columns ", 1)
}

// Options says how a log is read. The first 1000 lines, or 128 kB, decide what the zero value leaves open.
type Options struct {
	_        struct{}
	Format   Format
	Columns  Columns // of CSV and JSON
	NoHeader bool    // of CSV: the first line is data
	Comma    string  // between the fields of a CSV
	Quote    string  // of CSV: Double or NoQuotes; "" is NoQuotes if Comma is a tab or ::
	List     string  // of CSV and JSON: JSONList or NoList
	Clock    clock.Clock
	Numbered bool // keys are numbers, and not hashed

	// Lines with these users or articles are left out, with SkipEmpty also lines without a user or an article.
	WithoutUsers, WithoutArticles []string
	SkipEmpty                     bool

	MaxFaults int           // lines that cannot be read; one more ends the log; 0 means 1000, a negative number none
	MaxShare  float64       // largest share of such lines, checked at the log's end; 0 means 0.1
	OnFault   func(f Fault) // if not nil, called for each of them
	ByTime    bool          // requests come in the order of their times: see Log

	clockNamed, listNamed bool // the caller named Clock, or List
}

func (o Options) withDefaults() (Options, error) {
	o.MaxFaults = cmp.Or(o.MaxFaults, 1000)
	o.MaxShare = cmp.Or(o.MaxShare, 0.1)
	o.clockNamed, o.listNamed = o.Clock != "", o.List != ""
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		return o, fmt.Errorf("logs: format %q is not one of %v", o.Format, Formats())
	}
	if err := o.Clock.Check(); o.clockNamed && err != nil {
		return o, fmt.Errorf("logs: Clock %w", err)
	}
	return o, nil
}

// IsDecided reports whether nothing is left open.
func (o Options) IsDecided() bool {
	isTable := o.Format == CSV || o.Format == JSON
	return o.Format != "" && o.Clock != "" && (!isTable || o.List != "" && (o.Comma != "" || o.Format == JSON))
}

// Layout describes how a log is read.
func (o Options) Layout() string {
	said, c, places := string(o.Format), o.Columns, "members"
	if o.Format == MIND || o.Format == Access {
		return said
	}
	if o.Format == CSV {
		said, places = said+fmt.Sprintf(" with %q between fields", o.Comma), "columns"
		if o.Quote == NoQuotes {
			said += " that have no quotes"
		}
		if o.NoHeader {
			said += ", without a header"
		}
	}
	said += fmt.Sprintf("; user, article and time in %s %.40q, %.40q and %.40q", places, c.User, c.Article, c.Time)
	if c.Request != "" {
		said += fmt.Sprintf(", request in %.40q", c.Request)
	}
	if o.List == JSONList {
		said += "; lists of articles as JSON arrays"
	}
	if o.Clock != "" {
		said += "; times in " + string(o.Clock)
	}
	return said
}

// tooMany returns an error for more faults than MaxFaults, or, at the log's end, a larger share than MaxShare.
func (o *Options) tooMany(c Counts, first Fault, end bool) error {
	helps, most, lines := ".", max(o.MaxFaults, 0), c.Lines-c.Blank
	if c.Empty == c.Faults {
		helps = ": all of them have no user or no article, and --skip-empty leaves such lines out."
	}
	switch {
	case c.Faults > int64(most):
		return fmt.Errorf("logs: more than %s cannot be read (--faults)%s The first: %w",
			plural.Of(most, "line", "lines"), helps, first)
	case end && float64(c.Faults) > o.MaxShare*float64(lines):
		return fmt.Errorf("logs: %d of %s cannot be read, more than %v of them (--share)%s The first: %w",
			c.Faults, plural.Of(lines, "line", "lines"), o.MaxShare, helps, first)
	}
	return nil
}

func (o *Options) isQuoted() bool {
	return o.Quote == Double || o.Quote == "" && o.Comma != "\t" && o.Comma != "::"
}

// quoted quotes a value for a shell, if necessary, without characters that a terminal takes for commands.
func quoted(value string) string {
	if plain := strconv.Quote(value); strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsPrint(c) }) ||
		!utf8.ValidString(value) {
		return "$'" + strings.ReplaceAll(plain[1:len(plain)-1], "'", `\'`) + "'"
	}
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\[]{}#~!\t\n") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}

// Clocks of formats that have their own.
var clocks = map[Format]clock.Clock{MIND: "%m/%d/%Y %I:%M:%S %p", Access: clock.Access}
