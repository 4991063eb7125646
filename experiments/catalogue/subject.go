package catalogue

import (
	"fmt"
	"sync"

	"dejavu/measure"
	"dejavu/strategies"
)

// Subject constructs the entry's strategy for measuring. Its theory computes a rate once, however often that
// is asked for, from any goroutine: several experiments ask for the same ones, and some take a millisecond.
// The error names the entry.
func (e Entry) Subject() (measure.Subject, error) {
	made, err := e.Make()
	if err != nil {
		return measure.Subject{}, fmt.Errorf("strategy %s: %w", e.Name, err)
	}
	theory := &remembering{Theory: made, fpr: map[int]float64{}, set: e.Set}
	return measure.Subject{Name: e.Name, Strategy: made, Theory: theory}, nil
}

// A remembering theory keeps the rates that it was asked for.
type remembering struct {
	strategies.Theory
	mu  sync.Mutex
	fpr map[int]float64
	set bool
}

// KeepsSet is the entry's Set (measure.SetKeeper).
func (r *remembering) KeepsSet() bool { return r.set }

// FPR is the theory's.
func (r *remembering) FPR(read int) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	rate, ok := r.fpr[read]
	if !ok {
		rate = r.Theory.FPR(read)
		r.fpr[read] = rate
	}
	return rate
}
