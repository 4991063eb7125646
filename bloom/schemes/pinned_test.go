package schemes

import (
	"fmt"
	"testing"

	"dejavu/bloom"
)

// Positions of each scheme, as the program itself gave them once: what was compared is
// what is compared. The second geometry is a power of two.
func TestPinned(t *testing.T) {
	want := map[string]string{
		"digits":                                  "[3 494 339 353 704][18 837 1656]",
		"multiply-shift":                          "[353 290 103 569 54][1785 1465 522]",
		"repeated multiply-shift":                 "[353 103 54 217 316][1785 522 275]",
		"double hashing":                          "[727 383 247 111 579][3567 3867 71]",
		"double hashing, 32-bit halves":           "[719 154 401 648 83][3567 854 2237]",
		"enhanced double hashing":                 "[727 383 40 511 173][3567 3867 72]",
		"enhanced double hashing, multiply-shift": "[3 570 325 80 647][18 2878 1642]",
		"MD5 halves":                              "[248 569 78 399 720][104 1265 2426]",
		"one word per item":                       "[539 520 516 529 536][2843 2824 2820]",
		"one 512-bit block per item":              "[642 550 532 592 628][2783 2625 2594]",
	}
	for _, s := range All {
		got := ""
		for _, g := range []bloom.Geometry{{Bits: 812, Hashes: 5}, {Bits: 4096, Hashes: 3}} {
			got += fmt.Sprint(s.Positions(nil, g, 0x0123456789abcdef))
		}
		if got != want[s.Name] {
			t.Errorf("%q: %q,", s.Name, got)
		}
	}
	if len(want) != len(All) {
		t.Errorf("%d schemes, want %d", len(All), len(want))
	}
}
