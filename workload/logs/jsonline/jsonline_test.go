package jsonline

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
)

// Lines of JSON with anything in them are read as encoding/json reads them.
func TestJSONModel(t *testing.T) {
	text := rapid.StringOfN(
		rapid.RuneFrom([]rune{'a', '"', '\\', '{', '}', '[', ']', ',', ':', 'é', '\n', '1'}), 1, 6, -1,
	)
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		case 3:
			return rapid.SliceOfN(value, 0, 2).Draw(t, "array")
		case 4:
			return rapid.MapOfN(text, value, 0, 2).Draw(t, "object")
		}
		return text.Draw(t, "string")
	})
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(text, value, 0, 4).Draw(t, "members")
		user, id := text.Draw(t, "userId"), text.Draw(t, "id")
		members["userId"], members["id"] = user, id
		line := strategytest.Value(json.Marshal(members))
		if rapid.Bool().Draw(t, "wide") { // white space outside strings
			var wide bytes.Buffer
			strategytest.Must(t, json.Indent(&wide, line, " ", "\t"))
			line = bytes.ReplaceAll(wide.Bytes(), []byte("\n"), []byte(" "))
		}
		var s Scanner
		s.Reset(line)
		got := s.Object("an object", "userId", "id")
		if reason := s.End(); reason != "" || string(got[0]) != user || string(got[1]) != id {
			t.Fatalf("%s: %q and %q, %s", line, got[0], got[1], reason)
		}
		s.Reset(line)
		s.Members(func(name string, value []byte) {
			if want, ok := members[name].(string); ok && string(value) != want {
				t.Fatalf("%s: member %q is %q", line, name, value)
			}
		})
		if reason := s.End(); reason != "" {
			t.Fatalf("%s: %s", line, reason)
		}
	})
}

// What members there are, and why a line cannot be read.
func TestMembers(t *testing.T) {
	for _, c := range []struct{ line, want, bad string }{
		{`{}`, "", ""},
		{` { "a" : 1 , "b":"x\u0041" } `, "a=1 b=xA ", ""},
		{`{"a":{"b":{"c":[1,{"d":2}]}},"e":null,"f":true,"g":false}`, `a.b.c=[1,{"d":2}] e= f=true g=false `, ""},
		{`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}},"z":-1.5E+3}`, "z=-1.5E+3 ", ""},
		{`{"a":"\\","b":"\""}`, `a=\ b=" `, ""},
		{`{"a":}`, "", `JSON: "}" where a, a string or a number, should be`},
		{`{"a":nul}`, "", `JSON: "nul}" where a, a string or a number, should be`},
		{`{"a":1x}`, "", `JSON: "1x}" where a, a string or a number, should be`},
		{`{"a":tru}`, "", "JSON: a is no value"},
		{`{"a":1,}`, "a=1 ", `JSON: "}" where a member's name should be`},
		{`{"a":1 "b":2}`, "a=1 ", `JSON: "\"b\":2}" where a comma or } should be`},
		{`{"a" 1}`, "", `JSON: "1}" where a colon should be`},
		{`{"a":1}{`, "a=1 ", `JSON: "{" where the line's end should be`},
		{`{"a":"x`, "", "JSON: a string does not end"},
		{`{"a":"\"}`, "", "JSON: a string does not end"},
		{`{"a":"\x"}`, "", `JSON: "\\x" is no string`},
		{`{"a":[1,[2]`, "", "the line ends within a value"},
		{`{"a":["x]`, "", "JSON: a string does not end"},
		{`{"a":1`, "a=1 ", "the line ends where a comma or } should be"},
		{`{`, "", "the line ends where a member's name should be"},
		{`[]`, "", `JSON: "[]" where an object should be`},
		{``, "", "the line ends where an object should be"},
	} {
		var s Scanner
		got := ""
		s.Reset([]byte(c.line))
		s.Members(func(name string, value []byte) {
			if !s.Failed() {
				got += name + "=" + string(value) + " "
			}
		})
		if bad := s.End(); got != c.want || bad != c.bad || s.Failed() != (bad != "") {
			t.Errorf("%s: %q, %s; want %q, %s", c.line, got, bad, c.want, c.bad)
		}
	}
}

// Lists are read element by element, and the first failure stays.
func TestLists(t *testing.T) {
	for _, c := range []struct{ line, want, bad string }{
		{`[ ]`, "", ""},
		{`[1, "a" ,null]`, "1 a  ", ""},
		{`[1,]`, "1  ", `JSON: "]" where an element, a string or a number, should be`},
		{`[1 2]`, "1 ", `JSON: "2]" where a comma or ] should be`},
		{`{}`, "", `JSON: "{}" where a list should be`},
	} {
		var s Scanner
		s.Reset([]byte(c.line))
		got := ""
		for more := s.Open('[', "a list"); more; more = s.More(']') {
			got += string(s.Scalar("an element")) + " "
		}
		if bad := s.End(); got != c.want || bad != c.bad {
			t.Errorf("%s: %q, %s; want %q, %s", c.line, got, bad, c.want, c.bad)
		}
		s.Fail("first")
		s.Fail("second")
		if bad := s.End(); c.bad == "" && bad != "first" || c.bad != "" && bad != c.bad {
			t.Errorf("%s: in the end %s", c.line, bad)
		}
	}
	var s Scanner // what is passed over
	for line, want := range map[string]string{
		`{"x":[[1,{"y":"]"}],{}],"a":1}`: "1", `{"x":true,"a":"b"}`: "b", `{"x":{},"y":[],"a":null,"a":2}`: "2",
	} {
		s.Reset([]byte(line))
		if got := s.Object("an object", "a"); string(got[0]) != want || s.End() != "" {
			t.Errorf("%s: %q, %s, want %s", line, got[0], s.End(), want)
		}
	}
	s.Reset([]byte(`{"x":?}`))
	if s.Object("an object", "a"); s.End() != `JSON: "?}" where a value should be` {
		t.Error(s.End())
	}
}
