package paper

import (
	"testing"

	"dejavu/dual"
)

// Whatever the master holds at the change, the next slave begins when it reaches the threshold, and answers when it is
// full; then it holds the articles since: counted one by one.
func TestNextSlave(t *testing.T) {
	c := dual.Paper
	for master := c.Capacity - c.Threshold; master < c.Capacity; master++ {
		count, began := master, -1
		articles := 0
		for ; began < 0 || count < c.Capacity; articles++ {
			if count == c.Capacity {
				count = c.Capacity - c.Threshold
			}
			if count == c.Threshold {
				began = articles
			}
			count++
		}
		begins, answers := nextSlave(master)
		if begins != began || answers != articles || answers-begins != 200 {
			t.Errorf("from %d articles the slave begins after %d and answers after %d, want %d and %d",
				master, begins, answers, began, articles)
		}
	}
}
