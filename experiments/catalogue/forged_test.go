package catalogue_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/internal/kernel/kerneltest"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// TestForgedHistories tries every strategy of the catalogue, as it is measured and in sizes drawn at random, with
// forged histories of every length of Sizes. They lie between pages that must not be touched. Nothing panics or reads
// or writes beyond a history; Seen changes nothing; Record and Delete return a length of Sizes. With the checks of
// pointers:
//
//	DRAW=1000000x go test -gcflags=all=-d=checkptr -run Forged ./experiments/catalogue
func TestForgedHistories(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const rounds = 20 // each of all strategies
	entries := catalogue.All()
	tries, _ := kerneltest.Effort(t, 40_000)
	tries = tries / rounds / len(entries)
	memory := strategytest.Guarded(t, 1<<18)
	for i := range rounds {
		for j, e := range entries {
			r := strategytest.Random{Rand: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
			s, about := strategytest.Value(e.Make()), e.Name
			if window, fpr := r.Log(1, 300), r.Rate(); i > 0 && e.Sized != nil {
				drawn, err := e.Sized(window, fpr)
				if err != nil || slices.Max(drawn.Sizes()) > len(memory)-64 {
					continue
				}
				s, about = drawn, fmt.Sprintf("%s for %d articles at %v", e.Name, window, fpr)
			}
			forge(t, about, s, memory, max(tries, len(s.Sizes())), r.Rand)
		}
	}
}

// forge tries a strategy with forged histories, at both ends of memory and before the end with room to grow.
func forge(t *testing.T, name string, s strategies.Strategy, memory []byte, tries int, r *rand.Rand) {
	t.Helper()
	sizes := s.Sizes()
	another := bytes.Repeat([]byte{0xa5}, 64) // bytes of another user's history, before the forged one
	for i := range tries {
		size := sizes[r.IntN(len(sizes))]
		if i < len(sizes) {
			size = sizes[i]
		}
		start, end := len(memory)-size, len(memory)
		switch r.IntN(4) {
		case 0:
			start = len(memory) - slices.Max(sizes)
		case 1:
			start, end = 0, size
		}
		before := memory[max(0, start-len(another)):start]
		copy(before, another)
		history := memory[start : start+size : end]
		scrawl(s, history, r)
		forged := bytes.Clone(history)
		if err := use(s, history, r); err != nil {
			t.Fatalf("%s, try %d, of %x: %v", name, i, forged, err)
		}
		if !bytes.Equal(before, another[:len(before)]) {
			t.Fatalf("%s, try %d, of %x: the history before it is changed", name, i, forged)
		}
	}
}

// scrawl fills a history with random bytes, or gives a recorded one another header.
func scrawl(s strategies.Strategy, history []byte, r *rand.Rand) {
	clear(history)
	switch r.IntN(4) {
	case 0:
		for i := range history {
			history[i] = byte(r.Uint32())
		}
	case 1:
		copy(history, bytes.Repeat([]byte{0xff}, len(history)))
	case 2:
		copy(history, s.Record(nil, strategytest.IDs(r.Uint64(), 1+r.IntN(400))))
	}
	for range r.IntN(12) { // the header is at the end, or at the beginning
		at := r.IntN(min(8, len(history)))
		if r.IntN(2) == 0 {
			at = len(history) - 1 - at
		}
		history[at] = byte(r.Uint32()) >> r.IntN(8)
	}
}

// use calls every method on a history, whether Validate accepts it or not.
func use(s strategies.Strategy, history []byte, r *rand.Rand) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v\n%s", fault, debug.Stack())
		}
	}()
	forged, ids := bytes.Clone(history), strategytest.IDs(r.Uint64(), 50)
	_ = s.Validate(history)
	if f, ok := s.(interface{ Fill([]byte) (int, int) }); ok {
		f.Fill(history)
	}
	if dated, ok := s.(strategies.Dated); ok && r.IntN(2) == 0 {
		s = dated.On(r.IntN(1 << r.IntN(17)))
	}
	s.Seen(history, ids, make([]bool, len(ids)))
	if !bytes.Equal(history, forged) {
		return fmt.Errorf("Seen changes it to %x", history)
	}
	for range 1 + r.IntN(3) {
		if d, ok := s.(strategies.Deleter); ok && r.IntN(2) == 0 {
			history = d.Delete(history, ids[:r.IntN(10)])
		} else {
			history = s.Record(history, strategytest.IDs(r.Uint64(), 1+r.IntN(12)+r.IntN(500)*(r.IntN(8)/7)))
		}
		if _, ok := slices.BinarySearch(s.Sizes(), len(history)); !ok && len(history) != 0 {
			return fmt.Errorf("it becomes %d bytes long, want one of %d", len(history), s.Sizes())
		}
	}
	return nil
}
