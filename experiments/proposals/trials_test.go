package proposals

import (
	"context"
	"testing"

	"dejavu/experiments/catalogue/cataloguetest"
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// Trials count the same for any number of workers and any split of the users,
// and an measure.Asker counts what a strategy says.
func TestTrials(t *testing.T) {
	population, err := workload.NewFull(1, 100)
	if err != nil {
		t.Fatal(err)
	}
	single := cataloguetest.Find(t, "single")
	run := func(workers int, users measure.Range) Tally {
		tally, err := Trials(context.Background(), measure.Options{Workers: workers}, population, users, 1, 1, func() Trial {
			ids, asker := make([]strategies.ID, 600), measure.Asker{}
			return func(user int, reader workload.Reader, t *Tally) {
				reader.IDs(ids, 0)
				history := single.Strategy.Record(nil, ids[:500])
				t.Rates[0].Add(100, asker.Count(single.Strategy, history, ids[500:]))
				t.Sums[0] += int64(asker.Count(single.Strategy, history, ids[:500]))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return tally
	}
	whole := run(3, measure.Range{To: 100})
	parts := run(1, measure.Range{To: 33})
	measure.Sum(&parts, run(2, measure.Range{From: 33, To: 100}))
	if whole.Rates[0] != parts.Rates[0] || whole.Sums[0] != parts.Sums[0] || whole.Users != parts.Users {
		t.Errorf("whole %+v, in parts %+v", whole, parts)
	}
	if whole.Users != 100 || whole.Sums[0] != 100*500 {
		t.Errorf("%d users recognise %d articles, want 100 and 50000", whole.Users, whole.Sums[0])
	}
	// 10000 queries at 2.03 %, give or take four and a half standard errors: one
	// seed in 100 000.
	if v := whole.Rates[0].Value(); v < 0.014 || v > 0.0267 {
		t.Errorf("rate %v, want about 0.0203", v)
	}
}
