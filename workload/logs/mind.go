package logs

import (
	"bytes"
	"time"

	"dejavu/strategies"
)

// MIND is behaviors.tsv of Microsoft's news data set: impression, user, time,
// history and impressions, separated by tabs, without a header. A line is a
// request. Impressions are Clicked or Ignored by their -1 or -0, and Shown
// where they have neither, as in the test set.
const MIND Format = "mind"

var mindSyntax = &syntax{
	format:  MIND,
	matches: isMIND,
	parse:   parseMIND,
	past:    true,
	write:   writeMIND,
	finish:  (*Writer).endHistory,
}

// isMIND is whether the line has five fields, and a time for its third.
func isMIND(line []byte, _ *Options) bool {
	fields := bytes.Split(line, []byte{'\t'})
	if len(fields) < 5 {
		return false
	}
	_, ok := mindTime(fields[2])
	return ok
}

// parseMIND reads a line of behaviors.tsv.
func parseMIND(p *parser, line []byte) (reason string) {
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

// writeMIND writes a line, or the part of one that ends with its history.
func writeMIND(w *Writer, request []Event) {
	history := request[0].Kind == Past
	if history || w.user != request[0].User || w.at != request[0].Time {
		w.endHistory()
	}
	if w.events == 0 {
		w.begin()
		w.number(uint64(w.lines)).text("\tU").number(request[0].User).text("\t")
		w.line = time.Unix(request[0].Time, 0).UTC().AppendFormat(w.line, "1/2/2006 3:04:05 PM")
		w.text("\t")
	}
	if !history {
		w.text("\t")
	}
	for i, e := range request {
		if i > 0 {
			w.text(" ")
		}
		w.text("N").number(uint64(e.Article))
		switch e.Kind {
		case Ignored:
			w.text("-0")
		case Clicked, Acted:
			w.text("-1")
		}
	}
	if w.events = 0; history {
		w.events, w.user, w.at = len(request), request[0].User, request[0].Time
		return
	}
	w.end(false)
}

// endHistory ends a line that has a history, and no impressions.
func (w *Writer) endHistory() {
	if w.events > 0 {
		w.text("\t")
		w.end(false)
		w.events = 0
	}
}
