package bloom

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Merge is the union of two of the separate filters, and a blank one.
func TestMerge(t *testing.T) {
	for _, l := range testShapes {
		for _, pair := range [][2]int{{1, 0}, {2, 0}, {2, 1}, {l.count - 1, 0}, {l.count - 1, l.count / 2}} {
			from, to := pair[0], pair[1]
			if from >= l.count || to >= from {
				continue
			}
			array, lanes, _ := fill(l, rand.New(rand.NewPCG(13, uint64(l.bits*l.count+from))))
			for i := range array[l.Bytes():] {
				array[l.Bytes()+i] = 0xa5
			}
			l.Merge(array, from, to)
			for p, set := range lanes[from] {
				lanes[to][p] = lanes[to][p] || set
				lanes[from][p] = false
			}
			if !bytes.Equal(array[:l.Bytes()], lanes.array(l)[:l.Bytes()]) {
				t.Errorf("%v x %d: lane %d merged into lane %d is not their union", l.Geometry(), l.count, from, to)
			}
			if !bytes.Equal(array[l.Bytes():], bytes.Repeat([]byte{0xa5}, Slack)) {
				t.Errorf("%v x %d: Merge writes behind the array", l.Geometry(), l.count)
			}
		}
	}
}

// No two filters of a history have a product in common.
func TestSalt(t *testing.T) {
	if Salt(0) != 1 {
		t.Errorf("Salt(0) = %#x, want 1", Salt(0))
	}
	met := make(map[uint64]bool)
	for i := range 8 {
		product := Salt(i)
		for range MaxHashes / (Geometry{Bits: MaxBits, Hashes: 1}).Digits() {
			if met[product] {
				t.Fatalf("filter %d: the product %#x is another's too", i, product)
			}
			met[product] = true
			product *= Multiplier
		}
	}
	if got := fmt.Sprintf("%#x %#x", Salt(1), Salt(2)); got != "0xfad0dfaabc2d2981 0x8a3c3a4116149301" {
		t.Errorf("Salt(1) and Salt(2) are %s: histories on disk depend on them", got)
	}
}
