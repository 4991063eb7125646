// Package row makes rows of what was measured, for whatever experiment asks: a plain
// number, a rate with its interval, readers by how much they read.
//
// A row says what a program counted, in whole numbers where it can, so that it is
// the same text wherever and in however many parts that was counted.
package row

import (
	"dejavu/measure"
	"dejavu/results"
)

// Number is the row of a plain number.
func Number(experiment, strategy, quantity, unit string, value float64) results.Row {
	return results.Row{
		Experiment: experiment, Strategy: strategy, Quantity: quantity, Unit: unit, Value: results.Num(value),
	}
}

// Rate is the row of a measured rate with its 95 % interval.
func Rate(experiment, strategy, quantity string, r measure.Rate) results.Row {
	low, high := r.Interval()
	return results.Row{
		Experiment: experiment, Strategy: strategy, Quantity: quantity, Unit: results.Ratio,
		Value: results.Num(r.Value()), Low: results.Num(low), High: results.Num(high), Count: r.Queries,
	}
}

// Mean is a sum over n users, say, for each of them, and 0 for none.
func Mean(sum, n int64) float64 {
	if n == 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// Sum adds counts up.
func Sum(counts []int64) (sum int64) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// Activity sorts users by how much they read: their number, the rate of their
// false positives and the bytes of their histories, with x the least that users of
// the row read. Each bin of users has its three rows, and one without users none.
func Activity(experiment, strategy string, r measure.Regime) (rows []results.Row) {
	for b, users := range r.Users {
		if users == 0 {
			continue
		}
		x := results.Num(float64(int(1) << b))
		n := Number(experiment, strategy, results.QUsers, "", float64(users))
		f := Rate(experiment, strategy, results.QFPRByActivity, r.ByActivity[b])
		m := Number(experiment, strategy, results.QBytesByActivity, results.Bytes, Mean(r.Bytes[b], users))
		n.X, f.X, m.X, m.Count = x, x, x, users
		rows = append(rows, n, f, m)
	}
	return rows
}
