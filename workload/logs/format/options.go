// Package format reads the lines of a log: a table, lines of JSON, MIND's behaviors.tsv, or a web server's access log.
//
// What the options leave open is decided once, by the log's beginning, for all its lines and files. A line that does not
// fit is a fault. What may be two things is not guessed: an error names the flag that settles it.
package format

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/table"
)

// Format says what the lines of a log look like.
type Format string

// The formats.
const (
	// MIND is behaviors.tsv of Microsoft's news data set: impression, user, time, history and impressions, with tabs
	// between and with or without a header. A line is a request. Impressions are Clicked or Ignored by their -1 or -0, and
	// Shown without either. The history is not read.
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

// Names lists the formats.
func Names() []Format { return slices.Clone(formats) }

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
	Clicked             string // holds 1 or true for what was opened, 0 or false for what was not, or nothing
	Request             string // consecutive lines of one file, user and request are one request; "" is each line
}

// Options says how a log is read. The zero value finds out what it does not say from the first 1000 records, or 128 kB.
type Options struct {
	_        struct{}
	Format   Format
	Columns  Columns // of CSV and JSON
	NoHeader bool    // of CSV: the first line is data
	Comma    string  // what separates the fields of a CSV
	Quote    string  // of CSV: Double or NoQuotes; "" is NoQuotes if Comma is a tab or ::
	List     string  // of CSV and JSON: what separates the articles of one field, JSONList or NoList
	Clock    clock.Clock
	Numbered bool // keys are numbers, and not hashed

	// Lines with these users or articles are left out; with SkipEmpty also lines without a user or an article.
	WithoutUsers, WithoutArticles []string
	SkipEmpty                     bool

	MaxLine   int     // bytes of a line, 1024 to 1<<30; 0 is 1 MiB
	MaxFaults int     // lines that cannot be read; one more ends the log; 0 is 1000, and below 0 none
	MaxShare  float64 // largest share of such lines, judged at the log's end; 0 is 0.1
	// OnFault is called for each line that cannot be read, in order, for at most 1000 of a block of lines.
	OnFault func(f event.Fault)
	Workers int // goroutines that parse; 0 is one for each processor, at most 8
}

// WithDefaults fills in what was left out, or returns an error that says what is wrong.
func (o Options) WithDefaults() (Options, error) {
	o.Format = Format(strings.ToLower(string(o.Format)))
	o.MaxLine = cmp.Or(o.MaxLine, 1<<20)
	o.MaxFaults = cmp.Or(o.MaxFaults, 1000)
	o.MaxShare = cmp.Or(o.MaxShare, 0.1)
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), 8))
	switch {
	case o.Format != "" && !slices.Contains(formats, o.Format):
		return o, fmt.Errorf("logs: format %q is not one of %v", o.Format, formats)
	case strings.ContainsAny(o.Comma, "\"\r\n"):
		return o, fmt.Errorf("logs: Comma %q, want no quote and no line's end in it", o.Comma)
	case o.MaxLine < 1024 || o.MaxLine > 1<<30:
		return o, fmt.Errorf("logs: MaxLine %d, want 1024 to %d bytes", o.MaxLine, 1<<30)
	case !(o.MaxShare > 0 && o.MaxShare <= 1):
		return o, fmt.Errorf("logs: MaxShare %v, want above 0 and up to 1", o.MaxShare)
	case o.Workers < 1 || o.Workers > 1024:
		return o, fmt.Errorf("logs: Workers %d, want 1 to 1024", o.Workers)
	case !slices.Contains([]string{"", Double, NoQuotes}, o.Quote):
		return o, fmt.Errorf("logs: Quote %q, want %q or %q", o.Quote, Double, NoQuotes)
	}
	if o.Clock != "" {
		if err := o.Clock.Check(); err != nil {
			return o, fmt.Errorf("logs: Clock %w", err)
		}
	}
	return o, nil
}

// IsDecided reports whether nothing is left to be found out. The options that a log has decided are, once it has a time.
func (o Options) IsDecided() bool {
	isTable := o.Format == CSV || o.Format == JSON
	return o.Format != "" && (!isTable || o.Clock != "" && o.List != "" && (o.Comma != "" || o.Format == JSON))
}

// Layout says how a log is read, for people.
func (o Options) Layout() string {
	said, c := string(o.Format), o.Columns
	switch o.Format {
	case MIND, Access:
		if o.Clock != "" {
			said += ", times in " + string(o.Clock)
		}
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
	if c.Clicked != "" {
		said += fmt.Sprintf(", clicked in %.40q", c.Clicked)
	}
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

// Without lists the keys that the options leave out.
func (o *Options) Without() (keys []event.Key) {
	for _, text := range o.WithoutArticles {
		keys = append(keys, event.Key{Text: text})
	}
	for _, text := range o.WithoutUsers {
		keys = append(keys, event.Key{User: true, Text: text})
	}
	return keys
}

func (o *Options) leavesOut(user bool, key []byte) bool {
	without := o.WithoutArticles
	if user {
		without = o.WithoutUsers
	}
	return len(key) == 0 && o.SkipEmpty || len(without) > 0 && slices.Contains(without, string(key))
}

// Judge returns an error if a log of which this was read has more faults than the options allow, first being its first.
// It is for a caller that reads files apart, each with MaxShare 1, and adds up.
func (o Options) Judge(c event.Counts, first event.Fault, f Format) error {
	o, err := o.WithDefaults()
	if err == nil {
		err = o.TooMany(c, first)
	}
	if err != nil || c.Faults == 0 || float64(c.Faults) <= o.MaxShare*float64(c.Lines-c.Blank) {
		return err
	}
	question := "."
	if f != "" {
		question = fmt.Sprintf(": is this %s?", f)
	}
	return fmt.Errorf("logs: %d of %d lines cannot be read, more than %v of them (--share)%s The first: %w",
		c.Faults, c.Lines-c.Blank, o.MaxShare, helps(c, question), first)
}

// helps says what helps if all faults are missing keys.
func helps(c event.Counts, otherwise string) string {
	if c.Empty == c.Faults {
		return ": all of them have no user or no article, and --skip-empty leaves such lines out."
	}
	return otherwise
}

// TooMany returns an error if there are more faults than MaxFaults.
func (o Options) TooMany(c event.Counts, first event.Fault) error {
	most := max(o.MaxFaults, 0)
	if c.Faults <= int64(most) {
		return nil
	}
	return fmt.Errorf("logs: more than %d lines cannot be read (--faults)%s The first: %w", most, helps(c, "."), first)
}

// mostFields bounds the memory that one line of commas takes.
const mostFields = 1 << 14

// Cutter cuts a file into records.
func (o *Options) Cutter() table.Cutter {
	d := o.dialect()
	d.Quoted = d.Quoted && o.Format == CSV
	return table.Cutter{Dialect: d, Limit: o.MaxLine}
}

func (o *Options) splitter() table.Splitter {
	return table.Splitter{Dialect: o.dialect(), Most: mostFields}
}

func (o *Options) dialect() table.Dialect {
	quoted := o.Quote == Double || o.Quote == "" && o.Comma != "\t" && o.Comma != "::"
	return table.Dialect{Comma: cmp.Or(o.Comma, ","), Quoted: quoted}
}

// Quoted returns a value as a shell takes it.
func Quoted(value string) string {
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\[]{}#~!\t\n") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}
