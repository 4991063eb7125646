package proposals

import (
	"dejavu/beyond/classes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/store"
	"dejavu/workload"
)

const (
	activityClasses = 4
	activityFresh   = 100
	activityMost    = 4095 // articles; who reads more counts as reading so many
	activitySurvey  = 20_000

	oneSize = "activity: one size for all"
	byWhole = "activity: classes, by what is read"
	byFirst = "activity: classes, by the first day's reading"
)

// readOver is how many articles a daily user is shown, ten a refresh, before a time.
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
	prepare := func() (err error) {
		if population, err = workload.NewDaily(scope.Seed, scope.Users); err != nil {
			return err
		}
		survey := make([]int64, activityMost+1)
		for i := range activitySurvey {
			survey[readOver(population, population.Users()-1-i%population.Users(), workload.Horizon)]++
		}
		if one, err = bestFamily(survey, 1); err != nil {
			return err
		}
		sorted, err = bestFamily(survey, activityClasses)
		return err
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
			both := []results.Row{
				row.Rate(results.Proposals, name, results.QFPR, t.Rates[i]),
				row.Number(results.Proposals, name, results.QBytesPerUser, results.Bytes, bytes).Among(t.Sums[read]),
			}
			if i < 2 { // by the first day, a user may be in any class
				theory := classes.Total([]*classes.Family{one, sorted}[i].Shares(t.Sums[histogram:]))
				both[0] = both[0].Expect(theory.End)
				both[1] = both[1].Expect(row.Mean(theory.Bytes, theory.Users))
			}
			rows = append(rows, both...)
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

func bestFamily(histogram []int64, n int) (*classes.Family, error) {
	c, err := classes.Best(histogram, n, catalogue.SizedFPR)
	if err != nil {
		return nil, err
	}
	return classes.New(c)
}
