package format

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/valyala/fastjson"

	"dejavu/workload/logs/decision"
	"dejavu/workload/logs/jsonline"
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
	return cmp.Or(reason, noText, p.row(values, articles))
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
