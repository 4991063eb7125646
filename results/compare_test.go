package results_test

import (
	"fmt"
	"testing"

	"dejavu/results"
)

func TestCompare(t *testing.T) {
	row := func(x, value float64) results.Row {
		return results.Row{Experiment: "e", Strategy: "s", Where: results.Where(results.X.At(x)), Quantity: "q", Value: results.Num(value), Count: 10}
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

func ExampleCompare() {
	rate := results.Row{Experiment: results.FPR, Strategy: "single", Where: results.Where(results.X.At(500)), Quantity: results.QFPR, Unit: results.Ratio}
	got, want := rate, rate
	got.Value, want.Value = results.Num(0.0203), results.Num(0.0202)
	c := results.Compare([]results.Row{got}, []results.Row{want})
	fmt.Println(c.Matched, "match,", c.Differing, "differ")
	fmt.Println(c.Fields[0])
	// Output:
	// 0 match, 1 differ
	// fpr: fpr of single at x=500: value is 0.0203, reference 0.0202
}

// Times are set against each other with both intervals: what noise may explain
// does not differ, a machine half as fast moves the times and not their ratios,
// and what has no interval is named.
func TestCompareTimes(t *testing.T) {
	row := func(x float64, quantity, unit string, value, low, high float64) results.Row {
		r := results.Row{Experiment: "latency", Strategy: "s", Where: results.Where(results.X.At(x)), Quantity: quantity, Unit: unit, Value: results.Num(value)}
		if low != 0 {
			r.Low, r.High = results.Num(low), results.Num(high)
		}
		return r
	}
	got := []results.Row{
		row(1, "p50", results.Nanoseconds, 200, 190, 210),
		row(2, "p50", results.Nanoseconds, 220, 180, 260),
		row(3, "p50", results.Nanoseconds, 900, 880, 910),
		row(1, "p99", results.Nanoseconds, 900, 0, 0),
		row(1, "over", results.Ratio, 2, 1.9, 2.1),
		row(1, "store", results.Bytes, 5, 4, 6),
		row(9, "p50", results.Nanoseconds, 5, 4, 6),
	}
	want := []results.Row{
		row(1, "p50", results.Nanoseconds, 100, 95, 105),
		row(2, "p50", results.Nanoseconds, 100, 90, 110),
		row(3, "p50", results.Nanoseconds, 300, 290, 310),
		row(1, "p99", results.Nanoseconds, 900, 800, 1000),
		row(1, "over", results.Ratio, 1.5, 1.4, 1.6),
		row(1, "store", results.Bytes, 5, 4, 6),
		row(8, "p50", results.Nanoseconds, 5, 4, 6),
	}
	c := results.CompareTimes(got, want)
	if len(c.Times) != 3 || len(c.Ratios) != 1 || len(c.Single) != 1 || c.Single[0].Quantity != "p99" {
		t.Fatalf("times %v, ratios %v, without an interval %v", c.Times, c.Ratios, c.Single)
	}
	if m := c.Machine(); m != 2.2 {
		t.Errorf("the machine takes %v times as long, want the median 2.2", m)
	}
	if r := c.Times[0]; r.Value != 2 || r.Low != 190./105 || r.High != 210./95 {
		t.Errorf("first ratio %+v", r)
	}
	for i, differs := range []bool{false, false, true} {
		if c.Times[i].Differs(2.2) != differs {
			t.Errorf("%v differs: %v", c.Times[i], !differs)
		}
	}
	if !c.Ratios[0].Differs(1) {
		t.Errorf("%v does not differ", c.Ratios[0])
	}
	if m := (results.TimeComparison{}).Machine(); m != 1 {
		t.Errorf("without times the machine takes %v times as long", m)
	}
}
