package row_test

import (
	"math"
	"slices"
	"testing"

	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func TestMean(t *testing.T) {
	if row.Mean(7, 2) != 3.5 || row.Mean(7, 0) != 0 {
		t.Errorf("the means are %v and %v, want 3.5 and 0", row.Mean(7, 2), row.Mean(7, 0))
	}
}

// A rate of shared articles is the rate, with the interval that is clustered both ways.
func TestShared(t *testing.T) {
	var r measure.Rate
	a := measure.NewArticles()
	for user := range 50 {
		hits := 0
		for article := range 40 {
			hit := article < 12 && user%2 == 0
			if hit {
				hits++
			}
			a.Add(strategies.ID(article), hit)
		}
		r.Add(40, hits)
	}
	got, want := row.Shared("single", results.QFPR, r, a), row.Rate("single", results.QFPR, r)
	low, high := a.Interval(r)
	if got.Low != results.Num(low) || got.High != results.Num(high) || got.Low == want.Low {
		t.Errorf("%v to %v, want %v to %v, and not %v to %v", got.Low, got.High, low, high, want.Low, want.High)
	}
	if got.Low, got.High = want.Low, want.High; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// latency returns a request's time in the given turns, the i-th of which took i times as long.
func latency(turns int, scale float64) stopwatch.Latency {
	l := stopwatch.Latency{Candidates: 40, P50: 6 * scale, Requests: 900}
	for i := range turns {
		l.Rounds = append(l.Rounds, float64(turns-i)*scale)
	}
	return l
}

// A time of few turns and a rate of few users have no interval. A median beside most turns widens its interval.
func TestIntervals(t *testing.T) {
	beside := latency(11, 1)
	beside.P50 = 22
	twos := stopwatch.Latency{Rounds: slices.Repeat([]float64{2}, 11)}
	for what, c := range map[string]struct {
		r         results.Row
		low, high results.Number
		count     int64
	}{
		"time":              {row.Time("s", "q", latency(11, 2), 4), results.Num(1), results.Num(5), 900},
		"median beside":     {row.Time("s", "q", beside, 2), results.Num(1), results.Num(11), 900},
		"time over another": {row.Over("s", "q", latency(11, 2), twos), results.Num(2), results.Num(10), 900},
		"time of few turns": {row.Time("s", "q", latency(9, 2), 4), results.Number{}, results.Number{}, 900},
		"rate of few users": {
			row.Rate("s", "q", measure.Rate{Users: 29, Queries: 100, Hits: 50}), results.Number{}, results.Number{}, 29,
		},
	} {
		if c.r.Low != c.low || c.r.High != c.high || c.r.Count != c.count {
			t.Errorf("%s: %+v, want %v to %v of %d", what, c.r, c.low, c.high, c.count)
		}
	}
}

// Each bin of users who read 2^b articles has three rows, and a bin without users has none.
func TestActivity(t *testing.T) {
	var r measure.Regime
	r.Users[3], r.Bytes[3], r.ByActivity[3] = 40, 100, measure.Rate{Users: 40, Queries: 80, Hits: 20}
	want := []string{results.QUsers, results.QFPR, results.QBytesPerUser}
	rows := row.Activity("s", r)
	strategytest.Equal(t, len(rows), len(want), "rows of a bin")
	for i, row := range rows {
		if b, _ := row.Coordinate(by.Activity).Get(); b != 8 || row.Quantity != want[i] ||
			row.Value != results.Num([]float64{40, 0.25, 2.5}[i]) {
			t.Errorf("row %d is %+v, want 40 users of 8 articles, a rate of 0.25, or 2.5 bytes", i, row)
		}
	}
}

// An average has the interval of the users' squares, as a rate of single queries has.
func TestAverage(t *testing.T) {
	r := measure.Rate{Users: 400, Queries: 400, Hits: 100, HitsHits: 100, QueriesQueries: 400, HitsQueries: 100}
	rate := row.Rate("s", "q", r)
	got := row.Average("s", "q", results.Ratio, 100, 100, 400)
	if got.Low.Or(0) != rate.Low.Or(1) || math.Abs(got.High.Or(0)-rate.High.Or(1)) > 1e-9 || got.Value != rate.Value {
		t.Errorf("the average is %+v, want as the rate %+v", got, rate)
	}
	if one := row.Average("s", "q", "", 3, 9, 1); one.Low.IsSet() || one.High.IsSet() || one.Value != results.Num(3) {
		t.Errorf("the average of one is %+v, want no interval", one)
	}
	strategytest.Equal(t, row.Sum([]int64{3, -1, 5}), 7, "sum")
	want := results.Row{Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Theory: results.Num(2)}
	strategytest.EqualSlices(t, row.In("e", []results.Row{row.Theory("s", "q", "u", 2)}), []results.Row{want}, "expected")
}
