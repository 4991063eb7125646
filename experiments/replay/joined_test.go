package replay

import (
	"slices"
	"testing"
)

// A list that is cut apart at its commas is put together where a strategy's parameters were.
func TestJoined(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{nil, nil},
		{[]string{"a:x=1", "y=2"}, []string{"a:x=1,y=2"}},
		{[]string{"a:x=1", "y=2", "z=3", "b", "c:y=2"}, []string{"a:x=1,y=2,z=3", "b", "c:y=2"}},
		{[]string{"y=2", "a"}, []string{"y=2", "a"}},
		{[]string{"a", "y=2"}, []string{"a", "y=2"}},
	} {
		if got := joined(c.names); !slices.Equal(got, c.want) {
			t.Errorf("%q become %q, want %q", c.names, got, c.want)
		}
	}
}
