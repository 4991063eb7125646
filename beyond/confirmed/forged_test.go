package confirmed_test

import (
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
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
