package page

import (
	"math"
	"slices"
	"strconv"
)

// A Frontier is what was measured of many configurations: a table whose lines are
// filtered and sorted, and a scatter of those that are left. Without scripts the whole
// table stands.
type Frontier struct {
	Title  string
	Note   string
	Axes   []Axis
	Trades []Trade
}

// An Axis is a quantity: a column, a limit, and what the scatter can be drawn by.
type Axis struct {
	Key  string // in the page's address
	Name string
	Unit string // of the limit, "" for a number
	More bool   // more is better, and a limit is the least; else less is, and it is the most
	Show bool   // it has a limit of its own
}

// A Trade is a configuration: a line and a point.
type Trade struct {
	Name, About string
	For         string // what it was made to meet
	Lasts       bool   // for ever; else its capacity is fixed
	Values      []Measured
}

// A Measured is a value by an axis, in the axis' unit, and as people read it. It is NaN
// where it was not measured.
type Measured struct {
	Value float64
	Text  string
}

// Data is the value for the page's script, or "".
func (m Measured) Data() string {
	if math.IsNaN(m.Value) {
		return ""
	}
	return strconv.FormatFloat(m.Value, 'g', 6, 64)
}

// Makings lists what the configurations were made to meet, as they appear.
func (f Frontier) Makings() (all []string) {
	for _, t := range f.Trades {
		if !slices.Contains(all, t.For) {
			all = append(all, t.For)
		}
	}
	return all
}
