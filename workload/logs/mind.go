package logs

import (
	"bytes"
	"strings"
	"time"

	"dejavu/strategies"
	"dejavu/workload/logs/shown"
)

// MIND is behaviors.tsv of Microsoft's news data set: impression, user, time,
// history and impressions, separated by tabs, without a header. A line is a
// request. Impressions are Clicked or Ignored by their -1 or -0, and Shown
// where they have neither, as in the test set. The history, of articles that were
// opened at some time before, is passed over.
const MIND Format = "mind"

var mindSyntax = &syntax{
	format:  MIND,
	matches: func(line []byte, _ *Options) bool { return isMIND(line) || headsMIND(line) },
	heads:   headsMIND,
	parse:   parseMIND,
	write:   writeMIND,
}

// isMIND is whether the line has five fields, and a time for its third.
func isMIND(line []byte) bool {
	fields := bytes.SplitN(line, []byte{'\t'}, 6)
	if len(fields) < 5 {
		return false
	}
	_, ok := mindTime(fields[2])
	return ok
}

// headsMIND is whether the line names these fields, as some copies of the data do.
func headsMIND(line []byte) bool {
	fields := bytes.SplitN(line, []byte{'\t'}, 6)
	if len(fields) != 5 {
		return false
	}
	for i, name := range []string{"impression", "user", "time", "history", "impression"} {
		if !strings.HasPrefix(bare(strings.TrimSpace(string(fields[i]))), name) {
			return false
		}
	}
	return true
}

// parseMIND reads a line of behaviors.tsv.
func parseMIND(p *parser, line []byte) (reason string) {
	var fields [5][]byte
	rest := line
	for i := range fields {
		tab := bytes.IndexByte(rest, '\t')
		switch {
		case tab < 0 && i < 4:
			return "fewer than 5 fields between tabs: impression, user, time, history, impressions"
		case tab < 0:
			fields[i], rest = rest, nil
		default:
			fields[i], rest = rest[:tab], rest[tab+1:]
		}
	}
	if !blank(rest) {
		return "more than 5 fields, the sixth with " + shown.Value(rest)
	}
	user, reason := p.key("user", fields[1])
	if reason != "" {
		return reason
	}
	at, ok := mindTime(fields[2])
	if !ok {
		return "time " + shown.Value(fields[2]) + " is not like 11/15/2019 8:55:22 AM"
	}
	begun := false
	for list := fields[4]; len(list) > 0; { // impressions that blanks part: one request, or none
		var name []byte
		if name, list, _ = bytes.Cut(list, []byte{' '}); len(name) == 0 {
			continue
		}
		name, kind, known := label(name)
		switch {
		case len(name) == 0:
			return "an impression without an article"
		case !known:
			return "impression " + shown.Value(name) + " ends in neither -0 nor -1"
		}
		if !begun {
			p.begin()
			begun = true
		}
		article, reason := p.key("article", name)
		if reason != "" {
			return reason
		}
		p.event(user, strategies.ID(article), moment{seconds: at}, kind)
	}
	return ""
}

// label parts an impression from its label, if that is one or there is none.
func label(name []byte) (article []byte, k Kind, ok bool) {
	dash := bytes.LastIndexByte(name, '-')
	switch {
	case dash < 0:
		return name, Shown, true
	case dash == len(name)-2 && name[dash+1] == '0':
		return name[:dash], Ignored, true
	case dash == len(name)-2 && name[dash+1] == '1':
		return name[:dash], Clicked, true
	}
	return name, Shown, false
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

// writeMIND writes a line.
func writeMIND(w *Writer, request []Event) {
	w.begin()
	w.number(uint64(w.lines)).text("\tU").number(request[0].User).text("\t")
	w.line = time.Unix(request[0].Time, 0).UTC().AppendFormat(w.line, "1/2/2006 3:04:05 PM")
	w.text("\t\t")
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
	w.end(false)
}
