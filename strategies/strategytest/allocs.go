package strategytest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies"
)

// checkAllocations counts: Seen allocates nothing, and Record only once, or twice if nested, where a history has no
// room to grow.
func checkAllocations(s Subject, _ effort) error {
	if raceEnabled {
		return nil // the race detector takes from pools, such as some strategies have
	}
	shown := IDs(0xa110c, s.life())
	full := slices.Max(s.Strategy.Sizes())
	buffer := make([]byte, 0, full)
	candidates := slices.Concat(IDs(0xa110d, 20), shown[:min(20, len(shown))])
	seen := make([]bool, len(candidates))
	most := 1.
	if s.Nested {
		most = 2
	}

	limit := func(most float64, f func(), what string, args ...any) error {
		if n := allocations(f); n > most {
			return fmt.Errorf(what+" allocates %.0f times, want %.0f at most", append(args, n, most)...)
		}
		return nil
	}
	err := cmp.Or(limit(0, func() {
		h := buffer
		for i := range shown {
			h = s.Strategy.Record(h, shown[i:i+1])
		}
	}, "recording %d single articles with room for the longest history", len(shown)),
		limit(0, func() { s.Strategy.Record(buffer, shown) },
			"recording %d articles in one request with room for the longest history", len(shown)))
	if deleter, ok := s.Strategy.(strategies.Deleter); ok && err == nil {
		h, half := s.Strategy.Record(buffer, shown), shown[len(shown)/2:]
		err = limit(0, func() { h = s.Strategy.Record(deleter.Delete(h, half), half) },
			"deleting and recording %d articles", len(half))
	}

	var history []byte
	old := make([]byte, full)
	for i := 0; i < len(shown) && err == nil; i++ {
		length := copy(old, history)
		history = s.Strategy.Record(history, shown[i:i+1])
		grows := len(history) > length
		// The race detector makes two allocations of slices.Grow's one.
		if grows && !raceEnabled {
			err = limit(most, func() {
				// A copy each time: Record may write to what it is given.
				s.Strategy.Record(append(buffer, old[:length]...)[:length:length], shown[i:i+1])
			}, "growing from %d to %d bytes", length, len(history))
		}
		if !s.Allocates && (grows || i%(1+len(shown)/50) == 0) {
			err = cmp.Or(err, limit(0, func() { s.Strategy.Seen(history, candidates, seen) },
				"asking for %d candidates after %d articles (or set Subject.Allocates)", len(candidates), i+1))
		}
	}
	return err
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
