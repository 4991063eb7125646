package logs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dejavu/workload/logs/table"
)

// JSON is an object a line, with a member each for users, articles and times: see Columns.
// The name a.b is of member b of the object a. Where articles are an array, all of them
// were shown at once.
const JSON Format = "json"

var jsonSyntax = &syntax{
	format:  JSON,
	opening: "{",
	decide:  decideJSON,
	parse:   parseJSON,
	write:   writeJSON,
}

// mostNames bounds how many members are looked at for a decision.
const mostNames = 200

// decideJSON finds the members by what the first lines have.
func decideJSON(o *Options, text []byte) error {
	s := &sample{}
	p := parser{o: o}
	fault := ""
	for lines := 0; len(text) > 0 && lines < sampled; lines++ {
		n := table.Line(text, true)
		line := trimEnd(text[:n])
		if text = text[n:]; blank(line) {
			continue
		}
		p.scratch = p.scratch[:0]
		s.values = append(s.values, nil)
		scan := scan{p: &p, line: line}
		scan.members("", func(name string, value []byte) {
			at := slices.Index(s.names, name)
			if at < 0 && len(s.names) < mostNames {
				at = len(s.names)
				s.names = append(s.names, name)
			}
			record := &s.values[len(s.values)-1]
			for at >= len(*record) {
				*record = append(*record, nil)
			}
			if at >= 0 {
				(*record)[at] = bytes.Clone(value[:min(len(value), 1<<10)])
			}
		})
		if reason := scan.end(); fault == "" {
			fault = reason
		}
	}
	if len(s.names) == 0 {
		return errors.New("the first lines are not JSON objects: " + fault)
	}
	for _, name := range []string{o.Columns.Clicked, o.Columns.Request} { // lines may do without
		if at, _ := s.find(name); at < 0 && name != "" {
			s.names = append(s.names, name)
		}
	}
	if err := s.choose(&o.Columns); err != nil {
		return err
	}
	at, _ := s.find(o.Columns.Time)
	if err := s.clock(o, at); err != nil {
		return fmt.Errorf("member %q: %w", o.Columns.Time, err)
	}
	if at, _ := s.find(o.Columns.Article); o.List == "" {
		// An array is one whatever is decided; a string may look like one.
		if o.List = listOf(o.Columns.Article, s.of(at)); o.List != Brackets {
			o.List = NoList
		}
	}
	return nil
}

// members tells of the members of an object that are strings, numbers, true, false or arrays,
// and of those of objects within it.
func (s *scan) members(within string, tell func(name string, value []byte)) {
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		name := within + string(s.name())
		switch c := s.next(); {
		case s.bad != "":
		case c == '{' && strings.Count(name, ".") < 4:
			s.members(name+".", tell)
		case c == '{':
			s.skip()
		case c == '[':
			from := s.i
			s.skip()
			tell(name, s.line[from:s.i])
		default:
			tell(name, s.value(name))
		}
	}
}

// value is the text of a string, a number, true or false, nil where null stands.
func (s *scan) value(what string) []byte {
	if c := s.next(); c == 't' || c == 'f' {
		if word := s.word(); string(word) == "true" || string(word) == "false" {
			return word
		}
		s.fail("JSON: " + what + " is no value")
		return nil
	}
	return s.scalar(what)
}

// A picked is what a line has of the columns, in the order user, article, time, clicked and
// request.
type picked struct {
	names    [5]string
	values   [5][]byte
	articles bool // there was a list of them
}

// pick reads an object's members of these names.
func (s *scan) pick(found *picked, names [5]string) {
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		name := s.name()
		if s.bad != "" {
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
		switch c := s.next(); {
		case at == 1 && c == '[':
			found.articles = true
			s.articles()
		case at >= 0:
			found.values[at] = s.value(found.names[at])
		case deeper && c == '{':
			s.pick(found, inner)
		default:
			s.skip()
		}
	}
}

// articles reads an array of strings and numbers into the parser's.
func (s *scan) articles() {
	s.p.articles = s.p.articles[:0]
	s.open('[', "a list of articles")
	for first := true; s.more(']', first); first = false {
		s.p.articles = append(s.p.articles, s.scalar("an article"))
	}
}

// parseJSON reads a line.
func parseJSON(p *parser, line []byte) (reason string) {
	s := scan{p: p, line: line}
	c := &p.o.Columns
	found := picked{names: [5]string{c.User, c.Article, c.Time, c.Clicked, c.Request}}
	s.pick(&found, found.names)
	if reason := s.end(); reason != "" {
		return reason
	}
	articles := p.articles
	if !found.articles {
		p.articles = append(p.articles[:0], found.values[1])
		if articles = p.articles; p.o.List != "" && p.o.List != NoList {
			if articles, reason = p.list(found.values[1]); reason != "" {
				return reason
			}
		}
	}
	return p.request(found.values[0], articles, found.values[2], Seconds, found.values[3], found.values[4] != nil, found.values[4])
}

// writeJSON writes a line for each event.
func writeJSON(w *Writer, request []Event) {
	for _, e := range request {
		w.begin()
		w.text("{")
		if w.odd(4) {
			w.text(`"more":{"a":["]}",{}]} , `)
		}
		w.member("user", w.o.Columns.User).quoted(e.User, w.odd(3))
		w.text(",").member("article", w.o.Columns.Article).quoted(uint64(e.Article), w.odd(5))
		w.text(",").member("time", w.o.Columns.Time)
		if w.o.Clock == RFC3339 {
			w.text(`"`).time(e.Time).text(`"`)
		} else {
			w.time(e.Time)
		}
		if w.o.Columns.Clicked != "" && e.Kind != Shown {
			w.text(",").member("", w.o.Columns.Clicked).clicked(e.Kind)
		}
		if w.o.Columns.Request != "" {
			w.text(",").member("", w.o.Columns.Request).number(uint64(w.written))
		}
		w.text("}")
		w.end(false)
	}
}

// member writes a member's name, or the one that it has for a default.
func (w *Writer) member(name, named string) *Writer {
	if named != "" {
		name = named
	}
	return w.text(`"` + name + `":`)
}
