package logs

import (
	"bytes"
	"time"

	"dejavu/strategies"
)

// mind reads a line of behaviors.tsv.
func mind(p *parser, line []byte) (reason string) {
	var fields [5][]byte
	rest := line
	for i := range fields {
		tab := bytes.IndexByte(rest, '\t')
		switch {
		case tab < 0 && i < 4:
			return "fewer than the 5 fields that tabs part: impression, user, time, history, impressions"
		case tab < 0:
			fields[i], rest = rest, nil
		default:
			fields[i], rest = rest[:tab], rest[tab+1:]
		}
	}
	if !blank(rest) {
		return "more than 5 fields, the sixth with " + quote(rest)
	}
	user, reason := p.key("user", fields[1])
	if reason != "" {
		return reason
	}
	at, ok := mindTime(fields[2])
	if !ok {
		return "time " + quote(fields[2]) + " is not like 11/15/2019 8:55:22 AM"
	}
	if p.o.History {
		if reason := p.articles(user, at, fields[3], true); reason != "" {
			return reason
		}
	}
	return p.articles(user, at, fields[4], false)
}

// articles reads a list of articles that blanks part: one request, or none.
func (p *parser) articles(user uint64, at int64, list []byte, history bool) (reason string) {
	for begun := false; len(list) > 0; {
		end := bytes.IndexByte(list, ' ')
		if end < 0 {
			end = len(list)
		}
		name := list[:end]
		list = list[min(end+1, len(list)):]
		if len(name) == 0 {
			continue
		}
		kind := Past
		if !history {
			if name, kind = label(name); len(name) == 0 {
				return "an impression without an article"
			}
			if kind == Past {
				return "impression " + quote(name) + " ends in neither -0 nor -1"
			}
		}
		if !begun {
			p.begin()
			begun = true
		}
		article, reason := p.key("article", name)
		if reason != "" {
			return reason
		}
		p.event(user, strategies.ID(article), at, kind)
	}
	return ""
}

// label parts an impression from its label; the kind is Past where that is none.
func label(name []byte) ([]byte, Kind) {
	dash := bytes.LastIndexByte(name, '-')
	switch {
	case dash < 0:
		return name, Shown
	case dash == len(name)-2 && name[dash+1] == '0':
		return name[:dash], Ignored
	case dash == len(name)-2 && name[dash+1] == '1':
		return name[:dash], Clicked
	}
	return name, Past
}

// mindTime reads month/day/year and a time of twelve hours, in UTC.
func mindTime(text []byte) (at int64, ok bool) {
	var parts [6]int
	i := 0
	for n, end := range [...]byte{'/', '/', ' ', ':', ':', ' '} {
		from := i
		for i < len(text) && i-from < 4 && text[i]-'0' <= 9 {
			parts[n] = parts[n]*10 + int(text[i]-'0')
			i++
		}
		if i == from || i == len(text) || text[i] != end {
			return 0, false
		}
		i++
	}
	month, day, year, hour, minute, second := parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]
	if len(text)-i != 2 || text[i+1]|0x20 != 'm' || year < 1970 || month < 1 || month > 12 ||
		day < 1 || day > 31 || hour > 12 || minute > 59 || second > 59 {
		return 0, false
	}
	hour %= 12
	switch text[i] | 0x20 {
	case 'a':
	case 'p':
		hour += 12
	default:
		return 0, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t.Unix(), t.Day() == day
}

// rfc3339 reads a time with its zone.
func rfc3339(text []byte) (at int64, reason string) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil {
		return 0, "time " + quote(text) + " is not like 2019-11-15T08:55:22Z (RFC 3339)"
	}
	if at = t.Unix(); at < 0 || at > lastTime {
		return 0, "time " + quote(text) + " is not within the years 1970 to 9999"
	}
	return at, ""
}
