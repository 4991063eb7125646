package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
)

// A column of the ledger: its header, and what it shows of a finding.
type column struct {
	header string
	show   func(Ledger, claims.Finding) string
}

// plainly returns a column that depends on the finding only.
func plainly(header string, show func(claims.Finding) string) column {
	return column{header, func(_ Ledger, f claims.Finding) string { return show(f) }}
}

// known returns a column that shows a known value if the claim's rows were found, else a dash.
func known(header string, show func(f claims.Finding) (string, bool)) column {
	return plainly(header, func(f claims.Finding) string {
		if shown, ok := show(f); ok && ledgerFound(f) {
			return shown
		}
		return text.None
	})
}

// The columns of tables and of a single claim.
var (
	inID      = plainly("claim", func(f claims.Finding) string { return f.ID })
	inWhere   = plainly("where", func(f claims.Finding) string { return string(f.Source) + " " + f.Section })
	inReading = plainly("reading", func(f claims.Finding) string { return f.Reading })
	inSays    = plainly("what it says (reading)", func(f claims.Finding) string {
		return strings.TrimSuffix(f.Says+" ("+f.Reading+")", " ()")
	})
	inQuantity = plainly("quantity", func(f claims.Finding) string { return f.Quantity })
	inStated   = plainly("stated", func(f claims.Finding) string {
		if v, ok := f.Stated.Get(); ok {
			return amount(v, f.Unit)
		}
		return text.None
	})
	inTrueIf = plainly("true if", func(f claims.Finding) string {
		if len(f.Rule.Evidence) == 0 {
			return ""
		}
		return f.Rule.Region.String()
	})
	inBecause  = plainly("because", func(f claims.Finding) string { return cmp.Or(f.Silent, f.Rule.Because) })
	inRows     = plainly("rows", func(f claims.Finding) string { return strings.Join(evidence(f), "; ") })
	inFound    = column{"found (95 %)", func(l Ledger, f claims.Finding) string { return foundText(f) + l.timed(f) }}
	inFarthest = plainly("farthest", func(f claims.Finding) string {
		if len(f.Rule.Evidence) > 1 && ledgerFound(f) {
			return f.From.String()
		}
		return ""
	})
	inOf = known("of", func(f claims.Finding) (string, bool) {
		if f.Estimate.Kind == claims.ClosedForm {
			return "theory", true
		}
		return fmt.Sprint(f.Estimate.Count), f.Estimate.Count > 0
	})
	inTheory = known("theory", func(f claims.Finding) (string, bool) {
		theory, ok := f.Estimate.Theory.Get()
		return amount(theory, f.Unit), ok
	})
	inInside = known("inside", func(f claims.Finding) (string, bool) {
		inside, ok := f.Estimate.TheoryInside()
		return map[bool]string{true: "yes", false: "no"}[inside], ok
	})
	inDesign = known("design effect", func(f claims.Finding) (string, bool) {
		return fmt.Sprintf("%.3f", f.Estimate.DesignEffect), !math.IsNaN(f.Estimate.DesignEffect)
	})
	inP = plainly("p, Holm", func(f claims.Finding) string {
		switch {
		case math.IsNaN(f.P):
			return text.None
		case f.P < 1e-12:
			return "< 1e-12"
		}
		return fmt.Sprintf("%.2g", f.P)
	})
	inBeyond  = plainly("found is", claims.Finding.Beyond)
	inVerdict = plainly("verdict", func(f claims.Finding) string {
		return strings.TrimSuffix(f.Verdict.String()+": "+f.Beyond(), ": ")
	})
	inStretched = plainly("tolerance halved, doubled", stretched)
	inAmended   = plainly("true with", func(f claims.Finding) string { return f.Amended })
	inMissing   = plainly("missing", func(f claims.Finding) string { return strings.Join(f.Missing, "; ") })
	inAgain     = column{"again with", Ledger.again}
)

// stretched returns the verdicts with the tolerance halved and doubled, "same" for the same.
func stretched(f claims.Finding) string {
	say := func(v claims.Verdict) string {
		if v == f.Verdict {
			return "same"
		}
		return v.String()
	}
	switch s := f.Stretch; {
	case !s.Known():
		return text.None
	case s.Halved == f.Verdict && s.Doubled == f.Verdict:
		return "same"
	default:
		return say(s.Halved) + ", " + say(s.Doubled)
	}
}

// evidence names the rows of a claim's rule.
func evidence(f claims.Finding) (names []string) {
	for _, e := range f.Rule.Evidence {
		names = append(names, e.String())
	}
	return names
}

// Table returns a table with a line for each claim.
func (l Ledger) Table(title string, columns ...column) document.Table {
	t := document.Table{Title: title}
	for _, c := range columns {
		t.Header = append(t.Header, c.header)
	}
	for _, f := range l.Findings {
		var row []string
		for _, c := range columns {
			row = append(row, c.show(l, f))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// number returns a CSV column of a number of the estimate, empty if the claim's rows were not found.
func number(header string, digits int, of func(claims.Finding) float64) column {
	return plainly(header, func(f claims.Finding) string {
		v := of(f)
		if !ledgerFound(f) || math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	})
}

// found returns a CSV column that is empty if the claim's rows were not found.
func found(header string, show func(claims.Finding) string) column {
	return plainly(header, func(f claims.Finding) string {
		if !ledgerFound(f) {
			return ""
		}
		return show(f)
	})
}

// csvColumns are the columns of claims.csv.
var csvColumns = []column{
	{"id", inID.show},
	plainly("source", func(f claims.Finding) string { return string(f.Source) }),
	plainly("section", func(f claims.Finding) string { return f.Section }),
	plainly("claim", func(f claims.Finding) string { return f.Says }),
	inReading, inQuantity,
	plainly("unit", func(f claims.Finding) string { return f.Unit }),
	plainly("stated", func(f claims.Finding) string { return f.Stated.String() }),
	inTrueIf, inBecause, inRows,
	found("kind", func(f claims.Finding) string { return f.Estimate.Kind.String() }),
	number("theory", 7, func(f claims.Finding) float64 { return f.Estimate.Theory.Or(math.NaN()) }),
	number("value", 9, func(f claims.Finding) float64 { return f.Estimate.Value }),
	number("low", 9, func(f claims.Finding) float64 { return f.Estimate.Low }),
	number("high", 9, func(f claims.Finding) float64 { return f.Estimate.High }),
	found("count", func(f claims.Finding) string { return fmt.Sprint(f.Estimate.Count) }),
	number("design effect", 4, func(f claims.Finding) float64 { return f.Estimate.DesignEffect }),
	plainly("theory inside", func(f claims.Finding) string {
		return strings.TrimSuffix(inInside.show(Ledger{}, f), text.None)
	}),
	number("p", 2, func(f claims.Finding) float64 { return f.P }),
	plainly("verdict", func(f claims.Finding) string { return f.Verdict.String() }),
	plainly("beyond", claims.Finding.Beyond),
	inStretched, inAmended, inMissing,
	{"command", Ledger.again},
}

// amount writes a number of a claim's unit, for people.
func amount(v float64, unit string) string {
	switch unit {
	case results.Bytes:
		return text.Of(results.Row{Unit: unit, Value: results.Num(v)})
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

// plain writes v with the given number of digits, and a whole number with all of its own.
func plain(v float64, digits int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 || math.Abs(v) >= math.Pow10(digits) {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.*g", digits, v)
}

// foundText returns the measured value, with the digits that the interval justifies.
func foundText(f claims.Finding) string {
	e := f.Estimate
	most, noneOfMany := f.Most()
	switch {
	case !ledgerFound(f):
		return text.None
	case noneOfMany:
		return fmt.Sprintf("0 (below %.1e each)", most)
	case e.Low == e.High || math.IsInf(e.High, 0):
		return amount(e.Value, f.Unit)
	}
	scale, unit := 1., ""
	switch f.Unit {
	case results.Ratio:
		scale, unit = 100, " %"
	case claims.Times:
		unit = " times"
	}
	value, low, high := scale*e.Value, scale*e.Low, scale*e.High
	decimals := max(0, int(math.Ceil(-math.Log10(scale*(e.High-e.Low)/2)))+1)
	switch {
	case value == 0 && low == 0:
		return fmt.Sprintf("0 (below %s%s)", plain(high, 2), unit)
	case decimals > 6:
		return fmt.Sprintf("%.2g%s (%.2g to %.2g)", value, unit, low, high)
	}
	return fmt.Sprintf("%.*f%s (%.*f to %.*f)", decimals, value, unit, decimals, low, decimals, high)
}

// timed says whether the interval of a time is between runs or within one.
func (l Ledger) timed(f claims.Finding) string {
	switch n := len(l.manifest.Runs); {
	case f.Estimate.Kind != claims.Timed || !ledgerFound(f):
		return ""
	case n > 0:
		return ", of " + plural.Of(n, "run", "runs")
	default:
		return ", within one run"
	}
}

// ledgerFound reports whether the run had the claim's rows.
func ledgerFound(f claims.Finding) bool { return len(f.From.Query().Experiment) > 0 }
