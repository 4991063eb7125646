package roomtest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/internal/document"
	"dejavu/plots"
	"dejavu/results"
)

// Text is what an experiment says of rows that follow from the seed, and of timing,
// which depends on the machine and has other values here: a line a quantity, the tables
// of both, and a line a panel of their figures. Rows that lack something must not add to
// what is shown.
func Text(t *testing.T, x experiment.Experiment, rows, timing []results.Row) string {
	t.Helper()
	timing = slices.Clone(timing)
	for i := range timing {
		for _, n := range numbers(&timing[i]) {
			if n.IsSet() {
				*n = results.Num(float64(100 + i))
			}
		}
		timing[i].Count = min(timing[i].Count, 1)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s", x.Name, x.About, quantities(rows))
	if len(timing) > 0 {
		fmt.Fprintf(&b, "\nOf the machine\n%s", quantities(timing))
	}
	rows = slices.Concat(rows, timing)
	for _, table := range tables(x, rows) {
		fmt.Fprintf(&b, "\n%s\n%s\n", table.Title, strings.Join(table.Header, " | "))
		for _, cells := range table.Rows {
			fmt.Fprintln(&b, strings.Join(cells, " | "))
		}
	}
	b.WriteString(figures(x, rows))
	for _, fault := range parts(x, rows) {
		t.Error(fault)
	}
	return b.String()
}

func tables(x experiment.Experiment, rows []results.Row) []document.Table {
	return x.Tell(results.NewCells(rows))
}

// numbers are those of a row.
func numbers(r *results.Row) []*results.Number {
	return []*results.Number{&r.Value, &r.Low, &r.High, &r.Theory, &r.Paper}
}

// quantities are rows, those of a quantity in a line: how many there are, of which
// strategies, where, and the means of their numbers. Six digits are the same on all
// processors.
func quantities(rows []results.Row) string {
	type kind struct {
		results.Query // without a strategy, and with words alone
		unit          string
	}
	var kinds []kind
	of := map[kind][]results.Row{}
	for _, r := range rows {
		words, _ := r.Where.Divided()
		k := kind{results.Query{Experiment: r.Experiment, Quantity: r.Quantity, Where: words}, r.Unit}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], r)
	}
	var b strings.Builder
	for _, k := range kinds {
		var strategies []string
		sums, counts, among := [5]float64{}, [5]int{}, int64(0)
		var places []string
		for _, r := range of[k] {
			if !slices.Contains(strategies, r.Strategy) {
				strategies = append(strategies, r.Strategy)
			}
			among += r.Count
			if _, place := r.Where.Divided(); place != "" && !slices.Contains(places, string(place)) {
				places = append(places, string(place))
			}
			for i, n := range numbers(&r) {
				if v, ok := n.Get(); ok {
					sums[i] += v
					counts[i]++
				}
			}
		}
		fmt.Fprintf(&b, "%s: %d rows of %s,", k.Query, len(of[k]), strings.Join(strategies, " "))
		if places != nil {
			fmt.Fprintf(&b, " at %s:", strings.Join(ends(places, 2), ", "))
		}
		for i, name := range []string{"=", "low", "high", "theory", "paper"} {
			if counts[i] > 0 {
				fmt.Fprintf(&b, " %s %.6g", name, sums[i]/float64(counts[i]))
			}
			if n := counts[i]; n > 0 && n < len(of[k]) {
				fmt.Fprintf(&b, " (%d)", n)
			}
		}
		fmt.Fprintf(&b, " %s of %d\n", k.unit, among)
	}
	return b.String()
}

// ends are the first and the last n of a list.
func ends(all []string, n int) []string {
	if len(all) <= 2*n {
		return all
	}
	return slices.Concat(all[:n], []string{fmt.Sprintf("(%d more)", len(all)-2*n)}, all[len(all)-n:])
}

// figures are the figures of rows, a line a panel.
func figures(x experiment.Experiment, rows []results.Row) string {
	var b strings.Builder
	data := plots.NewData(x.Figures, rows)
	for _, f := range x.Figures {
		sheet, skipped, err := data.Lay(f)
		fmt.Fprintf(&b, "\nFigure %s, %.0f high: %s\n", f.Name, sheet.Height, f.Title)
		if err != nil || skipped != "" {
			fmt.Fprintln(&b, "not drawn:", skipped, err)
			continue
		}
		for _, panels := range sheet.Grid {
			for _, p := range panels {
				if p == nil {
					fmt.Fprintln(&b, "no panel")
					continue
				}
				fmt.Fprintln(&b, panel(p))
			}
		}
	}
	return b.String()
}

// panel is what a panel shows: its axes, and of what is drawn how many points there are, and
// their mean.
func panel(p *plots.Panel) string {
	parts := []string{p.Title, axis(p.X), axis(p.Y)}
	for _, g := range p.Guides {
		parts = append(parts, fmt.Sprintf("guide %s at %.4g", g.Label, g.At))
	}
	for _, s := range p.Series {
		c := s.Look.Color
		parts = append(parts, fmt.Sprintf("%s #%02x%02x%02x%s%s", s.Look.Name, c.R, c.G, c.B,
			mean(" line", s.Line), mean(" marks", s.Points)))
		if bars := reflect.ValueOf(s).FieldByName("bars"); bars.Len() > 0 {
			parts = append(parts, fmt.Sprintf("bars %.4v", bars))
		}
	}
	return strings.Join(parts, " | ")
}

// axis is its label and how far it goes.
func axis(a plots.Axis) string { return fmt.Sprintf("%s %.4g to %.4g", a.Label, a.Min, a.Max) }

// mean is how many points there are, and their mean; "" where there are none.
func mean(what string, points []plots.Point) string {
	if len(points) == 0 {
		return ""
	}
	var m plots.Point
	for _, p := range points {
		n := float64(len(points))
		m.X, m.Y, m.Low, m.High = m.X+p.X/n, m.Y+p.Y/n, m.Low+p.Low/n, m.High+p.High/n
	}
	return fmt.Sprintf("%s %d×%.5v", what, len(points), m)
}

// zeros are the experiments whose tables show 0 in place of a row that is lacking.
var zeros = []string{results.Sizing, results.Serve, results.Hashes}

// parts is what is wrong with the tables of rows that lack something, as those of a run
// that was broken off or has few strategies do: they show a number that the tables of all
// rows do not. Few turns have no interval, few requests no rate, and none may be 0: that
// must be drawn, too.
func parts(x experiment.Experiment, rows []results.Row) (faults []string) {
	whole := shown(x, rows)
	for _, column := range []func(results.Row) string{
		func(r results.Row) string { return r.Quantity },
		func(r results.Row) string { return r.Strategy },
		func(r results.Row) string { return r.Strategy + " " + r.Quantity },
	} {
		names := map[string]bool{}
		for _, r := range rows {
			names[column(r)] = true
		}
		for name := range names {
			without := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return column(r) == name })
			for number, table := range shown(x, without) {
				zero := strings.Trim(number, "0.,") == "" && slices.Contains(zeros, x.Name)
				if whole[number] == "" && !zero {
					faults = append(faults, fmt.Sprintf("without %q the table %q says %s", name, table, number))
				}
			}
		}
	}
	for _, lacking := range []func(r *results.Row){
		func(r *results.Row) { r.Value = results.Number{} },
		func(r *results.Row) { r.Low, r.High = results.Number{}, results.Number{} },
		func(r *results.Row) { r.Theory = results.Number{} },
		func(r *results.Row) { r.Count = 0 },
		func(r *results.Row) { r.Value, r.Low, r.High = results.Num(0), results.Num(0), results.Num(0) },
	} {
		changed := slices.Clone(rows)
		for i := range changed {
			lacking(&changed[i])
		}
		for _, table := range tables(x, changed) {
			if text := table.Text(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				faults = append(faults, "no number: "+text)
			}
		}
		figures(x, changed)
	}
	return faults
}

// digits are what is shown of a number.
var digits = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)

// shown are the numbers of the tables, and which table has each.
func shown(x experiment.Experiment, rows []results.Row) map[string]string {
	all := map[string]string{}
	for _, table := range tables(x, rows) {
		for _, cells := range table.Rows {
			for _, number := range digits.FindAllString(strings.Join(cells, " "), -1) {
				all[number] = table.Title
			}
		}
	}
	return all
}
