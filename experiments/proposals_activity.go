package main

import (
	"dejavu/beyond/sized"
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
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

// readOver is how many articles a daily reader is shown, ten a refresh, before a
// time.
func readOver(population workload.Daily, user int, until store.Clock) (articles int) {
	visitor := population.Visitor(user)
	for {
		at, ok := visitor.Next()
		if !ok || store.Clock(at) >= until || articles+workload.PerRefresh > activityMost {
			return articles
		}
		articles += workload.PerRefresh
	}
}

// byActivity gives daily readers filters by how much they read (the article, §5):
// the classes are the best for the readers of a survey, who are others than those
// that are measured where there are enough of them. Sorting by the first of the two
// days is what a service can do.
func byActivity(population workload.Daily) proposal {
	readers := 500 // a five-hundredth
	families := func() (one, classes *sized.Family, err error) {
		histogram := make([]int64, activityMost+1)
		for i := range activitySurvey {
			histogram[readOver(population, population.Users()-1-i%population.Users(), workload.Horizon)]++
		}
		if one, err = bestFamily(histogram, 1); err != nil {
			return nil, nil, err
		}
		classes, err = bestFamily(histogram, activityClasses)
		return one, classes, err
	}
	// A rate and a sum of bytes for each way, and a rate for each class; then how
	// many readers read, and how many read so many articles.
	const read, histogram = 3, 4
	return proposal{
		name: "activity", readers: readers, rates: 3 + activityClasses, sums: histogram + activityMost + 1,
		begin: func() (measure.Trial, error) {
			one, classes, err := families()
			l := newLife(activityMost, activityFresh)
			var history []byte
			return func(user int, reader workload.Reader, t *measure.Tally) {
				articles := readOver(population, user%population.Users(), workload.Horizon)
				if articles == 0 {
					return
				}
				l.begin(reader)
				first := readOver(population, user%population.Users(), store.Day)
				t.Sums[read]++
				t.Sums[histogram+articles]++
				for i, s := range []*sized.Filter{
					one.Class(0), classes.Class(classes.Of(articles)), classes.Class(classes.Of(2 * first)),
				} {
					history = s.Record(history[:0], l.shown[:articles])
					hits := l.Count(s, history, l.fresh)
					t.Rates[i].Add(activityFresh, hits)
					t.Sums[i] += int64(len(history))
					if i == 1 {
						t.Rates[3+classes.Of(articles)].Add(activityFresh, hits)
					}
				}
			}, err
		},
		rows: func(t measure.Tally) (rows []results.Row, err error) {
			one, classes, err := families()
			if err != nil {
				return nil, err
			}
			for i, name := range []string{oneSize, byWhole, byFirst} {
				fpr := rate(results.Proposals, name, results.QFPR, t.Rates[i])
				bytes := number(results.Proposals, name, results.QBytesPerUser, results.Bytes, perUser(t.Sums[i], t.Sums[read]))
				bytes.Count = t.Sums[read]
				if i < 2 { // by the first day, a reader may be in any class
					theory := sized.Total([]*sized.Family{one, classes}[i].Shares(t.Sums[histogram:]))
					fpr.Theory, bytes.Theory = results.Num(theory.End), results.Num(perUser(theory.Bytes, theory.Readers))
				}
				rows = append(rows, fpr, bytes)
			}
			shares := classes.Shares(t.Sums[histogram:])
			for class := range classes.Len() {
				r := rate(results.Proposals, byWhole, results.QFPRByClass, t.Rates[3+class])
				r.X, r.Theory = results.Num(float64(classes.Class(class).Capacity)), results.Num(shares[class].End)
				size := float64(classes.Class(class).Bytes(1))
				bytes := proposedNumber(byWhole, results.QBytesByClass, results.Bytes, size, size, t.Rates[3+class].Users)
				bytes.X = r.X
				rows = append(rows, r, bytes)
			}
			size := float64(one.Class(0).Bytes(1))
			return append(rows, proposedNumber(oneSize, results.QBytesByClass, results.Bytes, size, size, t.Sums[read])), nil
		},
	}
}

// bestFamily has the classes that take the fewest bytes at 2 %.
func bestFamily(histogram []int64, classes int) (*sized.Family, error) {
	c, err := sized.Classes(histogram, classes, catalogue.SizedFPR)
	if err != nil {
		return nil, err
	}
	return sized.New(c)
}
