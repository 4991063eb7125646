package proposals

import (
	"slices"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/workload"
)

const (
	deletedShown = 50  // articles of a full filter that the reader takes back
	deletedFresh = 400 // fresh ones, among which is a false positive with a chance of 0.9997
	countingName = results.Beyond + "counting"
)

// deleting takes articles back from a filter of counters (the article, §4 and §6): some that were shown, and
// one that only seemed to be.
func deleting() proposal {
	c := counting.Paper
	s, one := catalogue.Must(counting.New(c)), catalogue.Must(single.New(single.Paper))
	begin := func() trial {
		l := newLife(c.Capacity, deletedFresh)
		deleted, left := l.shown[:deletedShown], l.shown[deletedShown:]
		var full, history []byte
		seen := make([]bool, deletedFresh)
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			full = s.Record(full[:0], l.shown)

			history = s.Delete(append(history[:0], full...), deleted)
			t.Rates[0].Add(deletedShown, l.Count(s, history, deleted))
			t.Sums[0] += l.missed(s, history, left)

			s.Seen(full, l.fresh, seen)
			if i := slices.Index(seen, true); i >= 0 {
				history = s.Delete(append(history[:0], full...), l.fresh[i:i+1])
				t.Sums[1]++
				t.Sums[2] += l.missed(s, history, l.shown)
			}
		}
	}
	rows := func(t tally) []results.Row {
		left := c.Capacity - deletedShown
		bytes := float64(s.Bytes(c.Capacity)) / float64(one.Bytes(c.Capacity))
		others, each := float64(t.Sums[0]), row.Mean(t.Sums[2], t.Sums[1])
		return []results.Row{
			rate(countingName, results.QDeletedRecognised, t.Rates[0], bloom.Exact(left, c.Geometry)),
			number(countingName, results.QArticlesLost, "", others, 0, t.Users*int64(left),
				by.Of.Is("others")), // that nobody took back
			number(countingName, results.QArticlesLost, "", each, s.LostByOne(c.Capacity), t.Sums[1],
				by.Of.Is("deleted false positives")), // for each
			given(countingName, results.QBytesOverSingle, "times", bytes, 0),
		}
	}
	return proposal{name: "deleting", of: 2000, cost: 250, rates: 1, sums: 3, begin: begin, rows: rows}
}
