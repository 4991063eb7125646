package proposals

import (
	"slices"

	"dejavu/beyond/scalable"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/strategies"
	"dejavu/workload"
)

// twenty is a filter that begins with one article and may grow twenty times.
var twenty = scalable.Config{First: 1, Growth: 2, FPR: 0.05, Tightening: 0.9, Stages: 21}

const (
	twentyName  = "growing: twenty times"
	twentyUsers = 200 // filters: those asked of one have its fill in common, and two would have no interval
	twentyFresh = 400 // unseen candidates of a filter, the same at the end of every stage

	twentyOwn   = 16 // stages that a filter has of its own, 65,535 articles: small ones differ in their luck
	twentyGroup = 10 // filters that are shown the same articles from there on, where no two would differ
)

// twentyGrowths shows each of some filters two million articles, from one for a single article. Filters of a group are
// recorded together where they are shown the same; each is asked for unseen articles of its own.
func twentyGrowths(scope engine.Scope) proposal {
	p := stages(twentyName, twenty, twenty.Stages, twentyFresh, twentyFresh)
	p.name, p.few, p.cost = "twenty growths", twentyUsers, 1e4
	s, ends := catalogue.Must(scalable.New(twenty)), stageEnds(twenty, twenty.Stages)
	own, last := ends[twentyOwn-1], ends[len(ends)-1]
	ownBytes := s.Sizes()[twentyOwn-1] - s.HeaderBytes()
	p.begin = func() trial {
		population := catalogue.Must(workload.NewFull(scope.Seed, p.users(scope)))
		l, ids := newLife(own, twentyFresh), make([]strategies.ID, last)
		var common [][]byte // of the group, at the end of each stage that is not a filter's own
		group := -1
		return func(user int, _ workload.Reader, t *tally) {
			member := user % twentyGroup
			reader := population.Reader(user - member)
			if user-member != group {
				group, common = user-member, common[:0]
				reader.IDs(ids, 0)
				history, from := []byte(nil), 0
				for i, end := range ends {
					history = s.Record(history, ids[from:end])
					if from = end; i >= twentyOwn {
						common = append(common, slices.Clone(history))
					}
				}
			}
			// All are of one order, so that no article is another's.
			reader.IDs(l.shown, last+member*own)
			reader.IDs(l.fresh, workload.Fresh+member*twentyFresh)
			history, from := []byte(nil), 0
			for i, end := range ends {
				if i < twentyOwn {
					history = s.Record(history, l.shown[from:end])
					t.Rates[i].Add(twentyFresh, l.Count(s, history, l.fresh))
					from = end
					continue
				}
				grown := common[i-twentyOwn]
				copy(grown, history[:ownBytes])
				t.Rates[i].Add(twentyFresh, l.Count(s, grown, l.fresh))
			}
		}
	}
	return p
}
