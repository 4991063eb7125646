package strategytest

import (
	"errors"
	"testing"

	"dejavu/strategies"
)

// Fuzz is the body of a fuzz test. Arbitrary bytes come back as a history: if
// Validate accepts them, Seen and Record must not panic and what Record returns
// must pass Validate again.
//
//	func FuzzStrategy(f *testing.F) { strategytest.Fuzz(f, s) }
func Fuzz(f *testing.F, s strategies.Strategy) {
	const most = 2000 // articles shown to one history
	shown := IDs(0xf022, most)
	f.Add([]byte(nil), uint16(1))
	for _, read := range []int{1, 99, 100, 101, 300, 499, 500, 501, 1234} {
		history := s.Record(nil, shown[:read])
		f.Add(history, uint16(0))
		f.Add(history, uint16(1))
		f.Add(history, uint16(600))
		f.Add(history[:len(history)-1], uint16(1))
	}
	for _, size := range s.Sizes() {
		f.Add(make([]byte, size), uint16(1))
	}
	f.Fuzz(func(t *testing.T, history []byte, n uint16) {
		if err := tolerates(s, history, int(n)%most); err != nil && !errors.Is(err, errRejected) {
			t.Error(err)
		}
	})
}
