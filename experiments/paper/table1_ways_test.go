package paper

import (
	"testing"

	"dejavu/results"
)

// A queue's time is named for what it is of, and the paper's way stands beside it where it was timed; no other's is.
func TestBothWays(t *testing.T) {
	took := func(strategy string, nanos float64) results.Row {
		return results.Row{Strategy: strategy, Unit: results.Nanoseconds, Value: results.Num(nanos)}
	}
	queue, decoded := took("queue", 600), took("queue-map", 7000)
	for want, rows := range map[string][]results.Row{
		"600 ns by a scan": {queue, {}},
		"600 ns by a scan, 7000 ns by the paper's hash table": {queue, decoded},
		"80 ns": {took("single", 80), decoded},
	} {
		if got := bothWays(rows...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
