package kernel

import "testing"

// Use sets what kernels may use, and variables that are chosen by a trial; restore undoes the last Use.
func TestUse(t *testing.T) {
	chosen := BMI2
	Chosen(&chosen, func(k Kind) Kind { return k })
	check := func(wantNow, wantChosen Kind) {
		t.Helper()
		if Now() != wantNow || chosen != wantChosen {
			t.Errorf("Now() is %v and the variable %v, want %v and %v", Now(), chosen, wantNow, wantChosen)
		}
	}
	all := Kinds()
	last := all[len(all)-1]
	check(last, BMI2)
	outer := Use(last)
	check(last, last)
	inner := Use(Plain)
	check(Plain, Plain)
	inner()
	check(last, last)
	outer()
	check(last, BMI2)
	Use(IceLake)() // a kind that the processor may lack
	t.Logf("this processor runs the kernels %v", all)
}
