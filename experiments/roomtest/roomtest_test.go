package roomtest

import (
	"math"
	"reflect"
	"runtime"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/text"
	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// along is what rows of these tests depend on.
var along = results.Dimension{Name: "x"}

// sample is an experiment of this test, with one of everything that a golden file has.
var sample = experiment.Experiment{
	Name: "sample", About: "what a golden file holds",
	Needs: func(s engine.Scope) []engine.Task {
		of := engine.Task{
			Name: "full", Users: func(s engine.Scope) int { return s.Users }, Machine: true,
			Cost: func(s engine.Scope) float64 { return 1.25 * float64(s.Share(s.Users).Len()) },
		}
		return []engine.Task{of, {Name: "alive", Along: &of, Cost: func(s engine.Scope) float64 {
			if s.Timed() {
				return 7
			}
			return 0
		}}}
	},
	Rows: func(r *engine.Run) (rows, timing []results.Row, err error) {
		for _, e := range r.Entries {
			for i := range 14 {
				rows = append(rows, results.Row{
					Experiment: "sample", Strategy: e.Name, Quantity: "q", Unit: results.Ratio,
					Where: results.Where(along.At(float64(i))),
					Value: results.Num(float64(i * i)), Low: results.Num(float64(i)), Theory: results.Num(2), Count: int64(i),
				})
			}
			rows = append(rows, results.Row{
				Experiment: "another", Strategy: e.Name, Quantity: "paper",
				Paper: results.Num(0.0156), Count: int64(r.Users),
			})
			timing = append(timing, results.Row{
				Strategy: e.Name, Quantity: "time", Unit: results.Nanoseconds, Count: 12345,
				Value: results.Num(3), Low: results.Num(2), High: results.Num(3),
			})
		}
		return rows, append(timing, results.Row{
			Strategy: "none", Quantity: "time", Value: results.Num(-1),
			Where: results.Where(along.At(float64(runtime.GOMAXPROCS(0)))), Paper: results.Num(float64(len(stopwatch.Sizes))),
		}), nil
	},
	Tables: []text.Table{{
		Title: "A table", Lines: results.Find("q", along.Open()).In("sample").Of("chain"),
		Columns: []text.Column{
			{Header: "strategy", Show: func(r ...results.Row) string { return r[0].Strategy }},
			{Header: "b", Show: func(r ...results.Row) string { return r[0].Where.Of(along) }},
		},
	}},
}

// The processors and the numbers of candidates are set for the experiment alone.
func TestGolden(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	sizes := len(stopwatch.Sizes)
	Golden(t, sample, 90)
	if now := runtime.GOMAXPROCS(0); now != 3 || len(stopwatch.Sizes) != sizes || sizes < 2 {
		t.Errorf("%d processors, %d sizes; want 3, %d", now, len(stopwatch.Sizes), sizes)
	}
}

// A change of any row changes what is written of its quantity.
func TestQuantitiesTellChanges(t *testing.T) {
	text := func(change func(r *results.Row)) string {
		rows := []results.Row{{Strategy: "a", Quantity: "q", Value: results.Num(1)}, {Strategy: "b", Quantity: "q"}}
		rows[0].Low, rows[0].Where = results.Num(0), results.Where(along.At(1))
		change(&rows[0])
		return quantities(rows)
	}
	for i, change := range []func(r *results.Row){
		func(r *results.Row) { r.Value = results.Num(1.0001) },
		func(r *results.Row) { r.Count++ },
		func(r *results.Row) { r.Low = results.Number{} },
		func(r *results.Row) { r.Unit = results.Bytes },
		func(r *results.Row) { r.Strategy = "another" },
		func(r *results.Row) { r.Where = results.Where(along.At(math.Pi)) },
	} {
		if text(change) == text(func(*results.Row) {}) {
			t.Errorf("change %d leaves no trace", i)
		}
	}
}

// A timing's numbers become their places in it, from 101 on, but for those that no
// machine has a say in; what is no number stays.
func TestForged(t *testing.T) {
	n := 0
	tree := map[string]any{
		"b":     []any{1.5, map[string]any{"Candidates": 40., "x": -1.}, "text", nil, true, []any{}},
		"a":     7.,
		"c":     map[string]any{"nanos": 3., "goroutines": []any{1., 2.}, "trades": 9.},
		"other": map[string]any{},
	}
	want := map[string]any{
		"a":     101,
		"b":     []any{102, map[string]any{"Candidates": 40., "x": 104}, "text", nil, true, []any{}},
		"c":     map[string]any{"goroutines": []any{1., 2.}, "nanos": 107, "trades": 9.},
		"other": map[string]any{},
	}
	if got := forged(tree, "", &n); !reflect.DeepEqual(got, want) || n != 8 {
		t.Errorf("%v of %d numbers, want %v of 8", got, n, want)
	}
}
