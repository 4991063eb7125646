package text

import (
	"slices"

	"dejavu/internal/document"
	"dejavu/results"
)

// A Table declares a table over rows: which rows are its lines, and what stands in its
// columns. Both are queries, so that a test can ask whether they find anything.
type Table struct {
	Title   string
	Heading func(results.Cells) string // the title, where it depends on the rows

	// Lines finds a row for each line, in the order of the rows. It leaves open what
	// lines differ by: the strategy, or a dimension. Any quantity is every row of the experiment.
	Lines results.Query
	Keep  func(results.Row) bool                      // which of these are lines; nil is all
	Order func(c results.Cells, a, b results.Row) int // of the lines; nil is that of the rows

	Columns []Column
	More    func(results.Cells) []Column // behind these, where they depend on the rows
}

// A Column is what a table shows of each line.
type Column struct {
	Header string

	// Queries find the rows that the cell shows; what they leave open is the line's. Where
	// they all find none, the cell is None.
	Queries []results.Query

	// Show writes the cell: of the rows found, in the order of the queries (a zero Row where
	// there is none), or of the line's own row where there is no query.
	Show func(rows ...results.Row) string
}

// Cell is the column of a row's text.
func Cell(header string, q results.Query, show func(results.Row) string) Column {
	return Column{Header: header, Queries: []results.Query{q}, Show: func(r ...results.Row) string { return show(r[0]) }}
}

// Of fills the table with rows. A line of which no query finds anything is left out.
func (t Table) Of(c results.Cells) document.Table {
	out := document.Table{Title: t.Title}
	if t.Heading != nil {
		out.Title = t.Heading(c)
	}
	columns := t.columns(c)
	for _, column := range columns {
		out.Header = append(out.Header, column.Header)
	}
	for _, line := range t.lines(c) {
		var cells []string
		found := t.More == nil &&
			!slices.ContainsFunc(columns, func(column Column) bool { return column.Queries != nil })
		for _, column := range columns {
			rows := column.rows(c, line)
			cell := None
			if slices.ContainsFunc(rows, known) {
				cell = column.Show(rows...)
				found = found || len(column.Queries) > 0
			}
			cells = append(cells, cell)
		}
		if found {
			out.Rows = append(out.Rows, cells)
		}
	}
	return out
}

// known is whether a query found the row.
func known(r results.Row) bool { return r.Quantity != "" }

// lines are the rows that are lines of the table.
func (t Table) lines(c results.Cells) []results.Row {
	lines := c.All(t.Lines)
	if t.Lines.Quantity == results.Any {
		lines = slices.Clone(c.Of(t.Lines.Experiment))
	}
	lines = slices.DeleteFunc(lines, func(r results.Row) bool { return t.Keep != nil && !t.Keep(r) })
	if t.Order != nil {
		slices.SortStableFunc(lines, func(a, b results.Row) int { return t.Order(c, a, b) })
	}
	return lines
}

// columns are all those of the table.
func (t Table) columns(c results.Cells) []Column {
	if t.More == nil {
		return t.Columns
	}
	return slices.Concat(t.Columns, t.More(c))
}

// rows are those that the column shows of a line.
func (column Column) rows(c results.Cells, line results.Row) []results.Row {
	if column.Queries == nil {
		return []results.Row{line}
	}
	rows := make([]results.Row, len(column.Queries))
	for i, q := range column.Queries {
		rows[i], _ = c.One(q.Fill(line))
	}
	return rows
}

// Unfound returns the queries of the table that find no row in any line: of a whole run
// that is a fault of the declaration.
func (t Table) Unfound(c results.Cells) (none []results.Query) {
	lines := t.lines(c)
	if len(lines) == 0 {
		return []results.Query{t.Lines}
	}
	for _, column := range t.columns(c) {
		for i, q := range column.Queries {
			if !slices.ContainsFunc(lines, func(line results.Row) bool { return known(column.rows(c, line)[i]) }) {
				none = append(none, q)
			}
		}
	}
	return none
}
