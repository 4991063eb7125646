package remember_test

import (
	"slices"
	"testing"

	"dejavu/cluster/remember"
	"dejavu/experiments/catalogue"
)

// The names that a stream may be given are those of the experiments.
func TestRememberKnowsTheCatalogue(t *testing.T) {
	if got, want := remember.Names(), slices.Sorted(slices.Values(catalogue.Names())); !slices.Equal(got, want) {
		t.Errorf("Remember knows %q, the catalogue has %q", got, want)
	}
	for _, name := range catalogue.Names() {
		if remember.Must(name) == nil {
			t.Errorf("%s is nothing", name)
		}
	}
}
