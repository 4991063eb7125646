package format

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
	"dejavu/workload/logs/jsonline"
	"dejavu/workload/logs/shown"
)

var jsonSyntax = &syntax{
	format:  decision.JSON,
	matches: func(line []byte, _ *decision.Options) bool { return isObject(line) },
	decide:  decision.Objects,
	parse:   parseJSON,
}

func isObject(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}) }

// A picked is what a line has of the columns, in the order user, article, time, clicked and request.
type picked struct {
	names    [5]string
	values   [5][]byte
	articles [][]byte // nil where they are no list
}

func parseJSON(p *Parser, line []byte) (reason string) {
	c := &p.o.Columns
	found := picked{names: [5]string{c.User, c.Article, c.Time, c.Clicked, c.Request}}
	s := p.scan(line)
	p.pick(s, &found, found.names)
	if reason := s.End(); reason != "" {
		return reason
	}
	return p.row(found.values, found.articles, clock.Seconds)
}

// pick reads an object's members of these names, as they are called from there.
func (p *Parser) pick(s *jsonline.Scanner, found *picked, names [5]string) {
	for more := s.Open('{', "an object"); more; more = s.More('}') {
		name := s.Name()
		at, inner, deeper := -1, [5]string{}, false
		for i, wanted := range names {
			if wanted != "" && string(name) == wanted {
				at = i
			} else if rest, within := strings.CutPrefix(wanted, string(name)+"."); within {
				inner[i], deeper = rest, true
			}
		}
		switch c := s.Next(); {
		case at == 1 && c == '[':
			found.articles = p.list(s)
		case at >= 0:
			found.values[at] = s.Value(found.names[at])
		case deeper && c == '{':
			p.pick(s, found, inner)
		default:
			s.Skip()
		}
	}
}

// list reads an array of strings and numbers, which is not nil.
func (p *Parser) list(s *jsonline.Scanner) [][]byte {
	if p.articles == nil {
		p.articles = [][]byte{}
	}
	p.articles = p.articles[:0]
	for more := s.Open('[', "a list of articles"); more; more = s.More(']') {
		p.articles = append(p.articles, s.Scalar("an article"))
	}
	return p.articles
}

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

// parseOTTO reads a session, all events of which have the session for their user, wherever in the line that stands.
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
		if reason := p.ottoEvent(found[0], found[1], found[2]); reason != "" {
			s.Fail(fmt.Sprintf("event %d: %s", n, reason))
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

// Adressa is an event a line, an object with userId, time in seconds, and id, the article, among others. Every event is
// a page opened: Clicked. Where id is missing the page was no article, and the line is passed over.
const Adressa decision.Format = "adressa"

var adressaSyntax = &syntax{
	format: Adressa,
	matches: func(line []byte, _ *decision.Options) bool {
		return isObject(line) && bytes.Contains(line, []byte(`"userId"`)) && bytes.Contains(line, []byte(`"time"`))
	},
	parse: parseAdressa,
}

func parseAdressa(p *Parser, line []byte) (reason string) {
	s := p.scan(line)
	found := s.Object("an object", "userId", "id", "time")
	user, noUser := p.key("userId", found[0])
	at, noTime := p.clock(found[2], clock.Seconds)
	if reason = cmp.Or(s.End(), noUser, noTime); reason != "" || len(found[1]) == 0 {
		return reason
	}
	article, noArticle := p.key("id", found[1])
	p.begin()
	p.event(user, strategies.ID(article), at, event.Clicked)
	return noArticle
}
