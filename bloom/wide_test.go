package bloom

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// monthShapes are lanes of every number that takes 64-bit loads, of sizes that
// end on every bit of a byte, and of every number of hashes.
func monthShapes() (shapes []Lanes) {
	for count := wordLanes + 1; count <= MaxLanes; count++ {
		for bits := 64; bits < 72; bits++ {
			shapes = append(shapes, Lanes{bits, 1 + (bits+count)%13, count})
		}
	}
	return append(shapes, Lanes{2500, 11, 30}, Lanes{2500, 12, 30}, Lanes{2499, 6, 30})
}

// With as little behind the array as may be, and with more, the answers are what they are defined to be.
func TestQueryOfManyLanes(t *testing.T) {
	for _, l := range monthShapes() {
		r := rand.New(rand.NewPCG(11, uint64(l.bits*l.count)))
		array := noise(l, r)
		ids := make([]uint64, 200)
		for i := range ids {
			ids[i] = r.Uint64()
		}
		live := r.Uint64() & ones(l.count)
		for more := range 6 {
			longer := append(bytes.Clone(array), bytes.Repeat([]byte{0xff}, more)...)
			seen := make([]bool, len(ids))
			Query(l, longer[:len(longer):len(longer)], live, ids, seen)
			for i, id := range ids {
				if want := defined(l, array, live, id); seen[i] != want {
					t.Fatalf("%v x %d, %d bytes more than the slack: %#x among lanes %b is %v, want %v",
						l.Geometry(), l.count, more, id, live, seen[i], want)
				}
			}
		}
	}
}

// A header of four bytes is enough for the fast kernels, however many lanes.
func TestHeaderIsWideSlack(t *testing.T) {
	for count := wordLanes + 1; count <= MaxLanes; count++ {
		for bits := MinLaneBits; bits < 300; bits++ {
			l := Lanes{bits, 6, count}
			if !l.wideSlack(make([]byte, l.Bytes()+Slack+1)) {
				t.Errorf("%d lanes of %d bits: a load at the last position runs beyond four bytes behind the array", count, bits)
			}
		}
	}
}

// Clear of every number of lanes and every length: the lanes' bits, and nothing
// before the array or behind it.
func TestClearOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for count := 1; count <= MaxLanes; count++ {
		for _, bits := range []int{1, 2, 7, 8, 9, 63, 64, 65, 130, 131, 257, 1150} {
			l := Lanes{bits, 1, count}
			lanes := r.Uint64()
			if bits%2 == 0 {
				lanes = 1 << r.IntN(count)
			}
			for _, start := range []int{0, 1 + r.IntN(7)} {
				memory := make([]byte, start+l.Bytes()+9)
				for i := range memory {
					memory[i] = byte(r.Uint32() | r.Uint32())
				}
				want := bytes.Clone(memory)
				for p := range bits {
					for lane := range count {
						if bit := p*count + lane; lanes>>lane&1 == 1 {
							want[start+bit/8] &^= 1 << (bit % 8)
						}
					}
				}
				l.Clear(memory[start:], lanes)
				if used := bits * count % 8; used != 0 { // bits beyond the last position are nobody's
					memory[start+l.Bytes()-1] |= 0xff << used
					want[start+l.Bytes()-1] |= 0xff << used
				}
				for i := range memory {
					if memory[i] != want[i] {
						t.Fatalf("%d lanes of %d bits, lanes %b: byte %d of %d is %08b, want %08b", count, bits, lanes, i-start,
							l.Bytes(), memory[i], want[i])
					}
				}
			}
		}
	}
}
