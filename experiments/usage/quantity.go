// Package usage reads a command line's numbers as people write them (1000000, 1e6, 10M or "10 million"; 0.02 or 2%;
// 6GiB or 6GB), and marks errors that the user can mend, which have an exit status of their own.
//
// Numbers are read exactly: 1.1M is 1100000. An ambiguous number is an error that names both meanings. The caller
// checks ranges.
package usage

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A scale is a number's suffix, in lower case, and its value.
type scale struct {
	suffix string
	times  float64
}

// The scales of counts, shares and bytes; the first that fits is taken.
var (
	counts = []scale{{"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9}, {"k", 1e3}, {"m", 1e6}}
	shares = []scale{{"%", 100}, {"percent", 100}}
	units  = slices.Concat([]scale{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40}},
		[]scale{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}})
)

// split returns a number and its scale's value, or otherwise if it has no scale.
func split(text string, scales []scale, otherwise float64) (number string, times float64) {
	number = strings.ToLower(strings.TrimSpace(text))
	for _, s := range scales {
		if rest, ok := strings.CutSuffix(number, s.suffix); ok {
			return strings.TrimSpace(rest), s.times
		}
	}
	return number, otherwise
}

// most is the largest count: up to here a float64 holds every whole number.
const most = min(1<<53-1, math.MaxInt)

// Count reads a whole number: 1000000, 1e6, 10M, 500k, 1.5 million, 1_000_000 or 1,000,000. An error says that it is
// none, or too large.
func Count(text string) (int, error) {
	number, times := split(text, counts, 1)
	if grouped.MatchString(number) {
		number = strings.NewReplacer(",", "", "_", "", " ", "").Replace(number)
	}
	v, err := strconv.ParseFloat(number, 64)
	whole := math.Round(v * times)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, decimal(text, "is not a number, want one like 1000000, 1e6 or 10M")
	case math.Abs(v*times-whole) > 1e-12*math.Abs(whole): // 1.005 times 1000 is a hair less than 1005
		return 0, fmt.Errorf("%q is not a whole number", text)
	case math.Abs(whole) > most:
		return 0, fmt.Errorf("%q is out of range, want at most %d", text, most)
	}
	return int(whole), nil
}

// grouped matches a number with digits in groups of three.
var grouped = regexp.MustCompile(`^[+-]?[0-9]{1,3}([,_ ][0-9]{3})+$`)

// Rate reads a share: 0.02, 2% or 2 percent. Whether it lies between 0 and 1 the caller says.
func Rate(text string) (float64, error) {
	number, parts := split(text, shares, 1)
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, decimal(text, "is not a rate, want one like 0.02 or 2%")
	}
	return v / parts, nil // 2 % gives the float64 nearest to 0.02
}

// decimal returns an error on a number, which suggests a point if it has a decimal comma.
func decimal(text, otherwise string) error {
	if comma.MatchString(text) {
		return fmt.Errorf("%q has a decimal comma: write %s", text, strings.Replace(text, ",", ".", 1))
	}
	return fmt.Errorf("%q %s", text, otherwise)
}

var comma = regexp.MustCompile(`^[0-9]+,[0-9]+\s*[a-zA-Z%]*$`)

// half matches a number with an ambiguous unit.
var half = regexp.MustCompile(`^([0-9.]+)\s*([kmgt])i?$`)

// Bytes reads a size: 6GiB, 500MB or 4096B, in capitals or not. A number without a unit is an error that asks which.
func Bytes(text string) (int64, error) {
	number, unit := split(text, units, 0)
	v, err := strconv.ParseFloat(number, 64)
	switch letter := half.FindStringSubmatch(number); {
	case unit == 0 && letter != nil:
		prefix := strings.ToUpper(letter[2])
		return 0, fmt.Errorf("%q is ambiguous: write %s%siB or %[2]s%[3]sB", text, letter[1], prefix)
	case err == nil && v == 0:
		return 0, fmt.Errorf("%q leaves no memory: want a size such as 6GiB, or leave the flag out", text)
	case err != nil || !(v > 0):
		return 0, decimal(text, "is not a size, want a positive number with a unit, such as 6GiB or 6GB")
	case unit == 0:
		return 0, fmt.Errorf("%q has no unit: is it %sGiB, %sGB or another, such as MiB or MB?", text, number, number)
	case !(v*unit >= 1 && v*unit < 1<<60):
		return 0, fmt.Errorf("%q is out of range, want 1B or more and less than 2^60 bytes", text)
	}
	return int64(v * unit), nil
}
