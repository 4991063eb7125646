package plots

import (
	"cmp"
	"math"
	"slices"

	"dejavu/results"
)

// data are the rows of a run, found by experiment and quantity.
type data struct {
	rows    map[[2]string][]results.Row
	palette palette
	peers   results.PeerRows
	beyond  *data // the structures that the paper did not try, by their short names; nil where there are none
}

func newData(rows []results.Row) data {
	paper, beyond := apart(rows)
	d := dataOf(paper)
	if len(beyond) > 0 {
		b := dataOf(beyond)
		d.beyond = &b
	}
	return d
}

func dataOf(rows []results.Row) data {
	d := data{rows: map[[2]string][]results.Row{}, palette: newPalette(strategyNames(rows)), peers: results.NewPeerRows(rows)}
	for _, r := range rows {
		key := [2]string{r.Experiment, r.Quantity}
		d.rows[key] = append(d.rows[key], r)
	}
	return d
}

// A group is the rows of one strategy, ascending in x; those without x come first.
type group struct {
	strategy string
	rows     []results.Row
}

// groups returns the rows of a quantity by strategy, in the order of the legend.
func (d data) groups(experiment, quantity string) []group {
	groups := d.inOrderOfAppearance(experiment, quantity)
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Compare(slices.Index(d.palette.order, a.strategy), slices.Index(d.palette.order, b.strategy))
	})
	return groups
}

// inOrderOfAppearance is groups for names that are no strategies.
func (d data) inOrderOfAppearance(experiment, quantity string) []group {
	var groups []group
	for _, r := range d.rows[[2]string{experiment, quantity}] {
		i := slices.IndexFunc(groups, func(g group) bool { return g.strategy == r.Strategy })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{strategy: r.Strategy})
		}
		groups[i].rows = append(groups[i].rows, r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.rows, func(a, b results.Row) int {
			return cmp.Compare(a.X.Or(math.Inf(-1)), b.X.Or(math.Inf(-1)))
		})
	}
	return groups
}

// of returns the group of one strategy, empty where there is none.
func of(groups []group, strategy string) group {
	for _, g := range groups {
		if g.strategy == strategy {
			return g
		}
	}
	return group{strategy: strategy}
}

// A point is a measured value with its interval; both ends are the value where
// there is none.
type point struct{ x, y, low, high float64 }

// usable reports whether numbers can be drawn at all. The bound is far beyond any
// bytes or nanoseconds, and near enough to add and multiply without overflow.
func usable(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.Abs(v) > 1e30 {
			return false
		}
	}
	return true
}

// points returns the measured values of a group by x.
func (g group) points() []point {
	var out []point
	for _, r := range g.rows {
		x, okX := r.X.Get()
		y, okY := r.Value.Get()
		low, high := r.Low.Or(y), r.High.Or(y)
		if okX && okY && usable(x, y, low, high) {
			out = append(out, point{x, y, low, high})
		}
	}
	return out
}

// theory returns the analytic values of a group by x.
func (g group) theory() []point {
	return g.column(func(r results.Row) results.Number { return r.Theory })
}

// paper returns the values that the paper states, by x.
func (g group) paper() []point {
	return g.column(func(r results.Row) results.Number { return r.Paper })
}

func (g group) column(number func(results.Row) results.Number) []point {
	var out []point
	for _, r := range g.rows {
		x, okX := r.X.Get()
		y, okY := number(r).Get()
		if okX && okY && usable(x, y) {
			out = append(out, point{x, y, y, y})
		}
	}
	return out
}

// total returns the value of a row without x, measured or, failing that, theory.
func (g group) total() (p point, ok bool) {
	for _, r := range g.rows {
		if r.X.IsSet() {
			continue
		}
		y, ok := r.Value.Get()
		if !ok {
			y, ok = r.Theory.Get()
		}
		low, high := r.Low.Or(y), r.High.Or(y)
		if ok && usable(y, low, high) {
			return point{0, y, low, high}, true
		}
	}
	return point{}, false
}

// missing words the reason why a figure is skipped.
func missing(experiment, quantity string) string {
	return "no rows of experiment " + experiment + " with quantity \"" + quantity + "\""
}
