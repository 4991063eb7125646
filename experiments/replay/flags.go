package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/workload/logs"
	"dejavu/workload/logs/clock"
)

// Helps are the help texts that are too long for a flag's line, by the names in tags of Reading and Settings.
var Helps = kong.Vars{
	"logFormat":  "mind, access, json, csv, or auto, which finds it from the first lines.",
	"logWithout": "Leave out this user, written as in the log, such as NA for nobody; may be repeated.",
	"logColumns": "For CSV or JSON: the columns of user, article, time and request, such as " +
		"user=reader_id,article=item; numbers if there is no header (default: the usual names). " +
		"A request that comes again within 2^20 requests of its file ends the log with an error that names its line.",
	"logComma": "For CSV: what separates fields, such as ; or :: or tab; or auto, which finds it from the first " +
		"lines.",
	"logQuote": "For CSV: double if fields may be in double quotes, none if quotes are ordinary characters, or " +
		"auto, which is none with tabs and ::, otherwise double.",
	"logList": "For CSV or JSON: json if a field is a JSON array of articles; none if it is one article; auto " +
		"finds either.",
	"logClock": "How times are written: s, ms, us or ns since 1970, rfc3339, access, or a strftime layout such as " +
		"'%d.%m.%Y %H:%M:%S'; or auto, which finds a named one from the first lines. A clock that is named is not " +
		"doubted.",
	"logOrder": "Order of the events: time (with equal times, the order of files and lines; an unsorted log is " +
		"sorted in memory, 2^26 events at most), or file, the order in which they are in the files.",
	"logShare": "Largest share of unreadable lines, such as 0.1 or 10%; above 0 and up to 1. It is checked at the " +
		"end of the log.",
	"replayStrategies": "Strategies of the catalogue, or all (default: the paper's four, chain-sized, beyond/ring " +
		"and beyond/daily); 'list' shows them. With parameters: chain:window=500,fpr=0.01 remembers 500 articles at " +
		"that rate; chain:links=10 has ten links.",
	"replayIdle": "Forget a history after this time without a recorded article, in whole seconds, such as 24h or " +
		"90m; 0 is never.",
}

// Reading holds the flags for reading a log. Tags are their help texts. A zero Reading lacks their defaults and is
// invalid.
type Reading struct {
	Format  string            `default:"auto" help:"${logFormat}" placeholder:"FORMAT"`
	Columns map[string]string `mapsep:"," help:"${logColumns}" placeholder:"WHAT=COLUMN"`
	Comma   string            `default:"auto" help:"${logComma}" placeholder:"CHARACTERS"`
	Quote   string            `default:"auto" help:"${logQuote}" placeholder:"QUOTE"`
	List    string            `default:"auto" help:"${logList}" placeholder:"LIST"`
	Clock   string            `default:"auto" help:"${logClock}" placeholder:"CLOCK"`

	WithoutUser    []string `sep:"none" help:"${logWithout}" placeholder:"USER"`
	WithoutArticle []string `sep:"none" help:"Leave out this article, written as in the log; may be repeated."`
	SkipEmpty      bool     `help:"Skip lines without a user or an article, and do not count them as unreadable."`

	Order  string  `default:"time" help:"${logOrder}" placeholder:"ORDER"`
	Faults int     `default:"1000" help:"Largest number of unreadable lines, 0 or more; with one more the command fails."`
	Share  float64 `default:"0.1" help:"${logShare}"`
}

// The orders of a log's requests.
const (
	ByTime = "time"
	ByFile = "file"
)

// Options returns package logs' options. An error names the wrong flag.
func (f Reading) Options() (logs.Options, error) {
	o := logs.Options{
		ByTime: f.Order == ByTime, MaxFaults: f.Faults, MaxShare: f.Share,
		WithoutUsers: f.WithoutUser, WithoutArticles: f.WithoutArticle, SkipEmpty: f.SkipEmpty,
	}
	if f.Format != "auto" {
		if o.Format = logs.Format(strings.ToLower(f.Format)); !slices.Contains(logs.Formats(), o.Format) {
			return o, fmt.Errorf("--format is %q, want auto or one of %q", f.Format, logs.Formats())
		}
	}
	columns, what := o.Columns.Places()
	for of, column := range f.Columns {
		i := slices.Index(what[:], of)
		switch {
		case i < 0:
			return o, fmt.Errorf("--columns has %q, want user, article, time or request", of)
		case column == "":
			return o, fmt.Errorf("--columns gives %s no column", of)
		}
		*columns[i] = column
	}
	o.Comma, o.Quote, o.List, o.Clock = spelt(f.Comma), spelt(f.Quote), spelt(f.List), clock.Clock(spelt(f.Clock))
	switch {
	case f.Comma == "" || strings.ContainsAny(f.Comma, "\"\r\n"):
		return o, fmt.Errorf("--comma is %q, want auto or what separates two fields, such as ; or :: or tab", f.Comma)
	case o.Quote != "" && o.Quote != logs.Double && o.Quote != logs.NoQuotes:
		return o, fmt.Errorf("--quote is %q, want auto, %s or %s", f.Quote, logs.Double, logs.NoQuotes)
	case o.List != "" && o.List != logs.JSONList && o.List != logs.NoList:
		return o, fmt.Errorf("--list is %q, want auto, %s or %s; a DuckDB query of docs/logs.md splits other lists",
			f.List, logs.JSONList, logs.NoList)
	case f.Order != ByTime && f.Order != ByFile:
		return o, fmt.Errorf("--order is %q, want %s or %s", f.Order, ByTime, ByFile)
	case f.Faults < 0:
		return o, fmt.Errorf("--faults is %d, want 0 or more", f.Faults)
	case !(f.Share > 0 && f.Share <= 1):
		return o, fmt.Errorf("--share is %v, want above 0 and up to 1", f.Share)
	}
	if o.Clock != "" {
		if err := o.Clock.Check(); err != nil {
			return o, fmt.Errorf("--clock is %w", err)
		}
	}
	if f.Faults == 0 {
		o.MaxFaults = -1
	}
	return o, nil
}

// spelt returns a flag's value, with words for what is awkward on a command line, and "" for auto.
func spelt(flag string) string {
	words := map[string]string{"auto": "", "tab": "\t", `\t`: "\t"}
	if meant, ok := words[flag]; ok {
		return meant
	}
	return flag
}

// Settings are a replay's settings, as flags.
type Settings struct {
	Strategies []string      `help:"${replayStrategies}" placeholder:"NAME"`
	Idle       time.Duration `default:"24h" help:"${replayIdle}"`
}

// chosen are the strategies of a replay if none is named: the paper's, one that keeps what the paper's chain was meant
// to, and beyond the paper the exact window and the one that forgets by the calendar.
var chosen = []string{"queue", "single", "dual", "chain", "chain-sized", "ring", "daily"}

// Subjects returns the strategies asked for. An error names the wrong flag.
func (s Settings) Subjects() (subjects []measure.Subject, err error) {
	names := joined(s.Strategies)
	switch {
	case len(names) == 0:
		names = chosen
	case slices.Equal(names, []string{"all"}):
		names = catalogue.Names()
	}
	for _, name := range names {
		subject, err := subjectOf(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--strategies: %w", err)
		case slices.ContainsFunc(subjects, func(other measure.Subject) bool { return other.Name == subject.Name }):
			return nil, fmt.Errorf("--strategies: %q is named twice", subject.Name)
		}
		subjects = append(subjects, subject)
	}
	return subjects, nil
}

// subjectOf returns the named strategy. With parameters, its histories may be too long for a store.
func subjectOf(name string) (subject measure.Subject, err error) {
	e, err := catalogue.Parse(name)
	if err != nil {
		return subject, err
	}
	if subject = e.Subject(); !strings.Contains(e.Name, ":") {
		return subject, nil
	}
	s, err := store.New[int](store.Config{Unsalted: true, Strategy: subject.Strategy, Users: 1, Shards: 1})
	if err != nil {
		return subject, fmt.Errorf("strategy %q: %w", e.Name, err)
	}
	s.Clear()
	return subject, nil
}

// joined rejoins the parameters of a strategy that its list was split at: KEY=VALUE belongs to the name before it.
func joined(names []string) (whole []string) {
	for _, name := range names {
		head, _, pair := strings.Cut(name, "=")
		if last := len(whole) - 1; pair && !strings.Contains(head, ":") && last >= 0 && strings.Contains(whole[last], ":") {
			whole[last] += "," + name
		} else {
			whole = append(whole, name)
		}
	}
	return whole
}

// Check returns an error that names the wrong flag.
func (s Settings) Check() error {
	const longest = time.Duration(1<<32-1) * time.Second
	if s.Idle < 0 || s.Idle > longest || s.Idle%time.Second != 0 {
		return fmt.Errorf("--idle is %v, want whole seconds from 0 to %v", s.Idle, longest)
	}
	_, err := s.Subjects()
	return err
}

// Config says how a log is replayed with settings that are in order.
func (s Settings) Config() Config {
	return Config{Idle: store.Timestamp(s.Idle / time.Second)}
}

// Asked lists the flags that change a replay's results, ordered by name. Flags of a group are left out.
func Asked(parsed *kong.Context) string {
	incidental := []string{"out", "force", "workers", "shards"}
	var flags []string
	for _, p := range parsed.Path {
		f := p.Flag
		if f == nil || f.Group != nil || slices.Contains(incidental, f.Name) {
			continue
		}
		value := fmt.Sprint(f.Target.Interface())
		switch v := f.Target.Interface().(type) {
		case time.Duration:
			value = text.Duration(v)
		case []string:
			value = strings.Join(v, ",")
		case map[string]string:
			var pairs []string
			for what, column := range v {
				pairs = append(pairs, what+"="+column)
			}
			slices.Sort(pairs)
			value = strings.Join(pairs, ",")
		}
		if value != f.Default {
			flags = append(flags, fmt.Sprintf("--%s %s", f.Name, value))
		}
	}
	slices.Sort(flags)
	return strings.Join(slices.Compact(flags), " ")
}
