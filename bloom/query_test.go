package bloom

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/internal/kernel"
	"dejavu/strategies/strategytest"
)

// The least of kinds that take lanes, or one that there is not.
const (
	byAVX2 = kernel.AVX2
	byHeld = kernel.IceLake
	byNone = kernel.IceLake + 1
)

// vectorShapes are the paper's, and those on either side of what vectors take: four
// bytes, up to wordLanes lanes, three digits a product; 766 bytes in registers.
var vectorShapes = []struct {
	Lanes
	live    uint64
	vectors kernel.Kind // the least of kinds that take them
}{
	{Lanes{4064, 6, 1}, 1, byAVX2},
	{Lanes{4064, 6, 2}, 1, byAVX2},
	{Lanes{4064, 6, 2}, 2, byAVX2},
	{Lanes{4064, 6, 2}, 3, byAVX2},
	{Lanes{4096, 6, 2}, 3, byAVX2}, // 1024 bytes
	{Lanes{4097, 6, 2}, 2, byAVX2},
	{Lanes{64, 6, 2}, 2, byAVX2},
	{Lanes{812, 6, 5}, 31, byAVX2},
	{Lanes{812, 6, 5}, 27, byAVX2},
	{Lanes{816, 6, 5}, 31, byAVX2}, // 510 bytes
	{Lanes{817, 6, 5}, 31, byAVX2},
	{Lanes{453, 6, 9}, 1<<9 - 2, byAVX2},
	{Lanes{408, 6, 10}, 1<<10 - 1, byAVX2},
	{Lanes{4096, 6, 1}, 1, byAVX2},
	{Lanes{4097, 6, 1}, 1, byAVX2},
	{Lanes{1150, 8, 5}, 31, byAVX2}, // 719 bytes
	{Lanes{1225, 7, 5}, 30, byAVX2}, // 766
	{Lanes{1226, 7, 5}, 31, byAVX2},
	{Lanes{680, 13, 9}, 1<<9 - 1, byAVX2},
	{Lanes{612, 12, 10}, 1<<10 - 2, byAVX2},
	{Lanes{6128, 6, 1}, 1, byAVX2},
	{Lanes{3064, 5, 2}, 3, byAVX2},
	{Lanes{3065, 5, 2}, 3, byAVX2},
	{Lanes{32, 1, 1}, 1, byAVX2},
	{Lanes{32, 2, 1}, 1, byAVX2},
	{Lanes{25, 3, 1}, 1, byAVX2}, // four bytes
	{Lanes{64, 7, 2}, 3, byAVX2},
	{Lanes{65, MaxHashes, 25}, 1<<25 - 1, byAVX2},
	{Lanes{1 << 18, 4, 1}, 1, byAVX2},
	{Lanes{1 << 18, 6, 3}, 5, byAVX2},

	{Lanes{4057, 6, 1}, 1, byAVX2},
	{Lanes{4056, 6, 1}, 1, byAVX2}, // 507 bytes
	{Lanes{4050, 7, 1}, 1, byAVX2},
	{Lanes{33, 2, 1}, 1, byAVX2},

	{Lanes{24, 3, 1}, 1, byHeld}, // three bytes
	{Lanes{1<<18 + 1, 6, 2}, 3, byNone},
	{Lanes{65, 6, 26}, 1<<26 - 1, byAVX2},
	{Lanes{64, 6, 30}, 1<<30 - 1, byAVX2},
	{Lanes{100, 6, 40}, 1<<40 - 2, byAVX2},
	{Lanes{200, 7, 57}, 1<<57 - 1, byAVX2},
}

// What this build and this processor use, in the log, and what for.
func TestVectors(t *testing.T) {
	t.Logf("this program uses %v for queries and %v for recordings; the processor has %v",
		Vectors(), inserts, kernel.Kinds())
	for _, kind := range kernel.Kinds() {
		for _, s := range vectorShapes {
			array := make([]byte, s.Bytes()+Slack+1)
			ids, seen := make([]uint64, 47), make([]bool, 47)
			want := 0
			if kind >= s.vectors {
				want = 47
			}
			got := 0
			if holds(kind, &s.Lanes) {
				got = queryHeld(&s.Lanes, array, s.live, ids, seen)
			} else {
				got = queryVectors(kind, &s.Lanes, array, s.live, ids, seen)
			}
			strategytest.Equal(t, got, want, "%v x %d: %v answers of 47 candidates", s.Geometry(), s.count, kind)
		}
	}
}

// noise is an array of random bits, one in two to fifteen in sixteen of them set, so that answers differ.
func noise(l Lanes, r *rand.Rand) []byte {
	array := make([]byte, l.Bytes()+Slack+1)
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

// checkQuery asks for n candidates of an array, both random, with all vectors that there are and without.
func checkQuery(t *testing.T, l Lanes, live uint64, n int, r *rand.Rand) {
	t.Helper()
	array := noise(l, r)
	ids, want := make([]uint64, n), make([]bool, n+1)
	for i := range ids {
		ids[i] = r.Uint64()
		want[i] = defined(l, array, live, ids[i])
	}
	want[n] = r.IntN(2) == 0
	check := func(by any, query func(seen []bool)) {
		seen := make([]bool, n+1)
		for i := range seen {
			seen[i] = r.IntN(2) == 0
		}
		seen[n] = want[n]
		query(seen)
		for i, got := range seen {
			if got != want[i] {
				t.Fatalf("%v x %d, vectors: %v: answer %d to %d candidates among lanes %b is %v, want %v",
					l.Geometry(), l.count, by, i, n, live, got, want[i])
			}
		}
	}
	check("those chosen", func(seen []bool) { Query(l, array, live, ids, seen) })
	if live&ones(l.count) == 0 {
		return
	}
	for _, kind := range kernel.Kinds() {
		check(kind, func(seen []bool) {
			queryBy(kind, &l, array, live, ids, seen)
		})
	}
}

// checkInsert enters n random articles into a lane, or both of two, of an array of random bits.
func checkInsert(t *testing.T, l Lanes, lanes uint64, n int, r *rand.Rand) {
	t.Helper()
	array := noise(l, r)
	ids, want := make([]uint64, n), slices.Clone(array)
	for i := range ids {
		ids[i] = r.Uint64()
		for _, p := range l.Geometry().Positions(nil, ids[i]) {
			for lane := range l.count {
				bit := p*l.count + lane
				want[bit/8] |= byte(lanes>>lane&1) << (bit % 8)
			}
		}
	}
	check := func(by string, insert func(array []byte)) {
		got := slices.Clone(array)
		if insert(got); !slices.Equal(got, want) {
			t.Fatalf("%v x %d, %s: %d articles in lanes %b set other bits than their positions", l.Geometry(), l.count, by, n,
				lanes)
		}
	}
	check("whichever is quick", func(array []byte) { Insert(l, array, lanes, ids) })
	for _, kind := range kernel.Kinds() {
		check(kind.String(), func(array []byte) {
			insertBy(kind, &l, array, lanes, ids)
		})
	}
}

// Lists of every length around the vectors' blocks.
func TestQueryOfAnyLength(t *testing.T) {
	for _, s := range vectorShapes {
		r := rand.New(rand.NewPCG(6, uint64(s.bits*s.count)))
		most := 67
		if s.bits > 1<<16 {
			most = 19
		}
		for n := range most {
			checkQuery(t, s.Lanes, s.live, n, r)
			checkInsert(t, s.Lanes, s.live, n, r)
		}
	}
}

// Lists longer than a kernel gets at once.
func TestQueryOfManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{4095, 4096, 4097, 4112, 8200} {
		checkQuery(t, Lanes{812, 6, 5}, 31, n, r)
		checkInsert(t, Lanes{4064, 6, 2}, 3, n, r)
	}
}

// Every length of array, about that of the paper's and short ones.
func TestQueryOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][2]int{{8, 20}, {504, 516}, {762, 768}, {1008, 1026}} {
		for bytes := size[0]; bytes < size[1]; bytes++ {
			for count := 1; count <= 9; count++ {
				for cut := range 8 {
					l := Lanes{(8*bytes - cut) / count, 1 + r.IntN(14), count}
					checkQuery(t, l, r.Uint64()&ones(count), 8+r.IntN(33), r)
					checkInsert(t, l, r.Uint64()&ones(count), r.IntN(41), r)
				}
			}
		}
	}
}

// Every length about what registers hold, in arrays of ones but for three last bytes:
// where a kernel would look for these elsewhere, some of so many candidates show it.
func TestQueryOfLastBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	ids, seen := make([]uint64, 2000), make([]bool, 2000)
	for i := range ids {
		ids[i] = r.Uint64()
	}
	for _, size := range []int{508, 509, 510, 511, 512, 513, 764, 765, 766, 767, 768, 1023, 1024, 1025} {
		for turn := range 22 {
			hashes, count := 5+turn%2, 1+turn/2
			l := Lanes{8 * size / count, hashes, count}
			array := noise(l, r)
			for i := range array[:l.Bytes()] {
				array[i] = 0xff
			}
			clear(array[l.Bytes()-3 : l.Bytes()])
			live := 1 + r.Uint64N(ones(count))
			for _, kind := range kernel.Kinds() {
				queryBy(kind, &l, array, live, ids, seen)
				for i, id := range ids {
					if want := defined(l, array, live, id); seen[i] != want {
						t.Fatalf("%v x %d, vectors: %v: candidate %x among lanes %b is %v, want %v", l.Geometry(), count, kind, id, live,
							seen[i], want)
					}
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
			l.count = 1 + int(count)%wordLanes
		}
		r := rand.New(rand.NewPCG(seed, 8))
		checkQuery(t, l, live&ones(l.count), int(n), r)
		checkInsert(t, l, live&ones(l.count), int(n), r)
	})
}

// The kernels side by side, for benchstat -col /vectors.
func BenchmarkKernels(b *testing.B) {
	all := benchmarkIDs(40 << 12)
	seen := make([]bool, 400)
	for _, c := range []struct {
		name string
		Lanes
		live     uint64
		articles int // a lane
	}{
		{"single", Lanes{4064, 6, 1}, 1, 500},
		{"dual", Lanes{4064, 6, 2}, 1, 350},
		{"chain", Lanes{812, 6, 5}, 31, 100},
		{"chain-sized", Lanes{1150, 8, 5}, 31, 125},
	} {
		array := make([]byte, c.Bytes()+Slack+1)
		for lane := range c.count {
			Insert(c.Lanes, array, 1<<lane, all[lane*c.articles:][:c.articles])
		}
		for _, n := range []int{10, 40, 400} {
			for _, kind := range kernel.Kinds() {
				b.Run(fmt.Sprintf("shape=%s/n=%d/vectors=%v", c.name, n, kind), func(b *testing.B) {
					i := 0
					for range b.N {
						ids := all[i : i+n]
						queryBy(kind, &c.Lanes, array, c.live, ids, seen)
						if i += n; i > len(all)-n {
							i = 0
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/candidate")
				})
			}
		}
	}
}
