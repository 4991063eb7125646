package advice

import (
	"slices"
	"testing"

	"dejavu/beyond/classes"
	"dejavu/beyond/scalable"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Migrating from a log gives the filter that was large from the start: it answers alike about shown and unseen
// articles, and nothing was missing on the way.
func TestMigrated(t *testing.T) {
	population := catalogue.Must(workload.NewFull(3, 20))
	found := strategytest.Value(moving().try(t.Context(), measure.Options{}, population, measure.Range{To: 20}))
	if asked, missed := found.Sums[1], found.Sums[2]; asked != 20*(10*500+10*11/2*50+1000) || missed != 0 {
		t.Errorf("%d of %d articles are not recognised", missed, asked)
	}
	if moved, ideal := found.Rates[3], found.Rates[2]; moved != ideal || moved.Hits == 0 {
		t.Errorf("%+v, of one made large from the first %+v", moved, ideal)
	}
}

// Filters recorded as a group equal filters recorded alone, and no article that one is asked for was shown to any.
func TestGrowthsTogether(t *testing.T) {
	scope := engine.Scope{Users: 1, Seed: 5}
	p := twentyGrowths()
	population := catalogue.Must(workload.NewFull(scope.Seed, p.users(scope)))
	const user, member = 13, 3
	got, err := p.try(t.Context(), measure.Options{Workers: 1}, population, measure.Range{From: user, To: user + 1})
	strategytest.Must(t, err)
	s, ends := catalogue.Must(scalable.New(twenty)), stageEnds(twenty, twenty.Stages)
	own, last := ends[twentyOwn-1], ends[len(ends)-1]
	leader := population.Reader(user - member)
	l, rest := newLife(last, twentyFresh), make([]strategies.ID, last)
	leader.IDs(rest, 0)
	leader.IDs(l.shown[:own], last+member*own)
	copy(l.shown[own:], rest[own:])
	leader.IDs(l.fresh, workload.Fresh+member*twentyFresh)
	shown := map[strategies.ID]bool{}
	for _, id := range l.shown {
		shown[id] = true
	}
	if len(shown) != last || slices.ContainsFunc(l.fresh, func(id strategies.ID) bool { return shown[id] }) {
		t.Errorf("of %d articles %d differ, or one that is asked for was shown", last, len(shown))
	}
	history, from := []byte(nil), 0
	for i, end := range ends {
		history = s.Record(history, l.shown[from:end])
		if hits := int64(l.Count(s, history, l.fresh)); got.Rates[i].Hits != hits || got.Rates[i].Queries != twentyFresh {
			t.Errorf("stage %d: %d of %d, alone %d", i, got.Rates[i].Hits, got.Rates[i].Queries, hits)
		}
		from = end
	}
	if got.Rates[len(ends)-1].Hits == 0 {
		t.Error("not one false positive: the test shows nothing")
	}
}

// Sizes that follow a user end in the class that fits what was read, and for who reads more than any class is for in
// the last: what that would have recorded from the first.
func TestRemake(t *testing.T) {
	sorted := catalogue.Must(classes.New(classes.Ladder))
	l := newLife(1000, 0)
	l.begin(catalogue.Must(workload.NewFull(1, 1)), 0)
	for _, articles := range []int{1, 31, 32, 62, 500, 501, 1000} {
		shown := l.shown[:articles]
		got, want := remake(sorted, nil, shown), sorted.Class(sorted.Of(articles)).Record(nil, shown)
		strategytest.EqualSlices(t, got, want, "after %d articles: %d bytes", articles, len(got))
	}
}
