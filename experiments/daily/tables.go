package daily

import (
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

var atEnd = text.Table{
	Title: "Thirty days of reading, with the 24 h rule / without: at the end, and over the last seven days",
	Lines: of(results.QPayloadKept),
	Columns: []text.Column{
		text.Strategy(),
		bothRules("users with a history", results.QUsersAlive, text.Of),
		bothRules("payload", results.QPayloadTotal, text.Of),
		text.Cell("with the rule over without", of(results.QPayloadKept), text.Of),
		bothRules("FPR", results.QFPR, text.Of),
		bothRules("repeats shown of 1000", results.QRepeatRate, perThousand),
	},
}

// bothRules is the column of a quantity with the rule, and without.
func bothRules(header, quantity string, show func(results.Row) string) text.Column {
	return text.Column{
		Header:  header,
		Queries: []results.Query{of(quantity, ruled), of(quantity, unruled)},
		Show:    func(r ...results.Row) string { return show(r[0]) + " / " + show(r[1]) },
	}
}

var overDays = along(
	"Bytes of a user by days gone by, with the 24 h rule / without; in brackets, repeats shown of 1000 with the rule",
	by.Day, []float64{1, 2, 3, 7, 14, 21, 30}, func(r ...results.Row) string {
		return fmt.Sprintf("%s / %s [%s]", text.Of(r[0]), text.Of(r[1]), perThousand(r[2]))
	}, of(results.QBytesPerUser, ruled), of(results.QBytesPerUser, unruled), of(results.QRepeatRate, ruled))

var overUsers = along(
	"Thirty days of reading, over users: false positive rate and bytes at quantiles, with the 24 h rule",
	by.Quantile, levels, func(r ...results.Row) string { return text.Of(r[0]) + ", " + text.Of(r[1]) },
	of(results.QFPR, ruled), of(results.QBytesPerUser, ruled))

// habitTables has a table for each habit.
func habitTables() (tables []text.Table) {
	for _, h := range habits {
		tables = append(tables, along(
			"Thirty days by "+h.says+": payload with the 24 h rule over without, and repeats shown of 1000 with it",
			h.along, h.values, func(r ...results.Row) string { return text.Of(r[0]) + ", " + perThousand(r[1]) },
			of(results.QPayloadKept), of(results.QRepeatRate, ruled)))
	}
	return tables
}

// along is a table with a column for each value of a dimension, which shows what the
// queries find there.
func along(
	title string, d results.Dimension, values []float64, show func(...results.Row) string, queries ...results.Query,
) text.Table {
	t := text.Table{Title: title, Lines: queries[0].With(d.At(values[0])), Columns: []text.Column{text.Strategy()}}
	for _, v := range values {
		column := text.Column{Header: results.Num(v).String(), Show: show}
		for _, q := range queries {
			column.Queries = append(column.Queries, q.With(d.At(v)))
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// of is a quantity of every strategy.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Daily).Of(results.Any)
}

// perThousand is a rate for people.
func perThousand(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }
