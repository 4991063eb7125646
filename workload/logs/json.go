package logs

import (
	"bytes"
	"encoding/json"
	"slices"

	"dejavu/workload/logs/shown"
)

// A scan reads one line of JSON, member by member. It finds what a reader of
// logs asks for, and passes over the rest, which it does not judge: a line that
// is JSON is read as encoding/json reads it, in a tenth of the time
// (BenchmarkEncodingJSON), and one that is
// not may pass where only what nobody asked for is wrong.
type scan struct {
	p    *parser
	line []byte
	i    int
	bad  string // why the line cannot be read
}

func (s *scan) fail(reason string) {
	if s.bad == "" {
		s.bad = reason
	}
}

// next is the next byte that is not white space, 0 at the line's end.
func (s *scan) next() byte {
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

// open steps into an object or an array.
func (s *scan) open(bracket byte, what string) bool {
	if s.next() != bracket {
		s.unexpected(what)
		return false
	}
	s.i++
	return true
}

func (s *scan) unexpected(want string) {
	if s.i >= len(s.line) {
		s.fail("the line ends where " + want + " should be")
		return
	}
	s.fail("JSON: " + shown.Value(s.line[s.i:]) + " where " + want + " should be")
}

// more moves to the next member or element, and past the closing bracket where
// there is none.
func (s *scan) more(closing byte, first bool) bool {
	c := s.next()
	switch {
	case s.bad != "":
		return false
	case c == closing:
		s.i++
		return false
	case first:
		return true
	case c != ',':
		s.unexpected("a comma or " + string(closing))
		return false
	}
	s.i++
	return true
}

// object reads an object whose members of these names are strings or numbers, and
// returns them in the order of the names, nil where there is none.
func (s *scan) object(what string, names ...string) (values [3][]byte) {
	s.open('{', what)
	for first := true; s.more('}', first); first = false {
		if i := slices.Index(names, string(s.name())); i >= 0 {
			values[i] = s.scalar(names[i])
		} else {
			s.skip()
		}
	}
	return values
}

// name is a member's name.
func (s *scan) name() []byte {
	if s.next() != '"' {
		s.unexpected("a member's name")
		return nil
	}
	name := s.text()
	if s.next() != ':' {
		s.unexpected("a colon")
		return nil
	}
	s.i++
	return name
}

// text is the string that begins here.
func (s *scan) text() []byte {
	from := s.i + 1
	end := s.close(from)
	if end < 0 {
		s.fail("JSON: a string does not end")
		return nil
	}
	s.i = end + 1
	raw := s.line[from:end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var text string
	if err := json.Unmarshal(s.line[from-1:end+1], &text); err != nil {
		s.fail("JSON: " + shown.Value(raw) + " is no string")
		return nil
	}
	at := len(s.p.scratch)
	s.p.scratch = append(s.p.scratch, text...)
	return s.p.scratch[at:]
}

// close is where the string that goes on at i ends: a quote that no backslash
// stands for, or -1.
func (s *scan) close(i int) int {
	from := i
	for {
		end := bytes.IndexByte(s.line[i:], '"')
		if end < 0 {
			return -1
		}
		end += i
		slashes := 0
		for end-slashes > from && s.line[end-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end
		}
		i = end + 1
	}
}

// scalar is the text of a string or a number, nil where null stands.
func (s *scan) scalar(what string) []byte {
	switch c := s.next(); {
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
func (s *scan) word() []byte {
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

// skip passes over a value, however deep it nests.
func (s *scan) skip() {
	switch s.next() {
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
	s.fail("the line ends within a value")
}

// pass passes over a string.
func (s *scan) pass() {
	end := s.close(s.i + 1)
	if end < 0 {
		s.fail("JSON: a string does not end")
		return
	}
	s.i = end + 1
}

// end says what was wrong, or that something follows what should be all.
func (s *scan) end() string {
	if s.next(); s.bad == "" && s.i < len(s.line) {
		s.unexpected("the line's end")
	}
	return s.bad
}
