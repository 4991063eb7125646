package measure

import (
	"context"
	"testing"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/store"
)

func TestHotAndColdReport(t *testing.T) {
	if testing.Short() {
		t.Skip("times two strategies for a second")
	}
	two := subjects(t)[1:3]
	hot, err := Hot(context.Background(), two, 500, Sizes, 1)
	if err != nil {
		t.Fatal(err)
	}
	histories, err := store.New(store.Config{Strategy: two[0].Strategy, Users: 100})
	if err != nil {
		t.Fatal(err)
	}
	memory := &touching{Strategy: two[0].Strategy}
	cold, err := MeasureCold(context.Background(), Alive{Store: histories, Users: 100, memory: memory}, 1)
	if err != nil || memory.only {
		t.Fatal(err, memory.only)
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
	if cold.Warm.Candidates != Sizes[0] || len(cold.Floor().Rounds) != hotRounds {
		t.Errorf("warm requests of %d candidates, %d turns of the floor", cold.Warm.Candidates, len(cold.Floor().Rounds))
	}
	for _, latencies := range [][]Latency{hot[0], hot[1], cold.Each, cold.Together} {
		for i, l := range latencies {
			low, high, ok := l.Between()
			if !ok || l.Candidates != Sizes[i] || !(0 < l.P50 && l.P50 <= l.P99 && l.P99 <= l.P999) || low > high || low <= 0 || len(l.Rounds) != hotRounds {
				t.Errorf("latency of %d candidates: %+v", Sizes[i], l)
			}
		}
	}
}

func TestBetweenWantsEnoughTurns(t *testing.T) {
	rounds := []float64{6, 1, 5, 2, 4, 3, 9, 7, 8}
	if low, high, ok := (Latency{Rounds: rounds}).Between(); ok {
		t.Errorf("interval of nine rounds is %v to %v, want none", low, high)
	}
	if low, high, ok := (Latency{Rounds: append(rounds, 10)}).Between(); !ok || low != 2 || high != 9 {
		t.Errorf("interval of 1..10 is %v to %v, %v, want 2 to 9", low, high, ok)
	}
}

func TestSchemeIsTheSameForAnyWorkers(t *testing.T) {
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	one, err := Scheme(context.Background(), Options{Workers: 1}, schemes.All[0], g, 100, 50, Range{0, 300}, 9)
	if err != nil {
		t.Fatal(err)
	}
	three, err := Scheme(context.Background(), Options{Workers: 3}, schemes.All[0], g, 100, 50, Range{0, 300}, 9)
	if err != nil {
		t.Fatal(err)
	}
	if one != three || one.Users != 300 || one.Hits == 0 {
		t.Errorf("one worker counts %+v, three %+v", one, three)
	}
	if _, err := Scheme(context.Background(), Options{}, schemes.All[0], bloom.Geometry{}, 1, 1, Range{0, 1}, 1); err == nil {
		t.Error("an empty geometry is accepted")
	}
}

func TestMemoryIsKnown(t *testing.T) {
	if r := Resident(); r < 1<<20 {
		t.Errorf("resident memory is %d bytes", r)
	}
	if a := Available(); a < 1<<20 {
		t.Errorf("available memory is %d bytes", a)
	}
}
