package stopwatch

import (
	"math/rand/v2"

	"dejavu/strategies"
)

// Nothing remembers nothing: the strategy whose time is the harness's own.
type Nothing struct{}

// Seen takes every candidate for fresh.
func (Nothing) Seen(_ []byte, _ []strategies.ID, seen []bool) { clear(seen) }

// Record keeps nothing.
func (Nothing) Record(history []byte, _ []strategies.ID) []byte { return history }

// Sizes is none, but a store wants one.
func (Nothing) Sizes() []int { return nothingSizes }

var nothingSizes = []int{1}

// Validate accepts anything.
func (Nothing) Validate([]byte) error { return nil }

// Bytes, FPR and Window are 0.
func (Nothing) Bytes(int) int   { return 0 }
func (Nothing) FPR(int) float64 { return 0 }
func (Nothing) Window(int) int  { return 0 }

// A Floor does of a filter's query nothing but its loads: six probes to places known beforehand, in a history
// of the paper's size. No filter of six hashes that reads its bits one by one answers sooner; one that
// gathers several at once (bloom.Vectors) may.
type Floor struct {
	Nothing
	places [][floorProbes]uint16
}

const (
	floorProbes = 6
	floorBytes  = 512
)

// NewFloor returns a floor with places of its own for so many candidates.
func NewFloor(candidates int, seed uint64) *Floor {
	f := &Floor{places: make([][floorProbes]uint16, candidates)}
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range f.places {
		for j := range f.places[i] {
			f.places[i][j] = uint16(r.IntN(floorBytes))
		}
	}
	return f
}

// Record returns a history of the paper's size.
func (f *Floor) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	return make([]byte, floorBytes)
}

// Seen loads six bytes for each candidate; the answer means nothing.
func (f *Floor) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	h := (*[floorBytes]byte)(history)
	places := f.places[:len(candidates)]
	seen = seen[:len(places)]
	for i := range places {
		p := &places[i]
		found := h[p[0]%floorBytes] & h[p[1]%floorBytes] & h[p[2]%floorBytes] &
			h[p[3]%floorBytes] & h[p[4]%floorBytes] & h[p[5]%floorBytes]
		seen[i] = found != 0
	}
}
