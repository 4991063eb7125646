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

// A bin ends where the next begins.
func TestAgeTo(t *testing.T) {
	for age := 1; age < 5000; age++ {
		if bin := AgeBin(age); AgeTo(bin) < age || AgeBin(AgeTo(bin)) != bin || AgeBin(AgeTo(bin)+1) != bin+1 {
			t.Fatalf("age %d is in bin %d, which ends at %d", age, bin, AgeTo(bin))
		}
	}
}
