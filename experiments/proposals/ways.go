package proposals

import (
	"cmp"
	"slices"
	"strings"

	"dejavu/beyond/classes"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/store"
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
			older := 1.
			if s.Window(secondShown) <= secondList {
				older = s.FPR(secondShown)
			}
			lost, newest := float64(t.Sums[i]), t.Users*secondList
			rows = append(rows,
				rate(names[i], results.QFPR, t.Rates[2*i], s.FPR(secondShown)),
				rate(names[i], results.QRecognised, t.Rates[2*i+1], older),
				number(names[i], results.QArticlesLost, "", lost, 0, newest, by.Of.Is("newest")),
				given(names[i], results.QBytesPerUser, results.Bytes, float64(s.Bytes(secondShown)), 0))
		}
		return rows
	}
	n := len(all)
	return proposal{name: "second check", of: 2000, cost: 250, rates: 2 * n, sums: n, begin: begin, rows: rows}
}

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
		lost := func(of string, value, theory float64, count int64) results.Row {
			return number(countingName, results.QArticlesLost, "", value, theory, count, by.Of.Is(of))
		}
		return []results.Row{
			rate(countingName, results.QDeletedRecognised, t.Rates[0], bloom.Exact(left, c.Geometry)),
			lost("others", float64(t.Sums[0]), 0, t.Users*int64(left)),                                          // that nobody took back
			lost("deleted false positives", row.Mean(t.Sums[2], t.Sums[1]), s.LostByOne(c.Capacity), t.Sums[1]), // for each
			given(countingName, results.QBytesOverSingle, "times", bytes, 0),
		}
	}
	return proposal{name: "deleting", of: 2000, cost: 250, rates: 1, sums: 3, begin: begin, rows: rows}
}

const (
	activityClasses = 4
	activityFresh   = 100
	activityMost    = 4095 // articles; who reads more counts as reading so many
	activitySurvey  = 20_000

	oneSize = "activity: one size for all"
	byWhole = "activity: classes, by what is read"
	byFirst = "activity: classes, by the first day's reading"
)

func readOver(population workload.Daily, user int, until store.Timestamp) (articles int) {
	visitor := population.Visitor(user)
	for {
		at, ok := visitor.Next()
		if !ok || store.Timestamp(at) >= until || articles+workload.PerRefresh > activityMost {
			return articles
		}
		articles += workload.PerRefresh
	}
}

// byActivity gives daily users filters by how much they read (the article, §5): the classes are the best for
// the users of a survey, who are others than those that are measured where there are enough of them. Sorting
// by the first of the two days is what a service can do. The few that it sorts wrongly have most of the false
// positives, so that this rate takes ten times the users that a class's takes.
func byActivity(scope engine.Scope) proposal {
	// A rate and a sum of bytes for each way, and a rate for each class; then how many users read, and how
	// many read so many articles.
	const read, histogram = 3, 4
	var population workload.Daily
	var one, sorted *classes.Family
	prepare := func() error {
		population = catalogue.Must(workload.NewDaily(scope.Seed, scope.Users))
		survey := make([]int64, activityMost+1)
		for i := range activitySurvey {
			survey[readOver(population, population.Users()-1-i%population.Users(), workload.Horizon)]++
		}
		best, err := classes.Best(survey, 1, catalogue.SizedFPR)
		several, severalErr := classes.Best(survey, activityClasses, catalogue.SizedFPR)
		if err := cmp.Or(err, severalErr); err != nil {
			return err
		}
		one, sorted = catalogue.Must(classes.New(best)), catalogue.Must(classes.New(several))
		return nil
	}
	begin := func() trial {
		l := newLife(activityMost, activityFresh)
		var history []byte
		return func(user int, reader workload.Reader, t *tally) {
			articles := readOver(population, user%population.Users(), workload.Horizon)
			if articles == 0 {
				return
			}
			l.begin(reader)
			first := readOver(population, user%population.Users(), store.Day)
			t.Sums[read]++
			t.Sums[histogram+articles]++
			class := sorted.Of(articles)
			for i, s := range []*classes.Filter{one.Class(0), sorted.Class(class), sorted.Class(sorted.Of(2 * first))} {
				history = s.Record(history[:0], l.shown[:articles])
				hits := l.Count(s, history, l.fresh)
				t.Rates[i].Add(activityFresh, hits)
				t.Sums[i] += int64(len(history))
				if i == 1 {
					t.Rates[3+class].Add(activityFresh, hits)
				}
			}
		}
	}
	rows := func(t tally) (rows []results.Row) {
		for i, name := range []string{oneSize, byWhole, byFirst} {
			bytes := row.Mean(t.Sums[i], t.Sums[read])
			fpr := row.Rate(results.Proposals, name, results.QFPR, t.Rates[i])
			each := row.Number(results.Proposals, name, results.QBytesPerUser, results.Bytes, bytes).Among(t.Sums[read])
			if i < 2 { // by the first day, a user may be in any class
				theory := classes.Total([]*classes.Family{one, sorted}[i].Shares(t.Sums[histogram:]))
				fpr, each = fpr.Expect(theory.End), each.Expect(row.Mean(theory.Bytes, theory.Users))
			}
			rows = append(rows, fpr, each)
		}
		for class, share := range sorted.Shares(t.Sums[histogram:]) {
			filter, of := sorted.Class(class), t.Rates[3+class]
			is := by.Class.At(float64(filter.Capacity))
			rows = append(rows,
				rate(byWhole, results.QFPR, of, share.End, is),
				given(byWhole, results.QBytes, results.Bytes, float64(filter.Bytes(1)), of.Users, is))
		}
		return append(rows, given(oneSize, results.QBytes, results.Bytes, float64(one.Class(0).Bytes(1)), t.Sums[read]))
	}
	return proposal{
		name: "activity", of: 25, cost: 5, rates: 3 + activityClasses, sums: histogram + activityMost + 1,
		prepare: prepare, begin: begin, rows: rows,
	}
}
