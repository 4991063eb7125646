package roomtest

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"dejavu/plots"
	"dejavu/results"
)

// few are the rows, or points, that are written each; of more, the sum tells a change
// of any.
const few = 12

// write writes rows, those of a strategy's quantity together.
func write(b *strings.Builder, rows []results.Row) {
	type kind struct{ experiment, strategy, quantity, unit string }
	var kinds []kind
	of := map[kind][]results.Row{}
	for _, r := range rows {
		k := kind{r.Experiment, r.Strategy, r.Quantity, r.Unit}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], r)
	}
	for _, k := range kinds {
		if n := len(of[k]); n > few {
			fmt.Fprintln(b, n, "rows of", line(total(of[k], false)))
			fmt.Fprintln(b, "  by their order", line(total(of[k], true)))
			continue
		}
		for _, r := range of[k] {
			fmt.Fprintln(b, line(r))
		}
	}
}

// total is the sum of rows, or of each times its place, so that their order counts.
func total(rows []results.Row, byOrder bool) (sum results.Row) {
	sum = rows[0]
	sum.Count = 0
	for _, n := range numbers(&sum) {
		*n = results.Number{}
	}
	for i, r := range rows {
		weight := 1
		if byOrder {
			weight = i + 1
		}
		sum.Count += int64(weight) * r.Count
		for i, n := range numbers(&r) {
			if v, ok := n.Get(); ok {
				to := numbers(&sum)[i]
				*to = results.Num(to.Or(0) + float64(weight)*v)
			}
		}
	}
	return sum
}

// numbers are those of a row.
func numbers(r *results.Row) []*results.Number {
	return []*results.Number{&r.X, &r.Value, &r.Low, &r.High, &r.Theory, &r.Paper}
}

// line is a row to six digits, as those behind differ among processors.
func line(r results.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s:", r.Strategy, r.Quantity)
	names := []string{"at", "=", "low", "high", "theory", "paper"}
	for i, n := range numbers(&r) {
		if v, ok := n.Get(); ok {
			fmt.Fprintf(&b, " %s %.6g", names[i], v)
		}
	}
	fmt.Fprintf(&b, " %s of %d", r.Unit, r.Count)
	return b.String()
}

// spots are points as text.
func spots(points []plots.Point) string {
	if len(points) <= few {
		return fmt.Sprintf("%.4v", points)
	}
	var sum, byOrder plots.Point
	for i, p := range points {
		sum.X, sum.Y, sum.Low, sum.High = sum.X+p.X, sum.Y+p.Y, sum.Low+p.Low, sum.High+p.High
		at := float64(i)
		byOrder.X, byOrder.Y, byOrder.Low, byOrder.High = byOrder.X+at*p.X, byOrder.Y+at*p.Y, byOrder.Low+at*p.Low, byOrder.High+at*p.High
	}
	return fmt.Sprintf("%d from %.4v to %.4v, sum %.6v, by their order %.6v", len(points), points[0], points[len(points)-1], sum, byOrder)
}

// draw writes all that a sheet is drawn from.
func draw(b *strings.Builder, s plots.Sheet) {
	fmt.Fprintf(b, "%.0f high. %s\n", s.Height, s.Note)
	for row, panels := range s.Grid {
		for column, p := range panels {
			if p == nil {
				fmt.Fprintf(b, "row %d column %d: nothing\n", row, column)
				continue
			}
			fmt.Fprintf(b, "row %d column %d: panel %q\n", row, column, p.Title)
			for _, a := range []plots.Axis{p.X, p.Y} {
				fmt.Fprintf(b, "  axis %q scale %d from %.4g to %.4g, %d labels, names %q", a.Label, a.Scale, a.Min, a.Max, a.Labels, a.Names)
				if a.Blank {
					fmt.Fprint(b, ", blank")
				}
				if a.Format != nil {
					fmt.Fprintf(b, ", as %s", samples(a.Format))
				}
				fmt.Fprintln(b)
			}
			for _, g := range p.Guides {
				fmt.Fprintf(b, "  guide %q at %.4g, vertical %t\n", g.Label, g.At, g.Vertical)
			}
			for _, l := range p.Key {
				fmt.Fprintln(b, "  key", look(l))
			}
			if p.Direct {
				fmt.Fprintln(b, "  names at the ends of lines")
			}
			if p.Shade != nil {
				fmt.Fprintf(b, "  shade %q from %.4g\n", p.Shade.Label, p.Shade.From)
			}
			for _, s := range p.Series {
				fmt.Fprintf(b, "  %s: line %s points %s bars %.4v%s\n",
					look(s.Look), spots(s.Line), spots(s.Points), reflect.ValueOf(s).FieldByName("bars"), manner(s))
			}
		}
	}
}

// look is how a strategy is drawn, as text: its mark is corners, turn, star and hollow.
func look(l plots.Look) string {
	return fmt.Sprintf("%s (%02x%02x%02x dash %v mark %.2v)", l.Name, l.Color.R, l.Color.G, l.Color.B, l.Dash, l.Mark)
}

// samples are labels that a format writes. It may know whole numbers alone, or few.
func samples(format func(float64) string) string {
	var labels []string
	for _, v := range []float64{-1, 0, 0.02, 1, 2, 12345} {
		func() {
			defer func() {
				if recover() != nil {
					labels = append(labels, "none")
				}
			}()
			labels = append(labels, strconv.Quote(format(v)))
		}()
	}
	return strings.Join(labels, " ")
}

// manner is how a series is drawn.
func manner(s plots.Series) (text string) {
	for _, m := range []struct {
		set  bool
		name string
	}{{s.Step, " step"}, {s.Join, " joined"}, {s.Bare, " bare"}, {s.Unnamed, " unnamed"}, {s.Sideways, " sideways"}} {
		if m.set {
			text += m.name
		}
	}
	return text
}
