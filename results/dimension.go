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

// A Dimension is a condition under which numbers are found: how many articles were
// shown, which day it is, whether users have salts of their own. It is a column of the
// files of the experiments that declare it.
type Dimension struct {
	Name  string // of the column: "articles"
	Unit  string // of its values where they are numbers: "articles", "s"; empty for words and pure numbers
	About string // what its values are, for people
}

// At is the condition that the dimension has a number, written as in a file.
func (d Dimension) At(v float64) Condition { return Condition{d.Name, Num(v).String()} }

// Is is the condition that the dimension has that value; "" is that it has none.
func (d Dimension) Is(value string) Condition { return Condition{d.Name, value} }

// Open leaves the dimension open in a query: it has a value, whichever.
func (d Dimension) Open() Condition { return Condition{d.Name, Any} }

// Any stands in a query for every name or value there is.
const Any = "*"

// A Condition is the value of a dimension, by its name.
type Condition struct{ Dimension, Value string }

// check returns why a condition cannot be told from others once it is written.
func (c Condition) check() error {
	if c.Dimension == "" || strings.ContainsAny(c.Dimension, ",= ") {
		return fmt.Errorf("dimension %q: want a name without commas, equals signs and spaces", c.Dimension)
	}
	if strings.ContainsAny(c.Value, ",=") || c.Value != strings.TrimSpace(c.Value) {
		return fmt.Errorf("%s: %q: want a value without commas and equals signs", c.Dimension, c.Value)
	}
	if v, err := strconv.ParseFloat(c.Value, 64); errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return fmt.Errorf("%s: %q: want a finite number, or a word", c.Dimension, c.Value)
	}
	return nil
}

// Conditions are what holds where a row was found, as text: "articles=500, rule=24h", in
// the order of the names. Equal conditions are equal text. The zero value is no condition.
type Conditions string

// Where returns those conditions together. Of the same dimension the last one counts; a
// condition without a value is left out.
func Where(all ...Condition) Conditions { return Conditions("").With(all...) }

// With returns the conditions with more of them, in place of those of the same dimensions.
func (c Conditions) With(more ...Condition) Conditions {
	if len(more) == 0 {
		return c
	}
	all := c.List()
	for _, m := range more {
		i, found := slices.BinarySearchFunc(all, m, func(a, b Condition) int { return cmp.Compare(a.Dimension, b.Dimension) })
		if found {
			all = slices.Delete(all, i, i+1)
		}
		if m.Value != "" {
			all = slices.Insert(all, i, m)
		}
	}
	var b strings.Builder
	for i, one := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(one.Dimension + "=" + one.Value)
	}
	return Conditions(b.String())
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

// Of returns the value of a dimension, "" where it has none.
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

// Used returns the dimensions that any of the rows has, by name, for rows of which nobody
// declares them.
func Used(rows []Row) (all []Dimension) {
	for _, r := range rows {
		for _, c := range r.Where.List() {
			d := Dimension{Name: c.Dimension}
			i, found := slices.BinarySearchFunc(all, d, func(a, b Dimension) int { return cmp.Compare(a.Name, b.Name) })
			if !found {
				all = slices.Insert(all, i, d)
			}
		}
	}
	return all
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
