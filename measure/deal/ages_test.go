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
		if bin != before && bin != before+1 || AgeOf(bin) > age || bin+1 < AgeBins && AgeOf(bin+1) <= age {
			t.Fatalf("age %d is in bin %d from %d, after bin %d", age, bin, AgeOf(bin), before)
		}
		before = bin
	}
	if AgeBin(math.MaxInt) >= AgeBins {
		t.Error("an age beyond all bins is in none")
	}
}
