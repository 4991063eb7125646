package format

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/valyala/fastjson"

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

func parseJSON(p *Parser, line []byte) (reason string) {
	o, reason := p.json.Object(line)
	if reason != "" {
		return reason
	}
	c := p.o.Columns
	var articles [][]byte // nil where they are no list
	if list := jsonline.Member(o, c.Article); list != nil && list.Type() == fastjson.TypeArray {
		articles, reason = p.list(list.GetArray())
		c.Article = ""
	}
	values, noText := p.members(o, c.User, c.Article, c.Time, c.Clicked, c.Request)
	return cmp.Or(reason, noText, p.row(values, articles, clock.Seconds))
}

// list is the texts of an array, which is not nil.
func (p *Parser) list(list []*fastjson.Value) (articles [][]byte, reason string) {
	p.articles = slices.Grow(p.articles[:0], 1)
	for _, v := range list {
		article, reason := p.json.Text("an article", v)
		if reason != "" {
			return nil, reason
		}
		p.articles = append(p.articles, article)
	}
	return p.articles, ""
}

// members are the texts of an object's members of these names.
func (p *Parser) members(o *fastjson.Value, names ...string) (texts [5][]byte, reason string) {
	for i, name := range names {
		if texts[i], reason = p.json.Text(name, jsonline.Member(o, name)); reason != "" {
			return texts, reason
		}
	}
	return texts, ""
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

// parseOTTO reads a session. Each of its events is a request of its own.
func parseOTTO(p *Parser, line []byte) (reason string) {
	o, reason := p.json.Object(line)
	if reason != "" {
		return reason
	}
	events := o.Get("events")
	if events == nil || events.Type() != fastjson.TypeArray {
		return `no list "events"`
	}
	session, noText := p.members(o, "session")
	user, noUser := p.key("session", session[0])
	if reason := cmp.Or(noText, noUser); reason != "" {
		return reason
	}
	for i, e := range events.GetArray() {
		if reason := p.ottoEvent(user, e); reason != "" {
			return fmt.Sprintf("event %d: %s", i+1, reason)
		}
	}
	return ""
}

func (p *Parser) ottoEvent(user uint64, e *fastjson.Value) (reason string) {
	texts, noText := p.members(e, "aid", "ts", "type")
	article, noArticle := p.key("aid", texts[0])
	at, noTime := p.clock(texts[1], clock.Millis)
	if reason := cmp.Or(noText, noArticle, noTime); reason == leftOut {
		return ""
	} else if reason != "" {
		return reason
	}
	kind := event.Acted
	switch string(texts[2]) {
	case "clicks":
		kind = event.Clicked
	case "carts", "orders":
	default:
		return "type " + shown.Value(texts[2]) + " is not one of clicks, carts and orders"
	}
	p.begin()
	p.event(user, strategies.ID(article), at, kind)
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
	o, reason := p.json.Object(line)
	if reason != "" {
		return reason
	}
	found, noText := p.members(o, "userId", "id", "time")
	user, noUser := p.key("userId", found[0])
	at, noTime := p.clock(found[2], clock.Seconds)
	if reason = cmp.Or(noText, noUser, noTime); reason != "" || len(found[1]) == 0 {
		return reason
	}
	article, noArticle := p.key("id", found[1])
	p.begin()
	p.event(user, strategies.ID(article), at, event.Clicked)
	return noArticle
}
