package advice

import (
	"slices"
	"sync"

	"dejavu/beyond/classes"
	"dejavu/beyond/scalable"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	activityClasses  = 4
	activityFresh    = 100
	activityMost     = 4095 // articles; further ones are not counted
	activitySurvey   = 20_000
	activityFollowed = 10 // the sizes follow one user in ten
)

// activityWays names ways to size filters. The last two follow only some of the users.
var activityWays = []string{
	"activity: one size for all",
	"activity: classes, by what is read",
	"activity: classes, by the first day's reading",
	"activity: classes, remade from a log as users read",
	"activity: a stage more for who reads more",
}

// The sums of activity: bytes of each way and their squares, then the users who read, the users whom sizes followed,
// and a histogram of articles read.
const squares, read, followed, histogram = 5, 10, 11, 12

func readOver(population workload.Daily, user, each int, until store.Timestamp) (articles int) {
	visitor := population.Visitor(user)
	for {
		at, ok := visitor.Next()
		if !ok || store.Timestamp(at) >= until || articles+each > activityMost {
			return articles
		}
		articles += each
	}
}

// byActivity gives daily users filters by how much they read (the article, §5). The classes are the best for users of a
// survey, other than the measured ones if there are enough. A service can only sort by the first of two days. The few
// users that it sorts wrongly have most of the false positives, so that this rate needs ten times the users.
//
// Sizes can also follow users who read more: a full filter is rebuilt one class larger from a log of what the user was
// shown; without a log it gets another beside it, as a scalable filter does.
func byActivity(scope engine.Scope) proposal {
	stages := catalogue.Must(scalable.New(scalable.Doubling))
	each := scope.Daily().PerRefresh // articles
	population := sync.OnceValue(func() workload.Daily {
		return catalogue.Must(workload.NewDailyOf(scope.Daily(), scope.Seed, scope.Users))
	})
	families := sync.OnceValues(func() (one, sorted *classes.Family) {
		survey, all := make([]int64, activityMost+1), population()
		for i := range activitySurvey {
			survey[readOver(all, all.Users()-1-i%all.Users(), each, workload.Horizon)]++
		}
		if slices.Max(survey[1:]) == 0 { // nobody reads, in a run of a user or two: one class, which no user gets
			survey[min(each, activityMost)] = 1
		}
		best := func(n int) *classes.Family {
			return catalogue.Must(classes.New(catalogue.Must(classes.Best(survey, n, catalogue.SizedFPR))))
		}
		return best(1), best(activityClasses)
	})
	begin := func() trial {
		l, population := newLife(activityMost, activityFresh), population()
		one, sorted := families()
		var history []byte
		return func(of workload.Full, user int, t *tally) {
			articles := readOver(population, user%population.Users(), each, workload.Horizon)
			if articles == 0 {
				return
			}
			l.begin(of, user)
			end := func(way int, s strategies.Strategy) {
				t.Rates[way].Add(activityFresh, l.Count(s, history, l.fresh))
				bytes := int64(len(history))
				t.Sums[way], t.Sums[squares+way] = t.Sums[way]+bytes, t.Sums[squares+way]+bytes*bytes
			}
			first := readOver(population, user%population.Users(), each, store.Day)
			t.Sums[read]++
			t.Sums[histogram+articles]++
			byAll, byFirst := sorted.Class(sorted.Of(articles)), sorted.Class(sorted.Of(2*first))
			for way, s := range []*classes.Filter{one.Class(0), byAll, byFirst} {
				history = s.Record(history[:0], l.shown[:articles])
				end(way, s)
			}
			if user%activityFollowed != 0 {
				return
			}
			t.Sums[followed]++
			history = remake(sorted, history, l.shown[:articles])
			end(3, sorted.Class(0))
			history = history[:0]
			for read := 0; read < articles; read += each {
				history = stages.Record(history, l.shown[read:read+each])
			}
			end(4, stages)
		}
	}
	rows := func(t tally) (rows []results.Row) {
		one, sorted := families()
		for i, name := range activityWays {
			users := t.Sums[read]
			if i > 2 {
				users = t.Sums[followed]
			}
			fpr := row.Rate(name, results.QFPR, t.Rates[i])
			bytes := row.Average(name, results.QBytesPerUser, results.Bytes, t.Sums[i], t.Sums[squares+i], users)
			if i < 2 { // by the first day, a user may be in any class
				theory := classes.Total([]*classes.Family{one, sorted}[i].Shares(t.Sums[histogram:]))
				fpr, bytes = fpr.Expect(theory.End), bytes.Expect(row.Mean(theory.Bytes, theory.Users))
			}
			rows = append(rows, fpr, bytes)
		}
		return rows
	}
	return proposal{
		name: "activity", users: oneIn(25), cost: 2.5, rates: len(activityWays), sums: histogram + activityMost + 1,
		begin: begin, rows: rows,
	}
}

// remake records articles in the first class and, whenever that is full, all of them again in the next. The last class
// takes any number.
func remake(sorted *classes.Family, history []byte, shown []strategies.ID) []byte {
	for class, read := 0, 0; read < len(shown); class++ {
		if read = len(shown); class < sorted.Len()-1 {
			read = min(read, sorted.Class(class).Capacity)
		}
		history = sorted.Class(class).Record(history[:0], shown[:read])
	}
	return history
}
