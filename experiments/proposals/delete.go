package proposals

import (
	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	deletedShown = 50  // articles of a full filter that the reader takes back
	deletedFresh = 400 // fresh ones, among which is a false positive with a chance of 0.9997
	countingName = results.Beyond + "counting"
)

// deleting takes articles back from a filter of counters (the article, §4 and §6):
// some that were shown, and one that only seemed to be.
func deleting() proposal {
	c := counting.Paper
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		s, err := counting.New(c)
		if err != nil {
			return nil, nil, err
		}
		one, err := single.New(single.Paper)
		if err != nil {
			return nil, nil, err
		}
		begin := func() Trial {
			l := newLife(c.Capacity, deletedFresh)
			var full, history []byte
			seen := make([]bool, deletedFresh)
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				full = s.Record(full[:0], l.shown)

				history = s.Delete(append(history[:0], full...), l.shown[:deletedShown])
				t.Rates[0].Add(deletedShown, l.Count(s, history, l.shown[:deletedShown]))
				t.Sums[0] += int64(len(l.shown) - deletedShown - l.Count(s, history, l.shown[deletedShown:]))

				s.Seen(full, l.fresh, seen)
				for i, positive := range seen {
					if positive {
						history = s.Delete(append(history[:0], full...), []strategies.ID{l.fresh[i]})
						t.Sums[1]++
						t.Sums[2] += int64(len(l.shown) - l.Count(s, history, l.shown))
						break
					}
				}
			}
		}
		rows := func(t Tally) []results.Row {
			left := c.Capacity - deletedShown
			bytes := float64(s.Bytes(c.Capacity)) / float64(one.Bytes(c.Capacity))
			return []results.Row{
				proposedRate(countingName, results.QDeletedRecognised, t.Rates[0], bloom.Exact(left, c.Geometry)),
				proposedNumber(countingName, results.QArticlesLost, "", float64(t.Sums[0]), 0, t.Users*int64(left)).
					With(by.Of.Is("others")), // that nobody took back
				proposedNumber(countingName, results.QArticlesLost, "", row.Mean(t.Sums[2], t.Sums[1]), s.LostByOne(c.Capacity), t.Sums[1]).
					With(by.Of.Is("deleted false positives")), // for each
				proposedNumber(countingName, results.QBytesOverSingle, "times", bytes, bytes, 0),
			}
		}
		return begin, rows, nil
	}
	return proposal{name: "deleting", of: 2000, cost: 250, rates: 1, sums: 3, build: build}
}
