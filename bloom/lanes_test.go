package bloom

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"
)

// naive models Lanes: separate filters, a bool a bit.
type naive [][]bool

func newNaive(l Lanes) naive {
	lanes := make(naive, l.count)
	for i := range lanes {
		lanes[i] = make([]bool, l.bits)
	}
	return lanes
}

func (n naive) insert(g Geometry, lane int, id uint64) {
	for _, p := range g.Positions(nil, id) {
		n[lane][p] = true
	}
}

func (n naive) holds(g Geometry, lane int, id uint64) bool {
	for _, p := range g.Positions(nil, id) {
		if !n[lane][p] {
			return false
		}
	}
	return true
}

// array lays the separate filters out as Lanes defines it, bit by bit.
func (n naive) array(l Lanes) []byte {
	array := make([]byte, l.Bytes()+Slack+1)
	for i, lane := range n {
		for p, set := range lane {
			if bit := p*l.count + i; set {
				array[bit/8] |= 1 << (bit % 8)
			}
		}
	}
	return array
}

// testShapes are lanes of any geometry.
var testShapes = func() (shapes []Lanes) {
	for i := range 120 {
		shapes = append(shapes, drawLanes(rand.New(rand.NewPCG(4, uint64(i))), 1<<15))
	}
	return shapes
}()

// fill gives every lane a random number of IDs, and returns both forms.
func fill(l Lanes, r *rand.Rand) (array []byte, want naive, ids []uint64) {
	array, want = make([]byte, l.Bytes()+Slack+1), newNaive(l)
	for lane := range l.count {
		some := make([]uint64, r.IntN(l.bits/l.hashes+1))
		for i := range some {
			some[i] = r.Uint64()
			want.insert(l.Geometry(), lane, some[i])
		}
		Insert(l, array, 1<<lane, some)
		ids = append(ids, some[:min(len(some), 20)]...)
	}
	return array, want, ids
}

func TestLanesAreSeparateFilters(t *testing.T) {
	for _, l := range testShapes {
		t.Run(fmt.Sprintf("%v x %d", l.Geometry(), l.count), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(l.bits*l.count)))
			array, want, ids := fill(l, r)
			if !bytes.Equal(array, want.array(l)) {
				t.Fatal("Insert sets other bits than the separate filters'")
			}
			for range 200 {
				ids = append(ids, r.Uint64())
			}
			live := r.Uint64() & ones(l.count)
			for _, live := range []uint64{live, ones(l.count), 0} {
				seen := make([]bool, len(ids))
				Query(l, array, live, ids, seen)
				for i, id := range ids {
					expect := false
					for lane := range l.count {
						expect = expect || live>>lane&1 == 1 && want.holds(l.Geometry(), lane, id)
					}
					if seen[i] != expect {
						t.Fatalf("Query of %#x among lanes %b is %v, the separate filters say %v", id, live, seen[i], expect)
					}
				}
			}
			ones := 0
			for lane := range want {
				for p, set := range want[lane] {
					if live>>lane&1 == 1 && set {
						ones++
						want[lane][p] = false
					}
				}
			}
			if got, of := l.Fill(array, live); got != ones || of != bits.OnesCount64(live)*l.bits {
				t.Errorf("Fill of lanes %b is %d of %d, want %d of %d a lane", live, got, of, ones, l.bits)
			}
			l.Clear(array, live)
			used := uint64(0)
			for lane := range want {
				if slices.Contains(want[lane], true) {
					used |= 1 << lane
				}
			}
			strategytest.Equal(t, l.Used(array), used, "Used is")
			strategytest.EqualSlices(t, array, want.array(l),
				"Clear of lanes %b leaves other bits than the separate filters'", live)
			if err := l.Check("", array); err != nil {
				t.Error(err, ", though only Insert and Clear wrote")
			}
		})
	}
}

func TestAddLane(t *testing.T) {
	for _, l := range testShapes {
		if l.count == MaxLanes {
			continue
		}
		wide := Lanes{l.bits, l.hashes, l.count + 1}
		for _, rotate := range []int{0, 1, l.count - 1, l.count / 2} {
			rotate %= l.count
			r := rand.New(rand.NewPCG(3, uint64(l.bits*l.count+rotate)))
			narrow, lanes, _ := fill(l, r)
			array := bytes.Repeat([]byte{0xff}, wide.Bytes()+Slack+1) // spare capacity is not zero
			copy(array, narrow[:l.Bytes()])
			AddLane(wide, array, rotate)
			turned := append(naive{}, lanes[rotate:]...)
			turned = append(append(turned, lanes[:rotate]...), make([]bool, l.bits))
			strategytest.EqualSlices(t, array[:wide.Bytes()], turned.array(wide)[:wide.Bytes()],
				"%v x %d rotated by %d: AddLane moves bits elsewhere than defined", l.Geometry(), l.count, rotate)
		}
	}
}

// Grow equals AddLane until there are enough lanes, and only the first addition rotates. It leaves a history that is
// long enough unchanged, and makes an empty one of nothing.
func TestGrow(t *testing.T) {
	const header = 4
	for _, l := range testShapes {
		if l.count < 2 {
			continue
		}
		for _, from := range []int{0, max(1, l.count-3), l.count - 1, l.count} {
			narrow := l.First(from)
			var history []byte
			if from > 0 {
				array, _, _ := fill(narrow, rand.New(rand.NewPCG(5, uint64(l.bits))))
				history = append(array[:narrow.Bytes()], 1, 2, 3, 4)
			}
			for _, to := range []int{1, l.count, l.count + 1} {
				for _, spare := range []int{0, l.Bytes() + header} {
					want := bytes.Clone(history)
					if wide := l.First(to); from < wide.count {
						want = append(want, make([]byte, wide.Bytes()+header-len(want))...)
						if from == 0 {
							clear(want)
						}
						for lanes := max(from, 1) + 1; from > 0 && lanes <= wide.count; lanes++ {
							rotate := 0
							if lanes == from+1 {
								rotate = from / 2
							}
							AddLane(l.First(lanes), want, rotate)
						}
					}
					// What lies behind its length may be anything.
					given := append(bytes.Clone(history), bytes.Repeat([]byte{0xff}, spare)...)[:len(history)]
					got := l.Grow(given, header, to, from/2)
					if n := max(0, len(want)-header); len(got) != len(want) || !bytes.Equal(got[:n], want[:n]) {
						t.Errorf("%v x %d grows from %d to %d lanes, %d bytes to spare: %d bytes, want %d, or others",
							l.Geometry(), l.count, from, to, spare, len(got), len(want))
					}
				}
			}
		}
	}
	if got := (Lanes{}).Grow(nil, header, 1, 0); got != nil {
		t.Errorf("no lanes grow to %d bytes", len(got))
	}
}

func TestExtract(t *testing.T) {
	for _, l := range testShapes {
		for _, lane := range []int{0, l.count / 2, l.count - 1} {
			array, lanes, _ := fill(l, rand.New(rand.NewPCG(4, uint64(l.bits*l.count))))
			Extract(l, array, lane)
			single := l.First(1)
			want := naive{lanes[lane]}.array(single)
			strategytest.EqualSlices(t, array[:single.Bytes()], want[:single.Bytes()],
				"%v x %d: Extract of lane %d yields other bits than that filter's", l.Geometry(), l.count, lane)
		}
	}
}

func TestKernelsDoNotAllocate(t *testing.T) {
	ids, seen := benchmarkIDs(40), make([]bool, 40)
	for _, l := range testShapes {
		array := make([]byte, l.Bytes()+Slack+1)
		strategytest.Equal(t, testing.AllocsPerRun(10, func() {
			Insert(l, array, 1, ids)
			Query(l, array, 1, ids, seen)
			l.Clear(array, 1)
		}), 0, "%v x %d: allocations a call", l.Geometry(), l.count)
	}
}

// Fresh candidates, 40 a request, rarely repeated: a small set would teach the branch predictor the answers.
func benchmarkIDs(n int) []uint64 {
	r := rand.New(rand.NewPCG(5, 5))
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = r.Uint64()
	}
	return ids
}

// No two filters of a history share a product.
func TestSalt(t *testing.T) {
	strategytest.Equal(t, Salt(0), 1, "Salt(0)")
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
	strategytest.Equal(t, fmt.Sprintf("%#x %#x", Salt(1), Salt(2)), "0xfad0dfaabc2d2981 0x8a3c3a4116149301",
		"Salt(1) and Salt(2) are : histories on disk depend on them")
}

// Clear clears the lanes' bits, for every number of lanes and every length, and nothing before or after the array.
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
