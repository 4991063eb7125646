package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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

// Fields of a row by their place in columns.
const (
	colExperiment = iota
	colStrategy
	colX
	colQuantity
	colUnit
	colValue
	colLow
	colHigh
	colTheory
	colPaper
	colCount
)

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
	for i, s := range []string{r.Experiment, r.Strategy, r.Quantity, r.Unit} {
		if err := checkText([]int{colExperiment, colStrategy, colQuantity, colUnit}[i], s); err != nil {
			return err
		}
	}
	for i, n := range []Number{r.Value, r.Low, r.High, r.Theory, r.Paper} {
		if !n.finite() {
			return fmt.Errorf("%s: %v: want a finite number", columns[colValue+i], n.v)
		}
	}
	if !r.X.finite() {
		return fmt.Errorf("x: %v: want a finite number", r.X.v)
	}
	if r.Count < 0 {
		return fmt.Errorf("count: %d: want 0 or more", r.Count)
	}
	return nil
}

// checkText keeps names to what survives CSV: valid UTF-8 without line breaks
// or other control characters.
func checkText(column int, s string) error {
	if s == "" && (column == colExperiment || column == colQuantity) {
		return fmt.Errorf("%s: empty: want a name", columns[column])
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s: %q: want valid UTF-8", columns[column], s)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("%s: %q: want no control characters", columns[column], s)
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
	texts := map[int]*string{
		colExperiment: &row.Experiment, colStrategy: &row.Strategy,
		colQuantity: &row.Quantity, colUnit: &row.Unit,
	}
	numbers := map[int]*Number{
		colX: &row.X, colValue: &row.Value, colLow: &row.Low, colHigh: &row.High,
		colTheory: &row.Theory, colPaper: &row.Paper,
	}
	for i, field := range record {
		switch {
		case texts[i] != nil:
			if err := checkText(i, field); err != nil {
				return Row{}, i, err
			}
			*texts[i] = strings.Clone(field)
		case numbers[i] != nil:
			n, err := parseNumber(field)
			if err != nil {
				return Row{}, i, fmt.Errorf("%s: %q: %w", columns[i], field, err)
			}
			*numbers[i] = n
		case field != "":
			count, err := strconv.ParseInt(field, 10, 64)
			if err != nil || count < 0 {
				return Row{}, i, fmt.Errorf("%s: %q: want a whole number from 0 to 2^63-1", columns[i], field)
			}
			row.Count = count
		}
	}
	return row, 0, nil
}

// parseNumber reads a decimal number; empty is no number.
func parseNumber(s string) (Number, error) {
	if s == "" {
		return Number{}, nil
	}
	// ParseFloat also knows hexadecimal, underscores, "inf" and "nan".
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "+-.0123456789eE") != "" {
		return Number{}, errors.New("want a finite decimal number or nothing")
	}
	return Num(v), nil
}
