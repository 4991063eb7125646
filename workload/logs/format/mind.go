package format

import (
	"bytes"
	"fmt"
	"regexp"
	"time"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/table"
)

// isMIND reports whether a line has the fields of MIND, or their names, as some copies of the data do.
func isMIND(line []byte, _ *Options) bool {
	if fields := bytes.SplitN(line, []byte{'\t'}, 6); len(fields) >= 5 {
		_, ok := mindTime(fields[2])
		return ok || mindHeader.Match(line)
	}
	return false
}

var mindHeader = regexp.MustCompile(
	`(?i)^ *impression[^\t]*\t *user[^\t]*\t *time[^\t]*\t *history[^\t]*\t *impression[^\t]*$`)

func readMIND(p *Parser, line []byte) (reason string) {
	fields := bytes.SplitN(line, []byte{'\t'}, 6)
	if len(fields) < 5 {
		return "fewer than 5 fields between tabs: impression, user, time, history, impressions"
	}
	if len(fields) > 5 && !table.Blank(fields[5]) {
		return fmt.Sprintf("more than 5 fields, the sixth with %.40q", fields[5])
	}
	user, reason := p.key(true, fields[1])
	if reason != "" {
		return reason
	}
	at, ok := mindTime(fields[2])
	if p.o.Clock != "" {
		if at, reason = p.o.Clock.Read(fields[2]); reason != "" {
			return reason
		}
	} else if !ok {
		return fmt.Sprintf("time %.40q is not like 11/15/2019 8:55:22 AM", fields[2])
	}
	begun := false
	for list := fields[4]; len(list) > 0; { // impressions with blanks between
		var name []byte
		if name, list, _ = bytes.Cut(list, []byte{' '}); len(name) == 0 {
			continue
		}
		name, kind, known := label(name)
		switch {
		case len(name) == 0:
			return "an impression without an article"
		case !known:
			return fmt.Sprintf("impression %.40q ends in neither -0 nor -1", name)
		}
		article, reason := p.key(false, name)
		if reason == leftOut {
			continue
		}
		if reason != "" {
			return reason
		}
		if !begun {
			p.Requests++
			begun = true
		}
		p.say(fields[1], name, at)
		p.event(user, strategies.ID(article), at, kind)
	}
	return ""
}

// label parts an impression from its label, and reports whether that is one, or there is none.
func label(name []byte) (article []byte, k event.Kind, ok bool) {
	dash := bytes.LastIndexByte(name, '-')
	switch {
	case dash < 0:
		return name, event.Shown, true
	case string(name[dash:]) == "-0":
		return name[:dash], event.Ignored, true
	case string(name[dash:]) == "-1":
		return name[:dash], event.Clicked, true
	}
	return name, event.Shown, false
}

// mindTime reads a time in UTC, in any case of AM and PM.
func mindTime(text []byte) (at clock.Time, ok bool) {
	if len(text) < len("1/1/1970 1:00:00 AM") || len(text) > len("12/31/2019 11:59:59 PM") {
		return at, false // told at once: a failure of package time is slow
	}
	t, err := time.Parse("1/2/2006 3:04:05 PM", string(bytes.ToUpper(text)))
	at.Seconds = t.Unix()
	return at, err == nil && t.Year() >= 1970
}
