package bloom

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// vectorShapes are answered by vectors where there are some: the paper's, and
// those at the ends of what the kernels take. Their neighbours are not.
var vectorShapes = []struct {
	Lanes
	live   uint64
	vector bool
}{
	{Lanes{4064, 6, 1}, 1, true},
	{Lanes{4064, 6, 2}, 1, true},
	{Lanes{4064, 6, 2}, 2, true},
	{Lanes{812, 6, 5}, 31, true},
	{Lanes{812, 6, 5}, 27, true},
	{Lanes{812, 6, 5}, 0, true},
	{Lanes{2048, 6, 1}, 1, true},
	{Lanes{2048, 6, 2}, 1, true},
	{Lanes{4088, 6, 1}, 1, true},
	{Lanes{4088, 6, 2}, 2, true},
	{Lanes{3585, 6, 1}, 1, true}, // 449 bytes, not a whole number: as lanes
	{Lanes{4087, 6, 1}, 1, true},
	{Lanes{4064, 6, 1}, 0, true},
	{Lanes{2044, 6, 2}, 3, true}, // 511 bytes
	{Lanes{584, 6, 7}, 0x55, true},

	{Lanes{4064, 6, 2}, 3, false},
	{Lanes{4064, 5, 1}, 1, false},
	{Lanes{2040, 6, 1}, 1, false},
	{Lanes{4096, 6, 1}, 1, false},
	{Lanes{4089, 6, 1}, 1, false}, // 512 bytes
	{Lanes{4089, 6, 2}, 1, false},
	{Lanes{812, 6, 4}, 15, false},
	{Lanes{512, 6, 7}, 15, false}, // 448 bytes
	{Lanes{511, 6, 8}, 15, false},
	{Lanes{1150, 8, 5}, 31, false},
}

// Which kernels this build and this processor use: see the log, or why the test
// is skipped.
func TestVectorKernels(t *testing.T) {
	if missing := vectorMissing(); missing != "" {
		t.Skip("plain kernels alone: " + missing)
	}
	t.Logf("vector kernels, for lists of %d candidates and more", vectorLeast)
	for _, s := range vectorShapes {
		array := make([]byte, s.Bytes()+Slack)
		ids, seen := make([]uint64, vectorLeast), make([]bool, vectorLeast)
		vector := queryVector(s.Lanes, base(s.Lanes, array), s.live,
			unsafe.Pointer(unsafe.SliceData(ids)), unsafe.Pointer(unsafe.SliceData(seen)), len(ids))
		if vector != s.vector {
			t.Errorf("%v x %d, live %b, is answered by vectors: %v, want %v", s.Geometry(), s.count, s.live, vector, s.vector)
		}
	}
}

// noise is an array of random bits, one in two to fifteen in sixteen of them
// set, so that answers differ.
func noise(l Lanes, r *rand.Rand) []byte {
	array := make([]byte, l.Bytes()+Slack)
	ors := 1 + r.IntN(4)
	for i := range array {
		for range ors {
			array[i] |= byte(r.Uint32())
		}
	}
	return array
}

// defined is what Query is to answer, bit by bit.
func defined(l Lanes, array []byte, live, id uint64) bool {
	for _, p := range l.Geometry().Positions(nil, id) {
		for lane := range l.count {
			if bit := p*l.count + lane; array[bit/8]>>(bit%8)&1 == 0 {
				live &^= 1 << lane
			}
		}
	}
	return live&ones(l.count) != 0
}

// queryPlain is Query by the plain kernels: one candidate is too few for vectors.
func queryPlain(l Lanes, array []byte, live uint64, ids []uint64, seen []bool) {
	for i := range ids {
		Query(l, array, live, ids[i:i+1], seen[i:])
	}
}

// checkQuery asks for n candidates of an array, both random, with and without
// vectors.
func checkQuery(t *testing.T, l Lanes, live uint64, n int, r *rand.Rand) {
	t.Helper()
	array := noise(l, r)
	ids := make([]uint64, n)
	for i := range ids {
		ids[i] = r.Uint64()
	}
	seen, plain := make([]bool, n+1), make([]bool, n+1)
	beyond := r.IntN(2) == 0
	for i := range seen {
		seen[i], plain[i] = r.IntN(2) == 0, r.IntN(2) == 0
	}
	seen[n] = beyond
	Query(l, array, live, ids, seen)
	queryPlain(l, array, live, ids, plain)
	for i, id := range ids {
		if want := defined(l, array, live, id); seen[i] != want || plain[i] != want {
			t.Fatalf("%v x %d: candidate %d of %d, %#x, among lanes %b is %v, without vectors %v, want %v",
				l.Geometry(), l.count, i, n, id, live, seen[i], plain[i], want)
		}
	}
	if seen[n] != beyond {
		t.Fatalf("%v x %d: Query of %d candidates writes another answer", l.Geometry(), l.count, n)
	}
}

// Lists of every length around the vectors' blocks.
func TestQueryOfAnyLength(t *testing.T) {
	for _, s := range vectorShapes {
		r := rand.New(rand.NewPCG(6, uint64(s.bits*s.count)))
		for n := range 41 {
			checkQuery(t, s.Lanes, s.live, n, r)
		}
	}
}

// Every length of array around those that vectors take.
func TestQueryOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][2]int{{250, 260}, {444, 516}, {1008, 1026}} {
		for bytes := size[0]; bytes < size[1]; bytes++ {
			for count := 1; count <= 9; count++ {
				for cut := range 8 {
					l := Lanes{(8*bytes - cut) / count, 6, count}
					checkQuery(t, l, r.Uint64()&ones(count), 8+r.IntN(33), r)
					checkQuery(t, l, 1, 8+r.IntN(33), r)
				}
			}
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range vectorShapes {
		f.Add(uint16(s.bits), uint8(s.hashes), uint8(s.count), s.live, uint8(40), uint64(1))
	}
	f.Fuzz(func(t *testing.T, bits uint16, hashes, count uint8, live uint64, n uint8, seed uint64) {
		l := Lanes{64 + int(bits)%8192, 1 + int(hashes)%16, 1 + int(count)%MaxLanes}
		if hashes < 128 { // half of the time, what vectors may answer
			l = Lanes{64 + int(bits)%4096, 6, 1 + int(count)%8}
		}
		checkQuery(t, l, live&ones(l.count), int(n), rand.New(rand.NewPCG(seed, 8)))
	})
}

// Vectors are more to save when the scheduler interrupts a query: here the world
// is stopped again and again.
func TestQueryInterrupted(t *testing.T) {
	for _, s := range vectorShapes[:5] {
		r := rand.New(rand.NewPCG(9, uint64(s.bits)))
		array, ids := noise(s.Lanes, r), make([]uint64, 10000)
		for i := range ids {
			ids[i] = r.Uint64()
		}
		want, seen := make([]bool, len(ids)), make([]bool, len(ids))
		queryPlain(s.Lanes, array, s.live, ids, want)
		var group sync.WaitGroup
		var enough atomic.Bool
		group.Go(func() {
			for !enough.Load() {
				if Query(s.Lanes, array, s.live, ids, seen); !slices.Equal(seen, want) {
					t.Errorf("%v x %d: an interrupted query answers otherwise", s.Geometry(), s.count)
					return
				}
			}
		})
		for range 20 {
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
		}
		enough.Store(true)
		group.Wait()
	}
}

// Plain and vector kernels side by side, for benchstat -col /kernel.
func BenchmarkKernels(b *testing.B) {
	all := benchmarkIDs(40 << 12)
	seen := make([]bool, 400)
	for _, c := range []struct {
		name string
		Lanes
		live     uint64
		articles int // a lane
		plain    func(Lanes, []byte, uint64, []uint64, []bool)
	}{
		{"single", Lanes{4064, 6, 1}, 1, 500, func(l Lanes, array []byte, live uint64, ids []uint64, seen []bool) {
			queryOne6(l, array, ids, seen)
		}},
		{"dual", Lanes{4064, 6, 2}, 1, 350, func(l Lanes, array []byte, live uint64, ids []uint64, seen []bool) {
			queryWord6(l, array, uint32(live), ids, seen)
		}},
		{"chain", Lanes{812, 6, 5}, 31, 100, func(l Lanes, array []byte, live uint64, ids []uint64, seen []bool) {
			queryFive6(l, array, uint32(live), ids, seen)
		}},
	} {
		array := make([]byte, c.Bytes()+Slack)
		for lane := range c.count {
			Insert(c.Lanes, array, 1<<lane, all[lane*c.articles:][:c.articles])
		}
		for _, n := range []int{10, 40, 400} {
			bench := func(kernel string, query func([]uint64)) {
				b.Run(fmt.Sprintf("shape=%s/n=%d/kernel=%s", c.name, n, kernel), func(b *testing.B) {
					i := 0
					for range b.N {
						query(all[i : i+n])
						if i += n; i > len(all)-n {
							i = 0
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/candidate")
				})
			}
			bench("plain", func(ids []uint64) { c.plain(c.Lanes, array, c.live, ids, seen) })
			if vectorMissing() == "" {
				bench("vector", func(ids []uint64) { Query(c.Lanes, array, c.live, ids, seen) })
			}
		}
	}
}
