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
)

// The columns of a file are firstColumns, the dimensions of its experiment, "quantity",
// and numberColumns.
var (
	firstColumns  = []string{"experiment", "strategy"}
	numberColumns = []string{"unit", "value", "low", "high", "theory", "paper", "count"}
)

const quantityColumn = "quantity"

// numbers returns what a row has in numberColumns. It is the one place that decides how
// a number looks, for Write and for Compare.
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

// check returns why a row cannot be written, or nil.
func (r Row) check(dimensions []string) error {
	for _, f := range []struct{ column, text string }{
		{"experiment", r.Experiment}, {"strategy", r.Strategy}, {quantityColumn, r.Quantity}, {"unit", r.Unit},
	} {
		if err := checkText(f.column, f.text); err != nil {
			return err
		}
	}
	for _, c := range r.Where.List() {
		err := errors.Join(checkText(c.Dimension, c.Value), c.check())
		if err == nil && !slices.Contains(dimensions, c.Dimension) {
			err = fmt.Errorf("%s: not one of the dimensions %q", c.Dimension, dimensions)
		}
		if err != nil {
			return err
		}
	}
	for i, n := range []Number{r.Value, r.Low, r.High, r.Theory, r.Paper} {
		if math.IsNaN(n.v) || math.IsInf(n.v, 0) {
			return fmt.Errorf("%s: %v: want a finite number", numberColumns[1+i], n.v)
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
	case s == "" && (column == "experiment" || column == quantityColumn):
		return fmt.Errorf("%s: empty: want a name", column)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s: %q: want valid UTF-8", column, s)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fmt.Errorf("%s: %q: want no control characters", column, s)
	}
	return nil
}

// Write writes a header with these dimensions, and the rows, as CSV, lines ending in
// "\n". Equal rows give equal bytes. It refuses a row that Read would refuse, and one
// with a dimension that is not listed; the error names the row (from 1), the column and
// the value.
func Write(w io.Writer, dimensions []Dimension, rows []Row) error {
	var names []string
	for _, d := range dimensions {
		if err := d.Is("").check(); err != nil {
			return err
		}
		names = append(names, d.Name)
	}
	out := csv.NewWriter(w)
	if err := out.Write(slices.Concat(firstColumns, names, []string{quantityColumn}, numberColumns)); err != nil {
		return err
	}
	for i, row := range rows {
		if err := row.check(names); err != nil {
			return fmt.Errorf("row %d (%s, %s, %s): %w", i+1, row.Experiment, row.Strategy, row.Quantity, err)
		}
		record := []string{row.Experiment, row.Strategy}
		for _, name := range names {
			record = append(record, row.Where.of(name))
		}
		if err := out.Write(slices.Concat(record, []string{row.Quantity}, row.numbers())); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Read reads rows as Write writes them. It insists on the columns that every file has,
// on as many fields in each line, and on finite decimal numbers; an error names the
// line, the column and the value, all counted from 1.
func Read(r io.Reader) ([]Row, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1 // counted here, for an error that says what was expected
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line 1: empty: want a header %q", columnsOf("..."))
	}
	if err != nil {
		return nil, err
	}
	dimensions, err := dimensionsOf(header)
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	in.ReuseRecord = true
	var rows []Row
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err // names line and column itself
		}
		if len(record) != len(header) {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %d fields: want %d", line, len(record), len(header))
		}
		row, column, err := parse(dimensions, record)
		if err != nil {
			line, at := in.FieldPos(column)
			return nil, fmt.Errorf("line %d, column %d: %w", line, at, err)
		}
		rows = append(rows, row)
	}
}

// columnsOf is the header of a file with these dimensions.
func columnsOf(dimensions ...string) string {
	return strings.Join(slices.Concat(firstColumns, dimensions, []string{quantityColumn}, numberColumns), ",")
}

// dimensionsOf returns the names between the columns that every file has.
func dimensionsOf(header []string) (names []string, err error) {
	first, last := len(firstColumns), len(header)-1-len(numberColumns)
	if last >= first {
		names = header[first:last]
	}
	if last < first || strings.Join(header, ",") != columnsOf(names...) {
		return nil, fmt.Errorf("header %q: want %q", strings.Join(header, ","), columnsOf("..."))
	}
	for i, name := range names {
		if err := (Condition{Dimension: name}).check(); err != nil || slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("header %q: %q is no name of a column, or stands twice", strings.Join(header, ","), name)
		}
	}
	return names, nil
}

// parse turns the fields of a line into a row. An error comes with the index of
// the field that it is about.
func parse(dimensions, record []string) (row Row, column int, err error) {
	text := func(into *string, name string) bool {
		*into, err = strings.Clone(record[column]), checkText(name, record[column])
		column++
		return err == nil
	}
	if !text(&row.Experiment, "experiment") || !text(&row.Strategy, "strategy") {
		return Row{}, column - 1, err
	}
	var where []Condition
	for _, name := range dimensions {
		c := Condition{Dimension: name}
		if !text(&c.Value, name) {
			return Row{}, column - 1, err
		}
		if err := c.check(); err != nil {
			return Row{}, column - 1, err
		}
		where = append(where, c)
	}
	row.Where = Where(where...)
	if !text(&row.Quantity, quantityColumn) || !text(&row.Unit, "unit") {
		return Row{}, column - 1, err
	}
	for i, n := range []*Number{&row.Value, &row.Low, &row.High, &row.Theory, &row.Paper} {
		if *n, err = parseNumber(numberColumns[1+i], record[column]); err != nil {
			return Row{}, column, err
		}
		column++
	}
	if count := record[column]; count != "" {
		row.Count, err = strconv.ParseInt(count, 10, 64)
		if err != nil || row.Count < 0 {
			return Row{}, column, fmt.Errorf("count: %q: want a whole number from 0 to 2^63-1", count)
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
