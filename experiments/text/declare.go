package text

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dejavu/results"
)

// A Declaration is a table as a room's figures.toml has it. Queries may leave out the experiment
// where it is the table's own, and the strategy where they are of every one.
type Declaration struct {
	Name    string // for the code that completes the table; none where it is complete
	Title   string
	Lines   results.Query // finds a row for each line
	Columns []declaredColumn
}

// A declaredColumn shows the rows of queries, or a condition of the line; or it is a column for
// each value of a dimension.
type declaredColumn struct {
	Header    string
	Query     results.Query
	Queries   []results.Query // where a cell needs several rows
	Show      string          // how: a name of Shows, or a format of the value; "value" where left out
	Condition string          // the dimension whose value in the line is shown

	Each string   // the dimension
	Of   []string // its values, which are the headers
}

// Shows are ways to write the rows that a cell's queries found, by name.
type Shows map[string]func(rows ...results.Row) string

// common are the shows that all tables know.
var common = Shows{
	"strategy":    func(r ...results.Row) string { return r[0].Strategy },
	"value":       func(r ...results.Row) string { return Of(r[0]) },
	"with theory": func(r ...results.Row) string { return WithTheory(r[0]) },
	"with paper":  func(r ...results.Row) string { return WithPaper(r[0], true) },
	"share":       func(r ...results.Row) string { return Percent(r[0].Value.Or(0)) },
}

// Table is the declared table of an experiment, whose own shows are added to the common ones.
func (t Declaration) Table(experiment string, own Shows) (Table, error) {
	out := Table{Title: t.Title, Lines: within(experiment, t.Lines)}
	if t.Lines.Quantity == "" {
		return out, fmt.Errorf("table %q: lines are missing", t.Title)
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

// within completes a query.
func within(experiment string, q results.Query) results.Query {
	return q.In(cmp.Or(q.Experiment, experiment)).Of(cmp.Or(q.Strategy, results.Any))
}

// columns are one column, or as many as a dimension has values.
func (c declaredColumn) columns(experiment string, own Shows) ([]Column, error) {
	if c.Condition != "" {
		show := func(r ...results.Row) string { return r[0].Where.Of(results.Dimension{Name: c.Condition}) }
		return []Column{{Header: c.Header, Show: show}}, nil
	}
	column := Column{Header: c.Header}
	if c.Query.Quantity != "" {
		c.Queries = append(c.Queries, c.Query)
	}
	for _, q := range c.Queries {
		column.Queries = append(column.Queries, within(experiment, q))
	}
	var err error
	if column.Show, err = c.show(own); err != nil || c.Each == "" {
		return []Column{column}, err
	}
	if len(c.Of) == 0 || c.Header != "" {
		return nil, errors.New("each: want the values of the dimension in of, which are the headers")
	}
	var out []Column
	for _, value := range c.Of {
		one := Column{Header: value, Show: column.Show}
		for _, q := range column.Queries {
			one.Queries = append(one.Queries, q.With(results.Condition{Dimension: c.Each, Value: value}))
		}
		out = append(out, one)
	}
	return out, nil
}

// show is how the column writes a cell.
func (c declaredColumn) show(own Shows) (func(...results.Row) string, error) {
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
