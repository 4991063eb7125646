package plots

import (
	"testing"

	"dejavu/strategies/strategytest"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format func(float64) string
		of     map[float64]string
	}{
		{Number, map[float64]string{
			0: "0", 1e-4: "0.0001", 9.9e-5: "9.9e−05", 9999999: "9999999", 1e7: "1e+07",
			-2.5: "−2.5", -1e7: "−1e+07",
		}},
		{Percent, map[float64]string{0: "0 %", -0.015: "−1.5 %", 1: "100 %"}},
		{Multiple, map[float64]string{2.5: "2.5×"}},
		{Duration, map[float64]string{
			999.4: "999.4 ns", 1234.6: "1.235 µs", 999.5: "0.9995 µs", 5e6: "5 ms", 2e12: "2000 s",
			-5e3: "−5 µs",
		}},
		{Bytes, map[float64]string{508: "508 B", 4e10: "40 GB", 3e15: "3 PB", 3e18: "3000 PB"}},
		{Count, map[float64]string{508: "508", 2e5: "200 thousand", 1e7: "10 million", 2e12: "2000 billion"}},
		{PowerOfTwo, map[float64]string{-1: "0", 0: "1", 10: "1024", 0.5: "", -0.5: ""}},
	} {
		for v, want := range c.of {
			strategytest.Equal(t, c.format(v), want, "%v is written", v)
		}
	}
}
