package row_test

import (
	"reflect"
	"testing"

	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
)

// latency is a request's time in so many turns, the i-th of which took i times as long.
func latency(turns int, scale float64) stopwatch.Latency {
	l := stopwatch.Latency{Candidates: 40, P50: 6 * scale, Requests: 900}
	for i := range turns {
		l.Rounds = append(l.Rounds, float64(turns-i)*scale)
	}
	return l
}

// Every field of each row, so that no column can be left out or exchanged.
func TestRows(t *testing.T) {
	num := results.Num
	between := row.Number("e", "s", "q", "u", 1)
	row.Between(&between, latency(11, 1), 1)
	beside := row.Number("e", "s", "q", "u", 11)
	row.Between(&beside, latency(11, 1), 2)
	few := row.Number("e", "s", "q", "u", 1)
	row.Between(&few, latency(9, 1), 1)
	for what, c := range map[string]struct{ got, want results.Row }{
		"number": {row.Number("e", "s", "q", "u", 3), results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u",
			Value: num(3),
		}},
		"theory": {row.Theory("e", "s", "q", "u", 3), results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u",
			Theory: num(3),
		}},
		"between": {between, results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Value: num(1), Low: num(1),
			High: num(10),
		}},
		"beside": {beside, results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Value: num(11), Low: num(1),
			High: num(11),
		}},
		"few": {few, results.Row{Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Value: num(1)}},
		"time": {row.Time("e", "s", "q", latency(11, 2), 4), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Nanoseconds,
			Value: num(3), Low: num(1), High: num(5), Count: 900,
		}},
		"time of few turns": {row.Time("e", "s", "q", latency(9, 2), 4), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Nanoseconds, Value: num(3), Count: 900,
		}},
		"over": {row.Over("e", "s", "q", stopwatch.Latency{Candidates: 40, Requests: 900, Rounds: []float64{8, 2, 12, 5, 7}},
			stopwatch.Latency{Rounds: []float64{2, 4, 2, 1, 1}}), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Ratio, Value: num(5), Count: 900,
		}},
		"rate": {row.Rate("e", "s", "q", measure.Rate{Users: 10, Queries: 100}), results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: results.Ratio, Value: num(0),
			Low: num(0), High: results.Num(high(measure.Rate{Users: 10, Queries: 100})), Count: 100,
		}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
		}
	}
	if got := row.Sum([]int64{1, 2, 4}); got != 7 {
		t.Errorf("the sum is %d", got)
	}
}

func high(r measure.Rate) float64 {
	_, high := r.Interval()
	return high
}
