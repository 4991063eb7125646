package logs

import (
	"bytes"
	"strings"

	"dejavu/workload/logs/shown"
)

// What Options.List may be, beside what stands between the articles of one field.
const (
	NoList   = "none"     // a field is one article
	Brackets = "brackets" // [1, 2], [1 2], ['a' 'b'] or ["a","b"]
)

// listOf is how the articles of these fields are listed.
func listOf(name string, fields [][]byte) string {
	if strings.HasSuffix(name, ":token_seq") { // as RecBole writes it
		return " "
	}
	lists, filled := 0, 0
	for _, field := range fields {
		if field = bytes.TrimSpace(field); len(field) > 0 {
			filled++
			if field[0] == '[' && field[len(field)-1] == ']' {
				lists++
			}
		}
	}
	if filled > 0 && lists == filled {
		return Brackets
	}
	return NoList
}

// list parts a field into articles. One that is empty is none.
func (p *parser) list(field []byte) (articles [][]byte, reason string) {
	p.articles = p.articles[:0]
	between := p.o.List
	if between == Brackets {
		inside, opens := bytes.CutPrefix(bytes.TrimSpace(field), []byte{'['})
		inside, closes := bytes.CutSuffix(inside, []byte{']'})
		if !opens || !closes {
			return nil, "article " + shown.Value(field) + " is not a list in brackets (--list none takes it for one article)"
		}
		if field, between = inside, " "; bytes.IndexByte(inside, ',') >= 0 {
			between = ","
		}
	}
	for more := true; more; {
		var article []byte
		article, field, more = bytes.Cut(field, []byte(between))
		article = bytes.TrimSpace(article)
		if p.o.List == Brackets {
			article = bytes.Trim(article, `"'`)
		}
		if len(article) > 0 {
			p.articles = append(p.articles, article)
		}
	}
	return p.articles, ""
}
