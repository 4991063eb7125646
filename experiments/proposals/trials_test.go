package proposals

import (
	"testing"

	"dejavu/measure"
	"dejavu/workload"
)

// Trials count the same for any number of workers and any split of the users.
func TestTrials(t *testing.T) {
	population, err := workload.NewFull(1, 100)
	if err != nil {
		t.Fatal(err)
	}
	p := secondCheck()
	run := func(workers int, users measure.Range) tally {
		counted, err := p.try(t.Context(), measure.Options{Workers: workers}, population, users)
		if err != nil {
			t.Fatal(err)
		}
		return counted
	}
	whole := run(3, measure.Range{To: 100})
	parts := run(1, measure.Range{To: 33})
	measure.Sum(&parts, run(2, measure.Range{From: 33, To: 100}))
	if whole.Rates[0] != parts.Rates[0] || whole.Sums[0] != parts.Sums[0] || whole.Users != parts.Users {
		t.Errorf("whole %+v, in parts %+v", whole, parts)
	}
	// 20000 queries at 2.03 %, give or take six standard errors.
	if v := whole.Rates[0].Value(); whole.Users != 100 || v < 0.014 || v > 0.0267 {
		t.Errorf("%d users, rate %v, want 100 and about 0.0203", whole.Users, v)
	}
}
