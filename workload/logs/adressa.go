package logs

import (
	"bytes"
	"cmp"

	"dejavu/strategies"
)

// Adressa is an event a line, an object with userId, time in seconds, and id,
// the article, among others. Every event is a page opened: Clicked. Where id
// is missing the page was no article, and the line is passed over.
const Adressa Format = "adressa"

var adressaSyntax = &syntax{
	format:  Adressa,
	opening: "{",
	matches: func(line []byte, _ *Options) bool {
		return bytes.Contains(line, []byte(`"userId"`)) && bytes.Contains(line, []byte(`"time"`))
	},
	parse: parseAdressa,
	write: writeAdressa,
}

// parseAdressa reads a page opened.
func parseAdressa(p *parser, line []byte) (reason string) {
	s := scan{p: p, line: line}
	found := s.object("an object", "userId", "id", "time")
	user, noUser := p.key("userId", found[0])
	at, noTime := p.clock(found[2], Seconds)
	if reason = cmp.Or(s.end(), noUser, noTime); reason != "" || len(found[1]) == 0 {
		return reason
	}
	article, noArticle := p.key("id", found[1])
	p.begin()
	p.event(user, strategies.ID(article), at, Clicked)
	return noArticle
}

// writeAdressa writes what was clicked, a line each.
func writeAdressa(w *Writer, request []Event) {
	for _, e := range request {
		if e.Kind != Clicked {
			continue
		}
		w.begin()
		if w.odd(5) { // the front page: no article
			w.text(`{"eventId":1,"userId":"`).number(e.User)
			w.text(`","time":`).number(uint64(e.Time)).text(`,"url":"http://adressa.no"}`)
			w.end(false)
			w.begin()
		}
		w.text(`{"eventId":`).number(uint64(w.lines))
		if w.odd(4) {
			w.text(`, "profile": [{"item":"\"}","groups":[{"weight":0.5}]}], "activeTime":null`)
		}
		w.text(`,"city":"oslo","url":"http://adressa.no/nyheter/`).number(uint64(e.Article))
		w.text(`.ece","region":"oslo","sessionStart":false,"userId":"`).number(e.User)
		w.text(`","sessionStop":false,"time":`).number(uint64(e.Time))
		w.text(`,"id":"`).number(uint64(e.Article)).text(`"}`)
		w.end(false)
	}
}
