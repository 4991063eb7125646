// Package row makes rows of measurements for any experiment: a plain number, a rate with its interval, users by how
// much they are shown. Rows come from whole numbers where possible, so that their text does not depend on the machine
// or on how the work was divided.
package row

import (
	"math"
	"slices"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
)

// In sets the experiment of rows, which functions of this package leave open.
func In(experiment string, rows []results.Row) []results.Row {
	for i := range rows {
		rows[i].Experiment = experiment
	}
	return rows
}

// Number returns the row of a plain number.
func Number(strategy, quantity, unit string, value float64) results.Row {
	return results.Row{Strategy: strategy, Quantity: quantity, Unit: unit, Value: results.Num(value)}
}

// Theory returns the row of an expected value that is not measured.
func Theory(strategy, quantity, unit string, value float64) results.Row {
	r := Number(strategy, quantity, unit, value)
	r.Value, r.Theory = results.Number{}, r.Value
	return r
}

// Rate returns the row of a measured rate with its 95 % interval. With too few users there is no interval, and the row
// counts users: their queries are no independent observations.
func Rate(strategy, quantity string, r measure.Rate) results.Row {
	low, high := r.Interval()
	return between(Number(strategy, quantity, results.Ratio, r.Value()), r, low, high)
}

func between(rate results.Row, r measure.Rate, low, high float64) results.Row {
	rate.Low, rate.High = results.Number{}, results.Number{}
	if math.IsNaN(low) {
		return rate.Among(r.Users)
	}
	rate.Low, rate.High = results.Num(low), results.Num(high)
	return rate.Among(r.Queries)
}

// Shared is Rate for users who share articles: it clusters the interval by user and by article.
func Shared(strategy, quantity string, r measure.Rate, a measure.Articles) results.Row {
	low, high := a.Interval(r)
	return between(Number(strategy, quantity, results.Ratio, r.Value()), r, low, high)
}

// Mean returns sum/n, or 0 if n is 0.
func Mean(sum, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// Average returns the row of sum/n of n users, with its 95 % interval by the sum of their squares.
func Average(strategy, quantity, unit string, sum, squares, n int64) results.Row {
	mean := Mean(sum, n)
	r := Number(strategy, quantity, unit, mean).Among(n)
	if n > 1 {
		margin := 1.959964 * math.Sqrt(max(0, Mean(squares, n)-mean*mean)/float64(n-1))
		r.Low, r.High = results.Num(mean-margin), results.Num(mean+margin)
	}
	return r
}

// Sum adds counts up.
func Sum[N int | int64](counts []N) (sum N) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// Activity sorts users by how much they read: their number, the rate of their false positives and the bytes of
// their histories, found under these conditions. Each bin of users has its three rows, and one without users none.
func Activity(strategy string, r measure.Regime, where ...results.Condition) (rows []results.Row) {
	for b, users := range r.Users {
		if users == 0 {
			continue
		}
		activity := by.Activity.At(float64(int(1) << b))
		rows = append(rows,
			Number(strategy, results.QUsers, "", float64(users)).With(activity),
			Rate(strategy, results.QFPR, r.ByActivity[b]).With(where...).With(activity),
			Number(strategy, results.QBytesPerUser, results.Bytes, Mean(r.Bytes[b], users)).
				With(where...).With(activity).Among(users))
	}
	return rows
}

// Time returns the row of the median time of a request, in nanoseconds, divided by each.
func Time(strategy, quantity string, l stopwatch.Latency, each float64) results.Row {
	return timed(Number(strategy, quantity, results.Nanoseconds, l.P50/each), l, each)
}

// Over returns the row of a time over another in the same turn: the median over the turns, and its interval.
func Over(strategy, quantity string, l, other stopwatch.Latency) results.Row {
	l.Rounds = slices.Clone(l.Rounds)
	for i := range l.Rounds {
		l.Rounds[i] /= other.Rounds[i]
	}
	sorted := slices.Sorted(slices.Values(l.Rounds))
	return timed(Number(strategy, quantity, results.Ratio, sorted[len(sorted)/2]), l, 1)
}

// timed returns the row of a time, divided by each, with its interval. With too few turns both its columns are empty.
// The median of all batches may lie outside most turns: the interval includes it.
func timed(r results.Row, l stopwatch.Latency, each float64) results.Row {
	if low, high, ok := l.Between(); ok {
		v := r.Value.Or(0)
		r.Low, r.High = results.Num(min(low/each, v)), results.Num(max(high/each, v))
	}
	return r.With(by.Candidates.At(float64(l.Candidates))).Among(l.Requests)
}
