package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"dejavu/strategies"
)

// checkSizes holds Sizes against its contract: ascending, positive, and one list that every call returns.
func checkSizes(s Subject, _ effort) error {
	sizes := s.Strategy.Sizes()
	if len(sizes) == 0 {
		return errors.New("no Sizes: no history could ever be recorded")
	}
	last := 0
	for _, size := range sizes {
		if size <= last {
			return fmt.Errorf("the list of Sizes is not ascending: %d follows %d", size, last)
		}
		last = size
	}
	before := slices.Clone(sizes)
	live(s)
	again := s.Strategy.Sizes()
	if !slices.Equal(again, before) || !slices.Equal(sizes, before) {
		return errors.New("the list of Sizes changed over a life")
	}
	if unsafe.SliceData(again) != unsafe.SliceData(sizes) {
		return errors.New("every call of Sizes makes a new list: keep one")
	}
	return nil
}

// live records one whole life in one call.
func live(s Subject) []byte { return s.Strategy.Record(nil, IDs(1, s.life())) }

// checkTheory holds the predictions to what they can possibly be; others say whether they are true.
func checkTheory(s Subject, _ effort) error {
	const rates = 100 // a rate may be costly to compute
	life := s.life()
	for read := range life + 1 {
		length := s.Theory.Bytes(read)
		if read == 0 && length != 0 {
			return fmt.Errorf("Theory.Bytes(0) is %d: a newcomer's history is empty", length)
		}
		if read > 0 && !slices.Contains(s.Strategy.Sizes(), length) {
			return fmt.Errorf("Theory.Bytes(%d) is %d, which is not one of Sizes", read, length)
		}
		if window := s.Theory.Window(read); window < 0 || window > read {
			return fmt.Errorf("Theory.Window(%d) is %d, want 0 to %d", read, window, read)
		}
		if read%(1+life/rates) == 0 {
			rate := s.Theory.FPR(read)
			if math.IsNaN(rate) || rate < 0 || rate > 1 {
				return fmt.Errorf("Theory.FPR(%d) is %v, want a probability", read, rate)
			}
			if read == 0 && rate != 0 {
				return fmt.Errorf("Theory.FPR(0) is %v: an empty history reports nothing as seen", rate)
			}
		}
	}
	return nil
}

// checkNewcomer covers what needs no model: an empty history, and requests that show nothing.
func checkNewcomer(s Subject, _ effort) error {
	candidates := append(IDs(2, 100), peculiar...)
	spare := bytes.Repeat([]byte{0xff}, slices.Max(s.Strategy.Sizes()))
	for _, newcomer := range [][]byte{nil, {}, spare[:0]} {
		seen := slices.Repeat([]bool{true}, len(candidates)) // as the request before may have left it
		s.Strategy.Seen(newcomer, candidates, seen)
		if i := slices.Index(seen, true); i >= 0 {
			return fmt.Errorf("an empty history remembers candidate %d, ID %#x", i, candidates[i])
		}
		s.Strategy.Seen(newcomer, nil, nil)
		for _, nothing := range [][]strategies.ID{nil, {}} {
			if h := s.Strategy.Record(newcomer, nothing); len(h) != 0 {
				return fmt.Errorf("a newcomer who is shown no articles gets a history of %d bytes", len(h))
			}
		}
	}

	// Two users' histories must not share memory, nor with the strategy.
	shown := IDs(3, 10)
	first := s.Strategy.Record(nil, shown)
	second := s.Strategy.Record(nil, shown)
	want := bytes.Clone(second)
	if !bytes.Equal(first, second) {
		return errors.New("two newcomers who are shown the same articles get different histories")
	}
	for i := range first {
		first[i] ^= 0xff
	}
	if !bytes.Equal(second, want) {
		return errors.New("the histories of two users share memory")
	}
	if third := s.Strategy.Record(nil, shown); !bytes.Equal(third, want) {
		return errors.New("overwriting one user's history changes what the next newcomer gets")
	}
	return nil
}
