package strategytest

import "dejavu/strategies"

// Ask returns which of the candidates a history remembers.
func Ask(s strategies.Strategy, history []byte, candidates []strategies.ID) []bool {
	seen := make([]bool, len(candidates))
	s.Seen(history, candidates, seen)
	return seen
}

// Count is how many of the candidates were seen.
func Count(seen []bool) (n int) {
	for _, s := range seen {
		if s {
			n++
		}
	}
	return n
}
