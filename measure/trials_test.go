package measure

import (
	"context"
	"testing"

	"dejavu/strategies"
	"dejavu/workload"
)

// Trials count the same for any number of workers and any split of the readers,
// and an Asker counts what a strategy says.
func TestTrials(t *testing.T) {
	population, err := workload.NewFull(1, 100)
	if err != nil {
		t.Fatal(err)
	}
	single := subjects(t)[1]
	run := func(workers int, readers Range) Tally {
		tally, err := Trials(context.Background(), Options{Workers: workers}, population, readers, 1, 1, func() Trial {
			ids, asker := make([]strategies.ID, 600), Asker{}
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
	whole := run(3, Range{0, 100})
	parts := run(1, Range{0, 33})
	parts.Add(run(2, Range{33, 100}))
	if whole.Rates[0] != parts.Rates[0] || whole.Sums[0] != parts.Sums[0] || whole.Readers != parts.Readers {
		t.Errorf("whole %+v, in parts %+v", whole, parts)
	}
	if whole.Readers != 100 || whole.Sums[0] != 100*500 {
		t.Errorf("%d readers recognise %d articles, want 100 and 50000", whole.Readers, whole.Sums[0])
	}
	// 10000 queries at 2.03 %, give or take four and a half standard errors: one
	// seed in 100 000.
	if v := whole.Rates[0].Value(); v < 0.014 || v > 0.0267 {
		t.Errorf("rate %v, want about 0.0203", v)
	}
}
