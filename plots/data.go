package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dejavu/results"
)

// Data holds the rows of a run, and the strategies that one figure shows.
type Data struct {
	rows    []results.Row
	found   map[kind][]results.Row
	palette palette
	figure  Figure
	unfound *[]results.Query // queries of the figure that found no rows
}

type kind struct{ experiment, quantity string }

// NewData groups rows for figures. Strategies get a look, unless their experiment has a None figure.
func NewData(figures []Figure, rows []results.Row) Data {
	d := Data{rows: rows, found: map[kind][]results.Row{}}
	nameless := map[string]bool{}
	for _, f := range figures {
		nameless[f.Experiment] = nameless[f.Experiment] || f.Strategies == None
	}
	var names []string
	for _, r := range rows {
		k := kind{r.Experiment, r.Quantity}
		d.found[k] = append(d.found[k], r)
		if !nameless[r.Experiment] {
			names = append(names, strings.TrimPrefix(r.Strategy, results.Beyond))
		}
	}
	d.palette = newPalette(names)
	return d
}

// Rows returns all rows of the run, for a figure that selects them itself.
func (d Data) Rows() []results.Row { return d.rows }

// Look returns how a strategy is drawn: in grey if its name is unknown.
func (d Data) Look(strategy string) Look {
	if look, ok := d.figure.Looks[strategy]; ok {
		return look
	}
	if i := d.palette.place(strategy); i >= 0 {
		return d.palette[i]
	}
	return Look{Name: strategy, Color: Grey}
}

// Solid returns Look with a filled mark.
func (d Data) Solid(strategy string) Look { return d.Look(strategy).Solid() }

// A Group holds the rows of one strategy, ascending in the dimension that a query leaves open: their x.
type Group struct {
	Strategy string
	Rows     []results.Row
	along    results.Dimension
}

// Groups holds groups of one quantity.
type Groups []Group

// Find returns the rows that a query finds, by strategy, in the order of the legend. Experiment and strategies are the
// figure's unless the query names them. The query may leave one dimension open, which becomes x.
func (d Data) Find(q results.Query) (groups Groups) {
	only := cmp.Or(q.Strategy, results.Any)
	q.Experiment, q.Strategy = cmp.Or(q.Experiment, d.figure.Experiment), results.Any
	var along results.Dimension
	switch open := q.Open(); len(open) {
	case 0:
	case 1:
		along.Name = open[0]
	default:
		panic(fmt.Sprintf("query %s: open in %q, want one axis", q, open))
	}
	for _, r := range d.found[kind{q.Experiment, q.Quantity}] {
		name, beyond := strings.CutPrefix(r.Strategy, results.Beyond)
		if !d.figure.Strategies.shows(beyond) || only != results.Any && only != name || !q.Matches(r) {
			continue
		}
		r.Strategy = name
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Strategy == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Strategy: name, along: along})
		}
		groups[i].Rows = append(groups[i].Rows, r)
	}
	if q.Strategy = only; len(groups) == 0 && q.Quantity != "" && d.unfound != nil {
		*d.unfound = append(*d.unfound, q)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.Rows, func(a, b results.Row) int {
			return cmp.Compare(a.Coordinate(along).Or(0), b.Coordinate(along).Or(0))
		})
	}
	if d.figure.Strategies != None {
		slices.SortStableFunc(groups, func(a, b Group) int { return d.inLegend(a.Strategy, b.Strategy) })
	}
	return groups
}

// Series returns measured points for each strategy, and as its line the first expected curve that lines find.
func (d Data) Series(marks results.Query, lines ...results.Query) (all []Series) {
	found := []Groups{d.Find(marks)}
	for _, q := range lines {
		found = append(found, d.Find(q))
	}
	for _, name := range d.NamesIn(found...) {
		s := Series{Strategy: name, Look: d.Look(name), Points: found[0].Of(name).Points()}
		for _, curves := range found[1:] {
			if len(s.Line) == 0 {
				s.Line = curves.Of(name).Theory()
			}
		}
		all = append(all, s)
	}
	return all
}

// Joined returns a query's measured points, joined, without intervals, in the given look if any.
func (d Data) Joined(q results.Query, look ...Look) (all []Series) {
	for _, s := range d.Series(q) {
		s.Points, s.Join = Alone(s.Points), true
		for _, l := range look {
			s.Look = l
		}
		all = append(all, s)
	}
	return all
}

// Unvaried returns the series that are no Variant of another.
func Unvaried(all []Series) (some []Series) {
	var names []string
	for _, s := range all {
		names = append(names, s.Strategy)
	}
	for _, s := range all {
		if !Variant(s.Strategy, names) {
			some = append(some, s)
		}
	}
	return some
}

// Ranked returns the groups with a Total, in ascending order of it. If only is not empty, it names them.
func (d Data) Ranked(q results.Query, only ...string) Groups {
	groups := slices.DeleteFunc(d.Find(q), func(g Group) bool {
		_, ok := g.Total()
		return !ok || len(only) > 0 && !slices.Contains(only, g.Strategy)
	})
	slices.SortStableFunc(groups, func(a, b Group) int {
		one, _ := a.Total()
		other, _ := b.Total()
		return cmp.Compare(one.Y, other.Y)
	})
	return groups
}

// Plus returns the groups with the Total of the same strategy in others added to each measured value.
func (gs Groups) Plus(others Groups) (sums Groups) {
	for _, g := range gs {
		more, _ := others.Of(g.Strategy).Total()
		g.Rows = slices.Clone(g.Rows)
		for i := range g.Rows {
			if v, ok := g.Rows[i].Value.Get(); ok {
				g.Rows[i].Value = results.Num(v + more.Y)
			}
		}
		sums = append(sums, g)
	}
	return sums
}

// Of returns the group of a strategy, or an empty one.
func (gs Groups) Of(strategy string) Group {
	for _, g := range gs {
		if g.Strategy == strategy {
			return g
		}
	}
	return Group{Strategy: strategy}
}

// NamesIn returns the strategies in any of the groups, in the order of the legend.
func (d Data) NamesIn(all ...Groups) (names []string) {
	for _, groups := range all {
		for _, g := range groups {
			if !slices.Contains(names, g.Strategy) {
				names = append(names, g.Strategy)
			}
		}
	}
	if d.figure.Strategies != None {
		slices.SortStableFunc(names, d.inLegend)
	}
	return names
}

func (d Data) inLegend(a, b string) int { return cmp.Compare(d.palette.place(a), d.palette.place(b)) }

// Variant reports whether a strategy is named as a variant of another: "other-variant".
func Variant(name string, names []string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(name, other+"-") })
}

// A Point is a value Y at X with its interval. Without an interval, Low and High equal Y.
type Point struct{ X, Y, Low, High float64 }

// At returns a point without an interval.
func At(x, y float64) Point { return Point{x, y, y, y} }

// usable reports whether the point can be drawn. The bound avoids overflow.
func (p Point) usable() bool {
	return !slices.ContainsFunc([]float64{p.X, p.Y, p.Low, p.High}, func(v float64) bool {
		return math.IsNaN(v) || math.Abs(v) > 1e30
	})
}

// Measured returns a row's value with its interval at x, or false if it has none.
func Measured(r results.Row, x float64) (Point, bool) {
	v, ok := r.Value.Get()
	p := Point{x, v, r.Low.Or(v), r.High.Or(v)}
	return p, ok && p.usable()
}

// Points returns a group's measured values, Theory its expected ones, and Stated the paper's. x is 0 without an open dimension.
func (g Group) Points() []Point { return g.places(measured) }
func (g Group) Theory() []Point { return g.places(theory) }
func (g Group) Stated() []Point { return g.places(stated) }

func measured(r results.Row) results.Row { return r }
func theory(r results.Row) results.Row   { return results.Row{Value: r.Theory} }
func stated(r results.Row) results.Row   { return results.Row{Value: r.Paper} }

// places returns a point for each row that contains the number selected by of.
func (g Group) places(of func(results.Row) results.Row) (points []Point) {
	for _, r := range g.Rows {
		x, known := r.Coordinate(g.along).Get()
		if p, ok := Measured(of(r), x); ok && (known || g.along.Name == "") {
			points = append(points, p)
		}
	}
	return points
}

// Total returns the value, measured or else expected, of a query that leaves nothing open.
func (g Group) Total() (Point, bool) {
	for _, points := range [][]Point{g.Points(), g.Theory()} {
		if len(points) > 0 && g.along.Name == "" {
			return points[0], true
		}
	}
	return Point{}, false
}

// Within returns the points up to x.
func Within(points []Point, x float64) []Point {
	return Where(points, func(p Point) bool { return p.X <= x })
}

// Where returns the points for which keep is true.
func Where(points []Point, keep func(Point) bool) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !keep(p) })
}

// Map returns the points after change.
func Map(points []Point, change func(Point) Point) []Point {
	out := make([]Point, len(points))
	for i, p := range points {
		out[i] = change(p)
	}
	return out
}

// Alone returns the points without their intervals.
func Alone(points []Point) []Point {
	return Map(points, func(p Point) Point { return At(p.X, p.Y) })
}

// FewDays keeps the first week, and every third day after it.
func FewDays(points []Point) []Point {
	return Where(points, func(p Point) bool { return p.X <= 7 || int(p.X)%3 == 0 })
}

// Thin keeps about n points, with the first and last, so that marks do not hide the line below.
func Thin(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	out := make([]Point, 0, n)
	for i := range n {
		out = append(out, points[i*(len(points)-1)/(n-1)])
	}
	return out
}

// ActivityAxis returns an axis for the groups' bins, in powers of two. 0 is one step to the left of 1.
func ActivityAxis(label string, all ...Groups) Axis {
	a := Axis{Label: label, Min: 20, Max: 1, Format: PowerOfTwo, Labels: 7}
	for _, groups := range all {
		for _, g := range groups {
			for _, p := range ByBin(g.Points()) {
				a.Min, a.Max = min(a.Min, p.X-0.5), max(a.Max, p.X+0.5)
			}
		}
	}
	return a
}

// ByBin moves points to their bins on an ActivityAxis.
func ByBin(points []Point) []Point {
	return Map(Where(points, func(p Point) bool { return p.X >= 0 }), func(p Point) Point {
		p.X = max(math.Log2(p.X), -1)
		return p
	})
}
