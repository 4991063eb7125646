package logs

import (
	"fmt"

	"dejavu/strategies"
)

// otto reads a session, all events of which have the session for their user,
// wherever in the line that stands.
func otto(p *parser, line []byte) (reason string) {
	p.scratch = p.scratch[:0]
	s := scan{p: p, line: line}
	b := p.b
	mark, requests := len(b.events), b.requests
	var session []byte
	listed := false
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		switch string(s.name()) {
		case "session":
			session = s.scalar("session")
		case "events":
			b.events, b.requests = b.events[:mark], requests // of two lists the last counts
			listed = true
			s.ottoEvents()
		default:
			s.skip()
		}
	}
	if reason = s.end(); reason != "" {
		return reason
	}
	if !listed {
		return `no "events"`
	}
	user, reason := p.key("session", session)
	if reason != "" {
		return reason
	}
	for i := range b.events[mark:] {
		b.events[mark+i].User = user
	}
	return ""
}

// ottoEvents reads the list of events. Each is a request of its own.
func (s *scan) ottoEvents() {
	if !s.open('[', "a list of events") {
		return
	}
	n := 0
	for first := true; s.more(']', first); first = false {
		n++
		var aid, ts, kind []byte
		s.open('{', "an event")
		for first := true; s.more('}', first); first = false {
			switch string(s.name()) {
			case "aid":
				aid = s.scalar("aid")
			case "ts":
				ts = s.scalar("ts")
			case "type":
				kind = s.scalar("type")
			default:
				s.skip()
			}
		}
		if s.bad != "" {
			return
		}
		if reason := s.p.ottoEvent(aid, ts, kind); reason != "" {
			s.fail(fmt.Sprintf("event %d: %s", n, reason))
			return
		}
	}
}

func (p *parser) ottoEvent(aid, ts, kind []byte) (reason string) {
	article, reason := p.key("aid", aid)
	if reason != "" {
		return reason
	}
	at, reason := p.clock(ts, Millis)
	if reason != "" {
		return reason
	}
	k := Acted
	switch string(kind) {
	case "clicks":
		k = Clicked
	case "carts", "orders":
	default:
		return "type " + quote(kind) + " is none of clicks, carts and orders"
	}
	p.begin()
	p.event(0, strategies.ID(article), at, k)
	return ""
}

// adressa reads a page opened.
func adressa(p *parser, line []byte) (reason string) {
	p.scratch = p.scratch[:0]
	s := scan{p: p, line: line}
	var user, id, at []byte
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		switch string(s.name()) {
		case "userId":
			user = s.scalar("userId")
		case "id":
			id = s.scalar("id")
		case "time":
			at = s.scalar("time")
		default:
			s.skip()
		}
	}
	if reason = s.end(); reason != "" {
		return reason
	}
	digest, reason := p.key("userId", user)
	if reason != "" {
		return reason
	}
	seconds, reason := p.clock(at, Seconds)
	if reason != "" || len(id) == 0 {
		return reason
	}
	article, reason := p.key("id", id)
	if reason != "" {
		return reason
	}
	p.begin()
	p.event(digest, strategies.ID(article), seconds, Clicked)
	return ""
}
