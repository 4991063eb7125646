package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Dimension is a condition under which numbers are found, such as the number of articles shown, the day, or whether
// users have their own salts. It is a column of the files of the experiments that declare it.
type Dimension struct {
	Name  string // of the column: "articles"
	Unit  string // of its values if they are numbers: "articles", "s"; empty for words and pure numbers
	About string // what its values are, for people
}

// At returns the condition that the dimension has this number, written as in a file.
func (d Dimension) At(v float64) Condition { return Condition{d.Name, Num(v).String()} }

// Is returns the condition that the dimension has this value, or none if value is "".
func (d Dimension) Is(value string) Condition { return Condition{d.Name, value} }

// Open leaves the dimension open in a query: it has any value.
func (d Dimension) Open() Condition { return Condition{d.Name, Any} }

// Any in a query means every name or value.
const Any = "*"

// A Condition is the value of a dimension, by its name.
type Condition struct{ Dimension, Value string }

func (c Condition) check() error {
	if c.Dimension == "" || strings.ContainsAny(c.Dimension, ",= ") {
		return fmt.Errorf("dimension %q: want a name without commas, equals signs and spaces", c.Dimension)
	}
	if strings.ContainsAny(c.Value, ",=") || c.Value != strings.TrimSpace(c.Value) {
		return fmt.Errorf("%s: %q: want a value without commas and equals signs", c.Dimension, c.Value)
	}
	v, err := strconv.ParseFloat(c.Value, 64)
	if errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return fmt.Errorf("%s: %q: want a finite number, or a word", c.Dimension, c.Value)
	}
	return nil
}

// Conditions lists under which conditions a row was found, ordered by name: "articles=500, rule=24h". "" is none.
type Conditions string

// Where joins conditions. Of several with one dimension the last counts; a condition without a value is left out.
func Where(all ...Condition) Conditions { return Conditions("").With(all...) }

// With returns the conditions with more of them, which replace conditions of the same dimensions.
func (c Conditions) With(more ...Condition) Conditions {
	if len(more) == 0 {
		return c
	}
	all := c.List()
	for _, m := range more {
		all = slices.DeleteFunc(all, func(c Condition) bool { return c.Dimension == m.Dimension })
		if m.Value != "" {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b Condition) int { return cmp.Compare(a.Dimension, b.Dimension) })
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.Dimension + "=" + one.Value
	}
	return Conditions(strings.Join(texts, ", "))
}

// List returns the conditions one by one.
func (c Conditions) List() (all []Condition) {
	for rest := string(c); rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, ", ")
		name, value, _ := strings.Cut(one, "=")
		all = append(all, Condition{name, value})
	}
	return all
}

// Of returns the value of a dimension, or "" if it has none.
func (c Conditions) Of(d Dimension) string { return c.of(d.Name) }

func (c Conditions) of(name string) string {
	for rest := string(c); rest != ""; {
		var one string
		one, rest, _ = strings.Cut(rest, ", ")
		if value, ok := strings.CutPrefix(one, name); ok && value != "" && value[0] == '=' {
			return value[1:]
		}
	}
	return ""
}

// Divided returns the conditions whose values are words, and those that are numbers.
func (c Conditions) Divided() (words, numbers Conditions) {
	for _, one := range c.List() {
		if _, err := strconv.ParseFloat(one.Value, 64); err == nil {
			numbers = numbers.With(one)
		} else {
			words = words.With(one)
		}
	}
	return words, numbers
}

// A Query names rows: an experiment, a strategy and a quantity, under exactly these conditions, and no other
// dimensions. Any stands for every strategy, or every value of a dimension. A query without Any names a single number.
type Query struct {
	Experiment string
	Strategy   string // empty for rows without a strategy
	Quantity   string
	Where      Conditions
}

// Find returns a query for a quantity under conditions, without a strategy yet.
func Find(quantity string, where ...Condition) Query {
	return Query{Quantity: quantity, Where: Where(where...)}
}

// In returns the query for an experiment.
func (q Query) In(experiment string) Query { q.Experiment = experiment; return q }

// Of returns the query for a strategy.
func (q Query) Of(strategy string) Query { q.Strategy = strategy; return q }

// With returns the query with more conditions.
func (q Query) With(more ...Condition) Query { q.Where = q.Where.With(more...); return q }

// Name returns the query that finds this row alone.
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

// Fill replaces what the query leaves open by the row's values, to select the matching row of another query.
func (q Query) Fill(r Row) Query {
	if q.Strategy == Any {
		q.Strategy = r.Strategy
	}
	for _, name := range q.Open() {
		q.Where = q.Where.With(Condition{name, r.Where.of(name)})
	}
	return q
}

// Matches reports whether the query finds a row.
func (q Query) Matches(r Row) bool {
	if q.Quantity != r.Quantity || q.Experiment != r.Experiment || q.Strategy != Any && q.Strategy != r.Strategy {
		return false
	}
	for _, name := range q.Open() {
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
	q.Quantity, q.Strategy, _ = strings.Cut(rest, " of ") // no quantity contains " of ", some strategies do
	if q.Experiment == "" || q.Quantity == "" {
		return q, fmt.Errorf("query %q: want an experiment and a quantity", s)
	}
	return q, nil
}

// Q returns a query written in code as ParseQuery reads it, perhaps without experiment. It panics at a fault.
func Q(text string) Query {
	const unknown = "?: "
	own := strings.Contains(text, ": ")
	if !own {
		text = unknown + text
	}
	q, err := ParseQuery(text)
	if err != nil {
		panic(err)
	}
	if !own {
		q.Experiment = ""
	}
	return q
}

// Cells finds rows of a run by queries.
type Cells struct {
	one  map[Query]Row
	many map[string][]Row // by experiment
}

// NewCells indexes rows. Of several rows with one name the last is found.
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

// All returns the rows that a query finds, in their order.
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
