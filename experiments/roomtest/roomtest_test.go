package roomtest

import (
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/run"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/results"
)

// sample is an experiment of this test, with one of everything that a golden file has.
var sample = experiment.Experiment{
	Name: "sample", About: "what a golden file holds",
	Needs: func(s run.Scope) []run.Task {
		of := run.Task{
			Name: "full", Users: func(s run.Scope) int { return s.Users }, Machine: true,
			Cost: func(s run.Scope) float64 { return 1.25 * float64(s.Share(s.Users).Len()) },
		}
		return []run.Task{of, {Name: "alive", Along: &of, Cost: func(s run.Scope) float64 {
			if s.Timed() {
				return 7
			}
			return 0
		}}}
	},
	Rows: func(r *run.Run) (rows, timing []results.Row, err error) {
		for _, e := range r.Entries {
			for i := range 14 {
				rows = append(rows, results.Row{
					Experiment: "sample", Strategy: e.Name, Quantity: "q", Unit: results.Ratio, X: results.Num(float64(i)),
					Value: results.Num(float64(i * i)), Low: results.Num(float64(i)), Theory: results.Num(2), Count: int64(i),
				})
			}
			rows = append(rows, results.Row{Experiment: "another", Strategy: e.Name, Quantity: "paper", Paper: results.Num(0.0156), Count: int64(r.Users)})
			timing = append(timing, results.Row{
				Strategy: e.Name, Quantity: "time", Unit: results.Nanoseconds, Count: 12345,
				Value: results.Num(3), Low: results.Num(2), High: results.Num(3),
			})
		}
		return rows, append(timing, results.Row{
			Strategy: "none", Quantity: "time", Value: results.Num(-1),
			X: results.Num(float64(runtime.GOMAXPROCS(0))), Paper: results.Num(float64(len(stopwatch.Sizes))),
		}), nil
	},
	Tables: func(c results.Cells) []results.Table {
		return []results.Table{{Title: "A table", Header: []string{"a", "b"}, Rows: [][]string{{"1"}, {"2", "3"}}}}
	},
	Figures: []plots.Figure{
		{Name: "one", Title: "Title", Caption: "Caption.", Experiment: "sample", Quantity: "q", Strategies: plots.All, Build: func(d plots.Data) plots.Sheet {
			p := &plots.Panel{
				Title: "(a)", X: plots.Axis{Label: "x", Format: func(v float64) string { return []string{"none", "one"}[int(v)] }},
				Y:      plots.Axis{Scale: plots.Log, Min: 0.1, Max: 20, Labels: 3, Names: []string{"n"}, Blank: true},
				Guides: []plots.Guide{{At: 3, Label: "three", Vertical: true}}, Shade: &plots.Shade{From: 5, Label: "dark"},
			}
			for i, s := range d.Curves("q", "") {
				s.Step, s.Join, s.Bare, s.Unnamed = i == 0, i == 1, i == 2, i == 3
				p.Add(s)
			}
			p.Bar(plots.PaperLook, 0, 7)
			return plots.Sheet{Grid: [][]*plots.Panel{{p, nil}}, Height: 77, Note: "Note."}
		}},
		{Name: "two", Experiment: "sample", Quantity: "gone", Strategies: plots.Beyond, Build: func(plots.Data) plots.Sheet { return plots.Sheet{} }},
	},
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

// Those named run, and no others.
func TestGoldenEntries(t *testing.T) {
	few := sample
	few.Name, few.Needs, few.Tables, few.Figures = "few", nil, nil, nil
	Golden(t, few, 90, "chain")
}

// What is measured is not shown, but must be possible.
func TestImpossibleTimes(t *testing.T) {
	for _, tt := range []struct {
		row results.Row
		bad bool
	}{
		{results.Row{Value: results.Num(1), Low: results.Num(2)}, true},
		{results.Row{Value: results.Num(3), High: results.Num(2)}, true},
		{results.Row{Value: results.Num(-1), Unit: results.Nanoseconds}, true},
		{results.Row{Value: results.Num(0), Unit: results.Nanoseconds}, false},
		{results.Row{Value: results.Num(-1), Unit: results.Bytes}, false},
		{results.Row{Low: results.Num(2), High: results.Num(1)}, false},
		{results.Row{Value: results.Num(2), Low: results.Num(2), High: results.Num(2)}, false},
	} {
		if impossible(tt.row) != tt.bad {
			t.Errorf("%+v: impossible is %t", tt.row, !tt.bad)
		}
	}
}

// A change of any row, or of the order of two, changes what is written of many.
func TestWriteTellsChanges(t *testing.T) {
	e, err := catalogue.Find("chain")
	if err != nil {
		t.Fatal(err)
	}
	r := run.New(t.Context(), run.Scope{Users: 5, Entries: []catalogue.Entry{e}}, run.NewProgress(io.Discard))
	written := func(change func(rows []results.Row)) string {
		rows, _, err := sample.Rows(r)
		if err != nil {
			t.Fatal(err)
		}
		change(rows)
		var b strings.Builder
		write(&b, rows)
		return b.String()
	}
	plain := written(func([]results.Row) {})
	for i, change := range []func([]results.Row){
		func(rows []results.Row) { rows[13].Value = results.Num(168) },
		func(rows []results.Row) { rows[13].Count++ },
		func(rows []results.Row) { rows[3].Low = results.Number{} },
		func(rows []results.Row) { rows[3].Value, rows[4].Value = rows[4].Value, rows[3].Value },
		func(rows []results.Row) { rows[3].Count, rows[4].Count = rows[4].Count, rows[3].Count },
		func(rows []results.Row) { rows[3].Unit = "" },
		func(rows []results.Row) { rows[0].X = results.Num(math.Pi) },
	} {
		if written(change) == plain {
			t.Errorf("change %d leaves no trace", i)
		}
	}
}

// So does one of the points of a figure.
func TestSpotsTellChanges(t *testing.T) {
	points := make([]plots.Point, 20)
	for i := range points {
		points[i] = plots.Point{X: float64(i), Y: 2, Low: 1, High: float64(3 + i)}
	}
	plain := spots(points)
	for i, change := range []func(p []plots.Point){
		func(p []plots.Point) { p[7].X++ },
		func(p []plots.Point) { p[7].Y++ },
		func(p []plots.Point) { p[7].Low-- },
		func(p []plots.Point) { p[7].High, p[8].High = p[8].High, p[7].High },
		func(p []plots.Point) { p[7].X, p[8].X = p[8].X, p[7].X },
		func(p []plots.Point) { p[7].Y++; p[8].Y-- },
		func(p []plots.Point) { p[7].Low--; p[8].Low++ },
	} {
		changed := append([]plots.Point(nil), points...)
		change(changed)
		if spots(changed) == plain {
			t.Errorf("change %d leaves no trace", i)
		}
	}
	golden.File(t, "spots.golden", plain+"\n"+spots(points[:12])+"\n"+spots(points[:13])+"\n")
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

// Of a long list there are both ends, of a short one there is all.
func TestEnds(t *testing.T) {
	for n, want := range [][]int{{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}} {
		all := []int{0, 1, 2, 3, 4, 5}[:n:n]
		if got := ends(all, 2); !slices.Equal(got, want) {
			t.Errorf("the ends of %d are %v, want %v", n, got, want)
		}
	}
}
