package matrix

import (
	"slices"
	"testing"

	"dejavu/internal/kernel"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The kernels answer as the plain code does: of links of one word and of eight, of 3 columns and of 32, more than eight
// links, heads of all lengths, of keys with few low bits and with many, requests of all lengths; and they list a head's
// keys as it does. Half of the candidates were recorded.
func TestVectors(t *testing.T) {
	configs := []Config{
		Window400,
		{Links: 2, Articles: 4, Columns: 3, KeyBits: 12},
		{Links: 3, Articles: 7, Columns: 32, KeyBits: 32},
		{Links: 5, Articles: 40, Columns: 10, Short: 2, KeyBits: 20},
		{Links: 30, Articles: 4, Columns: 12, KeyBits: 19},
		{Links: 9, Articles: 56, Columns: 8, Short: 3, KeyBits: 26},
		{Links: 17, Articles: 33, Columns: 17, Short: 4, KeyBits: 22},
		{Links: 2, Articles: 57, Columns: 17, KeyBits: 24},
		{Links: 2, Articles: 113, Columns: 8, KeyBits: 18},
		{Links: 9, Articles: 448, Columns: 9, Short: 5, KeyBits: 20},
	}
	for _, c := range configs {
		f, err := New(c)
		strategytest.Must(t, err)
		most := c.Links*c.Articles + c.Articles
		ids := strategytest.IDs(uint64(c.Articles), 2*most+400)
		var history []byte
		for read := 1; read < 2*most; read += 1 + most/60 {
			history = f.Record(nil, ids[:read])
			n := 1 + read%150
			var candidates []strategies.ID
			for i := range n {
				if i%2 == 0 {
					candidates = append(candidates, ids[max(0, read-1-5*i)])
				} else {
					candidates = append(candidates, ids[2*most+i])
				}
			}
			answers := func(kind kernel.Kind) (seen []bool, keys []uint32) {
				defer kernel.Use(kind)()
				keys = make([]uint32, 1000)
				return strategytest.Ask(f, history, candidates), f.decode(history, f.load(history), keys)
			}
			want, wantKeys := answers(kernel.Plain)
			for _, kind := range kernel.Kinds()[1:] {
				if got, keys := answers(kind); !slices.Equal(got, want) || !slices.Equal(keys, wantKeys) {
					t.Fatalf("%+v: %d of %d are seen by %v after %d articles, want %d; the keys are %v, want %v", c,
						strategytest.Count(got), n, kind, read, strategytest.Count(want), keys, wantKeys)
				}
			}
		}
	}
}

// Keys that an earlier query left behind those of a head are not in it, however the head was listed.
func TestVectorsLeftovers(t *testing.T) {
	for _, c := range []Config{
		{Links: 3, Articles: 7, Columns: 32, KeyBits: 32},
		{Links: 2, Articles: 113, Columns: 30, KeyBits: 32},
		{Links: 9, Articles: 56, Columns: 32, KeyBits: 26},
		Window400,
	} {
		f, err := New(c)
		strategytest.Must(t, err)
		ids := strategytest.IDs(3, 40)
		for n := 1; n < 7; n++ {
			history := f.Record(nil, ids[:n])
			room := new(workroom)
			for i := range room.keys {
				room.keys[i] = f.key(ids[20])
			}
			room.wanted[0], room.wanted[1] = f.key(ids[20]), f.key(ids[n-1])
			s := f.load(history)
			if f.find(history, s, f.keysOf(history, s, room), 2, room); room.seen[0] || !room.seen[1] {
				t.Errorf("%+v, %d articles: an article left over is found (%v), or the last one not (%v)", c, n, room.seen[0],
					!room.seen[1])
			}
		}
	}
}

// They solve links to the same columns under the same seeds, of whatever keys, some of them the same. Without a key
// twice a link has as many equations as unknowns, and one solution at most; with some, pivots must be the same ones.
func TestVectorsSolve(t *testing.T) {
	for articles := minArticles; articles <= 56; articles++ {
		f, err := New(Config{Links: 5, Articles: articles, Columns: 3 + articles%20, Short: articles % 3, KeyBits: 24})
		strategytest.Must(t, err)
		for round := range 20 {
			ids := strategytest.IDs(uint64(100*articles+round), 6*articles)
			for i := range round {
				ids[i*3%len(ids)] = ids[i%len(ids)]
			}
			got := f.Record(nil, ids)
			restore := kernel.Use(kernel.Plain)
			want := f.Record(nil, ids)
			if restore(); !slices.Equal(got, want) {
				t.Fatalf("%+v, round %d: the history is %x, want %x", f.Config, round, got, want)
			}
		}
	}
}

// BenchmarkVectors asks for 40 unseen articles, by vectors and without.
func BenchmarkVectors(b *testing.B) {
	f := strategytest.Value(New(Window400))
	ids := strategytest.IDs(1, 2000)
	history, seen := f.Record(nil, ids[:449]), make([]bool, 40)
	for _, kind := range kernel.Kinds() {
		b.Run(kind.String(), func(b *testing.B) {
			defer kernel.Use(kind)()
			for b.Loop() {
				f.Seen(history, ids[1000:1040], seen)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(40*b.N), "ns/candidate")
		})
	}
}
