package text

import (
	"testing"
	"time"

	"dejavu/results"
)

// Units change where three digits say so, not before and not behind.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		format func(float64) string
		of     map[float64]string
	}{
		{Bytes, map[float64]string{
			0: "0 B", 999.4: "999.4 B", 999.5: "1 kB", 1e3: "1 kB", 9.994e5: "999 kB", 9.995e5: "1 MB", 9.995e8: "1 GB",
			9.995e11: "1 TB", 9.994e11: "999 GB", 2e15: "2e+03 TB",
		}},
		{Nanos, map[float64]string{
			0: "0 ns", 9999: "9999 ns", 1e4: "10 µs", 9.994e5: "999 µs", 9.995e5: "1 ms",
			1e9: "1e+03 ms",
		}},
		{Percent, map[float64]string{0: "0", 1e-9: "1e-07 %", 0.12345: "12.3 %", 1: "100 %", -0.5: "-50 %"}},
	} {
		for v, want := range c.of {
			if got := c.format(v); got != want {
				t.Errorf("%v is written %q, want %q", v, got, want)
			}
		}
	}
	for v, want := range map[float64]string{99_999.4: "99999", 1e5: "100000", 123456.7: "123457", 0.000012: "1.2e-05"} {
		if got := Of(results.Row{Value: results.Num(v)}); got != want {
			t.Errorf("a plain %v is written %q, want %q", v, got, want)
		}
	}
	for v, want := range map[float64]string{1e5 - 1: "99999 B", 1e5: "100 kB"} {
		if got := Of(results.Row{Unit: results.Bytes, Value: results.Num(v)}); got != want {
			t.Errorf("%v bytes are written %q, want %q", v, got, want)
		}
	}
}

func TestWithTheoryOfNone(t *testing.T) {
	if got := WithTheory(results.Row{}); got != "0 [0]" {
		t.Errorf("of nothing: %q", got)
	}
	for d, want := range map[time.Duration]string{
		time.Hour + time.Second: "1h0m1s", time.Minute: "1m", time.Second: "1s", 10 * time.Minute: "10m",
		100 * time.Hour: "100h",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
