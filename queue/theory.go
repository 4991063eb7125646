package queue

import (
	"fmt"

	"dejavu/strategies"
)

// Bytes is the ring, in whole steps, and the header.
func (q *Queue) Bytes(read int) int { return q.SizeAt(read, (min(read, q.window)-1)/step) }

// collision is the chance that an unseen article's digest is one given other.
const collision = 1. / (1 << 64)

// FPR is the chance that an unseen article's digest is among those held.
func (q *Queue) FPR(read int) float64 { return float64(min(read, q.window)) * collision }

// Window is the last Window articles, exactly.
func (q *Queue) Window(read int) int { return min(read, q.window) }

// Sized returns the configuration that guarantees a window, in articles. Its false
// positive rate is window/2^64 whatever the memory: an error where fpr is less.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("queue", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	if rate := float64(window) * collision; rate > fpr {
		return Config{}, fmt.Errorf("queue: its rate is %.3g whatever the memory, want at most %.3g", rate, fpr)
	}
	return Config{Window: window}, nil
}
