package garbage

import "testing"

// Fill overwrites every number and bool if it is on, and nothing otherwise.
func TestFill(t *testing.T) {
	type room struct {
		words [100]uint64
		small struct{ bytes [3]byte }
		bools [64]bool
		list  []uint16
	}
	r := room{list: make([]uint16, 8)}
	if Fill(&r); r.words != [100]uint64{} {
		t.Error("Fill overwrites memory that no test asked for")
	}
	off := On()
	defer off()
	Fill(&r)
	zeros, trues := 0, 0
	for _, w := range r.words {
		if w>>32 == 0 || uint32(w) == 0 {
			zeros++
		}
	}
	for _, b := range r.bools {
		if b {
			trues++
		}
	}
	if zeros > 0 || trues < 8 || trues > 56 || r.small.bytes == [3]byte{} || r.list[0] == 0 && r.list[7] == 0 {
		t.Errorf("%d words are half zero, %d of 64 bools true, bytes %v and list %v", zeros, trues, r.small.bytes, r.list)
	}
}
