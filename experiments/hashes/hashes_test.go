package hashes

import (
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/roomtest"
	"dejavu/measure"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// Ranges of filters, counted by any number of workers, add up to what the whole counts.
func TestFiltersAddUp(t *testing.T) {
	scope := engine.Scope{Users: 1, Seed: 9, Entries: catalogue.All()}
	run := engine.New(t.Context(), scope, engine.NewProgress(t.Output()))
	few := biases("few", filters, 1, []way{bySchemes[0], byDigests[1]})
	count := func(workers int, filters measure.Range) rates {
		run.Options.Workers = workers
		counted, err := few.Make(t.Context(), run, filters)
		if err != nil {
			t.Fatal(err)
		}
		return counted
	}
	whole := measure.Range{To: 100}
	want := count(1, whole)
	for _, n := range []int{1, 2, 7} {
		var sum rates
		for i := range n {
			measure.Sum(&sum, count(3, whole.Part(i, n)))
		}
		for i := range want {
			for j, rate := range want[i] {
				if sum[i][j] != rate || rate.Users != 100 || rate.Hits == 0 {
					t.Errorf("%d ranges count %+v, the whole %+v", n, sum[i][j], rate)
				}
			}
		}
	}
}
