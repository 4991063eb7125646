package bloom

import "testing"

// A Theory is the closed forms at what the filter holds.
func TestTheoryIsOfWhatIsHeld(t *testing.T) {
	g := Geometry{Bits: 812, Hashes: 6}
	theory := NewTheory(g, func(read int) int { return read % 100 })
	for read, held := range map[int]int{0: 0, 50: 50, 199: 99, 240: 40} {
		if theory.FPR(read) != Exact(held, g) || theory.Asymptotic(read) != Asymptotic(held, g) ||
			theory.Window(read) != held || theory.FillTheory(read) != Fill(held, g) {
			t.Errorf("after %d articles the theory is not that of %d", read, held)
		}
	}
	if All(7) != 7 {
		t.Errorf("%d of 7 articles are held", All(7))
	}
}
