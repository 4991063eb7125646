package tradeoff

import (
	"cmp"
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// table has a line for each structure that can be made for a window and a rate: first
// those that keep both for ever, then those of a fixed capacity, the smallest first.
var table = text.Table{
	Title: "Every structure for a window of 400: at a false positive rate of 2 % at worst, and in 512 bytes [theory]",
	Lines: Of(results.QLongest, AtRate), Order: lastingFirst,
	Columns: []text.Column{
		{Header: "structure", Show: text.Strategy().Show},
		text.Cell("bytes at 2 %", Of(results.QLongest, AtRate), text.Of),
		text.Cell("mean", Of(results.QBytesPerUser, AtRate), text.Of),
		text.Cell("FPR at worst", Of(results.QFPR, AtRate, Worst), text.WithTheory),
		text.Cell("mean", Of(results.QFPR, AtRate, Mean), text.WithTheory),
		{
			Header:  "window",
			Queries: []results.Query{Of(results.QWindow, AtRate, Least), Of(results.QCapacity, AtRate)},
			Show: func(r ...results.Row) string {
				if r[1].Value.IsSet() {
					return "capacity of " + text.Of(r[0])
				}
				return text.Of(r[0])
			},
		},
		text.Cell("a candidate", Of(results.QQueryNanos, AtRate, by.Candidates.At(40)), nanos),
		text.Cell("an article recorded", Of(results.QRecordNanosEach, AtRate, by.Recorded.At(recordedAtOnce)), nanos),
		text.Cell("FPR at worst in 512 B", Of(results.QFPR, InBytes, Worst), text.WithTheory),
	},
}

func nanos(r results.Row) string { return fmt.Sprintf("%.1f ns", r.Value.Or(0)) }

// lastingFirst orders structures: those that last, then those of a fixed capacity, by
// their bytes.
func lastingFirst(c results.Cells, a, b results.Row) int {
	fixed := func(r results.Row) int {
		if _, ok := c.One(Of(results.QCapacity, AtRate).Fill(r)); ok {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(fixed(a), fixed(b)), cmp.Compare(a.Value.Or(0), b.Value.Or(0)))
}
