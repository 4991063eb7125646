package text

import (
	"strings"
	"text/template"

	"dejavu/results"
)

// A Show writes the rows that a cell's queries found. In a room's figures.toml it is a template (text/template) over
// them: .A is the first query's, and so on to .D, a zero Row where there is none.
type Show func(rows ...results.Row) string

// Shows are ways to write a cell, by name.
type Shows map[string]Show

// UnmarshalText reads a template.
func (s *Show) UnmarshalText(declared []byte) error {
	t, err := template.New("show").Funcs(funcs).Parse(string(declared))
	*s = func(rows ...results.Row) string {
		var cell strings.Builder
		of := append(rows[:len(rows):len(rows)], make([]results.Row, 4)...)
		if err := t.Execute(&cell, struct{ A, B, C, D results.Row }{of[0], of[1], of[2], of[3]}); err != nil {
			panic(err) // for any rows alike, and so in each test
		}
		return cell.String()
	}
	return err
}

// funcs are what templates know: numbers of a row, 0 where it has none, its conditions, and how numbers are written.
var funcs = template.FuncMap{
	"value":      func(r results.Row) float64 { return r.Value.Or(0) },
	"theory":     func(r results.Row) float64 { return r.Theory.Or(0) },
	"low":        func(r results.Row) float64 { return r.Low.Or(0) },
	"high":       func(r results.Row) float64 { return r.High.Or(0) },
	"count":      func(r results.Row) float64 { return float64(r.Count) },
	"at":         func(d string, r results.Row) string { return r.Where.Of(results.Dimension{Name: d}) },
	"coordinate": func(d string, r results.Row) float64 { return r.Coordinate(results.Dimension{Name: d}).Or(0) },
	"times":      func(a, b float64) float64 { return a * b },
	"over":       func(a, b float64) float64 { return a / b },
	"thousands":  func(n float64) string { return Thousands(int(n)) },
	"of":         Of, "percent": Percent, "bytes": Bytes,
}
