package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dejavu/results"
)

// Data are the rows of a run, as one figure sees them: those of its experiment and
// its choice of strategies, found by quantity.
type Data struct {
	rows    []results.Row
	found   map[kind][]results.Row
	palette palette
	figure  Figure
	unfound *[]results.Query // that a figure asked for, and found no rows of
}

// A kind is what rows are found by.
type kind struct {
	strategies           Strategies
	experiment, quantity string
}

// NewData sorts rows for the figures. Names of strategies get their looks here, from
// all rows, but for those that a figure of None is drawn from.
func NewData(figures []Figure, rows []results.Row) Data {
	d := Data{rows: rows, found: map[kind][]results.Row{}}
	nameless := map[string]bool{}
	for _, f := range figures {
		nameless[f.Experiment] = nameless[f.Experiment] || f.Strategies == None
	}
	var names []string
	for _, r := range rows {
		name, beyond := strings.CutPrefix(r.Strategy, results.Beyond)
		r.Strategy = name
		views := []Strategies{All, None, Paper}
		if beyond {
			views[2] = Beyond
		}
		for _, v := range views {
			k := kind{v, r.Experiment, r.Quantity}
			d.found[k] = append(d.found[k], r)
		}
		if !nameless[r.Experiment] {
			names = append(names, name)
		}
	}
	d.palette = newPalette(names)
	return d
}

// In is the data of another experiment.
func (d Data) In(experiment string) Data {
	d.figure.Experiment = experiment
	return d
}

// Rows returns all rows of the run as they came, for a figure that finds them in a way of its own.
func (d Data) Rows() []results.Row { return d.rows }

// Look is how a strategy is drawn. A name that is none is grey.
func (d Data) Look(strategy string) Look {
	if look, ok := d.figure.looks[strategy]; ok {
		return look
	}
	if i := d.palette.place(strategy); i >= 0 {
		return d.palette[i].look
	}
	return Look{Name: strategy, Color: Grey}
}

// A Group is the rows of one strategy, ascending in the dimension Along.
type Group struct {
	Strategy string
	Along    results.Dimension // what a query left open: the place of a row on the axis
	Rows     []results.Row
}

// Groups are rows of one quantity by strategy.
type Groups []Group

// Find returns the rows that a query means, by strategy, in the order of the legend, or,
// where names are not those of strategies, as they appear. The experiment is the figure's
// where the query names none; the strategies are always the figure's. What the query leaves
// open is the axis of the points; no more than one dimension can be.
func (d Data) Find(q results.Query) Groups {
	q.Experiment, q.Strategy = cmp.Or(q.Experiment, d.figure.Experiment), results.Any
	open := q.Open()
	if len(open) > 1 {
		panic(fmt.Sprintf("query %s: open in %q, want one axis", q, open))
	}
	var along results.Dimension
	if len(open) > 0 {
		along.Name = open[0]
	}
	rows := slices.DeleteFunc(slices.Clone(d.found[kind{d.figure.Strategies, q.Experiment, q.Quantity}]),
		func(r results.Row) bool { return !q.Matches(r) })
	if len(rows) == 0 && q.Quantity != "" && d.unfound != nil {
		*d.unfound = append(*d.unfound, q)
	}
	return d.group(along, rows)
}

// group sorts rows by strategy, and along a dimension; rows without it come first.
func (d Data) group(along results.Dimension, rows []results.Row) (groups Groups) {
	for _, r := range rows {
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Strategy == r.Strategy })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Strategy: r.Strategy, Along: along})
		}
		groups[i].Rows = append(groups[i].Rows, r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.Rows, func(a, b results.Row) int {
			return cmp.Compare(a.Coordinate(along).Or(math.Inf(-1)), b.Coordinate(along).Or(math.Inf(-1)))
		})
	}
	if d.figure.Strategies != None {
		slices.SortStableFunc(groups, func(a, b Group) int { return d.inLegend(a.Strategy, b.Strategy) })
	}
	return groups
}

// Of returns the group of one strategy, empty where there is none.
func (gs Groups) Of(strategy string) Group {
	for _, g := range gs {
		if g.Strategy == strategy {
			return g
		}
	}
	return Group{Strategy: strategy}
}

// NamesIn lists the strategies of any of the groups, in the order of the legend.
func (d Data) NamesIn(all ...Groups) (names []string) {
	for _, groups := range all {
		for _, g := range groups {
			if !slices.Contains(names, g.Strategy) {
				names = append(names, g.Strategy)
			}
		}
	}
	return d.sorted(names)
}

// sorted puts names in the order of the legend, where they are those of strategies.
func (d Data) sorted(names []string) []string {
	if d.figure.Strategies != None {
		slices.SortStableFunc(names, d.inLegend)
	}
	return names
}

// Kinship is whether a strategy is a variant of another one, whose name its own begins
// with, and whether it has variants.
func Kinship(name string, names []string) (variant, varied bool) {
	for _, other := range names {
		variant = variant || strings.HasPrefix(name, other+"-")
		varied = varied || strings.HasPrefix(other, name+"-")
	}
	return variant, varied
}

// inLegend compares the places of two strategies in the legend.
func (d Data) inLegend(a, b string) int {
	return cmp.Compare(d.palette.place(a), d.palette.place(b))
}

// A Point is a value Y at the place X with its interval; both ends are the value
// where there is none. Units are those of the rows.
type Point struct{ X, Y, Low, High float64 }

// At is a point without an interval.
func At(x, y float64) Point { return Point{x, y, y, y} }

// usable is whether the point can be drawn at all. The bound is far beyond any bytes
// or nanoseconds, and near enough to add and multiply without overflow.
func (p Point) usable() bool {
	return !slices.ContainsFunc([]float64{p.X, p.Y, p.Low, p.High}, func(v float64) bool {
		return math.IsNaN(v) || math.Abs(v) > 1e30
	})
}

// Measured is a row's value with its interval at a place, and whether it has one.
func Measured(r results.Row, x float64) (Point, bool) {
	v, ok := r.Value.Get()
	p := Point{x, v, r.Low.Or(v), r.High.Or(v)}
	return p, ok && p.usable()
}

// Points returns the measured values of a group by x.
func (g Group) Points() []Point {
	var out []Point
	for _, r := range g.Rows {
		x, known := r.Coordinate(g.Along).Get()
		if p, ok := Measured(r, x); ok && known {
			out = append(out, p)
		}
	}
	return out
}

// Theory returns the analytic values of a group by x.
func (g Group) Theory() []Point {
	return g.column(func(r results.Row) results.Number { return r.Theory })
}

func (g Group) column(number func(results.Row) results.Number) []Point {
	var out []Point
	for _, r := range g.Rows {
		x, okX := r.Coordinate(g.Along).Get()
		y, okY := number(r).Get()
		if p := At(x, y); okX && okY && p.usable() {
			out = append(out, p)
		}
	}
	return out
}

// Stated returns what the paper states of the rows of a group, by x.
func (g Group) Stated() []Point {
	return g.column(func(r results.Row) results.Number { return r.Paper })
}

// Total returns the value of a row without x, measured or, failing that, theory.
func (g Group) Total() (Point, bool) {
	for _, r := range g.Rows {
		if !r.Value.IsSet() {
			r.Value = r.Theory
		}
		if p, ok := Measured(r, 0); ok && !r.Coordinate(g.Along).IsSet() {
			return p, true
		}
	}
	return Point{}, false
}
