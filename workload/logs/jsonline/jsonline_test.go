package jsonline

import (
	"encoding/json"
	"strings"
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
	var s Scanner
	rapid.Check(t, func(t *rapid.T) {
		members := rapid.MapOfN(text, value, 0, 4).Draw(t, "members")
		line := strategytest.Value(json.Marshal(members))
		object, reason := s.Object(line)
		if reason != "" {
			t.Fatalf("%s: %s", line, reason)
		}
		for name, value := range members {
			want, text := value.(string)
			if got, _ := s.Text(name, Member(object, name)); text && string(got) != want {
				t.Fatalf("%s: member %q is %q", line, name, got)
			}
		}
	})
}

// What members there are, or why a line cannot be read.
func TestMembers(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{}`, ""},
		{` { "a" : 1 , "b":"x\u0041" } `, "a=1 b=xA "},
		{`{"a":{"b":{"c":[1,{"d":2}]}},"e":null,"f":true,"g":false}`, `a.b.c=[1,{"d":2}] e= f=true g=false `},
		{`{"a":{"b":{"c":{"d":{"e":{"f":1}}}}},"z":-1.5E+3}`, "z=-1.5E+3 "},
		{`{"a":"\\","b":"\""}`, `a=\ b=" `},
		{`{"a":}`, `JSON: unexpected char before "}"`},
		{`{"a":1,}`, "JSON: cannot find opening"},
		{`{"a":1 "b":2}`, "JSON: missing ',' after object value"},
		{`{"a":1}{`, `JSON: unexpected tail before "{"`},
		{`{"a":"x`, "JSON: missing closing '\"'"},
		{`{"a":` + strings.Repeat("[", 1000), "JSON: too big depth"},
		{`[]`, `JSON: "[]" is no object`},
		{``, "JSON: cannot parse empty string"},
	} {
		var s Scanner
		object, got := s.Object([]byte(c.line))
		if got == "" {
			s.Members("", object, func(name string, value []byte) { got += name + "=" + string(value) + " " })
		}
		if !strings.HasPrefix(got, c.want) || strings.HasPrefix(got, "JSON") != strings.HasPrefix(c.want, "JSON") {
			t.Errorf("%s: %s; want %s", c.line, got, c.want)
		}
	}
}

// Members of members are found by dots, and what is no text says so.
func TestMember(t *testing.T) {
	var s Scanner
	object, _ := s.Object([]byte(`{"a":{"b":{"c":1}},"a.b":{"d":"2"},"":3,"e":[1]}`))
	for name, want := range map[string]string{
		"a.b.c": "1", "a.b.d": "2", "": "", "a.x": "", "x.b": "", "e.b": "",
		"e": `JSON: e is "[1]", want a string or a number`, "a.b": `JSON: a.b is "{\"d\":\"2\"}", want a string or a number`,
	} {
		if got, reason := s.Text(name, Member(object, name)); string(got)+reason != want {
			t.Errorf("%q is %s%s, want %s", name, got, reason, want)
		}
	}
}
