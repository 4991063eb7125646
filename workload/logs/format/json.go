package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"dejavu/workload/logs/table"
)

func isObject(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'{'}) }

// object parses a line, or returns the reason why it is no object. The object is valid until the next call.
func object(parser *fastjson.Parser, line []byte) (o *fastjson.Object, reason string) {
	v, err := parser.ParseBytes(line)
	if err != nil {
		why := err.Error()
		for strings.HasPrefix(why, "cannot parse ") && !strings.HasPrefix(why, "cannot parse empty") {
			_, why, _ = strings.Cut(why, ": ") // where it is, which may be deep
		}
		why, tail, _ := strings.Cut(why, "; unparsed tail: ")
		why, found, _ := strings.Cut(why, ": ")
		text, _ := strconv.Unquote(cmp.Or(tail, found))
		return nil, fmt.Sprintf("JSON: %s before %.40q", why, text)
	}
	if o = v.GetObject(); o == nil {
		return nil, fmt.Sprintf("JSON: %.40q is no object", line)
	}
	return o, ""
}

// members finds the members of these names, and of a.b member b of member a. Two of one name are a reason.
func members(o *fastjson.Object, names *[5]string, found *[5]*fastjson.Value) (reason string) {
	o.Visit(func(key []byte, v *fastjson.Value) {
		for i, name := range names {
			switch rest, isInside := strings.CutPrefix(name, string(key)); {
			case name == "" || !isInside:
			case rest == "" && found[i] != nil:
				reason = fmt.Sprintf("JSON: two values of %.40q", name)
			case rest == "":
				found[i] = v
			case rest[0] == '.' && v.Type() == fastjson.TypeObject:
				var inner [5]string
				inner[i] = rest[1:]
				reason = cmp.Or(reason, members(v.GetObject(), &inner, found))
			}
		}
	})
	return reason
}

// text returns what a string, a number, true or false says, nil for null and for nothing, or why it is none of these.
func (p *Parser) text(what string, v *fastjson.Value) (text []byte, reason string) {
	if v == nil {
		return nil, ""
	}
	switch v.Type() {
	case fastjson.TypeNull:
		return nil, ""
	case fastjson.TypeString:
		return v.GetStringBytes(), ""
	case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
		from := len(p.numbers)
		p.numbers = v.MarshalTo(p.numbers)
		return p.numbers[from:], ""
	}
	return nil, fmt.Sprintf("JSON: %s is %.40q, want a string or a number", what, v.MarshalTo(nil))
}

func readJSON(p *Parser, line []byte) (reason string) {
	o, reason := object(&p.json, line)
	if reason != "" {
		return reason
	}
	c := &p.o.Columns
	names := [5]string{c.User, c.Article, c.Time, c.Clicked, c.Request}
	var found [5]*fastjson.Value
	if reason = members(o, &names, &found); reason != "" {
		return reason
	}
	p.numbers = p.numbers[:0]
	var values [5][]byte
	var articles [][]byte
	if list := found[1]; list != nil && list.Type() == fastjson.TypeArray {
		p.articles = slices.Grow(p.articles[:0], 1)
		for _, v := range list.GetArray() {
			article, reason := p.text("an article", v)
			if reason != "" {
				return reason
			}
			p.articles = append(p.articles, article)
		}
		articles, found[1] = p.articles, nil
	}
	for i, v := range found {
		if values[i], reason = p.text(names[i], v); reason != "" {
			return reason
		}
	}
	if articles == nil {
		if articles, reason = p.split(values[1]); reason != "" {
			return reason
		}
	}
	return p.row(values, articles)
}

// A parserOfLists parses JSON arrays in fields of a table.
type parserOfLists struct{ fastjson.Parser }

// array appends the elements of an array to the articles, or returns the reason why it is none.
func (p *parserOfLists) array(field []byte, articles [][]byte) ([][]byte, string) {
	v, err := p.ParseBytes(field)
	if err != nil || v.Type() != fastjson.TypeArray {
		return articles, fmt.Sprintf("article %.40q is no JSON array (--list %s takes it for one article)", field, NoList)
	}
	for _, e := range v.GetArray() {
		switch e.Type() {
		case fastjson.TypeString:
			articles = append(articles, e.GetStringBytes())
		case fastjson.TypeNumber:
			articles = append(articles, e.MarshalTo(nil))
		default:
			return articles, fmt.Sprintf("article %.40q of a list is neither text nor a number", e.MarshalTo(nil))
		}
	}
	return articles, ""
}

// decideJSON decides how lines of JSON are read that begin with this text, by the members that the first of them have.
func decideJSON(o *Options, text []byte) error {
	s := &sample{}
	fault := ""
	var parser fastjson.Parser
	nested := false
	for lines := 0; len(text) > 0 && lines < sampled; lines++ {
		n := table.Line(text, true)
		line := table.TrimEnd(text[:n])
		if text = text[n:]; table.Blank(line) {
			continue
		}
		found, reason := object(&parser, line)
		if reason != "" {
			fault = cmp.Or(fault, reason)
			continue
		}
		record := make([][]byte, len(s.names))
		s.members("", found, &record, &nested)
		s.values = append(s.values, record)
	}
	if len(s.names) == 0 {
		return errors.New("the first lines are not JSON objects: " + fault)
	}
	for _, name := range []string{o.Columns.Clicked, o.Columns.Request} { // lines may do without
		if name != "" && !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
		}
	}
	at, err := s.choose(&o.Columns)
	if err != nil && nested {
		return fmt.Errorf("%w; a DuckDB query of docs/logs.md writes nested events as a table", err)
	}
	if err != nil {
		return err
	}
	return s.settle(o, at)
}

// members takes the members of an object into a record of the sample, and of objects within it as a.b. nested is set if a
// list of objects is among them.
func (s *sample) members(outer string, o *fastjson.Object, record *[][]byte, nested *bool) {
	o.Visit(func(key []byte, v *fastjson.Value) {
		name := outer + string(key)
		if v.Type() == fastjson.TypeObject && strings.Count(name, ".") < 4 {
			s.members(name+".", v.GetObject(), record, nested)
			return
		}
		list := v.GetArray()
		*nested = *nested || len(list) > 0 && list[0].Type() == fastjson.TypeObject
		at := slices.Index(s.names, name)
		if at < 0 {
			if len(s.names) == mostNames {
				return
			}
			at = len(s.names)
			s.names, *record = append(s.names, name), append(*record, nil)
		}
		value := v.MarshalTo(nil)
		if v.Type() == fastjson.TypeString {
			value = v.GetStringBytes()
		} else if v.Type() == fastjson.TypeArray || v.Type() == fastjson.TypeNull {
			value = nil
		}
		(*record)[at] = bytes.Clone(value[:min(len(value), mostBytes)])
	})
}
