package proposals

import (
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/roomtest"
	"dejavu/measure"
	"dejavu/workload"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// What has migrated from a log is a filter made large from the first: it answers alike, about what was shown
// and what was not, and nothing was missing on the way.
func TestMigrated(t *testing.T) {
	population := catalogue.Must(workload.NewFull(3, 20))
	found, err := moving().try(t.Context(), measure.Options{}, population, measure.Range{To: 20})
	if err != nil {
		t.Fatal(err)
	}
	if asked, missed := found.Sums[1], found.Sums[2]; asked != 20*(10*500+10*11/2*50+1000) || missed != 0 {
		t.Errorf("%d of %d articles are not recognised", missed, asked)
	}
	if moved, ideal := found.Rates[5], found.Rates[4]; moved != ideal || moved.Hits == 0 {
		t.Errorf("%+v, of one made large from the first %+v", moved, ideal)
	}
}

// Trials count the same for any number of workers and any split of the users.
func TestTrials(t *testing.T) {
	population := catalogue.Must(workload.NewFull(1, 100))
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
