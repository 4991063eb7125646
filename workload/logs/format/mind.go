package format

import (
	"bytes"
	"regexp"
	"time"

	"dejavu/strategies"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/shown"
	"dejavu/workload/logs/table"
)

// MIND is behaviors.tsv of Microsoft's news data set: impression, user, time, history and impressions, separated by
// tabs, without a header. A line is a request. Impressions are Clicked or Ignored by their -1 or -0, and Shown where
// they have neither, as in the test set. The history, of articles that were opened at some time before, is passed over.
const MIND decision.Format = "mind"

var mindSyntax = &syntax{
	format: MIND,
	matches: func(line []byte, _ *decision.Options) bool {
		if fields := bytes.SplitN(line, []byte{'\t'}, 6); len(fields) >= 5 {
			_, ok := mindTime(fields[2])
			return ok || mindHeader.Match(line)
		}
		return false
	},
	begin: func(first []byte, _ *decision.Options) (Reading, bool, error) {
		return parseMIND, mindHeader.Match(first), nil
	},
}

// mindHeader has the names of these fields, as some copies of the data do.
var mindHeader = regexp.MustCompile(
	`(?i)^ *impression[^\t]*\t *user[^\t]*\t *time[^\t]*\t *history[^\t]*\t *impression[^\t]*$`)

func parseMIND(p *Parser, line []byte) (reason string) {
	fields := bytes.SplitN(line, []byte{'\t'}, 6)
	if len(fields) < 5 {
		return "fewer than 5 fields between tabs: impression, user, time, history, impressions"
	}
	if len(fields) > 5 && !table.Blank(fields[5]) {
		return "more than 5 fields, the sixth with " + shown.Value(fields[5])
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
		article, reason := p.key("article", name)
		if reason == leftOut {
			continue
		}
		if reason != "" {
			return reason
		}
		if !begun {
			p.begin()
			begun = true
		}
		p.event(user, strategies.ID(article), event.Moment{Seconds: at}, kind)
	}
	return ""
}

// label parts an impression from its label, if that is one or there is none.
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
func mindTime(text []byte) (at int64, ok bool) {
	if len(text) < len("1/1/1970 1:00:00 AM") || len(text) > len("12/31/2019 11:59:59 PM") {
		return 0, false // told at once: a failure of package time is slow
	}
	t, err := time.Parse("1/2/2006 3:04:05 PM", string(bytes.ToUpper(text)))
	return t.Unix(), err == nil && t.Year() >= 1970
}
