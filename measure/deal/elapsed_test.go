package deal

import (
	"testing"

	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// Every number of seconds is in the last range that begins at it or before.
func TestElapsedBins(t *testing.T) {
	for seconds := range 40 * day / 7 {
		seconds *= 7
		bin := ElapsedBin(seconds)
		if ElapsedFrom(bin) > seconds || bin+1 < ElapsedBins && ElapsedFrom(bin+1) <= seconds {
			t.Fatalf("%d s are of range %d", seconds, bin)
		}
	}
	for bin := range ElapsedBins {
		if ElapsedBin(ElapsedFrom(bin)) != bin || bin > 0 && ElapsedBin(ElapsedFrom(bin)-1) != bin-1 {
			t.Errorf("range %d does not begin at %d s", bin, ElapsedFrom(bin))
		}
	}
}

// Where the clock went backwards no time has passed.
func TestSince(t *testing.T) {
	for _, c := range [][3]int{{5, 5, 0}, {5, 6, 1}, {6, 5, 0}, {0, 1<<32 - 1, 1<<32 - 1}} {
		strategytest.Equal(t, Since(store.Timestamp(c[0]), store.Timestamp(c[1])), c[2], "from %d to %d", c[0], c[1])
	}
}
