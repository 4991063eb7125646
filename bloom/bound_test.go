package bloom

import (
	"math"
	"testing"
)

// By hand: at 2 % an article takes log2 50 = 5.644 bits and, with slack as large as
// the window, log2 5.644 = 2.497 more; with a slack of one, log2 400 = 8.644 more.
func TestWindowBound(t *testing.T) {
	for _, c := range []struct {
		slack int
		want  float64
	}{{400, 400 * 8.1404}, {100, 400 * 8.1404}, {1, 400 * 14.2877}} {
		if got := WindowBound(400, c.slack, 0.02); math.Abs(got/c.want-1) > 1e-4 {
			t.Errorf("400 articles, slack %d: %v bits, want %v", c.slack, got, c.want)
		}
	}
	if got := WindowBound(1000, 1000, 0.5); got != 1000 {
		t.Errorf("at a rate of a half: %v bits, want one an article", got)
	}
}
