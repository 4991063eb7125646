package logs

import (
	"bytes"
	"cmp"
	"fmt"

	"dejavu/strategies"
	"dejavu/workload/logs/shown"
)

// OTTO is a session a line, {"session": 1, "events": [{"aid": 2, "ts": 3,
// "type": "clicks"}]}, times in milliseconds. The session is the user. Clicks
// are Clicked, carts and orders Acted.
const OTTO Format = "otto"

var ottoSyntax = &syntax{
	format:  OTTO,
	opening: "{",
	matches: func(line []byte, _ *Options) bool {
		return bytes.Contains(line, []byte(`"events"`)) && bytes.Contains(line, []byte(`"session"`))
	},
	parse:  parseOTTO,
	write:  writeOTTO,
	finish: (*Writer).endSession,
}

// sessionEvents is how many events a line of OTTO has at the most, as in the
// original.
const sessionEvents = 500

// parseOTTO reads a session, all events of which have the session for their user,
// wherever in the line that stands.
func parseOTTO(p *parser, line []byte) (reason string) {
	s := scan{p: p, line: line}
	b := p.b
	mark, requests := len(b.events), b.requests
	var session []byte
	noEvents := `no "events"`
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		switch string(s.name()) {
		case "session":
			session = s.scalar("session")
		case "events":
			b.events, b.requests = b.events[:mark], requests // of two lists the last counts
			noEvents = ""
			s.ottoEvents()
		default:
			s.skip()
		}
	}
	user, noUser := p.key("session", session)
	for i := range b.events[mark:] {
		b.events[mark+i].User = user
	}
	return cmp.Or(s.end(), noEvents, noUser)
}

// ottoEvents reads the list of events. Each is a request of its own.
func (s *scan) ottoEvents() {
	if !s.open('[', "a list of events") {
		return
	}
	n := 0
	for first := true; s.more(']', first); first = false {
		n++
		found := s.object("an event", "aid", "ts", "type")
		if s.bad != "" {
			return
		}
		if reason := s.p.ottoEvent(found[0], found[1], found[2]); reason != "" {
			s.fail(fmt.Sprintf("event %d: %s", n, reason))
			return
		}
	}
}

func (p *parser) ottoEvent(aid, ts, kind []byte) (reason string) {
	article, noArticle := p.key("aid", aid)
	at, noTime := p.clock(ts, Millis)
	if reason := cmp.Or(noArticle, noTime); reason != "" {
		return reason
	}
	k := Acted
	switch string(kind) {
	case "clicks":
		k = Clicked
	case "carts", "orders":
	default:
		return "type " + shown.Value(kind) + " is not one of clicks, carts and orders"
	}
	p.begin()
	p.event(0, strategies.ID(article), at, k)
	return ""
}

// writeOTTO adds to the session of the line before, or begins another.
func writeOTTO(w *Writer, request []Event) {
	for _, e := range request {
		if e.Kind < Clicked {
			continue
		}
		if w.events > 0 && (e.User != w.user || w.events == sessionEvents) {
			w.endSession()
		}
		if w.events == 0 {
			w.begin()
			w.text(`{"session":`).quoted(e.User, w.odd(3))
			if w.odd(4) {
				w.text(` , "device" : {"os":["}\""], "v":[1, {}]}`)
			}
			w.text(`,"events":[`)
		} else {
			w.text(",")
		}
		w.text(`{"aid":`).number(uint64(e.Article))
		w.text(`,"ts":`).number(uint64(e.Time) * 1000)
		if e.Kind == Acted {
			w.text(`,"type":"carts"}`)
		} else {
			w.text(`,"type":"clicks"}`)
		}
		w.user = e.User
		w.events++
	}
}

func (w *Writer) endSession() {
	if w.events > 0 {
		w.text("]}")
		w.end(false)
		w.events = 0
	}
}
