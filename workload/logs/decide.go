package logs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// A decision is how a log is read. It is taken once, by what the log begins with, and holds
// for all its lines and files: what does not fit it then is a fault.
type decision struct {
	Options // in which nothing is left to be found out, unless the log has had no times yet
	syntax  *syntax
}

// IsDecided is whether nothing is left to be found out: then files are read in the same way,
// whatever they begin with. Options of Decided are, once the log has had a time.
func (o Options) IsDecided() bool {
	s, err := find(string(o.Format))
	return err == nil && (s.decide == nil || o.Comma != "" || s == jsonSyntax) && (s.decide == nil || o.Clock != "" && o.List != "")
}

// Layout says how a log is read that is decided, for those who look whether it is right.
func (o Options) Layout() string {
	text := string(o.Format)
	if o.Format != CSV && o.Format != JSON {
		if o.Clock != "" {
			text += ", times in " + string(o.Clock)
		}
		return text
	}
	parts := "members"
	if o.Format == CSV {
		parts = "columns"
		text += fmt.Sprintf(" with %q between fields", o.Comma)
		if o.Quote == NoQuotes {
			text += " that have no quotes"
		}
		if o.NoHeader {
			text += ", without a header"
		}
	}
	text += fmt.Sprintf("; user, article and time in %s %.40q, %.40q and %.40q", parts, o.Columns.User, o.Columns.Article, o.Columns.Time)
	if o.Columns.Clicked != "" {
		text += fmt.Sprintf(", clicked in %.40q", o.Columns.Clicked)
	}
	if o.Columns.Request != "" {
		text += fmt.Sprintf(", request in %.40q", o.Columns.Request)
	}
	switch o.List {
	case "", NoList:
	case Brackets:
		text += "; lists of articles in brackets"
	default:
		text += fmt.Sprintf("; lists of articles with %q between them", o.List)
	}
	if o.Clock != "" {
		text += "; times in " + string(o.Clock)
	}
	return text
}

// sampled is how many records at the beginning of a log tell how it is read.
const sampled = 1000

// decide finds out what the options leave open, by the text that a log begins with: whole
// lines, the first not blank.
func (d *decision) decide(text []byte) error {
	if d.syntax == nil {
		d.detect(text)
	}
	var err error
	if d.syntax.decide != nil {
		err = d.syntax.decide(&d.Options, text)
	}
	d.Format = d.syntax.format
	if errors.Is(err, errNoTable) {
		line := trimEnd(text[:table.Line(text, true)])
		return fmt.Errorf("the first line, %s, does not tell the format: name one of %v (--format), or what separates the columns of a table (--comma)", shown.Value(line), Formats())
	}
	return err
}

// detect finds the format that begins with this text: a CSV, if no other does. Where columns are named, it is one in
// which they can be.
func (d *decision) detect(text []byte) {
	line := trimEnd(text[:table.Line(text, true)])
	begin := bytes.TrimLeft(line, " \t")
	named := d.Columns.User != "" || d.Columns.Article != "" || d.Columns.Time != ""
	for _, sure := range []bool{true, false} {
		for _, opened := range []bool{true, false} {
			for _, s := range syntaxes {
				if (s.matches != nil) != sure || (s.opening != "") != opened || !bytes.HasPrefix(begin, []byte(s.opening)) || named && s.decide == nil {
					continue
				}
				if !sure || s.matches(line, &d.Options) {
					d.syntax = s
					return
				}
			}
		}
	}
}

// A sample is what the first records of a log have in each column.
type sample struct {
	names  []string
	values [][][]byte // by record, and in the order of the names; nil where there is none
}

// of are the values of a column.
func (s *sample) of(column int) (values [][]byte) {
	for _, record := range s.values {
		if column < len(record) {
			values = append(values, record[column])
		}
	}
	return values
}

// known are names that columns have in real logs, in small letters and without anything
// between their words. The first of each is what a CSV that is written here has.
var known = [][]string{
	{"user", "userid", "uid", "visitorid", "reviewerid", "customerid", "memberid", "accountid", "readerid", "userpseudoid"},
	{
		"article", "articleid", "articleids", "item", "itemid", "itemidlist", "newsid", "movieid", "videoid", "productid", "asin", "businessid", "bookid",
		"trackid", "songid", "documentid", "docid", "contentid", "impressions",
	},
	{"time", "timestamp", "ts", "datetime", "date", "timems", "eventtime", "impressiontime", "unixtime", "unixreviewtime", "createdat", "dateadded"},
}

// wanted are the columns that every log has, and what each is.
func (c *Columns) wanted() (columns [3]*string, what [3]string) {
	return [3]*string{&c.User, &c.Article, &c.Time}, [3]string{"user", "article", "time"}
}

// bare is a column's name as known has it, without a type that stands behind a colon.
func bare(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("_- .", c) {
			return -1
		}
		return c
	}, strings.ToLower(name))
}

// A refusal says that columns cannot be told, and lists them, with a command line's part that
// would have worked.
type refusal struct {
	sample *sample
	named  Columns
	reason string
}

func (r *refusal) Error() string {
	return r.reason + " among " + r.sample.list() + ": " + r.sample.suggest(r.named)
}

// choose names the columns that are not named, by known names, and corrects the case of
// those that are. An error names all columns, and what would have worked.
func (s *sample) choose(c *Columns) error {
	columns, what := c.wanted()
	bares := make([]string, len(s.names))
	for i, name := range s.names {
		bares[i] = bare(name)
	}
	var missing []string
	for i, column := range columns {
		at, several := -1, false
		if *column != "" {
			at, several = s.find(*column)
		} else if at, several = s.find(what[i]); at < 0 && !several {
			for _, name := range known[i] {
				for j, other := range bares {
					if other == name {
						if at >= 0 {
							return &refusal{s, *c, fmt.Sprintf("columns %q and %q may be the %s", s.names[at], s.names[j], what[i])}
						}
						at = j
					}
				}
			}
		}
		switch {
		case several:
			return fmt.Errorf("two columns %q (%s)", cmp.Or(*column, what[i]), what[i])
		case at >= 0:
			*column = s.names[at]
		case *column != "":
			return &refusal{s, *c, fmt.Sprintf("no column %q (%s)", *column, what[i])}
		default:
			missing = append(missing, what[i])
		}
	}
	if missing != nil {
		return &refusal{s, *c, "no column is known to be the " + strings.Join(missing, " or the ")}
	}
	for _, column := range []*string{&c.Clicked, &c.Request} {
		if *column == "" {
			continue
		}
		at, several := s.find(*column)
		if at < 0 || several {
			return fmt.Errorf("no column %q, or several, among %s", *column, s.list())
		}
		*column = s.names[at]
	}
	return nil
}

// find is where a column of this name is, or one of this name but for the case and its type,
// and whether there are several.
func (s *sample) find(name string) (at int, several bool) {
	for _, same := range []func(other string) bool{
		func(other string) bool { return other == name },
		func(other string) bool {
			return strings.EqualFold(other, name) || strings.EqualFold(untyped(other), name)
		},
	} {
		at = -1
		for i, other := range s.names {
			if same(other) {
				if at >= 0 {
					return at, true
				}
				at = i
			}
		}
		if at >= 0 {
			return at, false
		}
	}
	return -1, false
}

// untyped is a column's name without a type, as user_id:token has one.
func untyped(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return name
}

// list lists the columns.
func (s *sample) list() string {
	names := s.names[:min(len(s.names), 40)]
	text := fmt.Sprintf("%.40q", names)
	if more := len(s.names) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// suggest is a command line's part that would be accepted, as far as that can be told.
func (s *sample) suggest(c Columns) string {
	columns, what := c.wanted()
	whole := s
	s = &sample{s.names[:min(len(s.names), 100)], s.values[:min(len(s.values), 100)]} // enough for a guess
	taken := map[int]bool{}
	at := [3]int{-1, -1, -1}
	for i, column := range columns {
		if *column != "" {
			if at[i], _ = whole.find(*column); at[i] >= 0 {
				taken[at[i]] = true
			}
		}
	}
	take := func(i int, fits func(j int) bool) {
		for j := range s.names {
			if at[i] < 0 && !taken[j] && fits(j) {
				at[i], taken[j] = j, true
			}
		}
	}
	for i := range at {
		take(i, func(j int) bool { return slices.Contains(known[i], bare(s.names[j])) })
	}
	for _, likely := range []bool{true, false} { // a time that can hardly be anything else, or any
		take(2, func(j int) bool {
			told, err := clock.Of(s.of(j))
			return err == nil && told != "" && (told != Seconds || !likely || s.late(j))
		})
	}
	for i := range at[:2] {
		take(i, func(int) bool { return true })
	}
	var parts []string
	for i := range at {
		name := strings.ToUpper(what[i])
		if at[i] >= 0 && len(whole.names[at[i]]) <= 100 && !strings.ContainsFunc(whole.names[at[i]], unicode.IsControl) {
			name = whole.names[at[i]]
		}
		parts = append(parts, what[i]+"="+name)
	}
	value := strings.Join(parts, ",")
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\") {
		value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return "name them, perhaps so: --columns " + value
}

// late is whether the numbers of a column are seconds since 1973 or later.
func (s *sample) late(column int) bool {
	for _, text := range s.of(column) {
		if seconds, _, reason := Seconds.Read(text); reason == "" && seconds < 1e8 {
			return false
		}
	}
	return true
}

// clock decides how times are written.
func (s *sample) clock(o *Options, column int) (err error) {
	if o.Clock == "" {
		o.Clock, err = clock.Of(s.of(column))
	}
	return err
}
