package standing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/results"
)

// What a report says of a made-up run, and which lines of it are others where one row
// is gone, has no interval, is of nothing, of no unit or without theory.
func TestGolden(t *testing.T) {
	var b strings.Builder
	plain := Text(peersRun())
	b.WriteString(plain)
	known := strings.Split(plain, "\n")
	n := len(peersRun().All())
	for i := range n {
		for _, c := range []struct {
			what   string
			change func(r *results.Row)
		}{
			{"gone", func(r *results.Row) { r.Experiment = "another" }},
			{"without an interval", func(r *results.Row) { r.Low, r.High = results.Number{}, results.Number{} }},
			{"of nothing", func(r *results.Row) { r.Value = results.Number{} }},
			{"0", func(r *results.Row) { r.Value, r.Low, r.High = results.Num(0), results.Num(0), results.Num(0) }},
			{"a million times as much", func(r *results.Row) {
				for _, v := range []*results.Number{&r.Value, &r.Low, &r.High} {
					if n, ok := v.Get(); ok {
						*v = results.Num(1e6 * n)
					}
				}
			}},
			{"of no unit", func(r *results.Row) { r.Unit = "" }},
			{"without theory", func(r *results.Row) { r.Theory = results.Number{} }},
		} {
			run := peersRun()
			rows := run.Rows
			at := i
			if at >= len(rows) {
				rows, at = run.Timing, i-len(rows)
			}
			r := &rows[at]
			name := r.Key()
			c.change(r)
			var others []string
			for _, line := range strings.Split(Text(run), "\n") {
				if !slices.Contains(known, line) {
					line, _, _ = strings.Cut(line, " It is ahead or behind where") // the rule is the same
					others = append(others, line)
				}
			}
			if others != nil {
				fmt.Fprintf(&b, "\n%v %s:\n%s\n", name, c.what, strings.Join(others, "\n"))
			}
		}
	}
	golden.File(t, "standing.golden", b.String())
}
