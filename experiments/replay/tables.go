package replay

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// Tables are the tables of a replay, with a line for each strategy.
var Tables = []text.Table{
	{
		Heading: func(c results.Cells) string {
			exposures, _ := c.One(of(results.QExposures).Of(""))
			users, _ := c.One(of(results.QUsers).Of(""))
			return fmt.Sprintf("Replay of %.0f exposures of %.0f users", exposures.Value.Or(0), users.Value.Or(0))
		},
		Lines: of(results.QFPR),
		Columns: []text.Column{
			text.Strategy(),
			text.Cell("FPR", of(results.QFPR), text.Of),
			text.Cell("95 %", of(results.QFPR), func(r results.Row) string {
				return text.Percent(r.Low.Or(0)) + " to " + text.Percent(r.High.Or(0))
			}),
			text.Cell("theory, all new", of(results.QFPR), theory),
			text.Cell("distinct", of(results.QFPR, distinct), theory),
			text.Cell("suppressed of 100", of(results.QSuppressed), func(r results.Row) string {
				return fmt.Sprintf("%.3g", r.Value.Or(0))
			}),
			text.Cell("repeats", of(results.QRepeats), text.Of),
			text.Cell("recognised", of(results.QRecognised), func(r results.Row) string {
				if r.Count == 0 {
					return text.None
				}
				return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0))
			}),
			text.Cell("repeats shown", of(results.QRepeatsShown), text.Of),
			text.Cell("with a history", of(results.QPayloadTotal), func(r results.Row) string { return fmt.Sprint(r.Count) }),
			text.Cell("bytes a user", of(results.QBytesPerUser), text.Of),
			text.Cell("payload", of(results.QPayloadTotal), text.Of),
			text.Cell("store", of(results.QStoreTotal), text.Of),
		},
	},
	{
		Title: "Why repeats were shown",
		Lines: of(results.QRepeats),
		Keep:  func(r results.Row) bool { return r.Value.Or(0) > 0 },
		Columns: []text.Column{
			text.Strategy(),
			text.Cell("repeats shown", of(results.QRepeatsShown), text.Of),
			ofCause("history forgotten", forgotten),
			ofCause("outside the window", outside),
			text.Cell("inside it, must be 0", of(results.QInside), func(r results.Row) string {
				return fmt.Sprintf("%s of %d", text.Of(r), r.Count)
			}),
			text.Cell("if never forgotten, at most", of(results.QRepeatsShown, neverForgotten...), text.Of),
		},
	},
	along("Share of repeats recognised, by how many articles ago they were shown [so many repeats]",
		of(results.QRetention), by.Age, powerOfTwo, strconv.Itoa, share),
	along("Share of repeats recognised, by the time since they were shown, from [so many repeats]",
		of(results.QRecognised), by.Elapsed, nil, text.Elapsed, share),
	along("False positive rate by articles recorded of a user over the log, in powers of two from",
		of(results.QFPR), by.Activity, nil, strconv.Itoa, text.Of),
}

// of is a quantity of every strategy.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Replay).Of(results.Any)
}

func theory(r results.Row) string {
	if v, ok := r.Theory.Get(); ok {
		return text.Percent(v)
	}
	return text.None
}

func share(r results.Row) string { return fmt.Sprintf("%.4g [%d]", r.Value.Or(0), r.Count) }

// ofCause is the column of the repeats shown that have a cause.
func ofCause(header string, cause results.Condition) text.Column {
	return text.Column{
		Header:  header,
		Queries: []results.Query{of(results.QRepeatsShown, cause), of(results.QRepeatsShown)},
		Show: func(r ...results.Row) string {
			n := r[0].Value.Or(0)
			if n == 0 {
				return "0"
			}
			return fmt.Sprintf("%.0f (%.3g %%)", n, 100*n/r[1].Value.Or(0))
		},
	}
}

// along is a table with a column for each whole value that a dimension has in rows of the
// query, or for those that are kept.
func along(
	title string, q results.Query, d results.Dimension, keep func(int) bool, header func(int) string,
	show func(results.Row) string,
) text.Table {
	return text.Table{
		Title: title, Lines: of(results.QFPR), Columns: []text.Column{text.Strategy()},
		More: func(c results.Cells) (columns []text.Column) {
			var values []int
			for _, r := range c.All(q.With(d.Open())) {
				if v := int(r.Coordinate(d).Or(0)); keep == nil || keep(v) {
					values = append(values, v)
				}
			}
			slices.Sort(values)
			for _, v := range slices.Compact(values) {
				columns = append(columns, text.Cell(header(v), q.With(d.At(float64(v))), show))
			}
			return columns
		},
	}
}

func powerOfTwo(v int) bool { return v > 0 && bits.OnesCount(uint(v)) == 1 }
