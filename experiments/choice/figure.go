package choice

import (
	_ "embed"
	"math"
	"path/filepath"

	"dejavu/experiments/describe"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/measure/deal"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{})

// named is the experiment in the rows' first column, and the name of their file.
const named = "choose"

// Save writes the rows of the figure, choose.csv, and the figure into a directory, figures/choose.svg and .png: what
// share of the log's repeats each window has, and what the strategies that fit take.
func (l *Log) Save(dir string) (err error) {
	rows := l.rows()
	path := filepath.Join(dir, results.FileName(named))
	if err := results.WriteFile(path, []results.Dimension{by.Window, by.Statistic}, rows); err != nil {
		return err
	}
	drawn, err := plots.Draw(shown.Figures, rows, filepath.Join(dir, "figures"))
	l.Figures = drawn[0].Files
	return err
}

// rows are those of the figure: four windows for each doubling, and of structures, which take longer, one.
func (l *Log) rows() (rows []results.Row) {
	add := func(name, quantity, unit string, window int, v float64, where ...results.Condition) {
		where = append(where, by.Window.At(float64(window)))
		rows = append(rows, row.Number(named, name, quantity, unit, v).With(where...))
	}
	longest := min(max(deal.Fine.To(len(l.described.Ages)), 2*l.Needed.Window), MaxWindow)
	shares := func(name string, d *describe.Description, idle store.Timestamp, window int) {
		add(name, results.QRecognised, results.Ratio, window, d.Within(idle, window), by.Statistic.Is("recommended"))
		for i, last := 0, 0; last < longest; i++ {
			if w := min(int(math.Exp2(float64(i)/4)), longest); w > last {
				add(name, results.QRecognised, results.Ratio, w, d.Within(idle, w))
				last = w
			}
		}
	}
	shares("all of the log", l.described, l.Idle, l.Needed.Window)
	if l.Held != nil && l.Held.First != nil {
		first := l.Held.First
		shares("first four fifths", first.described, first.Idle, first.Needed.Window)
		shares("last fifth", l.described.Without(first.described), first.Idle, first.Needed.Window)
	}
	for _, o := range l.Offers[:min(5, len(l.Offers))] {
		for w := 8; o.Fits && !o.kind.endless && w <= longest; w *= 2 {
			if made, err := o.kind.Sized(w, l.Needed.FPR); err == nil {
				_, last := o.kind.span(made, w)
				add(o.Strategy, results.QBytesPerUser, results.Bytes, w, float64(made.Bytes(last)))
			}
		}
	}
	return rows
}
