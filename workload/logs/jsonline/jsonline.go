// Package jsonline reads a line of JSON, member by member. It finds what it is asked for, and passes over the
// rest, which it does not judge: a line that is JSON is read as encoding/json reads it, in less time, and one
// that is not may pass where only what nobody asked for is wrong.
package jsonline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"dejavu/workload/logs/shown"
)

// A Scanner reads one line after the other. An object or an array is read by
//
//	for more := s.Open('{', "an object"); more; more = s.More('}') {
type Scanner struct {
	line    []byte
	i       int
	bad     string // why the line cannot be read
	scratch []byte // what strings say, where it is not what they look like
}

// Reset begins a line. What was read of the one before is no longer valid.
func (s *Scanner) Reset(line []byte) { *s = Scanner{line: line, scratch: s.scratch[:0]} }

// Fail says why the line cannot be read, if nothing did before.
func (s *Scanner) Fail(reason string) {
	if s.bad == "" {
		s.bad = reason
	}
}

// Failed is whether the line cannot be read.
func (s *Scanner) Failed() bool { return s.bad != "" }

// Next is the next byte that is not white space, 0 at the line's end.
func (s *Scanner) Next() byte {
	for s.i < len(s.line) {
		switch c := s.line[s.i]; c {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// Open steps into an object or an array, and is whether there is anything in it.
func (s *Scanner) Open(bracket byte, what string) bool {
	if s.Next() != bracket {
		s.unexpected(what)
		return false
	}
	s.i++
	if s.Next() == bracket+2 { // as } follows { by two in ASCII, and ] follows [
		s.i++
		return false
	}
	return s.bad == ""
}

func (s *Scanner) unexpected(want string) {
	if s.i >= len(s.line) {
		s.Fail("the line ends where " + want + " should be")
		return
	}
	s.Fail("JSON: " + shown.Value(s.line[s.i:]) + " where " + want + " should be")
}

// More moves to the next member or element, or past the closing bracket where there is none.
func (s *Scanner) More(closing byte) bool {
	switch c := s.Next(); {
	case s.bad != "":
		return false
	case c == ',':
		s.i++
		return true
	case c == closing:
		s.i++
		return false
	}
	s.unexpected("a comma or " + string(closing))
	return false
}

// Object reads an object whose members of these names are strings or numbers, and
// returns them in the order of the names, nil where there is none.
func (s *Scanner) Object(what string, names ...string) (values [3][]byte) {
	for more := s.Open('{', what); more; more = s.More('}') {
		if i := slices.Index(names, string(s.Name())); i >= 0 {
			values[i] = s.Scalar(names[i])
		} else {
			s.Skip()
		}
	}
	return values
}

// Members tells of the members of an object that are strings, numbers, true, false or arrays,
// and, as a.b, of those of objects within it.
func (s *Scanner) Members(tell func(name string, value []byte)) { s.within("", tell) }

func (s *Scanner) within(outer string, tell func(name string, value []byte)) {
	for more := s.Open('{', "an object"); more; more = s.More('}') {
		name := outer + string(s.Name())
		switch c := s.Next(); {
		case s.bad != "":
		case c == '{' && strings.Count(name, ".") < 4:
			s.within(name+".", tell)
		case c == '{':
			s.Skip()
		case c == '[':
			from := s.i
			s.Skip()
			tell(name, s.line[from:s.i])
		default:
			tell(name, s.Value(name))
		}
	}
}

// Name is a member's name.
func (s *Scanner) Name() []byte {
	if s.Next() != '"' {
		s.unexpected("a member's name")
		return nil
	}
	name := s.text()
	if s.Next() != ':' {
		s.unexpected("a colon")
		return nil
	}
	s.i++
	return name
}

// text is the string that begins here.
func (s *Scanner) text() []byte {
	from := s.i + 1
	if s.pass(); s.bad != "" {
		return nil
	}
	raw := s.line[from : s.i-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var text string
	if err := json.Unmarshal(s.line[from-1:s.i], &text); err != nil {
		s.Fail("JSON: " + shown.Value(raw) + " is no string")
		return nil
	}
	at := len(s.scratch)
	s.scratch = append(s.scratch, text...)
	return s.scratch[at:]
}

// Value is the text of a string, a number, true or false, nil where null stands.
func (s *Scanner) Value(what string) []byte {
	if c := s.Next(); c == 't' || c == 'f' {
		if word := s.word(); string(word) == "true" || string(word) == "false" {
			return word
		}
		s.Fail("JSON: " + what + " is no value")
		return nil
	}
	return s.Scalar(what)
}

// Scalar is the text of a string or a number, nil where null stands.
func (s *Scanner) Scalar(what string) []byte {
	switch c := s.Next(); {
	case c == '"':
		return s.text()
	case c == '-' || c-'0' <= 9:
		from, digits := s.i, true
		word := s.word()
		for _, c := range word {
			digits = digits && (c-'0' <= 9 || c == '.' || c == '-' || c == '+' || c|0x20 == 'e')
		}
		if digits {
			return word
		}
		s.i = from
	case c == 'n':
		from := s.i
		if string(s.word()) == "null" {
			return nil
		}
		s.i = from
	}
	s.unexpected(what + ", a string or a number,")
	return nil
}

// word is a number, or true, false or null.
func (s *Scanner) word() []byte {
	from := s.i
	for s.i < len(s.line) {
		switch c := s.line[s.i]; {
		case c-'0' <= 9, c|0x20 >= 'a' && c|0x20 <= 'z', c == '-', c == '+', c == '.':
			s.i++
		default:
			return s.line[from:s.i]
		}
	}
	return s.line[from:]
}

// Skip passes over a value, however deep it nests.
func (s *Scanner) Skip() {
	switch s.Next() {
	case '"':
		s.pass()
		return
	case '{', '[':
	default:
		if len(s.word()) == 0 {
			s.unexpected("a value")
		}
		return
	}
	for depth := 0; s.i < len(s.line); {
		switch s.line[s.i] {
		case '"':
			if s.pass(); s.bad != "" {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.i++
				return
			}
		}
		s.i++
	}
	s.Fail("the line ends within a value")
}

// pass passes over a string: to behind a quote that no backslash stands for.
func (s *Scanner) pass() {
	from := s.i + 1
	for i := from; ; i++ {
		end := bytes.IndexByte(s.line[i:], '"')
		if end < 0 {
			s.Fail("JSON: a string does not end")
			return
		}
		i += end
		slashes := 0
		for i-slashes > from && s.line[i-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			s.i = i + 1
			return
		}
	}
}

// End says what was wrong, or that something follows what should be all.
func (s *Scanner) End() string {
	if s.Next(); s.bad == "" && s.i < len(s.line) {
		s.unexpected("the line's end")
	}
	return s.bad
}
