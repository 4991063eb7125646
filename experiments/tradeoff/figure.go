package tradeoff

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"tradeoff": frontier, "tradeoff-costs": costs},
	Tables:  map[string]func(*text.Table){"structures": func(t *text.Table) { t.Order = lastingFirst }},
	Shows:   text.Shows{"window or capacity": windowOrCapacity},
})

func windowOrCapacity(r ...results.Row) string {
	if r[1].Value.IsSet() {
		return "capacity of " + text.Of(r[0])
	}
	return text.Of(r[0])
}

// lastingFirst orders structures: those that keep window and rate for ever, then those of a fixed
// capacity, by their bytes.
func lastingFirst(c results.Cells, a, b results.Row) int {
	fixed := func(r results.Row) int {
		if _, ok := c.One(Of(results.QCapacity, AtRate).Fill(r)); ok {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(fixed(a), fixed(b)), cmp.Compare(a.Value.Or(0), b.Value.Or(0)))
}

// frontier has a line for each structure, from a rate of 1 in 5 to one of 1 in 10000: in the first
// panel those that last, with the bounds that no structure can pass, in the second the others.
func frontier(d plots.Data, s *plots.Sheet) {
	capacities := d.Find(Of(results.QCapacity, AtRate))
	for _, p := range s.Panels {
		p.X.Format = func(v float64) string { return "1 in " + plots.Number(v) }
	}
	for _, g := range d.Find(Of(results.QLongest, by.Target.Open())) {
		series := plots.Series{Look: d.Look(g.Strategy), Line: byOdds(g.Theory())}
		if strings.HasPrefix(g.Strategy, "bound, ") {
			s.Panels[0].Add(series)
			continue
		}
		series.Look.Dash, series.Points = nil, trades(d, g.Strategy)
		panel := s.Panels[0]
		if _, fixed := capacities.Of(g.Strategy).Total(); fixed {
			panel = s.Panels[1]
		}
		panel.Add(series)
	}
}

// byOdds moves points from a rate to one over it, ascending.
func byOdds(points []plots.Point) []plots.Point {
	positive := plots.Where(points, func(p plots.Point) bool { return p.X > 0 })
	out := plots.Map(positive, func(p plots.Point) plots.Point { return plots.At(1/p.X, p.Y) })
	slices.SortStableFunc(out, func(a, b plots.Point) int { return cmp.Compare(a.X, b.X) })
	return out
}

// trades are a structure's bytes of the longest history by its measured rate, in both comparisons.
func trades(d plots.Data, strategy string) (points []plots.Point) {
	for _, alike := range []results.Condition{AtRate, InBytes} {
		rate, okRate := d.Find(Of(results.QFPR, alike, Worst)).Of(strategy).Total()
		bytes, ok := d.Find(Of(results.QLongest, alike)).Of(strategy).Total()
		if ok && okRate && rate.Y > 0 {
			points = append(points, plots.At(1/rate.Y, bytes.Y))
		}
	}
	return points
}

// costs has a line for each structure, those that last first, each in the order of their bytes,
// and a panel for each cost.
func costs(d plots.Data, s *plots.Sheet) {
	capacities := d.Find(Of(results.QCapacity, AtRate))
	all := d.Find(Of(results.QLongest, AtRate))
	order := func(g plots.Group) (fixed int, bytes float64) {
		if _, ok := capacities.Of(g.Strategy).Total(); ok {
			fixed = 1
		}
		total, _ := g.Total()
		return fixed, total.Y
	}
	slices.SortStableFunc(all, func(a, b plots.Group) int {
		fixedA, bytesA := order(a)
		fixedB, bytesB := order(b)
		return cmp.Or(cmp.Compare(fixedA, fixedB), cmp.Compare(bytesA, bytesB))
	})
	for _, p := range s.Panels {
		for _, g := range all {
			p.Y.Names = append(p.Y.Names, d.Look(g.Strategy).Name)
		}
	}
	found := []plots.Groups{
		d.Find(Of(results.QQueryNanos, AtRate, by.Candidates.At(40))),
		d.Find(Of(results.QRecordNanosEach, AtRate, by.Recorded.At(recordedAtOnce))),
		d.Find(Of(results.QFPR, InBytes, Worst)),
	}
	for i, g := range all {
		place, look := s.Panels[0].Place(i), d.Look(g.Strategy).Solid()
		fixed, bytes := order(g)
		if fixed > 0 {
			look = look.Hollow()
		}
		s.Panels[0].Bar(look, place, bytes)
		for k, groups := range found {
			if point, ok := groups.Of(g.Strategy).Total(); ok {
				point.X = place
				s.Panels[1+k].Dots(look, point)
			}
		}
	}
	s.Height += 16 * float64(len(all))
}
