package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// columns is the header of every file, in order.
var columns = []string{
	"experiment", "strategy", "x", "quantity", "unit",
	"value", "low", "high", "theory", "paper", "count",
}

// keyColumns is how many of them, the first, are a row's Key.
const keyColumns = 5

// fields is where the row has the columns but for the count: each a *string or a
// *Number.
func (r *Row) fields() []any {
	return []any{
		&r.Experiment, &r.Strategy, &r.X, &r.Quantity, &r.Unit,
		&r.Value, &r.Low, &r.High, &r.Theory, &r.Paper,
	}
}

// record returns the row as the fields of a line. It is the one place that
// decides how a row looks, for Write and for Compare.
func (r Row) record() []string {
	count := ""
	if r.Count != 0 {
		count = strconv.FormatInt(r.Count, 10)
	}
	return []string{
		r.Experiment, r.Strategy, r.X.String(), r.Quantity, r.Unit,
		r.Value.String(), r.Low.String(), r.High.String(),
		r.Theory.format(theoryDigits), r.Paper.String(), count,
	}
}

// check returns why a row cannot be written, or nil.
func (r Row) check() error {
	for i, field := range r.fields() {
		switch f := field.(type) {
		case *string:
			if err := checkText(columns[i], *f); err != nil {
				return err
			}
		case *Number:
			if math.IsNaN(f.v) || math.IsInf(f.v, 0) {
				return fmt.Errorf("%s: %v: want a finite number", columns[i], f.v)
			}
		}
	}
	if r.Count < 0 {
		return fmt.Errorf("count: %d: want 0 or more", r.Count)
	}
	return nil
}

// checkText keeps names to what survives CSV: valid UTF-8 without line breaks
// or other control characters.
func checkText(column, s string) error {
	switch {
	case s == "" && (column == "experiment" || column == "quantity"):
		return fmt.Errorf("%s: empty: want a name", column)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s: %q: want valid UTF-8", column, s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%s: %q: want no control characters", column, s)
	}
	return nil
}

// Write writes the header and the rows as CSV, lines ending in "\n". Equal rows
// give equal bytes. It refuses a row that Read would refuse, and the error names
// the row (from 1), the column and the value.
func Write(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for i, row := range rows {
		if err := row.check(); err != nil {
			return fmt.Errorf("row %d (%s, %s, %s): %w", i+1, row.Experiment, row.Strategy, row.Quantity, err)
		}
		if err := out.Write(row.record()); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads rows as Write writes them. It insists on the header, on eleven
// fields a line and on finite decimal numbers; an error names the line, the
// column and the value, all counted from 1.
func Read(r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1 // counted here, for an error that says what was expected
	in.ReuseRecord = true
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line 1: empty: want the header %q", strings.Join(columns, ","))
	}
	if err != nil {
		return nil, err
	}
	if got, want := strings.Join(header, ","), strings.Join(columns, ","); got != want {
		return nil, fmt.Errorf("line 1: header %q: want %q", got, want)
	}
	var rows []Row
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err // names line and column itself
		}
		if len(record) != len(columns) {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %d fields: want %d", line, len(record), len(columns))
		}
		row, column, err := parse(record)
		if err != nil {
			line, at := in.FieldPos(column)
			return nil, fmt.Errorf("line %d, column %d: %w", line, at, err)
		}
		rows = append(rows, row)
	}
}

// parse turns the fields of a line into a row. An error comes with the index of
// the field that it is about.
func parse(record []string) (row Row, column int, err error) {
	for i, field := range row.fields() {
		switch f := field.(type) {
		case *string:
			*f, err = strings.Clone(record[i]), checkText(columns[i], record[i])
		case *Number:
			*f, err = parseNumber(columns[i], record[i])
		}
		if err != nil {
			return Row{}, i, err
		}
	}
	last := len(columns) - 1
	if count := record[last]; count != "" {
		row.Count, err = strconv.ParseInt(count, 10, 64)
		if err != nil || row.Count < 0 {
			return Row{}, last, fmt.Errorf("count: %q: want a whole number from 0 to 2^63-1", count)
		}
	}
	return row, 0, nil
}

// parseNumber reads a decimal number; empty is no number.
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
