package tradeoff

import (
	"cmp"
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
)

// The smallest structures are compared at other windows and rates too: which is the smallest depends on both.
var (
	windowNames = []string{
		results.Beyond + "matrix", results.Beyond + "quotient", results.Beyond + "ring", results.Beyond + "chain-best",
	}
	windows     = []int{50, 100, 400, 2000, 10_000}
	windowRates = []float64{0.05, 0.02, 0.01, 0.001, 0.0001}
)

// A windowed is a structure that is made for a window and a rate.
type windowed struct {
	name     string
	window   int // articles
	fpr      float64
	strategy catalogue.Strategy
}

// allWindowed are the structures of the run that are compared, by window, by rate and as the catalogue has them.
func allWindowed(r *engine.Run) []windowed {
	return catalogue.Must(engine.Memo(r, "windows", func() (all []windowed, err error) {
		for _, window := range windows {
			for _, fpr := range windowRates {
				for _, e := range r.Entries {
					if slices.Contains(windowNames, e.Name) {
						all = append(all, windowed{e.Name, window, fpr, catalogue.Must(e.Sized(window, fpr))})
					}
				}
			}
		}
		return all, nil
	}))
}

// at is what the rows of a structure have in common.
func (w windowed) at(r results.Row) results.Row {
	return r.With(by.Window.At(float64(w.window)), by.Target.At(w.fpr))
}

// windowTimes are the times of a request at the catalogue's rate, in the order of allWindowed; those of a window are
// taken in turns. At other rates they differ little, and all of them take twenty seconds: BenchmarkWindows has them.
var windowTimes = engine.Measurement[[]stopwatch.Latency]{
	Name: "tradeoff-windows", Cost: 2.2e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (all []stopwatch.Latency, err error) {
		for _, window := range windows {
			var subjects []measure.Subject
			for _, w := range allWindowed(r) {
				if w.window == window && w.timed() {
					subjects = append(subjects, measure.Subject{Name: w.name, Strategy: w.strategy, Theory: w.strategy})
				}
			}
			if len(subjects) == 0 {
				return nil, nil
			}
			took, err := stopwatch.Hot(ctx, subjects, 3*window+1, stopwatch.Sizes[:1], r.Seed)
			if err != nil {
				return nil, err
			}
			for _, t := range took {
				all = append(all, t[0])
			}
		}
		return all, nil
	},
}

func (w windowed) timed() bool { return w.fpr == catalogue.SizedFPR }

// windowRows are the bytes of the longest history, by theory, and the time of a candidate.
func windowRows(r *engine.Run) (rows, timing []results.Row, err error) {
	took, err := windowTimes.Of(r)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range allWindowed(r) {
		bytes := float64(longest(w.strategy, w.window))
		rows = append(rows, w.at(row.Theory(results.Tradeoff, w.name, results.QLongest, results.Bytes, bytes)))
		if w.timed() {
			query := row.Time(results.Tradeoff, w.name, results.QQueryNanos, took[0], float64(took[0].Candidates))
			timing, took = append(timing, w.at(query)), took[1:]
		}
	}
	return rows, timing, nil
}

// byWindow orders lines by their window, and then by their bytes.
func byWindow(_ results.Cells, a, b results.Row) int {
	return cmp.Or(cmp.Compare(a.Coordinate(by.Window).Or(0), b.Coordinate(by.Window).Or(0)),
		cmp.Compare(a.Theory.Or(0), b.Theory.Or(0)))
}
