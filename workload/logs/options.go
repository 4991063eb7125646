package logs

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"dejavu/workload/logs/clock"
)

// Format says what the lines of a log look like.
type Format string

// The formats.
const (
	// MIND is behaviors.tsv of Microsoft's news data set: impression, user, time, history and impressions, with tabs
	// between, with or without a header. A line is a request. The history and the labels -0 and -1 are not read.
	MIND Format = "mind"
	// Access is a web server's access log: address, ident, user, [time], "request", status, bytes, and more or not. A
	// virtual host may come first. The user is who logged in, or else the address. The article is what an answered GET
	// asks for (status 200, 206 or 304), behind the virtual host. Other lines have none.
	Access Format = "access"
	// JSON is an object a line, with a member each for user, article and time. The name a.b is member b of member a.
	// The articles of an array were shown at once.
	JSON Format = "json"
	// CSV is a table with a column each for user, article and time.
	CSV Format = "csv"
)

var formats = []Format{MIND, Access, JSON, CSV}

// Formats lists the formats that can be read.
func Formats() []Format { return slices.Clone(formats) }

// What Options.Quote may be, and Options.List besides what separates the articles of one field.
const (
	Double   = "double"
	NoQuotes = "none"
	NoList   = "none" // a field is one article
	JSONList = "json" // a field is a JSON array
)

// Columns names the columns of a table or the members of JSON. Numbers name columns without a header: "1" is the first.
type Columns struct {
	User, Article, Time string // "" is the one column with a usual name
	Request             string // consecutive lines of one file, user and request are one request; "" is each line
}

// roles are what columns may be. Every log has the first three.
var roles = [4]string{"user", "article", "time", "request"}

// Places returns the columns in the order of roles, and the roles.
func (c *Columns) Places() (columns [4]*string, what [4]string) {
	return [4]*string{&c.User, &c.Article, &c.Time, &c.Request}, roles
}

// flag returns the flag that names the columns, for a shell.
func (c *Columns) flag() (flag string) {
	columns, _ := c.Places()
	for i, column := range columns {
		if *column != "" {
			flag += "," + roles[i] + "=" + quoted(*column)
		}
	}
	return strings.Replace(flag, ",", "--columns ", 1)
}

// Options says how a log is read. What the zero value leaves open is found in the first 1000 records, or 128 kB.
type Options struct {
	_        struct{}
	Format   Format
	Columns  Columns // of CSV and JSON
	NoHeader bool    // of CSV: the first line is data
	Comma    string  // what separates the fields of a CSV
	Quote    string  // of CSV: Double or NoQuotes; "" is NoQuotes if Comma is a tab or ::
	List     string  // of CSV and JSON: what separates the articles of one field, JSONList or NoList
	Clock    Clock
	Numbered bool // keys are numbers, and not hashed

	// Lines with these users or articles are left out; with SkipEmpty also lines without a user or an article.
	WithoutUsers, WithoutArticles []string
	SkipEmpty                     bool

	MaxFaults int     // lines that cannot be read; one more ends the log; 0 is 1000, and below 0 none
	MaxShare  float64 // largest share of such lines, judged at the log's end; 0 is 0.1
	// OnFault is called for each line that cannot be read, in order, for at most 1000 of a block of lines.
	OnFault func(f Fault)
	Workers int // goroutines that parse; 0 is one for each processor, at most 8

	clockNamed bool // the caller named Clock
}

// withDefaults fills in what was left out, or returns an error that says what is wrong.
func (o Options) withDefaults() (Options, error) {
	o.MaxFaults = cmp.Or(o.MaxFaults, 1000)
	o.MaxShare = cmp.Or(o.MaxShare, 0.1)
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), 8))
	o.clockNamed = o.Clock != ""
	switch {
	case o.Format != "" && !slices.Contains(formats, o.Format):
		return o, fmt.Errorf("logs: format %q is not one of %v", o.Format, formats)
	case o.Workers < 1 || o.Workers > 1024:
		return o, fmt.Errorf("logs: Workers %d, want 1 to 1024", o.Workers)
	}
	if o.Clock != "" {
		if err := o.Clock.Check(); err != nil {
			return o, fmt.Errorf("logs: Clock %w", err)
		}
	}
	return o, nil
}

// IsDecided reports whether nothing is left to be found out.
func (o Options) IsDecided() bool {
	isTable := o.Format == CSV || o.Format == JSON
	return o.Format != "" && o.Clock != "" && (!isTable || o.List != "" && (o.Comma != "" || o.Format == JSON))
}

// Layout says how a log is read, for people.
func (o Options) Layout() string {
	said, c := string(o.Format), o.Columns
	switch o.Format {
	case MIND, Access:
		return said
	case CSV:
		said += fmt.Sprintf(" with %q between fields", o.Comma)
		if o.Quote == NoQuotes {
			said += " that have no quotes"
		}
		if o.NoHeader {
			said += ", without a header"
		}
		said += "; user, article and time in columns"
	default:
		said += "; user, article and time in members"
	}
	said += fmt.Sprintf(" %.40q, %.40q and %.40q", c.User, c.Article, c.Time)
	if c.Request != "" {
		said += fmt.Sprintf(", request in %.40q", c.Request)
	}
	switch o.List {
	case "", NoList:
	case JSONList:
		said += "; lists of articles as JSON arrays"
	default:
		said += fmt.Sprintf("; lists of articles with %q between them", o.List)
	}
	if o.Clock != "" {
		said += "; times in " + string(o.Clock)
	}
	return said
}

// leavesOut reports whether the options leave a user or an article out.
func (o *Options) leavesOut(user bool, key []byte) bool {
	without := o.WithoutArticles
	if user {
		without = o.WithoutUsers
	}
	return len(key) == 0 && o.SkipEmpty || len(without) > 0 && slices.Contains(without, string(key))
}

// tooMany returns an error if there are more faults than MaxFaults, or, at the log's end, than MaxShare. first is the
// first of them.
func (o *Options) tooMany(c Counts, first Fault, end bool) error {
	helps, most, lines := ".", max(o.MaxFaults, 0), c.Lines-c.Blank
	if c.Empty == c.Faults {
		helps = ": all of them have no user or no article, and --skip-empty leaves such lines out."
	}
	switch {
	case c.Faults > int64(most):
		return fmt.Errorf("logs: more than %d lines cannot be read (--faults)%s The first: %w", most, helps, first)
	case end && float64(c.Faults) > o.MaxShare*float64(lines):
		return fmt.Errorf("logs: %d of %d lines cannot be read, more than %v of them (--share)%s The first: %w",
			c.Faults, lines, o.MaxShare, helps, first)
	}
	return nil
}

// isQuoted reports whether fields may be in double quotes.
func (o *Options) isQuoted() bool {
	return o.Quote == Double || o.Quote == "" && o.Comma != "\t" && o.Comma != "::"
}

// quoted returns a value as a shell takes it.
func quoted(value string) string {
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\[]{}#~!\t\n") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}

// The clocks of formats that have one of their own.
var clocks = map[Format]Clock{MIND: "%m/%d/%Y %I:%M:%S %p", Access: clock.Access}
