package format

import (
	"bytes"
	"cmp"
	"fmt"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/jsonline"
	"dejavu/workload/logs/shown"
)

// OTTO is a session a line, {"session": 1, "events": [{"aid": 2, "ts": 3, "type": "clicks"}]}, times in
// milliseconds. The session is the user. Clicks are Clicked, carts and orders Acted.
const OTTO decision.Format = "otto"

var ottoSyntax = &syntax{
	format: OTTO,
	matches: func(line []byte, _ *decision.Options) bool {
		return isObject(line) && bytes.Contains(line, []byte(`"events"`)) && bytes.Contains(line, []byte(`"session"`))
	},
	parse: parseOTTO,
}

// parseOTTO reads a session, all events of which have the session for their user,
// wherever in the line that stands.
func parseOTTO(p *Parser, line []byte) (reason string) {
	s := p.scan(line)
	mark, requests := len(p.Events), p.Requests
	var session []byte
	noEvents := `no "events"`
	for more := s.Open('{', "an object"); more; more = s.More('}') {
		switch string(s.Name()) {
		case "session":
			session = s.Scalar("session")
		case "events":
			p.Events, p.Requests = p.Events[:mark], requests // of two lists the last counts
			noEvents = ""
			p.ottoEvents(s)
		default:
			s.Skip()
		}
	}
	user, noUser := p.key("session", session)
	for i := range p.Events[mark:] {
		p.Events[mark+i].User = user
	}
	return cmp.Or(s.End(), noEvents, noUser)
}

// ottoEvents reads the list of events. Each is a request of its own.
func (p *Parser) ottoEvents(s *jsonline.Scanner) {
	n := 0
	for more := s.Open('[', "a list of events"); more; more = s.More(']') {
		n++
		found := s.Object("an event", "aid", "ts", "type")
		if s.Failed() {
			return
		}
		if reason := p.ottoEvent(found[0], found[1], found[2]); reason != "" {
			s.Fail(fmt.Sprintf("event %d: %s", n, reason))
			return
		}
	}
}

func (p *Parser) ottoEvent(aid, ts, kind []byte) (reason string) {
	article, noArticle := p.key("aid", aid)
	at, noTime := p.clock(ts, clock.Millis)
	if reason := cmp.Or(noArticle, noTime); reason != "" {
		return reason
	}
	k := event.Acted
	switch string(kind) {
	case "clicks":
		k = event.Clicked
	case "carts", "orders":
	default:
		return "type " + shown.Value(kind) + " is not one of clicks, carts and orders"
	}
	p.begin()
	p.event(0, strategies.ID(article), at, k)
	return ""
}
