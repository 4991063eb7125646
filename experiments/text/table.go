package text

import (
	"cmp"
	"slices"

	"dejavu/internal/document"
	"dejavu/results"
)

// A Table declares a table over rows: the rows of its lines, and the contents of its columns. Both are queries, so that
// a test can ask whether they find anything.
type Table struct {
	Title   string
	Heading func(results.Cells) string // the title, if it depends on the rows

	// Lines finds a row for each line, in the order of the rows. It leaves open what lines differ by: the strategy, or
	// a dimension. Any quantity is every row of the experiment.
	Lines results.Query
	Keep  func(results.Row) bool                      // which of these are lines; nil is all
	Order func(c results.Cells, a, b results.Row) int // sorts the lines; nil keeps the rows' order

	Columns []Column
	More    func(results.Cells) []Column // further columns, if they depend on the rows
}

// A Column is what a table shows of each line.
type Column struct {
	Header  string
	Queries []results.Query // find the rows that the cell shows; what they leave open is the line's

	// Write writes the cell from the rows that the queries found, in their order (a zero Row if one found none), or
	// from the line's own row if there is no query. If all queries find nothing, the cell is None.
	Write func(rows ...results.Row) string
}

// Cell returns the column of a row's text.
func Cell(header string, q results.Query, write func(results.Row) string) Column {
	return Column{Header: header, Queries: []results.Query{q}, Write: func(r ...results.Row) string { return write(r[0]) }}
}

// Value returns the column of what a query finds, as results.Q reads it. The query is for the line's experiment and
// strategy, unless it names others.
func Value(header, query string, write func(results.Row) string) Column {
	return Values(header, func(r ...results.Row) string { return write(r[0]) }, query)
}

// Values returns the column of what several queries find.
func Values(header string, write func(...results.Row) string, queries ...string) Column {
	c := Column{Header: header, Write: write}
	for _, q := range queries {
		c.Queries = append(c.Queries, within("", results.Q(q)))
	}
	return c
}

// ByStrategy begins with the column of the line's strategy and continues with one for each of a dimension's values, its
// header. It shows what queries find at that value.
func ByStrategy(d results.Dimension, values []string, write func(...results.Row) string, queries ...string) []Column {
	all := []Column{Strategy("strategy")}
	for _, v := range values {
		column := Values(v, write, queries...)
		for i, q := range column.Queries {
			column.Queries[i] = q.With(d.Is(v))
		}
		all = append(all, column)
	}
	return all
}

// Each returns a column for each of a dimension's values, its header, showing what one query finds.
func Each(query string, d results.Dimension, write func(results.Row) string, values ...string) []Column {
	return ByStrategy(d, values, func(r ...results.Row) string { return write(r[0]) }, query)[1:]
}

// Strategy returns the column of the line's strategy.
func Strategy(header string) Column {
	return Column{Header: header, Write: func(r ...results.Row) string { return r[0].Strategy }}
}

// Condition returns the column of the line's value of a dimension.
func Condition(header string, d results.Dimension) Column {
	return Column{Header: header, Write: func(r ...results.Row) string { return r[0].Where.Of(d) }}
}

// Of fills the table with rows. It leaves out a line if no query finds anything.
func (t Table) Of(c results.Cells) document.Table {
	out := document.Table{Title: t.Title}
	if t.Heading != nil {
		out.Title = t.Heading(c)
	}
	columns := t.columns(c)
	asked := t.More != nil
	for _, column := range columns {
		out.Header = append(out.Header, column.Header)
		asked = asked || column.Queries != nil
	}
	for _, line := range t.lines(c) {
		var cells []string
		found := !asked
		for _, column := range columns {
			rows, cell := column.rows(c, line), None
			if slices.ContainsFunc(rows, known) {
				cell = column.Write(rows...)
				found = found || column.Queries != nil
			}
			cells = append(cells, cell)
		}
		if found {
			out.Rows = append(out.Rows, cells)
		}
	}
	return out
}

// known reports whether a query found the row.
func known(r results.Row) bool { return r.Quantity != "" }

func (t Table) lines(c results.Cells) []results.Row {
	lines := c.All(within(t.Lines.Experiment, t.Lines))
	if t.Lines.Quantity == results.Any {
		lines = slices.Clone(c.Of(t.Lines.Experiment))
	}
	if t.Keep != nil {
		lines = slices.DeleteFunc(lines, func(r results.Row) bool { return !t.Keep(r) })
	}
	if t.Order != nil {
		slices.SortStableFunc(lines, func(a, b results.Row) int { return t.Order(c, a, b) })
	}
	return lines
}

func (t Table) columns(c results.Cells) []Column {
	if t.More == nil {
		return t.Columns
	}
	return slices.Concat(t.Columns, t.More(c))
}

// rows returns the rows that the column shows in a line.
func (column Column) rows(c results.Cells, line results.Row) (rows []results.Row) {
	if column.Queries == nil {
		return []results.Row{line}
	}
	for _, q := range column.Queries {
		r, _ := c.One(q.In(cmp.Or(q.Experiment, line.Experiment)).Fill(line))
		rows = append(rows, r)
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

// within completes a query with an experiment and any strategy, unless it names others.
func within(experiment string, q results.Query) results.Query {
	return q.In(cmp.Or(q.Experiment, experiment)).Of(cmp.Or(q.Strategy, results.Any))
}
