package ledger

import (
	"fmt"
	"math"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/results"
)

// amount is a number of a claim's unit, for people.
func amount(v float64, unit string) string {
	switch unit {
	case results.Bytes:
		return text.Of(results.Row{Unit: results.Bytes, Value: results.Num(v)})
	case results.Ratio:
		return plain(100*v, 4) + " %"
	case results.Bits:
		return plain(v, 7) + " bits"
	case claims.Times:
		return plain(v, 4) + " times"
	default:
		return plain(v, 6)
	}
}

// plain is a number with so many digits, a whole one with all of them.
func plain(v float64, digits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 || math.Abs(v) >= math.Pow10(digits) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// foundText is what the rows say, with as many digits as the interval deserves.
func foundText(f claims.Finding) string {
	e := f.Estimate
	if !found(f) {
		return text.None
	}
	if most, ok := f.Most(); ok {
		return fmt.Sprintf("0 (below %.1e each)", most)
	}
	if e.Low == e.High || math.IsInf(e.High, 0) {
		return amount(e.Value, f.Unit)
	}
	scale, unit := 1., ""
	switch f.Unit {
	case results.Ratio:
		scale, unit = 100, " %"
	case claims.Times:
		unit = " times"
	}
	if e.Value == 0 && e.Low == 0 {
		return fmt.Sprintf("0 (below %s%s)", plain(scale*e.High, 2), unit)
	}
	half := scale * (e.High - e.Low) / 2
	decimals := max(0, int(math.Ceil(-math.Log10(half)))+1)
	if decimals > 6 {
		return fmt.Sprintf("%.2g%s (%.2g to %.2g)", scale*e.Value, unit, scale*e.Low, scale*e.High)
	}
	return fmt.Sprintf("%.*f%s (%.*f to %.*f)", decimals, scale*e.Value, unit, decimals, scale*e.Low, decimals,
		scale*e.High)
}

// found reports whether the run had the claim's rows.
func found(f claims.Finding) bool { return len(f.From.Query().Experiment) > 0 }
