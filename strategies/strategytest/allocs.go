package strategytest

import (
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies"
)

// checkAllocations counts: Seen allocates nothing, Record nothing where the capacity suffices, and once at
// most where the history has to grow, or of a nested one twice.
func checkAllocations(s Subject, _ effort) error {
	shown := IDs(0xa110c, s.life())
	full := slices.Max(s.Strategy.Sizes())
	buffer := make([]byte, 0, full)
	candidates := slices.Concat(IDs(0xa110d, 20), shown[:min(20, len(shown))])
	seen := make([]bool, len(candidates))
	most := 1.
	if s.Nested {
		most = 2
	}

	if n := allocations(func() {
		h := buffer
		for i := range shown {
			h = s.Strategy.Record(h, shown[i:i+1])
		}
	}); n > 0 {
		return fmt.Errorf("recording %d single articles allocates %.0f times with room for the longest history", len(shown),
			n)
	}
	if n := allocations(func() { s.Strategy.Record(buffer, shown) }); n > 0 {
		return fmt.Errorf("recording %d articles in one request allocates %.0f times with room for the longest history",
			len(shown), n)
	}

	if deleter, ok := s.Strategy.(strategies.Deleter); ok {
		h := s.Strategy.Record(buffer, shown)
		if n := allocations(func() {
			h = s.Strategy.Record(deleter.Delete(h, shown[len(shown)/2:]), shown[len(shown)/2:])
		}); n > 0 {
			return fmt.Errorf("deleting and recording %d articles allocates %.0f times", len(shown)/2, n)
		}
	}

	var history []byte
	old := make([]byte, full)
	for i := range shown {
		length := copy(old, history)
		history = s.Strategy.Record(history, shown[i:i+1])
		grows := len(history) > length
		// The race detector makes two allocations of slices.Grow's one.
		if grows && !raceEnabled {
			if n := allocations(func() {
				// A copy each time: Record may write to what it is given.
				s.Strategy.Record(append(buffer, old[:length]...)[:length:length], shown[i:i+1])
			}); n > most {
				return fmt.Errorf("growing from %d to %d bytes allocates %.0f times, want %.0f at most", length, len(history), n,
					most)
			}
		}
		if !s.Allocates && (grows || i%(1+len(shown)/50) == 0) {
			if n := allocations(func() { s.Strategy.Seen(history, candidates, seen) }); n > 0 {
				return fmt.Errorf("asking for %d candidates allocates %.0f times after %d articles (or set Subject.Allocates)",
					len(candidates), n, i+1)
			}
		}
	}
	return nil
}

// allocations counts the heap allocations of one call of f. The runtime counts
// those of the whole process, so that the least of a few counts is f's own.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(2, f)
	for range 3 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(2, f))
	}
	return least
}
