package table1

import (
	"fmt"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// of is a quantity of every strategy.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Table1).Of(results.Any)
}

// Table 1, the paper's values in round brackets and theory in square ones; the same for
// what the paper did not try; and of the first what most want to know.
var (
	paperTable = text.Table{
		Heading: title, Lines: of(results.QPayloadPerUser), Keep: paper,
		Columns: []text.Column{
			name(),
			value("payload a user", of(results.QPayloadPerUser)),
			value("payload", of(results.QPayloadTotal)),
			value("resident", of(results.QResidentTotal)),
			worstRate("FPR at worst"),
			text.Cell("mean over a cycle", of(results.QFPR, mean), text.WithTheory),
			value("guaranteed window", of(results.QWindow, least)),
			value("mean", of(results.QWindow, mean)),
			value("retained at N→1000", of(results.QArticlesRetained)),
			value("request of 40", of(results.QRequestTime, by.Candidates.At(40), median)),
		},
	}
	beyondTable = text.Table{
		Title: "Table 1 for what the paper did not try, made for a window of 400 at 2 % where a window can be guaranteed",
		Lines: of(results.QPayloadPerUser), Keep: func(r results.Row) bool { return !paper(r) },
		Columns: []text.Column{
			name(),
			value("payload a user", of(results.QPayloadPerUser)),
			value("header", of(results.QHeaderPerUser)),
			worstRate("FPR at worst"),
			text.Cell("mean over a cycle", of(results.QFPR, mean), text.WithTheory),
			value("guaranteed window", of(results.QWindow, least)),
			value("mean", of(results.QWindow, mean)),
			value("request of 40", of(results.QRequestTime, by.Candidates.At(40), median)),
		},
	}
	// Headline is what most want to know of the paper's strategies.
	Headline = text.Table{
		Heading: title, Lines: of(results.QPayloadPerUser), Keep: paper,
		Columns: []text.Column{
			name(),
			value("bytes a user", of(results.QPayloadPerUser)),
			value("all users", of(results.QPayloadTotal)),
			worstRate("FPR at worst"),
			text.Cell("FPR, mean", of(results.QFPR, mean), text.WithTheory),
			value("window", of(results.QWindow, least)),
			value("request of 40", of(results.QRequestTime, by.Candidates.At(40), median)),
		},
	}
)

func paper(r results.Row) bool { return !strings.HasPrefix(r.Strategy, results.Beyond) }

// title says of how many users Table 1 is.
func title(c results.Cells) string {
	users := ""
	if r, ok := c.One(of(results.QPayloadPerUser).Of("queue")); ok {
		users = fmt.Sprintf(" over %s users", text.Thousands(int(r.Count)))
	}
	return "Table 1, measured" + users + " (in round brackets: the paper; in square ones: theory)"
}

// name is the column of the strategies, with the share of the users that one runs on.
func name() text.Column {
	return text.Column{Header: "strategy", Show: func(r ...results.Row) string {
		if e, err := catalogue.Find(r[0].Strategy); err == nil && e.Sampled() {
			return fmt.Sprintf("%s (users/%d)", e.Name, e.Share)
		}
		return r[0].Strategy
	}}
}

// value is a column of values, with the paper's in brackets.
func value(header string, q results.Query) text.Column {
	return text.Cell(header, q, func(r results.Row) string { return text.WithPaper(r, true) })
}

// worstRate is the rate at the worst moment of a cycle. What never forgets has no cycle,
// and has its rate by lifetime there.
func worstRate(header string) text.Column {
	column := text.Column{Header: header, Queries: []results.Query{of(results.QFPR, worst)}}
	for _, shown := range lifetimes {
		column.Queries = append(column.Queries, of(results.QFPR, by.Lifetime.At(float64(shown))))
	}
	column.Show = func(r ...results.Row) string {
		var lives []string
		for i, life := range r[1:] {
			if life.Value.IsSet() {
				lives = append(lives, fmt.Sprintf("%s at %d", text.Of(life), lifetimes[i]))
			}
		}
		if lives != nil {
			return strings.Join(lives, ", ")
		}
		return text.WithTheory(r[0])
	}
	return column
}
