package usage

import (
	"math"
	"strconv"
	"testing"

	"dejavu/strategies/strategytest"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "7": 7, "-1": -1, "10000000": 10_000_000,
		"1e6": 1_000_000, "1E6": 1_000_000, "2.5e3": 2500, "1e-0": 1, "0e99": 0,
		"10M": 10_000_000, "10m": 10_000_000, "500k": 500_000, "1.1M": 1_100_000, "1.005k": 1005, "10 M": 10_000_000,
		"10 million": 10_000_000, "10million": 10_000_000, "1.5 Million": 1_500_000, "20 thousand": 20_000,
		"1 billion":  1_000_000_000,
		"10_000_000": 10_000_000, "10,000,000": 10_000_000, "10 000 000": 10_000_000, " 12 ": 12, "0.001k": 1,
		"2147483647": math.MaxInt32,
	} {
		strategytest.Equal(t, strategytest.Value(Count(text)), want, "%q is", text)
	}
	for text, says := range map[string]string{
		"": "not a number", "abc": `"abc" is not a number, want one like 1000000, 1e6 or 10M`,
		"M": "not a number", "5mk": "not a number", "1,5": "has a decimal comma: write 1.5", "10,00,000": "not a number",
		"NaN": "not a number", "Inf": "not a number", "1e999999999": "not a number", "1e-29": "not a whole number",
		"1.5": "not a whole number", "0.0001k": "not a whole number", "1e6M M": "not a number",
		"--1": "not a number", "0x1p400": "out of range",
		"99999999999999999999": "out of range", "1e30": "out of range", "10 trillion": "not a number",
		"9007199254740993": "out of range, want at most 9007199254740991",
	} {
		strategytest.ErrorSays(t, text, strategytest.ErrorOf(Count(text)), says)
	}
}

func TestRate(t *testing.T) {
	for text, want := range map[string]float64{
		"0.02": 0.02, "2%": 0.02, "2 %": 0.02, "2 percent": 0.02, "1e-4": 1e-4, "0.5%": 0.005,
		"1": 1, "-0.02": -0.02, "100%": 1, "1e-10%": 1e-12,
	} {
		strategytest.Equal(t, strategytest.Value(Rate(text)), want, "%q is", text)
	}
	if got, err := Rate("NaN"); err != nil || !math.IsNaN(got) {
		t.Errorf("NaN is %v, %v: the range is the caller's", got, err)
	}
	for _, text := range []string{"", "%", "two", "2%%", "2 percent%"} {
		strategytest.ErrorSays(t, text, strategytest.ErrorOf(Rate(text)), "is not a rate, want one like 0.02 or 2%")
	}
}

// Every whole number of hundredths is the same float64 as its decimal fraction.
func TestRateOfPercent(t *testing.T) {
	for hundredth := range 10_000 {
		percent := strconv.FormatFloat(float64(hundredth)/100, 'g', -1, 64) + "%"
		want := strategytest.Value(strconv.ParseFloat(strconv.Itoa(hundredth)+"e-4", 64))
		if got, err := Rate(percent); math.Abs(got-want) > want*1e-15 || err != nil {
			t.Fatalf("%s is %v, %v; want %v", percent, got, err, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1B": 1, "4096 B": 4096, "12GiB": 12 << 30, "12 gib": 12 << 30, "500MB": 500e6, "6Gb": 6e9,
		"1.5kB": 1500, "2KiB": 2048, "1TiB": 1 << 40, "3TB": 3e12, "64MiB": 64 << 20,
	} {
		strategytest.Equal(t, strategytest.Value(Bytes(text)), want, "%q is", text)
	}
	for text, says := range map[string]string{
		"6": `"6" has no unit: is it 6GiB, 6GB or another`, "4096": "has no unit", "1e9": "has no unit",
		"6G": "write 6GiB or 6GB", "6 Gi": "write 6GiB or 6GB", "1.5m": "write 1.5MiB or 1.5MB",
		"0": "leaves no memory", "0GB": "leaves no memory", "1,5GiB": "write 1.5GiB", "-1GiB": "not a size",
		"": "not a size", "GB": "not a size", "nonsense": "not a size", "6GBit": "not a size", "NaNB": "not a size",
		"0.1B": "out of range", "1e30TB": "out of range", "InfB": "out of range",
	} {
		strategytest.ErrorSays(t, text, strategytest.ErrorOf(Bytes(text)), says)
	}
}

// No input panics or takes long, and a number that was read is read again from its printed form.
func FuzzCount(f *testing.F) {
	for _, text := range []string{"1e6", "10M", "1,000", "-3", "0x1p-2000", "1e-29", "9223372036854775807"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := Count(text); err == nil {
			strategytest.Equal(t, strategytest.Value(Count(strconv.Itoa(v))), v, "%q is, and that is", text)
		}
		_, _ = Rate(text)
		if v, err := Bytes(text); err == nil && v < 1 {
			t.Errorf("%q is %d bytes", text, v)
		}
	})
}
