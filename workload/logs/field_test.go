package logs

import "testing"

// A field ends at its comma, also an empty one, and what follows the last is nil.
func TestField(t *testing.T) {
	p := parser{o: &Options{Comma: ','}}
	for _, c := range []struct {
		record, field, rest string
		more                bool
	}{
		{",b", "", "b", true}, {"a,b,c", "a", "b,c", true}, {"a,", "a", "", true}, {"a", "a", "", false}, {"", "", "", false}, {",", "", "", true},
	} {
		field, rest, reason := p.field([]byte(c.record))
		if string(field) != c.field || string(rest) != c.rest || (rest != nil) != c.more || reason != "" {
			t.Errorf("%q: field %q, rest %q (%t), %q", c.record, field, rest, rest != nil, reason)
		}
	}
}
