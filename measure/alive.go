package measure

import (
	"dejavu/store"
	"dejavu/strategies"
)

// Alive is a part of a population whose histories are alive at once. First is user 0 of the store.
type Alive struct {
	Store        *store.Store[int]
	First, Users int

	memory *touching
}

// Touching calls do, and has the strategy do nothing meanwhile but what no strategy can do without: Seen
// brings the history's memory, a byte of every cache line, and its answers mean nothing.
func (a Alive) Touching(do func()) {
	a.memory.only = true
	defer func() { a.memory.only = false }()
	do()
}

// touching is a strategy that can be told to do nothing but to bring the history's memory.
type touching struct {
	strategies.Strategy
	only bool
}

// Seen reads a byte of every cache line, and answers nothing, where only is set.
func (t *touching) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if !t.only {
		t.Strategy.Seen(history, candidates, seen)
		return
	}
	touched := byte(0)
	for at := 0; at < len(history); at += 64 {
		touched |= history[at]
	}
	if len(seen) > 0 {
		seen[0] = touched != 0
	}
}
