// Package results stores what an experiment found as tidy data: one number a row, in plain CSV. Values that follow from
// the seed are the same bytes on every machine, in <experiment>.csv; values that depend on the machine are in
// <experiment>.timing.csv. Beside them run.json says what was run and where.
//
// A file appears whole or not at all, and a row reads back as it was written. Errors name file, line, column and value.
package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dejavu/internal/plural"
)

// A Row is one number and everything needed to understand it alone.
type Row struct {
	Experiment string     // the experiment that found it, "fpr"; also the name of its file
	Strategy   string     // the strategy it is about, "chain"; empty if none
	Where      Conditions // under which it was found: values of the experiment's dimensions
	Quantity   string     // what was counted or measured: one of the names in this package, or your own
	Unit       string     // "ratio", "B", "ns"; empty for a pure count
	Value      Number     // empty in a row with theory alone
	Low, High  Number     // the 95 % interval around Value, if any
	Theory     Number     // what a closed form predicts
	Paper      Number     // what the paper states
	Count      int64      // observations that Value rests on; 0 if that has no meaning
}

// With returns the row under more conditions.
func (r Row) With(more ...Condition) Row { r.Where = r.Where.With(more...); return r }

// Coordinate returns the row's value of a dimension if it is a number.
func (r Row) Coordinate(d Dimension) Number {
	n, err := parseNumber(d.Name, r.Where.Of(d))
	if err != nil {
		return Number{}
	}
	return n
}

// Expect returns the row with the value that theory predicts.
func (r Row) Expect(theory float64) Row { r.Theory = Num(theory); return r }

// Stating returns the row with the value that the paper states.
func (r Row) Stating(paper float64) Row { r.Paper = Num(paper); return r }

// Among returns the row with the number of observations that it rests on.
func (r Row) Among(n int64) Row { r.Count = n; return r }

// A Number is a float64 or nothing. The zero Number is nothing, an empty field. Numbers are comparable with ==.
type Number struct {
	v   float64
	set bool
}

// Num returns the Number v. Write refuses NaN and infinities: its error can say which row it was in.
func Num(v float64) Number { return Number{v, true} }

// IsSet reports whether n holds a number.
func (n Number) IsSet() bool { return n.set }

// Get returns the number and whether there is one.
func (n Number) Get() (v float64, ok bool) { return n.v, n.set }

// Or returns the number, or otherwise if there is none.
func (n Number) Or(otherwise float64) float64 {
	if n.set {
		return n.v
	}
	return otherwise
}

// String returns the number as Write writes it in the columns of measured values, or "" if there is none.
func (n Number) String() string { return n.format(valueDigits) }

const (
	// valueDigits exceed the precision of every interval, and hide nothing: measured rates are quotients of integers.
	valueDigits = 9

	// theoryDigits are fewer because exp, log and pow are not correctly rounded: processors differ in the last place,
	// sums of thousands of terms in the last few, and a file must be the same bytes everywhere.
	theoryDigits = 7

	// exactBelow bounds the integers written out in full. Below 1e15 every integer is a float64 of its own.
	exactBelow = 1e15
)

// format writes integers exactly and other numbers with the given number of significant digits. What rounds to
// an integer is written as that integer, so that formatting a number that was read back gives the same text.
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

// The columns of a file are firstColumns, the dimensions of its experiment, "quantity", and numberColumns.
var (
	firstColumns  = []string{"experiment", "strategy"}
	numberColumns = []string{"unit", "value", "low", "high", "theory", "paper", "count"}
)

const quantityColumn = "quantity"

func columns(dimensions ...string) []string {
	return slices.Concat(firstColumns, dimensions, []string{quantityColumn}, numberColumns)
}

// numbers returns the row's texts for numberColumns. Write and Compare both use it.
func (r Row) numbers() []string {
	count := ""
	if r.Count != 0 {
		count = strconv.FormatInt(r.Count, 10)
	}
	return []string{
		r.Unit, r.Value.String(), r.Low.String(), r.High.String(),
		r.Theory.format(theoryDigits), r.Paper.String(), count,
	}
}

// Write writes a header with these dimensions, and the rows, as CSV, lines ending in "\n". Equal rows give equal bytes.
// It refuses what Read would, and dimensions not listed; the error names the row (from 1), the column and the value.
func Write(w io.Writer, dimensions []Dimension, rows []Row) error {
	var names []string
	for _, d := range dimensions {
		names = append(names, d.Name)
	}
	header := columns(names...)
	if _, err := dimensionsOf(header); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for i, row := range rows {
		record := []string{row.Experiment, row.Strategy}
		for _, name := range names {
			record = append(record, row.Where.of(name))
		}
		record = slices.Concat(record, []string{row.Quantity}, row.numbers())
		again, _, err := parse(header, record)
		if err == nil && again.Where != row.Where {
			err = fmt.Errorf("%s: want no dimensions but %q", row.Where, names)
		}
		if err != nil {
			return fmt.Errorf("row %d (%s, %s, %s): %w", i+1, row.Experiment, row.Strategy, row.Quantity, err)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads rows as Write writes them. It requires the columns that every file has, the same number of fields in each
// line, and finite decimal numbers. An error names the line, the column and the value, all counted from 1.
func Read(r io.Reader) (rows []Row, err error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1 // counted here, for an error that says what was expected
	header, err := in.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := dimensionsOf(header); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	in.ReuseRecord = true
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err // it names line and column
		}
		if len(record) != len(header) {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %s: want %d", line, plural.Of(len(record), "field", "fields"), len(header))
		}
		row, column, err := parse(header, record)
		if err != nil {
			line, at := in.FieldPos(column)
			return nil, fmt.Errorf("line %d, column %d: %w", line, at, err)
		}
		rows = append(rows, row)
	}
}

func dimensionsOf(header []string) (names []string, err error) {
	if first, last := len(firstColumns), len(header)-1-len(numberColumns); last > first {
		names = header[first:last]
	}
	want := strings.Join(columns("..."), ",")
	switch {
	case header == nil:
		return nil, fmt.Errorf("empty: want a header %q", want)
	case !slices.Equal(header, columns(names...)):
		return nil, fmt.Errorf("header %q: want %q", strings.Join(header, ","), want)
	}
	for i, name := range names {
		if err := (Condition{Dimension: name}).check(); err != nil || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("header %q: %q is no name of a column, or stands twice", strings.Join(header, ","), name)
		}
	}
	return names, nil
}

// parse turns the fields of a line into a row. With an error it returns the index of the faulty field.
func parse(header, record []string) (row Row, column int, err error) {
	texts := []*string{&row.Experiment, &row.Strategy}
	where := make([]Condition, len(header)-len(columns()))
	for i := range where {
		texts = append(texts, &where[i].Value)
	}
	texts = append(texts, &row.Quantity, &row.Unit)
	for i, text := range texts {
		if err := checkText(header[i], record[i]); err != nil {
			return Row{}, i, err
		}
		*text = strings.Clone(record[i])
	}
	for i := range where {
		column := len(firstColumns) + i
		where[i].Dimension = header[column]
		if err := where[i].check(); err != nil {
			return Row{}, column, err
		}
	}
	row.Where = Where(where...)
	for i, n := range []*Number{&row.Value, &row.Low, &row.High, &row.Theory, &row.Paper} {
		column := len(texts) + i
		if *n, err = parseNumber(header[column], record[column]); err != nil {
			return Row{}, column, err
		}
	}
	last := len(record) - 1
	if count := record[last]; count != "" {
		row.Count, err = strconv.ParseInt(count, 10, 64)
		if err != nil || row.Count < 0 {
			return Row{}, last, fmt.Errorf("count: %q: want a whole number from 0 to 2^63-1", count)
		}
	}
	return row, 0, nil
}

// checkText keeps names to what survives CSV: valid UTF-8 without line breaks or other control characters.
func checkText(column, s string) error {
	switch {
	case s == "" && (column == "experiment" || column == quantityColumn):
		return fmt.Errorf("%s: empty: want a name", column)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s: %q: want valid UTF-8", column, s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%s: %q: want no control characters", column, s)
	}
	return nil
}

func parseNumber(column, s string) (Number, error) {
	if s == "" {
		return Number{}, nil
	}
	// ParseFloat also knows hexadecimal, underscores, "inf" and "nan".
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "+-.0123456789eE") != "" {
		return Number{}, fmt.Errorf("%s: %q: want a finite decimal number or nothing", column, s)
	}
	return Num(v), nil
}
