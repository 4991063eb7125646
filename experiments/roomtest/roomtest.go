// Package roomtest tests an experiment whole: its rows, tables and figures, over a
// population of few, compared with committed text that people can read.
package roomtest

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/run"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/sysinfo"
)

// Entries are those of a test that names none: the paper's strategies, each theory,
// and a structure beyond the paper.
var Entries = []string{"queue", "single", "dual", "chain", results.Beyond + "ring"}

// Golden runs an experiment for so many users and the entries of those names (none is
// Entries) and compares it with testdata/NAME.golden: the rows that follow from the
// seed; the keys of those that depend on the machine, whose values are replaced; and
// the tables and figures of both. The time of a request is measured for one number of
// candidates alone.
func Golden(t *testing.T, x experiment.Experiment, users int, entries ...string) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	if len(entries) == 0 {
		entries = Entries
	}
	sizes := measure.Sizes
	measure.Sizes = sizes[:1]
	defer func() { measure.Sizes = sizes }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // rows name the processors they are of

	scope := run.Scope{Users: users, Seed: results.DefaultSeed}
	for _, name := range entries {
		e, err := catalogue.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		scope.Entries = append(scope.Entries, e)
	}
	rows, timing, err := x.Rows(run.New(t.Context(), scope, run.NewProgress(io.Discard)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	write(&b, rows)
	for i := range timing {
		r := &timing[i]
		for _, n := range []*results.Number{&r.Value, &r.Low, &r.High, &r.Theory} {
			if n.IsSet() {
				*n = results.Num(float64(100 + i))
			}
		}
		r.Count = 0
	}
	fmt.Fprintln(&b, "\nOf the machine")
	write(&b, timing)
	rows = append(rows, timing...)
	if x.Tables != nil {
		for _, table := range x.Tables(results.NewCells(rows)) {
			fmt.Fprintf(&b, "\n%s\n%s\n", table.Title, strings.Join(table.Header, " | "))
			for _, cells := range table.Rows {
				fmt.Fprintln(&b, strings.Join(cells, " | "))
			}
		}
	}
	data := plots.NewData(x.Figures, rows)
	for _, f := range x.Figures {
		fmt.Fprintf(&b, "\nFigure %s: %s\n", f.Name, f.Title)
		sheet, skipped, err := data.Lay(f)
		if err != nil || skipped != "" {
			fmt.Fprintln(&b, "not drawn:", skipped, err)
			continue
		}
		draw(&b, sheet)
	}
	golden.File(t, x.Name+".golden", b.String())
}

// few are the rows, or points, that are written each; of more, the sum tells a change
// of any.
const few = 12

// write writes rows, those of a strategy's quantity together.
func write(b *strings.Builder, rows []results.Row) {
	type kind struct{ strategy, quantity string }
	var kinds []kind
	of := map[kind][]results.Row{}
	for _, r := range rows {
		k := kind{r.Strategy, r.Quantity}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], r)
	}
	for _, k := range kinds {
		if n := len(of[k]); n > few {
			fmt.Fprintln(b, n, "rows of", line(total(of[k])))
			continue
		}
		for _, r := range of[k] {
			fmt.Fprintln(b, line(r))
		}
	}
}

// total is the sum of rows.
func total(rows []results.Row) results.Row {
	sum := rows[0]
	for _, r := range rows[1:] {
		sum.Count += r.Count
		for i, n := range numbers(&r) {
			if v, ok := n.Get(); ok {
				to := numbers(&sum)[i]
				*to = results.Num(to.Or(0) + v)
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
	var sum plots.Point
	for _, p := range points {
		sum.X, sum.Y, sum.Low, sum.High = sum.X+p.X, sum.Y+p.Y, sum.Low+p.Low, sum.High+p.High
	}
	return fmt.Sprintf("%d from %.4v to %.4v, sum %.6v", len(points), points[0], points[len(points)-1], sum)
}

// draw writes what a sheet shows.
func draw(b *strings.Builder, s plots.Sheet) {
	fmt.Fprintf(b, "%.0f high. %s\n", s.Height, s.Note)
	for _, panels := range s.Grid {
		for _, p := range panels {
			if p == nil {
				continue
			}
			fmt.Fprintf(b, "panel %q\n", p.Title)
			for _, a := range []plots.Axis{p.X, p.Y} {
				fmt.Fprintf(b, "  axis %q scale %d from %.4g to %.4g, %d labels, names %q\n", a.Label, a.Scale, a.Min, a.Max, a.Labels, a.Names)
			}
			for _, g := range p.Guides {
				fmt.Fprintf(b, "  guide %+.4v\n", g)
			}
			for _, s := range p.Series {
				fmt.Fprintf(b, "  %s: line %s points %s bars %.4v%s\n",
					s.Look.Name, spots(s.Line), spots(s.Points), reflect.ValueOf(s).FieldByName("bars"), manner(s))
			}
		}
	}
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
