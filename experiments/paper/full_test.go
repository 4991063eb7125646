package paper

import (
	"io"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A measurement of a part of a run's users is timed by the first shard alone.
func TestShards(t *testing.T) {
	for index, want := range []bool{true, false} {
		s := engine.Scope{
			Users: 60, Entries: catalogue.All()[1:2], Shard: results.Shard{Index: index, Of: 2},
		}
		r := engine.New(t.Context(), s, engine.NewProgress(io.Discard))
		found := strategytest.Value(full(s.Entries[0]).Measure(r))
		strategytest.Equal(t, len(found.Alive) == 1, want, "shard %d has times", index)
	}
}
