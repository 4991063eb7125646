package serve

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/roomtest"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// syntheticServe is a run of the experiment serve on a machine of 16 processors,
// where every doubling costs a strategy a twentieth.
func syntheticServe() (rows []results.Row) {
	add := func(strategy, experiment, quantity string, v float64, where ...results.Condition) {
		rows = append(rows, results.Row{
			Experiment: experiment, Strategy: strategy, Where: results.Where(where...), Quantity: quantity,
			Value: results.Num(v), Count: 1e6,
		})
	}
	for i, name := range []string{"queue", "single", "dual", "dual-blanked", "chain"} {
		for k := range 5 {
			n := math.Exp2(float64(k))
			served := (4 + float64(i)) * 2e5 * n * math.Pow(0.95, float64(k))
			add(name, results.Serve, results.QRequestsPerSecond, served, by.Goroutines.At(n))
			add(name, results.Serve, results.QFairness, 1-0.01*float64(k), by.Goroutines.At(n))
		}
		rows = append(rows, results.Row{
			Experiment: results.Serve, Strategy: name, Quantity: results.QObjectsPerUser, Value: results.Num(0),
			Count: 1e7 >> (i / 4),
		})
		for q, v := range map[results.Query]float64{hotOverFloor: 2 + 0.3*float64(i), togetherOverFloor: 1.7, touch: 220} {
			add(name, results.Latency, q.Quantity, v, append(q.Where.List(), by.Candidates.At(40))...)
		}
	}
	return rows
}

func TestServeOnOneProcessor(t *testing.T) {
	rows := slices.DeleteFunc(syntheticServe(), func(r results.Row) bool {
		return r.Experiment == results.Serve && r.Coordinate(by.Goroutines).Or(1) > 1
	})
	_, reason, _ := plots.NewData(shown.Figures, rows).Lay(shown.Figures[0])
	if !strings.Contains(reason, "one processor") {
		t.Errorf("the reason is %q", reason)
	}
	_, reason, _ = plots.NewData(shown.Figures, nil).Lay(shown.Figures[0])
	if !strings.Contains(reason, "no rows of experiment serve") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestServePlaces(t *testing.T) {
	s, reason, err := plots.NewData(shown.Figures, syntheticServe()).Lay(shown.Figures[0])
	if err != nil || reason != "" || len(s.Panels) != 3 {
		t.Fatalf("the panels are %v, %s, %v", s.Panels, reason, err)
	}
	// Four strategies ran with one number of users, and one alone with half of it.
	alone := "Not drawn: chain of five, the only one with 5 M users alive."
	if rates := s.Panels[0]; len(rates.Series) != 4 || !strings.Contains(s.Note, alone) {
		t.Errorf("%q has %d series; %s", rates.Title, len(rates.Series), s.Note)
	}
	at := func(p *plots.Panel, series, point int) plots.Point { return p.Series[series].Points[point] }
	if p := at(s.Panels[0], 0, 4); p.X != 4 || math.Abs(p.Y-8e5*16*math.Pow(0.95, 4)) > 1 {
		t.Errorf("sixteen goroutines of the first strategy are at %+v", p)
	}
	if p := at(s.Panels[1], 0, 2); p.X != 2 || math.Abs(p.Y-0.95*0.95) > 1e-9 {
		t.Errorf("the share of one of four is at %+v", p)
	}
	floors := s.Panels[2]
	// 16 goroutines take 16/rate seconds for a request each.
	want := 1e9 / (8e5 * math.Pow(0.95, 4)) / 220
	if query, served := at(floors, 0, 0), at(floors, 2, 0); query.Y != 2 || math.Abs(served.Y-want) > 1e-9 {
		t.Errorf("a query is at %v, a request at %v, want 2 and %v", query.Y, served.Y, want)
	}
}
