package row_test

import (
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
	got, want := row.Shared("replay", "single", results.QFPR, r, a), row.Rate("replay", "single", results.QFPR, r)
	low, high := a.Interval(r)
	if got.Low != results.Num(low) || got.High != results.Num(high) || got.Low == want.Low {
		t.Errorf("%v to %v, want %v to %v, and not %v to %v", got.Low, got.High, low, high, want.Low, want.High)
	}
	if got.Low, got.High = want.Low, want.High; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Rows can be written: keys of their own, and numbers that are some.
func TestActivity(t *testing.T) {
	var r measure.Regime
	r.Users[0], r.Users[3] = 2, 1
	r.ByActivity[0] = measure.Rate{Users: 2, Queries: 2}
	r.ByActivity[3] = measure.Rate{Users: 1, Queries: 8, Hits: 1}
	r.Bytes[0], r.Bytes[3] = 9, 512
	rows := row.Activity("daily", "single", r, by.Rule.Is("24h"))
	if len(rows) != 6 {
		t.Fatalf("%d rows, want three for each of two bins", len(rows))
	}
	keys := map[results.Query]bool{}
	for _, r := range rows {
		keys[r.Name()] = true
	}
	strategytest.Equal(t, len(keys), 6, "rows share a key")
	is := func(at int, name string, v float64, count int64) {
		t.Helper()
		if r := rows[at]; r.Name().String() != "daily: "+name || r.Value != results.Num(v) || r.Count != count {
			t.Errorf("row %d is %+v, want %s, %v of %d", at, r, name, v, count)
		}
	}
	is(0, "users of single at activity=1", 2, 0)
	is(1, "fpr of single at activity=1, rule=24h", 0, 2)
	is(2, "bytes per user of single at activity=1, rule=24h", 4.5, 2)
	is(3, "users of single at activity=8", 1, 0)
	is(4, "fpr of single at activity=8, rule=24h", 0.125, 1)
	is(5, "bytes per user of single at activity=8, rule=24h", 512, 1)
}

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
	beside := latency(11, 1)
	beside.P50 = 22
	for what, c := range map[string]struct{ got, want results.Row }{
		"number": {
			row.Number("e", "s", "q", "u", 3),
			results.Row{Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Value: num(3)},
		},
		"theory": {
			row.Theory("e", "s", "q", "u", 3),
			results.Row{Experiment: "e", Strategy: "s", Quantity: "q", Unit: "u", Theory: num(3)},
		},
		"beside": {row.Time("e", "s", "q", beside, 2), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Nanoseconds,
			Value: num(11), Low: num(1), High: num(11), Count: 900,
		}},
		"time": {row.Time("e", "s", "q", latency(11, 2), 4), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Nanoseconds,
			Value: num(3), Low: num(1), High: num(5), Count: 900,
		}},
		"time of few turns": {row.Time("e", "s", "q", latency(9, 2), 4), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q",
			Unit: results.Nanoseconds, Value: num(3), Count: 900,
		}},
		"over": {row.Over("e", "s", "q", stopwatch.Latency{Candidates: 40, Requests: 900, Rounds: []float64{8, 2, 12, 5, 7}},
			stopwatch.Latency{Rounds: []float64{2, 4, 2, 1, 1}}), results.Row{
			Experiment: "e", Strategy: "s", Where: results.Where(by.Candidates.At(40)), Quantity: "q", Unit: results.Ratio,
			Value: num(5), Count: 900,
		}},
		"rate": {row.Rate("e", "s", "q", measure.Rate{Users: 30, Queries: 100}), results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: results.Ratio, Value: num(0),
			Low: num(0), High: results.Num(high(measure.Rate{Users: 30, Queries: 100})), Count: 100,
		}},
		"rate of few users": {row.Rate("e", "s", "q", measure.Rate{Users: 29, Queries: 100, Hits: 50}), results.Row{
			Experiment: "e", Strategy: "s", Quantity: "q", Unit: results.Ratio, Value: num(0.5), Count: 29,
		}},
	} {
		strategytest.DeepEqual(t, c.got, c.want, "%s", what)
	}
	strategytest.Equal(t, row.Sum([]int64{1, 2, 4}), 7, "the sum is")
}

func high(r measure.Rate) float64 {
	_, high := r.Interval()
	return high
}
