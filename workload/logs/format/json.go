package format

import (
	"bytes"
	"strings"

	"dejavu/workload/logs/clock"
	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/jsonline"
)

var jsonSyntax = &syntax{
	format:  decision.JSON,
	matches: func(line []byte, _ *decision.Options) bool { return isObject(line) },
	decide:  decision.Objects,
	parse:   parseJSON,
}

// isObject is whether a line begins an object.
func isObject(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}) }

// A picked is what a line has of the columns, in the order user, article, time, clicked and request.
type picked struct {
	names    [5]string
	values   [5][]byte
	articles [][]byte // nil where they are no list
}

// parseJSON reads a line.
func parseJSON(p *Parser, line []byte) (reason string) {
	c := &p.o.Columns
	found := picked{names: [5]string{c.User, c.Article, c.Time, c.Clicked, c.Request}}
	s := p.scan(line)
	p.pick(s, &found, found.names)
	if reason := s.End(); reason != "" {
		return reason
	}
	v := found.values
	return p.row(row{v[0], v[1], v[2], v[3], v[4], v[4] != nil, found.articles}, clock.Seconds)
}

// pick reads an object's members of these names, as they are called from there.
func (p *Parser) pick(s *jsonline.Scanner, found *picked, names [5]string) {
	for more := s.Open('{', "an object"); more; more = s.More('}') {
		name := s.Name()
		if s.Failed() {
			return
		}
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
