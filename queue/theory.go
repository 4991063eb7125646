package queue

// Bytes is the ring, in whole steps, and the header.
func (q *Queue) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return q.sizes[(min(read, q.window)-1)/step]
}

// FPR is the chance that a fresh article's digest is among those held: held/2^64.
func (q *Queue) FPR(read int) float64 { return float64(min(read, q.window)) / (1 << 64) }

// Window is the last Window articles, exactly.
func (q *Queue) Window(read int) int { return min(read, q.window) }
