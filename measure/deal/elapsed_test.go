package deal

import "testing"

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
