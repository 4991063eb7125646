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

// secondCheck asks a list of the newest articles as well (the article, §3), in all
// the ways in which that can be meant, and without.
func secondCheck() proposal {
	rules := []confirmed.Rule{confirmed.Both, confirmed.Beside, confirmed.Ahead}
	each := 1 + len(rules)
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		filter, err := single.New(single.Paper)
		if err != nil {
			return nil, nil, err
		}
		all, names := []catalogue.Strategy{filter}, []string{"second check: none"}
		for _, rule := range rules {
			s, err := confirmed.New(confirmed.Config{Inner: filter, Last: secondList, Rule: rule})
			if err != nil {
				return nil, nil, err
			}
			all, names = append(all, s), append(names, "second check: "+strings.ToLower(rule.String()))
		}
		begin := func() Trial {
			l := newLife(secondShown, secondFresh)
			histories := make([][]byte, each)
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				for i, s := range all {
					histories[i] = s.Record(histories[i][:0], l.shown)
					older, newest := l.shown[:secondShown-secondList], l.shown[secondShown-secondList:]
					t.Rates[2*i].Add(secondFresh, l.Count(s, histories[i], l.fresh))
					t.Rates[2*i+1].Add(len(older), l.Count(s, histories[i], older))
					t.Sums[i] += int64(len(newest) - l.Count(s, histories[i], newest))
				}
			}
		}
		rows := func(t Tally) (rows []results.Row) {
			for i, s := range all {
				older := 1.
				if s.Window(secondShown) <= secondList {
					older = s.FPR(secondShown)
				}
				rows = append(rows,
					proposedRate(names[i], results.QFPR, t.Rates[2*i], s.FPR(secondShown)),
					proposedRate(names[i], results.QRecognised, t.Rates[2*i+1], older),
					proposedNumber(names[i], results.QArticlesLost, "", float64(t.Sums[i]), 0, t.Users*secondList).With(by.Of.Is("newest")),
					proposedNumber(names[i], results.QBytesPerUser, results.Bytes, float64(s.Bytes(secondShown)), float64(s.Bytes(secondShown)), 0))
			}
			return rows
		}
		return begin, rows, nil
	}
	return proposal{name: "second check", of: 2000, cost: 250, rates: 2 * each, sums: each, build: build}
}
