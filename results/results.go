// Package results holds what an experiment found, as tidy data: one number a row, in plain CSV that a
// spreadsheet, R, pandas or this module's plots read alike.
//
// The problem is comparing two runs. Values that follow from the seed must be the same bytes on every
// machine, values that depend on the machine never are, so the two kinds lie in different files:
// <experiment>.csv and <experiment>.timing.csv, beside run.json, which says what was run and where.
//
// The guarantees: a file appears whole or not at all; a row that was written reads back as the same row;
// reading is strict, and an error names the file, the line, the column and the value. Rows are held in
// memory, about 150 bytes each; a whole run has some ten thousand.
package results

import (
	"math"
	"strconv"
)

// A Row is one number and everything needed to understand it alone.
type Row struct {
	Experiment string     // the experiment that found it, "fpr"; also the name of its file
	Strategy   string     // the strategy it is about, "chain"; empty where it is about none
	Where      Conditions // under which it was found: values of the experiment's dimensions
	Quantity   string     // what was counted or measured: one of the names in this package, or your own
	Unit       string     // "ratio", "B", "ns"; empty for a pure count
	Value      Number     // the number found; empty in a row that carries theory alone
	Low, High  Number     // the 95 % interval around Value, where there is one
	Theory     Number     // what a closed form predicts
	Paper      Number     // what the paper states
	Count      int64      // how many observations Value rests on; 0 where that has no meaning
}

// With is the row under more conditions.
func (r Row) With(more ...Condition) Row { r.Where = r.Where.With(more...); return r }

// Coordinate is the value that a dimension has in the row, as a number where it is one.
func (r Row) Coordinate(d Dimension) Number {
	n, err := parseNumber(d.Name, r.Where.Of(d))
	if err != nil {
		return Number{}
	}
	return n
}

// Expect is the row beside what theory says.
func (r Row) Expect(theory float64) Row { r.Theory = Num(theory); return r }

// Stating is the row beside what the paper states.
func (r Row) Stating(paper float64) Row { r.Paper = Num(paper); return r }

// Among is the row with the number of observations that it rests on.
func (r Row) Among(n int64) Row { r.Count = n; return r }

// A Number is a float64 or nothing. The zero Number is nothing and is written as
// an empty field. Numbers are comparable with ==.
type Number struct {
	v   float64
	set bool
}

// Num returns the Number v. A NaN or an infinity is accepted here and refused by
// Write, whose error can say which row it was in.
func Num(v float64) Number { return Number{v, true} }

// IsSet reports whether n holds a number.
func (n Number) IsSet() bool { return n.set }

// Get returns the number and whether there is one.
func (n Number) Get() (v float64, ok bool) { return n.v, n.set }

// Or returns the number, or otherwise where there is none.
func (n Number) Or(otherwise float64) float64 {
	if n.set {
		return n.v
	}
	return otherwise
}

// String returns the number as Write writes it in the columns of measured values, or "" where there is none.
func (n Number) String() string { return n.format(valueDigits) }

const (
	// valueDigits outlast every interval we can measure and still hide nothing:
	// measured rates are quotients of two integers, the same on every machine.
	valueDigits = 9

	// theoryDigits are fewer because exp, log and pow are not correctly rounded: processors with and without
	// fused multiply-add disagree in the last place, sums of thousands of terms in the last few, and a file
	// that must be the same bytes everywhere cannot show those.
	theoryDigits = 7

	// exactBelow bounds the integers written out in full. Below 1e15 every integer is a float64 of its own.
	exactBelow = 1e15
)

// format writes integers exactly and other numbers with the given number of
// significant digits. What rounds to an integer is written as that integer, so
// that formatting a number that was read back gives the same text.
func (n Number) format(digits int) string {
	if !n.set {
		return ""
	}
	if n.v == 0 {
		return "0" // minus zero too
	}
	text := strconv.FormatFloat(n.v, 'g', digits, 64)
	v := n.v
	if v != math.Trunc(v) {
		v, _ = strconv.ParseFloat(text, 64)
	}
	if v == math.Trunc(v) && math.Abs(v) < exactBelow {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}
