package proposals

import (
	"testing"

	"dejavu/measure"
	"dejavu/workload"
)

// What has migrated from a log is a filter made large from the first: it answers alike, about what was shown
// and what was not, and nothing was missing on the way.
func TestMigrated(t *testing.T) {
	population, err := workload.NewFull(3, 20)
	if err != nil {
		t.Fatal(err)
	}
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
