// Package decision is how a log is read: what a caller says of it, and what its beginning tells where the caller leaves
// it open. It is decided once, for all lines and files of the log: what does not fit it then is a fault. What may be
// two things is not guessed; the error names them, and a part of a command line that would be accepted.
package decision

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
)

// Format is what a log's lines look like.
type Format string

// The formats that leave columns, clock and lists open.
const (
	// CSV is any table with a column each of users, articles and times: see Columns.
	CSV Format = "csv"
	// JSON is an object a line, with a member each for users, articles and times: see Columns. The name a.b
	// is of member b of the object a. Where articles are an array, all of them were shown at once.
	JSON Format = "json"
)

// What Options.Quote may be, and List beside what stands between the articles of one field.
const (
	Double   = "double"
	NoQuotes = "none"
	NoList   = "none"     // a field is one article
	Brackets = "brackets" // [1, 2], [1 2], ['a' 'b'] or ["a","b"]
)

// Columns names the columns of a CSV, as its header does, or the members of JSON: in any case, and without a
// type behind a colon. Where the file has no header, they are numbers: "1" is the first.
type Columns struct {
	User, Article, Time string // "" is "user", "article" and "time", or else the one column with a usual name

	// Clicked, where not empty, holds 1 or true for what was opened, 0 or false for
	// what was not, and nothing where that is not known.
	Clicked string
	// Request, where not empty, holds the request's key: consecutive lines of one
	// file, user and key are one request. Without it every line is one.
	Request string
}

// Options says how a log is read. The zero value takes every default, and finds out by the first 1000
// records, of 128 kB at the most, what it does not say: once, for all the log (see Decided).
type Options struct {
	_        struct{}
	Format   Format  // "" finds out
	Columns  Columns // CSV and JSON alone
	NoHeader bool    // CSV alone: the first line is data, as it also is where Columns are numbers and it has a time
	Comma    string  // between the fields of a CSV; "" finds out
	Quote    string  // CSV alone: Double, NoQuotes, or "" for NoQuotes where Comma is a tab or ::
	List     string  // CSV and JSON: what stands between the articles of one field, or Brackets or NoList; "" finds out
	// Clock is how times are written; "" is the format's own, and finds out for a CSV and JSON. MIND has no other.
	Clock    clock.Clock
	Numbered bool // keys are numbers, as NewWriter writes them: not hashed, but taken as they are

	// What has these users or articles, as the log writes them, is left out; with SkipEmpty also what has none.
	WithoutUsers, WithoutArticles []string
	SkipEmpty                     bool

	MaxLine   int     // bytes a line may have, 1024 to 1<<30; 0 is 1 MiB
	MaxFaults int     // so many faults are passed over, the next ends the log; 0 is 1000, and below 0 none are
	MaxShare  float64 // the share of lines that may be faults, looked at when the log ends; 0 is 0.1
	// OnFault is called for each fault, in order, by NextRequest: at most for the first 1000 of a block of lines.
	OnFault func(f event.Fault)
	Workers int // goroutines that parse; 0 is one for each processor, 8 at the most
}

// WithDefaults fills in what was left out, or says what is wrong. Whether there is such a format it does not know.
func (o Options) WithDefaults() (Options, error) {
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

// IsDecided is whether nothing is left to be found out: then files are read in the same way,
// whatever they begin with. Options of Decided are, once the log has had a time.
func (o Options) IsDecided() bool {
	isTable := o.Format == CSV || o.Format == JSON
	return o.Format != "" && (!isTable || o.Clock != "" && o.List != "" && (o.Comma != "" || o.Format == JSON))
}

// Layout says how a log is read that is decided, for those who look whether it is right.
func (o Options) Layout() string {
	said := string(o.Format)
	if o.Format != CSV && o.Format != JSON {
		if o.Clock != "" {
			said += ", times in " + string(o.Clock)
		}
		return said
	}
	if o.Format == CSV {
		said += fmt.Sprintf(" with %q between fields", o.Comma)
		if o.Quote == NoQuotes {
			said += " that have no quotes"
		}
		if o.NoHeader {
			said += ", without a header"
		}
		said += "; user, article and time in columns"
	} else {
		said += "; user, article and time in members"
	}
	c := o.Columns
	said += fmt.Sprintf(" %.40q, %.40q and %.40q", c.User, c.Article, c.Time)
	if c.Clicked != "" {
		said += fmt.Sprintf(", clicked in %.40q", c.Clicked)
	}
	if c.Request != "" {
		said += fmt.Sprintf(", request in %.40q", c.Request)
	}
	if o.List == Brackets {
		said += "; lists of articles in brackets"
	} else if o.List != "" && o.List != NoList {
		said += fmt.Sprintf("; lists of articles with %q between them", o.List)
	}
	if o.Clock != "" {
		said += "; times in " + string(o.Clock)
	}
	return said
}

// LeavesOut is whether what has this user, or this article, is left out.
func (o *Options) LeavesOut(user bool, key []byte) bool {
	without := o.WithoutArticles
	if user {
		without = o.WithoutUsers
	}
	return len(key) == 0 && o.SkipEmpty || len(without) > 0 && slices.Contains(without, string(key))
}

// Judge is what Err is at the end of a log of which this was read, first being its first fault: an error where there
// are more than the options allow. It is for a caller that reads files apart, each with MaxShare 1, and adds up.
func (o Options) Judge(c event.Counts, first event.Fault, f Format) error {
	o, err := o.WithDefaults()
	if err == nil {
		err = o.TooMany(c, first)
	}
	if err != nil || c.Faults == 0 || float64(c.Faults) <= o.MaxShare*float64(c.Lines-c.Blank) {
		return err
	}
	question := ""
	if f != "" {
		question = fmt.Sprintf(": is this %s?", f)
	}
	return fmt.Errorf("logs: %d of %d lines cannot be read, more than %v of them (--share)%s The first: %w",
		c.Faults, c.Lines-c.Blank, o.MaxShare, helps(c, question), first)
}

// helps is what helps where no line is bad for any other reason than a missing key.
func helps(c event.Counts, otherwise string) string {
	if c.Empty == c.Faults {
		return ": all of them have no user or no article, and --skip-empty leaves such lines out."
	}
	return cmp.Or(otherwise, ".")
}

// TooMany is the error of more faults than MaxFaults, which holds whatever else is read.
func (o Options) TooMany(c event.Counts, first event.Fault) error {
	most := max(o.MaxFaults, 0)
	if c.Faults <= int64(most) {
		return nil
	}
	return fmt.Errorf("logs: more than %d lines cannot be read (--faults)%s The first: %w", most, helps(c, ""), first)
}
