package strategytest

import (
	"fmt"

	"dejavu/strategies"
)

// checkWindow follows one user article by article and asks, after every single one, for all that has to be
// remembered: a promise that is one article too long for one article's time is found. Where that would ask
// for more candidates than the effort allows, the two ends of the window are asked for after every article,
// and the whole of it every so often and around the boundaries.
func checkWindow(s Subject, e effort) error {
	shown := IDs(0x3d0, s.life())
	total := 0
	for read := range shown {
		total += s.Theory.Window(read)
	}
	every := 1 + total/e.asked
	whole := make(map[int]bool) // after which articles to ask for everything
	for _, at := range s.boundaries() {
		for read := at - 1; read <= at+1 && every > 1 && len(whole) < len(shown)/every; read++ {
			whole[read] = true
		}
	}

	var history []byte
	ages := make([]int, 0, len(shown))
	candidates := make([]strategies.ID, len(shown))
	seen := make([]bool, len(shown))
	for i := range shown {
		history = s.Strategy.Record(history, shown[i:i+1])
		read := i + 1
		ages = ages[:0]
		for age := 1; age <= read; age++ {
			if s.remembers(read, age) {
				ages = append(ages, age)
			}
		}
		const end = 16
		if read%every != 0 && !whole[read] && len(ages) > 2*end {
			ages = append(ages[:end], ages[len(ages)-end:]...)
		}
		for j, age := range ages {
			candidates[j], seen[j] = shown[read-age], false
		}
		s.Strategy.Seen(history, candidates[:len(ages)], seen[:len(ages)])
		for j, age := range ages {
			if !seen[j] {
				return forgot(read, age, s.Theory.Window(read))
			}
		}
	}
	if len(shown) > 0 && len(history) == 0 {
		return fmt.Errorf("the history is empty after %d articles", len(shown))
	}
	return nil
}
