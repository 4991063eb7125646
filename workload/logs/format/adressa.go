package format

import (
	"bytes"
	"cmp"

	"dejavu/strategies"
	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/event"
)

// Adressa is an event a line, an object with userId, time in seconds, and id,
// the article, among others. Every event is a page opened: Clicked. Where id
// is missing the page was no article, and the line is passed over.
const Adressa decision.Format = "adressa"

var adressaSyntax = &syntax{
	format: Adressa,
	matches: func(line []byte, _ *decision.Options) bool {
		return isObject(line) && bytes.Contains(line, []byte(`"userId"`)) && bytes.Contains(line, []byte(`"time"`))
	},
	parse: parseAdressa,
}

// parseAdressa reads a page opened.
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
