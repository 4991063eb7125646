package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Region is the values for which a claim would be true, Low to High, either
// of which may be infinite. Inside, from TightLow to TightHigh, it is true as it
// stands; elsewhere in the Region it is true approximately.
type Region struct {
	Low, High           float64
	TightLow, TightHigh float64
}

// interval is a Region all of which is tight.
func interval(low, high float64) Region { return Region{low, high, low, high} }

// equal is a number that was counted, or follows from others, without error.
func equal(v float64) Region { return interval(v, v) }

// The one rule for every number behind "about" or "≈", or of one digit where it has
// more: within aboutWide of it, a share, the claim holds approximately, within
// aboutTight it holds as it stands. A quarter more or less nobody plans otherwise,
// and as much is granted to times (Robust); of a hundredth nobody says "about".
const (
	aboutWide  = 0.25
	aboutTight = 0.01
)

// about is the region of such a number.
func about(v float64) Region {
	w, t := math.Abs(aboutWide*v), math.Abs(aboutTight*v)
	return Region{v - w, v + w, v - t, v + t}
}

// atMost and atLeast have one end.
func atMost(v float64) Region  { return interval(math.Inf(-1), v) }
func atLeast(v float64) Region { return interval(v, math.Inf(1)) }

// regions are the rules by which a claim's file gives a region, with # for a number.
var regions = []struct {
	rule   string
	region func(v []float64) Region
}{
	{"equal to #", func(v []float64) Region { return equal(v[0]) }},
	// A unit of the last digit printed to either side: the sources cut as well as round (5.633 for 5.6339).
	{"printed # in units of #", func(v []float64) Region { return interval(v[0]-v[1], v[0]+v[1]) }},
	{"about #", func(v []float64) Region { return about(v[0]) }},
	{"at most #", func(v []float64) Region { return atMost(v[0]) }},
	{"at least #", func(v []float64) Region { return atLeast(v[0]) }},
	{"# to #", func(v []float64) Region { return interval(v[0], v[1]) }},
	// No bound is stated: no row could refute it, so that upholding it would say nothing. The verdict is Vague.
	{"anything", func([]float64) Region { return interval(math.Inf(-1), math.Inf(1)) }},
}

// UnmarshalText reads a region as a claim's file has it: "at most 0.02".
func (r *Region) UnmarshalText(text []byte) error {
	s := string(text)
	var numbers []float64
	words := strings.Fields(s)
	for i, word := range words {
		if v, err := strconv.ParseFloat(word, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			numbers = append(numbers, v)
			words[i] = "#"
		}
	}
	var rules []string
	for _, one := range regions {
		rules = append(rules, strconv.Quote(one.rule))
		if one.rule != strings.Join(words, " ") || strings.Contains(s, "#") {
			continue
		}
		if *r = one.region(numbers); r.Low > r.High {
			return fmt.Errorf("region = %q: its lower end is above the upper one", s)
		}
		return nil
	}
	return fmt.Errorf("region = %q: want one of %s, with numbers for #", s, strings.Join(rules, ", "))
}

// bounded reports whether some value lies outside r.
func (r Region) bounded() bool { return !math.IsInf(r.Low, -1) || !math.IsInf(r.High, 1) }

// contains reports whether low to high lies in r.
func (r Region) contains(low, high float64) bool { return r.Low <= low && high <= r.High }

// tight reports whether low to high lies where the claim needs no "about".
func (r Region) tight(low, high float64) bool { return r.TightLow <= low && high <= r.TightHigh }

// distance is how far v lies outside, 0 inside.
func (r Region) distance(v float64) float64 { return max(r.Low-v, v-r.High, 0) }

// String says the region as the field does: "= 4000", "0.0155 to 0.0157",
// "at most 0.02"; behind a semicolon where it is tight.
func (r Region) String() string {
	whole := span(r.Low, r.High)
	if r.TightLow == r.Low && r.TightHigh == r.High {
		return whole
	}
	return whole + "; as stated " + span(r.TightLow, r.TightHigh)
}

func span(low, high float64) string {
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return "no bound is stated"
	case low == high:
		return "= " + short(low)
	case math.IsInf(low, -1):
		return "at most " + short(high)
	case math.IsInf(high, 1):
		return "at least " + short(low)
	default:
		return short(low) + " to " + short(high)
	}
}

// short is a number with as many digits as a check needs, shorter with those
// that a user remembers; a whole number has all of them in both.
func short(v float64) string   { return digits(v, 6) }
func shorter(v float64) string { return digits(v, 4) }

func digits(v float64, n int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}
