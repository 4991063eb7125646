package results_test

import (
	"testing"

	"dejavu/results"
)

// along is the dimension of rows in these tests.
var along = results.Dimension{Name: "x"}

func TestCompare(t *testing.T) {
	row := func(x, value float64) results.Row {
		return results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(along.At(x)), Quantity: "q",
			Value: results.Num(value), Count: 10,
		}
	}
	got := []results.Row{row(1, 1), row(2, 2.5), row(4, 4), row(5, 5), row(5, 6), row(5, 7)}
	want := []results.Row{row(1, 1.0000000001), row(2, 2), row(3, 3), row(5, 5), row(5, 6)}
	c := results.Compare(got, want)
	if c.Matched != 3 || c.Differing != 1 || len(c.Missing) != 1 || len(c.Extra) != 2 {
		t.Fatalf("got %+v", c)
	}
	if d := c.Fields[0]; d.Field != "value" || d.Got != "2.5" || d.Want != "2" || d.Name != row(2, 0).Name() {
		t.Errorf("got difference %+v", d)
	}
	if c.Missing[0].Where != "x=3" || c.Extra[0].Where != "x=4" || c.Extra[1].Where != "x=5" {
		t.Errorf("missing %v, extra %v", c.Missing, c.Extra)
	}
	if c := results.Compare(got, got); c.Matched != len(got) || c.Differing+len(c.Missing)+len(c.Extra) > 0 {
		t.Errorf("with itself: %+v", c)
	}
}
