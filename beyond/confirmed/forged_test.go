package confirmed_test

import (
	"slices"
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/single"
	"dejavu/strategies/strategytest"
)

// A slot can be as long as an inner history: what is all slots has none.
func TestValidateWithoutInner(t *testing.T) {
	// 4 slots by steps of 1, and a filter as long as a slot.
	c := single.Config{Capacity: 9, Geometry: bloom.Geometry{Bits: 64, Hashes: 2}}
	s := build(t, must[*single.Filter](t)(single.New(c)), 4, confirmed.Beside)
	history := s.Record(nil, strategytest.IDs(4, 2))
	strategytest.Must(t, s.Validate(history))
	history[0], history[2] = 3, 3 // the filter's eight bytes are the third ID
	strategytest.ErrorSays(t, "it", s.Validate(history), "no inner history behind a list of 3")
}

// A history that Validate would not pass remembers nothing, and is begun anew: here with
// headers that fit no list, and a list in front of an inner history of no length.
func TestForged(t *testing.T) {
	s, ids := build(t, inChain(t, chain.Paper), 100, confirmed.Beside), strategytest.IDs(4, 40)
	want := s.Record(nil, ids[30:])
	for name, damage := range map[string]func(h []byte){
		"no articles":     func(h []byte) { h[0] = 0 },
		"too many":        func(h []byte) { h[0] = 101 },
		"a longer list":   func(h []byte) { h[0], h[2] = 51, 51 },
		"another list":    func(h []byte) { h[0], h[2] = 25, 25 },
		"behind the last": func(h []byte) { h[2] = 100 },
	} {
		history := s.Record(nil, ids[:30])
		damage(history)
		seen := make([]bool, 30)
		seen[7] = true
		if s.Seen(history, ids[:30], seen); slices.Contains(seen, true) {
			t.Errorf("%s: an article is remembered", name)
		}
		if got := s.Record(history, ids[30:]); !slices.Equal(got, want) {
			t.Errorf("%s: recorded %x, want %x", name, got, want)
		}
	}
}
