package results

import (
	"fmt"
	"strings"
)

// A Query says which rows are meant: those of the experiment, the strategy and the
// quantity, under exactly these conditions. A dimension that it does not name has no
// value in the row. Any stands for every strategy, or for every value of a dimension.
// A query without Any is the name of a single number.
type Query struct {
	Experiment string
	Strategy   string // empty for rows that are of no strategy
	Quantity   string
	Where      Conditions
}

// Find begins a query: a quantity under conditions, of no strategy yet.
func Find(quantity string, where ...Condition) Query {
	return Query{Quantity: quantity, Where: Where(where...)}
}

// In is the query in an experiment.
func (q Query) In(experiment string) Query { q.Experiment = experiment; return q }

// Of is the query of a strategy.
func (q Query) Of(strategy string) Query { q.Strategy = strategy; return q }

// With is the query under more conditions.
func (q Query) With(more ...Condition) Query { q.Where = q.Where.With(more...); return q }

// Name is what identifies a row: the query that finds it alone.
func (r Row) Name() Query { return Query{r.Experiment, r.Strategy, r.Quantity, r.Where} }

// Open returns the names of the dimensions that the query leaves open.
func (q Query) Open() (names []string) {
	if !strings.Contains(string(q.Where), "="+Any) {
		return nil
	}
	for _, c := range q.Where.List() {
		if c.Value == Any {
			names = append(names, c.Dimension)
		}
	}
	return names
}

// Fill puts what a row has in place of what the query leaves open, so that a line of a
// table, found by one query, says which row of another belongs to it.
func (q Query) Fill(r Row) Query {
	if q.Strategy == Any {
		q.Strategy = r.Strategy
	}
	for _, name := range q.Open() {
		q.Where = q.Where.With(Condition{name, r.Where.of(name)})
	}
	return q
}

// Matches reports whether a row is one that the query means.
func (q Query) Matches(r Row) bool {
	if q.Quantity != r.Quantity || q.Experiment != r.Experiment || q.Strategy != Any && q.Strategy != r.Strategy {
		return false
	}
	open := q.Open()
	if open == nil {
		return q.Where == r.Where
	}
	for _, name := range open {
		if r.Where.of(name) == "" {
			return false
		}
	}
	return q.Fill(r).Where == r.Where
}

// String writes the query as ParseQuery reads it: "fpr: fpr of chain at articles=500".
func (q Query) String() string {
	s := q.Experiment + ": " + q.Quantity
	if q.Strategy != "" {
		s += " of " + q.Strategy
	}
	if q.Where != "" {
		s += " at " + string(q.Where)
	}
	return s
}

// UnmarshalText reads a query as ParseQuery does, or one whose experiment whoever declares it knows.
func (q *Query) UnmarshalText(text []byte) (err error) {
	const unknown = "?: "
	s := string(text)
	if !strings.Contains(s, ": ") {
		s = unknown + s
	}
	if *q, err = ParseQuery(s); strings.HasPrefix(s, unknown) {
		q.Experiment = ""
	}
	return err
}

// ParseQuery reads a query as String writes it.
func ParseQuery(s string) (q Query, err error) {
	experiment, rest, ok := strings.Cut(s, ": ")
	if !ok {
		return q, fmt.Errorf(`query %q: want "experiment: quantity of strategy at dimension=value, ..."`, s)
	}
	q.Experiment = experiment
	if at := strings.LastIndex(rest, " at "); at >= 0 && strings.Contains(rest[at:], "=") {
		for one := range strings.SplitSeq(rest[at+len(" at "):], ", ") {
			name, value, ok := strings.Cut(one, "=")
			c := Condition{name, value}
			if err := c.check(); !ok || value == "" || err != nil {
				return q, fmt.Errorf("query %q: %q: want dimension=value", s, one)
			}
			if q.Where.of(name) != "" {
				return q, fmt.Errorf("query %q: %s has two values", s, name)
			}
			q.Where = q.Where.With(c)
		}
		rest = rest[:at]
	}
	q.Quantity, q.Strategy, _ = strings.Cut(rest, " of ") // no quantity has one, some strategies have
	if q.Experiment == "" || q.Quantity == "" {
		return q, fmt.Errorf("query %q: want an experiment and a quantity", s)
	}
	return q, nil
}

// Cells are the rows of a run, found by queries.
type Cells struct {
	one  map[Query]Row
	many map[string][]Row // by experiment
}

// NewCells indexes rows. Of rows with the same name the last one is found.
func NewCells(rows []Row) Cells {
	c := Cells{make(map[Query]Row, len(rows)), map[string][]Row{}}
	for _, r := range rows {
		c.one[r.Name()] = r
		c.many[r.Experiment] = append(c.many[r.Experiment], r)
	}
	return c
}

// One returns the row that a query without Any names, and whether there is one.
func (c Cells) One(q Query) (Row, bool) {
	r, ok := c.one[q]
	return r, ok
}

// All returns the rows that a query means, in their order.
func (c Cells) All(q Query) (found []Row) {
	for _, r := range c.many[q.Experiment] {
		if q.Matches(r) {
			found = append(found, r)
		}
	}
	return found
}

// Of returns the rows of an experiment, in their order.
func (c Cells) Of(experiment string) []Row { return c.many[experiment] }
