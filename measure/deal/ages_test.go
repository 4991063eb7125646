package deal

import (
	"math"
	"testing"
)

// Bins cover all ages once, in order.
func TestAgeBins(t *testing.T) {
	before := 0
	for age := 1; age < 1<<20; age++ {
		bin := AgeBin(age)
		if bin != before && bin != before+1 || AgeOf(bin) > age || bin+1 < AgeBins && AgeTo(bin) < age {
			t.Fatalf("age %d is in bin %d from %d, after bin %d", age, bin, AgeOf(bin), before)
		}
		before = bin
	}
	if AgeBin(math.MaxInt) >= AgeBins {
		t.Error("an age beyond all bins is in none")
	}
}

// The window of a share is the least whose repeats are as many.
func TestWindowOf(t *testing.T) {
	ages := []int64{0, 4, 3, 0, 2}
	for _, c := range []struct {
		repeats int64
		share   float64
		window  int
		has     float64
	}{{10, 0.4, 1, 0.4}, {10, 0.41, 2, 0.7}, {10, 0.9, 4, 0.9}, {10, 0.91, 0, 0.9}, {9, 1, 4, 1}} {
		if window, has := WindowOf(ages, c.repeats, c.share); window != c.window || has != c.has {
			t.Errorf("%v of %d: %d, %v, want %d, %v", c.share, c.repeats, window, has, c.window, c.has)
		}
	}
	if window, has := WindowOf(nil, 0, 1); window != 0 || has != 0 {
		t.Errorf("of nothing: %d, %v", window, has)
	}
}
