package alive

import (
	"context"
	"testing"

	"dejavu/measure"
)

func TestColdReports(t *testing.T) {
	if testing.Short() {
		t.Skip("times a strategy for half a second")
	}
	cold, err := TimeCold(context.Background(), part(t, chainOf(t), 100), 1)
	if err != nil {
		t.Fatal(err)
	}
	// How long it takes beside a request is the machine's to say, and a busy one's
	// says little.
	if cold.Touch.P50 <= 0 {
		t.Errorf("touching takes %v ns", cold.Touch.P50)
	}
	// The floor is the larger of the two, turn by turn.
	for i, floor := range cold.Floor().Rounds {
		if touch, warm := cold.Touch.Rounds[i], cold.Warm.Rounds[i]; warm <= 0 || floor != touch && floor != warm || floor < touch || floor < warm {
			t.Errorf("turn %d: floor %v of touching %v and a warm request %v", i, floor, touch, warm)
		}
	}
	if cold.Warm.Candidates != measure.Sizes[0] || len(cold.Floor().Rounds) != measure.Rounds {
		t.Errorf("warm requests of %d candidates, %d turns of the floor", cold.Warm.Candidates, len(cold.Floor().Rounds))
	}
	for _, latencies := range [][]measure.Latency{cold.Each, cold.Together} {
		for i, l := range latencies {
			low, high, ok := l.Between()
			if !ok || l.Candidates != measure.Sizes[i] || !(0 < l.P50 && l.P50 <= l.P99 && l.P99 <= l.P999) || low > high || low <= 0 || len(l.Rounds) != measure.Rounds {
				t.Errorf("latency of %d candidates: %+v", measure.Sizes[i], l)
			}
		}
	}
}
