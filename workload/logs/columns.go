package logs

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"dejavu/workload/logs/clock"
)

const (
	sampled   = 1000    // lines at a log's beginning that decide how it is read,
	mostBytes = 1 << 10 // bytes of each value,
	mostNames = 200     // and members of JSON
)

// A sample holds the first lines of a log, split into columns.
type sample struct {
	names  []string
	values [][][]byte // by line, in the order of names; nil if the line has none
}

func (s *sample) of(column int) (values [][]byte) {
	for _, line := range s.values {
		if column < len(line) {
			values = append(values, line[column])
		}
	}
	return values
}

// usual lists, by role, the usual names of its column, in lower case.
var usual = [3]string{
	"user user_id userid uid visitor_id visitorid reviewer_id reviewerid customer_id customerid member_id memberid " +
		"account_id accountid reader_id readerid user_pseudo_id",
	"article article_id articleid article_ids item item_id itemid items item_ids item_id_list news_id newsid movie_id " +
		"movieid video_id videoid product_id productid asin business_id book_id bookid track_id trackid song_id songid " +
		"document_id documentid doc_id docid content_id contentid",
	"time timestamp ts datetime date time_ms timestamp_ms event_time impression_time unixtime unix_time unixreviewtime " +
		"created_at date_added",
}

// untyped returns a name in lower case, without the type that RecBole writes after a colon, and with _ for a point.
func untyped(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	return strings.ReplaceAll(name, ".", "_")
}

// choose sets each column that is not named to the one with a usual name, and corrects the case of others. It returns
// their indexes, -1 for none. An error lists the columns and names the flag that resolves it.
func (s *sample) choose(c *Columns) (at [4]int, err error) {
	columns, _ := c.Places()
	var missing []string
	for i, column := range columns {
		var found, alike []int
		for j, name := range s.names {
			isUsual := *column == "" && i < len(usual) && slices.Contains(strings.Fields(usual[i]), untyped(name))
			if *column != "" && name == *column {
				found = append(found, j)
			} else if isUsual || *column != "" && strings.EqualFold(name, *column) {
				alike = append(alike, j)
			}
		}
		if found == nil {
			found = alike
		}
		switch {
		case len(found) == 1:
			at[i], *column = found[0], s.names[found[0]]
		case len(found) > 1 && s.names[found[0]] == s.names[found[1]]:
			return at, fmt.Errorf("two columns %q (%s)", s.names[found[0]], roles[i])
		case len(found) > 1:
			*column = s.names[found[0]]
			one := c.flag()
			*column = s.names[found[1]]
			return at, fmt.Errorf("columns %q and %q may be the %s: name one, as in %s or %s",
				s.names[found[0]], *column, roles[i], one, c.flag())
		case *column != "":
			wrong := *column
			*column = ""
			return at, s.refuse(*c, "no column %q (%s)", wrong, roles[i])
		default:
			if at[i] = -1; i < len(usual) {
				missing = append(missing, roles[i])
			}
		}
	}
	if missing != nil {
		return at, s.refuse(*c, "no column is known to be the %s", strings.Join(missing, " or the "))
	}
	return at, nil
}

// refuse returns an error that lists the columns, and the flag that names them. It fills in only what is certain.
func (s *sample) refuse(c Columns, what string, values ...any) error {
	columns, _ := c.Places()
	for i := range usual {
		if *columns[i] == "" {
			*columns[i] = strings.ToUpper(roles[i])
		}
	}
	for i := range min(len(s.names), 100) {
		if first := s.of(i); c.Time == "TIME" && len(first) > 0 && isTime(first[0]) {
			c.Time = s.names[i]
		}
	}
	names := s.names[:min(len(s.names), 40)]
	return fmt.Errorf(what+" among %.40q: name them, as in %s", append(values, names, c.flag())...)
}

// settle decides how times and lists are written in the chosen columns.
func (s *sample) settle(o *Options, at [4]int) (err error) {
	if o.Clock == "" {
		times := s.of(at[2])
		if err = s.parted(times, at); err == nil {
			o.Clock, err = clock.Detect(times)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", o.Columns.Time, err)
		}
	}
	if o.List == "" && len(s.values) > 0 {
		if o.List, err = listOf(s.of(at[1])); err != nil {
			return fmt.Errorf("%q: %w", o.Columns.Article, err)
		}
	}
	return nil
}

// Names of columns that hold a part of a time: the time of a day, and the zone.
const (
	hourNames = "hour hourmin hour_min minute time_of_day timeofday tod ampm am_pm"
	zoneNames = "tz timezone time_zone utc_offset tz_offset"
)

var timeOfDay = regexp.MustCompile(`^\d{1,2}:\d\d(:\d\d(\.\d+)?)?( ?[AaPp][Mm])?$`)

// parted returns an error if another column contains what the times lack: the time of day, or the zone.
func (s *sample) parted(times [][]byte, at [4]int) error {
	days, bare := 0, 0
	for _, text := range times {
		t, reason := clock.RFC3339.Read(text)
		if reason == "" && t.Bare {
			bare++
			if t.Seconds%86400 == 0 {
				days++
			}
		}
		if reason != "" && timeOfDay.Match(bytes.TrimSpace(text)) {
			return fmt.Errorf("time %.40q lacks its date: a DuckDB query of docs/logs.md joins two columns", text)
		}
	}
	for i, name := range s.names {
		is := func(names string) bool { return slices.Contains(strings.Fields(names), untyped(name)) }
		values := s.of(i)
		isHour := is(hourNames) || len(values) > 0 && timeOfDay.Match(values[0])
		isPart := is(zoneNames) && bare > 0 || isHour && days > 0 && days == len(times)
		if isPart && !slices.Contains(at[:], i) {
			return fmt.Errorf("column %q holds another part of the times: a DuckDB query of docs/logs.md joins them, and "+
				"--clock rfc3339 reads this part alone", name)
		}
	}
	return nil
}

// listOf decides how a field lists several articles. It rejects fields that may be lists but are not JSON.
func listOf(fields [][]byte) (list string, err error) {
	arrays, all := 0, 0
	var other []byte
	p := parser{o: &Options{List: JSONList}}
	for _, field := range fields {
		if field = bytes.TrimSpace(field); len(field) == 0 {
			continue
		}
		if all++; other == nil && separates(field) {
			other = field
		}
		if _, reason := p.list(field); reason == "" {
			arrays++
		}
	}
	switch {
	case arrays > 0 && arrays == all:
		return JSONList, nil
	case other != nil:
		return "", fmt.Errorf("article %.60q may be a list, and is no JSON array: --list %s takes it for one article, "+
			"and a DuckDB query of docs/logs.md splits lists", other, NoList)
	}
	return NoList, nil
}

// separates reports whether a field seems to contain several articles.
func separates(field []byte) bool {
	switch {
	case bytes.ContainsAny(field[:1], "[({"):
		return true
	case field[0] == '/' || bytes.Contains(field, []byte("://")): // an address, or several
		return addresses.Match(field)
	case bytes.ContainsAny(field, "|;,"):
		return true
	}
	words := strings.Fields(string(field))
	return len(words) > 1 && !slices.ContainsFunc(words, func(word string) bool {
		return !strings.ContainsAny(word, "0123456789")
	})
}

var addresses = regexp.MustCompile(`[,;| ](/|\w+://)`)

// isTime reports whether a field looks like a plausible time.
func isTime(field []byte) bool {
	c, _ := clock.Detect([][]byte{field})
	t, reason := c.Read(field)
	return reason == "" && t.Seconds > 1e8
}
