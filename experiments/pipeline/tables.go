package pipeline

import (
	"fmt"
	"slices"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// Repeats by delay: of each memory, at each pace, and with each list.
var (
	byMemory = text.Table{
		Heading: func(c results.Cells) string {
			most := 0. // that a rate of which not one was found can be
			for _, r := range c.Of(results.Pipeline) {
				if r.Quantity == results.QRepeatRate && r.Where.Of(by.Delay) != "" && r.Value.Or(1) == 0 {
					most = max(most, r.High.Or(0))
				}
			}
			return fmt.Sprintf("The live path: repeats per 1000 articles shown by the seconds until the history knows "+
				"[of them late, where it forgets, too]; 0 is below %.2g", 1000*most)
		},
		Lines: repeats,
		Columns: []text.Column{
			seconds,
			text.Cell("single", repeats, perMille), forgetting("queue"), forgetting("chain"),
			text.Cell("single, exponential delay", repeats.With(exponential), perMille),
			text.Cell("refreshes that come first [theory]", overtaken, text.WithTheory),
			text.Cell("with an exponential delay", overtaken.With(exponential), text.WithTheory),
		},
	}
	byPace = text.Table{
		Title: "The same, single, where users refresh every so many seconds",
		Lines: repeats.With(by.Refresh.At(10)),
		Columns: append([]text.Column{seconds},
			text.Along(by.Refresh, []string{"10", "20", "60", "300"}, repeats, perMille)...),
	}
	byList       = listed("The same, single with a list at the edge", repeats)
	byListFaster = listed("The same, single with a list, where users refresh every 10 s", repeats.With(by.Refresh.At(10)))
)

// listed has a column for each list.
func listed(title string, q results.Query) text.Table {
	var values []string
	for _, l := range lists {
		values = append(values, l.value)
	}
	return text.Table{
		Title: title, Lines: q.With(by.List.Is("2 min")),
		Columns: append([]text.Column{seconds}, text.Along(by.List, values, q, perMille)...),
	}
}

// What is found of the single filter by delay.
var (
	repeats   = of(results.QRepeatRate, by.Delay.Open())
	overtaken = of(results.QOvertaken, by.Delay.Open())
	seconds   = text.Condition("seconds", by.Delay)
)

func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Pipeline).Of("single")
}

// perMille is a share per 1000.
func perMille(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// forgetting is a memory's repeats and those of them that are late, where they are fewer.
func forgetting(memory string) text.Column {
	all := repeats.Of(memory)
	return text.Column{
		Header: memory, Queries: []results.Query{all, all.With(late)},
		Show: func(r ...results.Row) string {
			if r[0].Value == r[1].Value {
				return perMille(r[0])
			}
			return perMille(r[0]) + " [" + perMille(r[1]) + "]"
		},
	}
}

// listBytes is what the lists take, at the users' own pace and at a faster one.
var listBytes = text.Table{
	Title: "Lists at the edge of what was just shown: bytes of a user, also where users refresh every 10 s",
	Lines: length(longest),
	Columns: slices.Concat(
		[]text.Column{text.Condition("list", by.List)}, lengths(""), lengths(", 10 s", by.Refresh.At(10))),
}

func lengths(pace string, where ...results.Condition) []text.Column {
	return []text.Column{
		text.Cell("longest"+pace, length(where...).With(longest), text.Of),
		text.Cell("mean [theory]"+pace, length(where...).With(mean), func(r results.Row) string {
			return fmt.Sprintf("%.3g B", r.Value.Or(0)) + inBrackets("%.3g B", r)
		}),
		text.Cell("of ten million"+pace, length(where...).With(mean), func(r results.Row) string {
			return text.Bytes(results.DefaultUsers * r.Value.Or(0))
		}),
	}
}

// length is the bytes of a list; no delay changes what is shown by much.
func length(where ...results.Condition) results.Query {
	return of(results.QListBytes, where...).With(by.Delay.At(60), by.List.Open())
}

// inBrackets is what theory says of a row, where it says something.
func inBrackets(format string, r results.Row) string {
	if theory, ok := r.Theory.Get(); ok {
		return " [" + fmt.Sprintf(format, theory) + "]"
	}
	return ""
}

// What half an hour without a stream does, without a list and with each.
var (
	outage = text.Table{
		Title: "The stream stands still for half an hour: repeats per 1000 shown, and how long until there are none",
		Lines: stopped(results.QUntilNormal),
		Columns: append([]text.Column{text.Strategy(), text.Condition("times as fast afterwards", by.Speed)},
			around()...),
	}
	outageWithList = text.Table{
		Title: "The same with a list at the edge, caught up with at twice the speed",
		Lines: stopped(results.QUntilNormal, by.List.Open()),
		Columns: append(append([]text.Column{text.Condition("list", by.List)}, around(by.List.Open())...),
			text.Cell("longest list", stopped(results.QListBytes, longest, by.List.Open()), text.Of)),
	}
)

func stopped(quantity string, where ...results.Condition) results.Query {
	return of(quantity, where...).Of(results.Any).With(by.Speed.Open())
}

// around is what happens before an outage, in it and after it.
func around(where ...results.Condition) []text.Column {
	minute := stopped(results.QRepeatRate, where...)
	before := text.Column{Header: "the half hour before", Show: func(r ...results.Row) string {
		repeats, shown := 0., int64(0)
		for _, five := range r {
			repeats, shown = repeats+five.Value.Or(0)*float64(five.Count), shown+five.Count
		}
		return fmt.Sprintf("%.3g", 1000*repeats/float64(max(shown, 1)))
	}}
	for at := -27.5; at < 0; at += outageMinutes {
		before.Queries = append(before.Queries, minute.With(by.Minute.At(at)))
	}
	return []text.Column{
		before,
		text.Cell("its last five minutes", minute.With(by.Minute.At(27.5)), perMille),
		text.Cell("repeats that are its fault", stopped(results.QRepeats, where...).With(ofOutage), text.Of),
		text.Cell("minutes until normal [theory]", stopped(results.QUntilNormal, where...), func(r results.Row) string {
			return text.Of(r) + inBrackets("%.3g", r)
		}),
	}
}

// Real is the delay of the exposure service of the module live, which was measured,
// beside the repeats that are simulated for a stream without one.
var Real = text.Table{
	Title: "The live path for real: a show by the exposure service, and then a question by another call " +
		"(live, `go run . rows`)",
	Lines: real(results.QUntilFiltered, by.Statistic.Is("p50")),
	Columns: []text.Column{
		text.Condition("durable in", by.Log),
		text.Cell("until filtered, median", real(results.QUntilFiltered, by.Statistic.Is("p50")), text.Of),
		text.Cell("99th percentile", real(results.QUntilFiltered, by.Statistic.Is("p99")), text.Of),
		text.Cell("articles not filtered then", real(results.QNotFiltered), func(r results.Row) string {
			return text.Of(r) + " of " + text.Thousands(int(r.Count))
		}),
		text.Cell("simulated without a delay: late repeats per 1000",
			of(results.QRepeatRate, late, by.Delay.At(0)).Of("chain"), perMille),
	},
}

// real is a quantity of the service, which has chains.
func real(quantity string, where ...results.Condition) results.Query {
	return of(quantity, where...).Of("chain").With(by.Log.Open())
}
