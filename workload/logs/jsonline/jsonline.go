// Package jsonline reads lines of JSON: objects, whose members it finds by name, and what they say as text. Lines are
// parsed by fastjson, whole; what nobody asks for is parsed, too, but its text is not unescaped.
package jsonline

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"dejavu/workload/logs/shown"
)

// A Scanner reads one line after the other, which is valid until the next. It keeps memory of 100 times the longest.
type Scanner struct {
	parser  fastjson.Parser
	numbers []byte // as the line has them
}

// Object is the line's, or why there is none.
func (s *Scanner) Object(line []byte) (o *fastjson.Value, reason string) {
	s.numbers = s.numbers[:0]
	o, err := s.parser.ParseBytes(line)
	switch {
	case err != nil:
		why := err.Error()
		for strings.HasPrefix(why, "cannot parse ") && !strings.HasPrefix(why, "cannot parse empty") {
			_, why, _ = strings.Cut(why, ": ") // where it is, which may be deep
		}
		why, tail, _ := strings.Cut(why, "; unparsed tail: ")
		why, found, _ := strings.Cut(why, ": ")
		text, _ := strconv.Unquote(cmp.Or(tail, found))
		return nil, "JSON: " + why + " before " + shown.Value([]byte(text))
	case o.Type() != fastjson.TypeObject:
		return nil, "JSON: " + shown.Value(line) + " is no object"
	}
	return o, ""
}

// Member is the object's member of that name, or, of a.b, member b of its member a; nil where there is none.
func Member(o *fastjson.Value, name string) *fastjson.Value {
	if name == "" {
		return nil
	}
	if m := o.Get(name); m != nil {
		return m
	}
	for i, c := range name {
		if c == '.' {
			if m := Member(o.Get(name[:i]), name[i+1:]); m != nil {
				return m
			}
		}
	}
	return nil
}

// Text is what a string, a number, true or false says, nil for null and for nothing, or why it is none of these.
func (s *Scanner) Text(what string, v *fastjson.Value) (text []byte, reason string) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil, ""
	}
	switch v.Type() {
	case fastjson.TypeString:
		return v.GetStringBytes(), ""
	case fastjson.TypeNumber, fastjson.TypeTrue, fastjson.TypeFalse:
		from := len(s.numbers)
		s.numbers = v.MarshalTo(s.numbers)
		return s.numbers[from:], ""
	}
	return nil, "JSON: " + what + " is " + shown.Value(v.MarshalTo(nil)) + ", want a string or a number"
}

// Members tells of the members of an object, in their order, and, as a.b, of those of objects within it: what they
// say, and of arrays what they look like. All names begin with outer.
func (s *Scanner) Members(outer string, o *fastjson.Value, tell func(name string, value []byte)) {
	o.GetObject().Visit(func(key []byte, v *fastjson.Value) {
		name := outer + string(key)
		switch v.Type() {
		case fastjson.TypeObject:
			if strings.Count(name, ".") < 4 {
				s.Members(name+".", v, tell)
			}
		case fastjson.TypeArray:
			tell(name, v.MarshalTo(nil))
		default:
			text, _ := s.Text(name, v) // which it has
			tell(name, text)
		}
	})
}
