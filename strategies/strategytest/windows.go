package strategytest

import (
	"fmt"
	"testing"

	"dejavu/strategies"
)

// Windows checks what sized makes for windows of 100 to 10,000 articles, or of those given, at 2 %: random lives of
// two windows and a half are compared with the exact set, and the rate with theory. A structure's words and blocks are
// longer there than in a strategy's own configurations, and an index that is right in the first need not be in all.
// It takes four standard errors of 50 users, which a right strategy exceeds with a probability of 2e-4 a window.
func Windows[C any, S interface {
	strategies.Strategy
	strategies.Theory
}](t *testing.T, sized func(window int, fpr float64) (C, error), build func(testing.TB, C) S, windows ...int) {
	if windows == nil {
		windows = []int{100, 400, 2000, 10_000}
	}
	few := effort{lives: 2, users: 50, queries: 400}
	if testing.Short() || raceEnabled {
		few.lives = 1
	}
	for _, window := range windows {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			c, err := sized(window, 0.02)
			Must(t, err)
			s := build(t, c)
			subject := Subject{Strategy: s, Theory: s, Life: 2*window + window/2, Reads: []int{window}}
			for _, c := range []check{{"Life", checkLife}, {"FPR", checkFPR}} {
				if err := c.guarded(subject, few); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		})
	}
}
