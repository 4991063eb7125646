package proposals

import (
	"strings"

	"dejavu/beyond/confirmed"
	"dejavu/experiments/catalogue"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/workload"
)

const (
	secondShown = 500 // articles of the reader, which fill the filter
	secondList  = 100 // of these, the newest, are in the list
	secondFresh = 200 // fresh candidates
)

// secondCheck asks a list of the newest articles as well (the article, §3), in all the ways in which that can
// be meant, and without.
func secondCheck() proposal {
	filter := catalogue.Must(single.New(single.Paper))
	all, names := []catalogue.Strategy{filter}, []string{"second check: none"}
	for _, rule := range []confirmed.Rule{confirmed.Both, confirmed.Beside, confirmed.Ahead} {
		all = append(all, catalogue.Must(confirmed.New(confirmed.Config{Inner: filter, Last: secondList, Rule: rule})))
		names = append(names, "second check: "+strings.ToLower(rule.String()))
	}
	begin := func() trial {
		l := newLife(secondShown, secondFresh)
		histories := make([][]byte, len(all))
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			older, newest := l.shown[:secondShown-secondList], l.shown[secondShown-secondList:]
			for i, s := range all {
				histories[i] = s.Record(histories[i][:0], l.shown)
				t.Rates[2*i].Add(secondFresh, l.Count(s, histories[i], l.fresh))
				t.Rates[2*i+1].Add(len(older), l.Count(s, histories[i], older))
				t.Sums[i] += l.missed(s, histories[i], newest)
			}
		}
	}
	rows := func(t tally) (rows []results.Row) {
		for i, s := range all {
			older, lost := 1., t.Users*secondList
			if s.Window(secondShown) <= secondList {
				older = s.FPR(secondShown)
			}
			rows = append(rows,
				rate(names[i], results.QFPR, t.Rates[2*i], s.FPR(secondShown)),
				rate(names[i], results.QRecognised, t.Rates[2*i+1], older),
				number(names[i], results.QArticlesLost, "", float64(t.Sums[i]), 0, lost, by.Of.Is("newest")),
				given(names[i], results.QBytesPerUser, results.Bytes, float64(s.Bytes(secondShown)), 0))
		}
		return rows
	}
	return proposal{
		name: "second check", of: 2000, cost: 250, rates: 2 * len(all), sums: len(all), begin: begin, rows: rows,
	}
}
