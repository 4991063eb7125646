package decision

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dejavu/workload/logs/clock"
)

const (
	sampled    = 1000    // records at the beginning of a log that tell how it is read,
	mostBytes  = 1 << 10 // so much of each value,
	mostNames  = 200     // and so many members of JSON
	mostFields = 1 << 14 // which bounds the memory that one line of commas can ask for
)

// A Sample is what the first records of a log have in each column.
type Sample struct {
	Names  []string
	values [][][]byte // by record, and in the order of the names; nil where there is none
}

func (s *Sample) column(name string) (values [][]byte) {
	at, _ := s.Find(name)
	return s.of(at)
}

func (s *Sample) of(column int) (values [][]byte) {
	for _, record := range s.values {
		if column >= 0 && column < len(record) {
			values = append(values, record[column])
		}
	}
	return values
}

// Join adds the column of a time that several others make, as date+hour or 3+4, and says which these are.
func (s *Sample) Join(name string) (parts []int) {
	if at, _ := s.Find(name); at >= 0 || !strings.Contains(name, "+") {
		return nil
	}
	for part := range strings.SplitSeq(name, "+") {
		at, _ := s.Find(part)
		if n, err := strconv.Atoi(part); at < 0 && err == nil {
			at = n - 1
		}
		if at < 0 || at >= len(s.Names) {
			return nil
		}
		parts = append(parts, at)
	}
	all := &Sample{Names: append(slices.Clip(s.Names), name)}
	for _, record := range s.values {
		fields := make([][]byte, len(all.Names))
		copy(fields[:len(s.Names)], record)
		for _, part := range parts {
			fields[len(s.Names)] = append(append(fields[len(s.Names)], fields[part]...), ' ')
		}
		all.values = append(all.values, fields)
	}
	*s = *all
	return parts
}

// ofDay is what the times of a day have, and what follows them.
var ofDay = regexp.MustCompile(`(?i):[0-9]|^[ap]m|^[+-][0-9]{2}:?[0-9]{2}`)

// parted is an error where another column has a part of the times, as dates and times of the day may have their own.
func (s *Sample) parted(c Columns, told clock.Clock, what string) error {
	at, _ := s.Find(c.Time)
	for i, name := range s.Names[:min(len(s.Names), 100)] {
		day, whole, first, second := s.of(i), *s, s.Names[at], name
		if told == "" {
			day, first, second = s.of(at), name, s.Names[at]
		}
		c.Time = first + "+" + second
		if i == at || !ofDay.Match(bytes.Join(day[:min(len(day), 20)], nil)) || whole.Join(c.Time) == nil ||
			whole.clock(len(s.Names)) == "" {
			continue
		}
		joins := c.Flag()
		if what == "member" {
			joins = fmt.Sprintf(`jq -c '.at = .%s + " " + .%s' FILE`, first, second)
		}
		return fmt.Errorf("%q has another part of the times: %s joins them, and --clock takes this part alone", name, joins)
	}
	return nil
}

// notation decides how times and lists of articles are written in the columns that were chosen, which are called what.
func (s *Sample) notation(o *Options, chosen Columns, what string) (err error) {
	o.Columns = chosen
	if o.Clock == "" {
		o.Clock, err = clock.Of(s.column(o.Columns.Time))
		if err = cmp.Or(s.parted(o.Columns, o.Clock, what), err); err != nil {
			return fmt.Errorf("%s %q: %w", what, o.Columns.Time, err)
		}
	}
	if o.List == "" && len(s.values) > 0 {
		o.List = listOf(o.Columns.Article, s.column(o.Columns.Article))
	}
	return nil
}

// known are names that columns have in real logs, in small letters and without anything between their words.
var known = [][]string{
	{
		"user", "userid", "uid", "visitorid", "reviewerid", "customerid", "memberid", "accountid", "readerid",
		"userpseudoid",
	},
	{
		"article", "articleid", "articleids", "item", "itemid", "itemidlist", "newsid", "movieid", "videoid",
		"productid", "asin", "businessid", "bookid", "trackid", "songid", "documentid", "docid", "contentid",
		"impressions",
	},
	{
		"time", "timestamp", "ts", "datetime", "date", "timems", "eventtime", "impressiontime", "unixtime",
		"unixreviewtime", "createdat", "dateadded",
	},
}

// Places are the columns, and what each has: the first three are those that every log has.
func (c *Columns) Places() (columns [5]*string, what [5]string) {
	return [5]*string{&c.User, &c.Article, &c.Time, &c.Clicked, &c.Request},
		[5]string{"user", "article", "time", "clicked", "request"}
}

// Flag is the flag that names the columns so, for a shell, and nothing where none is named.
func (c *Columns) Flag() (flag string) {
	columns, what := c.Places()
	for i, column := range columns {
		if *column != "" {
			flag += "," + what[i] + "=" + Quoted(*column)
		}
	}
	return strings.Replace(flag, ",", "--columns ", 1)
}

// bare is a column's name as known has it, without a type that stands behind a colon.
func bare(name string) string { return between.Replace(strings.ToLower(untyped(name))) }

// between drops what stands between the words of a name.
var between = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

func untyped(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Choose names the columns that are not named, by known names, and corrects the case of
// those that are. An error names all columns, and what would have worked.
func (s *Sample) Choose(c *Columns) error {
	columns, what := c.Places()
	var missing []string
	for i, column := range columns {
		if i >= 3 && *column == "" { // which a log may do without
			continue
		}
		at, several := s.Find(cmp.Or(*column, what[i]))
		if at < 0 && *column == "" {
			var rival int
			if at, rival = s.usual(i); rival >= 0 {
				return s.refuse(*c, "columns %q and %q may be the %s", s.Names[at], s.Names[rival], what[i])
			}
		}
		switch {
		case several:
			return fmt.Errorf("two columns %q (%s)", cmp.Or(*column, what[i]), what[i])
		case at >= 0:
			*column = s.Names[at]
		case *column != "":
			return s.refuse(*c, "no column %q (%s)", *column, what[i])
		default:
			missing = append(missing, what[i])
		}
	}
	if missing != nil {
		return s.refuse(*c, "no column is known to be the %s", strings.Join(missing, " or the "))
	}
	return nil
}

// refuse says that columns cannot be told, and lists them, with a command line's part that would have worked.
func (s *Sample) refuse(named Columns, format string, values ...any) error {
	return errors.New(fmt.Sprintf(format, values...) + " among " + s.list() + ": " + s.suggest(named))
}

// usual is the column that has a known name of this kind, and another that has one too; -1 is none.
func (s *Sample) usual(kind int) (at, rival int) {
	at, rival = -1, -1
	for i, name := range slices.Backward(s.Names) {
		if slices.Contains(known[kind], bare(name)) {
			at, rival = i, at
		}
	}
	return at, rival
}

// Find is where a column of this name is, or else one of this name but for the case and its type, and whether there are
// several; it is -1 where there is none.
func (s *Sample) Find(name string) (at int, several bool) {
	for _, same := range []func(other string) bool{
		func(other string) bool { return other == name },
		func(other string) bool {
			return strings.EqualFold(other, name) || strings.EqualFold(untyped(other), name)
		},
	} {
		if at = slices.IndexFunc(s.Names, same); at >= 0 {
			return at, slices.ContainsFunc(s.Names[at+1:], same)
		}
	}
	return -1, false
}

func (s *Sample) list() string {
	names := s.Names[:min(len(s.Names), 40)]
	text := fmt.Sprintf("%.40q", names)
	if more := len(s.Names) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// suggest is a command line's part that would be accepted, as far as that can be told: the columns
// that are named, then those of known names, then one that has times, then any that is left.
func (s *Sample) suggest(c Columns) string {
	few := &Sample{s.Names[:min(len(s.Names), 100)], s.values[:min(len(s.values), 100)]} // enough for a guess
	columns, what := c.Places()
	at := [5]int{-1, -1, -1, -1, -1}
	for i, column := range columns {
		if *column != "" {
			at[i], _ = s.Find(*column)
		}
	}
	take := func(i int, fits func(column int) bool) {
		for j := range few.Names {
			if at[i] < 0 && few.Names[j] != "" && !slices.Contains(at[:len(known)], j) && fits(j) {
				at[i] = j
			}
		}
	}
	for i := range known {
		take(i, func(j int) bool { return slices.Contains(known[i], bare(few.Names[j])) })
	}
	take(2, few.dated)
	take(2, func(j int) bool { return few.clock(j) != "" })
	take(0, func(int) bool { return true })
	take(1, func(int) bool { return true })
	for i := range at {
		if *columns[i] = ""; i < 3 {
			*columns[i] = strings.ToUpper(what[i])
		}
		if at[i] >= 0 && len(s.Names[at[i]]) <= 100 && !strings.ContainsFunc(s.Names[at[i]], unicode.IsControl) {
			*columns[i] = s.Names[at[i]]
		}
	}
	return "name them, perhaps so: " + c.Flag()
}

// Quoted is a value as a shell takes it.
func Quoted(value string) string {
	if strings.ContainsAny(value, " |<>;&'\"()$*?`\\[]{}#~!\t\n") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}

// clock is how the column's values are times, "" where they are none.
func (s *Sample) clock(column int) clock.Clock {
	told, _ := clock.Of(s.of(column)) // which is "" with an error
	return told
}

// dated is whether the column has times that can hardly be anything else: dates, or seconds since 1973 or later.
func (s *Sample) dated(column int) bool {
	told := s.clock(column)
	if told != clock.Seconds {
		return told != ""
	}
	for _, text := range s.of(column) {
		if seconds, _, reason := clock.Seconds.Read(text); reason == "" && seconds < 1e8 {
			return false
		}
	}
	return true
}
