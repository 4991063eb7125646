package bloom

import (
	"fmt"
	"testing"

	"dejavu/internal/kernel"
	"dejavu/strategies/strategytest"
)

// Vectors names the kernel in use. Each kernel takes the lanes that it is for.
func TestVectors(t *testing.T) {
	t.Logf("this program uses %v for queries and %v for recordings; the processor has %v",
		Vectors(), inserts, kernel.Kinds())
	for _, kind := range kernel.Kinds() {
		restore := kernel.Use(kind)
		strategytest.Equal(t, Vectors(), []string{"none", "none", "AVX2", "AVX-512", "AVX-512 in registers"}[kind],
			"Vectors()")
		restore()
		for _, l := range []Lanes{{4064, 6, 1}, {4057, 7, 1}, {812, 6, 5}, {200, 7, MaxLanes}} {
			array, ids, seen := make([]byte, l.Bytes()+Slack+1), make([]uint64, 47), make([]bool, 47)
			want := 0
			if kind >= kernel.AVX2 {
				want = 47
			}
			strategytest.Equal(t, queryVectors(kind, &l, array, 1, ids, seen), want, "%+v, %v: answers", l, kind)
			strategytest.Equal(t, fitsRegisters(kind, &l), kind >= kernel.IceLake && l.count < MaxLanes, "%+v, %v: held", l, kind)
		}
	}
}

// defined returns the answer of Query as Lanes defines it, bit by bit.
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
