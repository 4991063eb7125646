package apbf

import "dejavu/internal/mix"

// Position is where the slice at a place of the ring keeps an ID.
func Position(f *Filter, id uint64, place int) int { return f.position(mix.Mix(id), place%f.rows) }

// Holds is the query that skips, whatever the arrangement.
func Holds(f *Filter, history []byte, id uint64) bool {
	return f.holds(history, f.load(history), mix.Mix(id))
}

// Consecutive is the recursion of FPR.
func Consecutive(chances []float64, k int) float64 { return consecutive(chances, k) }
