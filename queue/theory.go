package queue

import "fmt"

// Bytes is the ring, in whole steps, and the header.
func (q *Queue) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return q.Sizes()[(min(read, q.window)-1)/step]
}

// FPR is the chance that an unseen article's digest is among those held: held/2^64.
func (q *Queue) FPR(read int) float64 { return float64(min(read, q.window)) / (1 << 64) }

// Window is the last Window articles, exactly.
func (q *Queue) Window(read int) int { return min(read, q.window) }

// Sized returns the configuration that guarantees a window, in articles. Its false
// positive rate is window/2^64 whatever the memory: an error where fpr is less.
func Sized(window int, fpr float64) (Config, error) {
	c := Config{Window: window}
	if !(fpr > 0 && fpr < 1) {
		return c, fmt.Errorf("queue: rate %v, want above 0 and below 1", fpr)
	}
	s, err := New(c)
	if err != nil {
		return c, err
	}
	if rate := s.FPR(window); rate > fpr {
		return c, fmt.Errorf("queue: its rate is %.3g whatever the memory, want at most %.3g", rate, fpr)
	}
	return c, nil
}
