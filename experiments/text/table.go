package text

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/internal/document"
	"dejavu/results"
)

// A Table declares a table over rows: which rows are its lines, and what stands in its columns. Both are queries, so
// that a test can ask whether they find anything.
type Table struct {
	Title   string
	Heading func(results.Cells) string // the title, where it depends on the rows

	// Lines finds a row for each line, in the order of the rows. It leaves open what lines differ by: the strategy, or a
	// dimension. Any quantity is every row of the experiment.
	Lines results.Query
	Keep  func(results.Row) bool                      // which of these are lines; nil is all
	Order func(c results.Cells, a, b results.Row) int // of the lines; nil is that of the rows

	Columns []Column
	More    func(results.Cells) []Column // behind these, where they depend on the rows
}

// A Column is what a table shows of each line.
type Column struct {
	Header  string
	Queries []results.Query // find the rows that the cell shows; what they leave open is the line's

	// Show writes the cell: of the rows found, in the order of the queries (a zero Row where there is none), or of the
	// line's own row where there is no query. Where all queries find none, the cell is None.
	Show Show
}

// Cell is the column of a row's text.
func Cell(header string, q results.Query, show func(results.Row) string) Column {
	return Column{Header: header, Queries: []results.Query{q}, Show: func(r ...results.Row) string { return show(r[0]) }}
}

// Value is the column of what a query finds, as results.Q reads it, and Values one of what several find. They are of the
// line's experiment and strategy, unless they name others.
func Value(header, query string, show func(results.Row) string) Column {
	return Values(header, func(r ...results.Row) string { return show(r[0]) }, query)
}

func Values(header string, show Show, queries ...string) Column {
	c := Column{Header: header, Show: show}
	for _, q := range queries {
		c.Queries = append(c.Queries, within("", results.Q(q)))
	}
	return c
}

// ByStrategy begins with the column of the line's strategy and goes on with one for each of the values of a dimension,
// which is its header. It shows what queries find at that value.
func ByStrategy(d results.Dimension, values []string, show Show, queries ...string) []Column {
	all := []Column{Strategy("strategy")}
	for _, v := range values {
		column := Values(v, show, queries...)
		for i, q := range column.Queries {
			column.Queries[i] = q.With(d.Is(v))
		}
		all = append(all, column)
	}
	return all
}

// Each is a column for each of the values of a dimension, which is its header, of what one query finds.
func Each(query string, d results.Dimension, show func(results.Row) string, values ...string) []Column {
	return ByStrategy(d, values, func(r ...results.Row) string { return show(r[0]) }, query)[1:]
}

// Strategy is the column of the line's strategy, and Condition that of the line's value of a dimension.
func Strategy(header string) Column {
	return Column{Header: header, Show: func(r ...results.Row) string { return r[0].Strategy }}
}

func Condition(header string, d results.Dimension) Column {
	return Column{Header: header, Show: func(r ...results.Row) string { return r[0].Where.Of(d) }}
}

// Of fills the table with rows. A line of which no query finds anything is left out.
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
				cell = column.Show(rows...)
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

// known is whether a query found the row.
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

// rows are those that the column shows of a line.
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

// A Declaration is a table as a room's figures.toml has it. Queries may leave out the experiment
// where it is the table's own, and the strategy where they are of every one.
type Declaration struct {
	Name    string // for the code that completes the table; none where it is complete
	Title   string
	Heading []results.Query // of rows that the title tells of, as a template does (Show)
	Lines   results.Query   // finds a row for each line
	Columns []declaredColumn
}

// A declaredColumn shows the rows of queries, or a condition of the line; or it is a column for each of some values.
type declaredColumn struct {
	Header    string
	Query     results.Query
	Queries   []results.Query // where a cell needs several rows
	Show      string          // how: a name of Shows, or a format of the value; "value" where left out
	Condition string          // the dimension whose value in the line is shown
	Each      string          // the dimension that there is a column for each value of
	Of        []string        // its values, which are the headers
}

// common are the shows that all tables know.
var common = Shows{
	"strategy":    func(r ...results.Row) string { return r[0].Strategy },
	"value":       func(r ...results.Row) string { return Of(r[0]) },
	"with theory": func(r ...results.Row) string { return WithTheory(r[0]) },
	"with paper":  func(r ...results.Row) string { return WithPaper(r[0]) },
	"share":       func(r ...results.Row) string { return Percent(r[0].Value.Or(0)) },
}

// Table is the declared table of an experiment, whose own shows are added to the common ones.
func (t Declaration) Table(experiment string, own Shows) (Table, error) {
	out := Table{Title: t.Title, Lines: within(experiment, t.Lines)}
	if t.Lines.Quantity == "" {
		return out, fmt.Errorf("table %q: lines are missing", t.Title)
	}
	if t.Heading != nil {
		var title Show
		if err := title.UnmarshalText([]byte(t.Title)); err != nil {
			return out, fmt.Errorf("table %q: %w", t.Title, err)
		}
		var tells Column
		for _, q := range t.Heading {
			tells.Queries = append(tells.Queries, q.In(cmp.Or(q.Experiment, experiment)))
		}
		out.Heading = func(c results.Cells) string { return title(tells.rows(c, results.Row{})...) }
	}
	for _, c := range t.Columns {
		columns, err := c.columns(experiment, own)
		if err != nil {
			return out, fmt.Errorf("table %q, column %q: %w", t.Title, c.Header, err)
		}
		out.Columns = append(out.Columns, columns...)
	}
	return out, nil
}

func within(experiment string, q results.Query) results.Query {
	return q.In(cmp.Or(q.Experiment, experiment)).Of(cmp.Or(q.Strategy, results.Any))
}

// columns are one column, or as many as a dimension has values.
func (c declaredColumn) columns(experiment string, own Shows) (all []Column, err error) {
	if c.Condition != "" {
		show := func(r ...results.Row) string { return r[0].Where.Of(results.Dimension{Name: c.Condition}) }
		return []Column{{Header: c.Header, Show: show}}, nil
	}
	if c.Query.Quantity != "" {
		c.Queries = append(c.Queries, c.Query)
	}
	switch {
	case c.Each == "":
		c.Of = []string{""} // a condition of no dimension and no value is none
	case len(c.Of) == 0 || c.Header != "":
		return nil, errors.New("each: want the values of the dimension in of, which are the headers")
	}
	show, err := c.show(own)
	for _, value := range c.Of {
		one := Column{Header: cmp.Or(c.Header, value), Show: show}
		for _, q := range c.Queries {
			q = within(experiment, q).With(results.Condition{Dimension: c.Each, Value: value})
			one.Queries = append(one.Queries, q)
		}
		all = append(all, one)
	}
	return all, err
}

// show is how the column writes a cell.
func (c declaredColumn) show(own Shows) (Show, error) {
	name := cmp.Or(c.Show, "value")
	if strings.Contains(name, "%") {
		return func(r ...results.Row) string { return fmt.Sprintf(name, r[0].Value.Or(0)) }, nil
	}
	for _, shows := range []Shows{own, common} {
		if show, ok := shows[name]; ok {
			return show, nil
		}
	}
	names := slices.Concat(slices.Sorted(maps.Keys(common)), slices.Sorted(maps.Keys(own)))
	return nil, fmt.Errorf("show %q: want a format with %%, or one of %q", name, names)
}
