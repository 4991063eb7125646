package strategytest

import (
	"fmt"
	"slices"
)

// checkGrowth takes every step at which the history changes its length, and every boundary, in memory with no
// room to spare, with just enough, and with room for the longest history, the spare bytes filled with marks:
// what Record makes of it must not depend on where it lies or on what was there before. At the end the whole
// life in one request has to come to the same.
func checkGrowth(s Subject, _ effort) error {
	shown := IDs(0x920, s.life())
	full := slices.Max(s.Strategy.Sizes())
	boundaries := s.boundaries()
	var history, before []byte
	longest := 0
	for i := range shown {
		before = append(before[:0], history...)
		history = s.Strategy.Record(history, shown[i:i+1])
		longest = max(longest, len(history))
		if _, ok := slices.BinarySearch(boundaries, i+1); !ok && len(history) == len(before) {
			continue
		}
		for _, capacity := range []int{len(before), len(history), full} {
			given := placed(before, i%8, max(0, capacity-len(before)))
			got := s.Strategy.Record(given.history, shown[i:i+1])
			if err := difference(got, history); err != nil {
				return fmt.Errorf("article %d with capacity %d grows another history than it does elsewhere: %w", i+1, capacity,
					err)
			}
			if err := given.check(got, max(len(before), len(history))); err != nil {
				return fmt.Errorf("article %d: %w", i+1, err)
			}
		}
	}
	for _, capacity := range []int{0, full} {
		given := placed(nil, 0, capacity)
		got := s.Strategy.Record(given.history, shown)
		if err := difference(got, history); err != nil {
			return fmt.Errorf("%d articles in one request, capacity %d, make another history than one by one: %w", len(shown),
				capacity, err)
		}
		if err := given.check(got, longest); err != nil {
			return fmt.Errorf("%d articles in one request: %w", len(shown), err)
		}
	}
	return nil
}
