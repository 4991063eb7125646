package counting_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"

	"pgregory.net/rapid"
)

// Recorded and taken back in any order, the history is that of an exact multiset: the same bytes as a history
// of what is left, and everything that is left is seen. Articles are taken back only where the multiset has
// them. Beyond 14 articles a counter the bytes may differ, and then nothing is forgotten.
func TestAgainstMultiset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := bloom.Geometry{
			Bits:   rapid.SampledFrom([]int{1, 7, 64, 301, 812}).Draw(t, "bits"),
			Hashes: rapid.IntRange(1, 8).Draw(t, "hashes"),
		}
		f := strategytest.Value(counting.New(counting.Config{Capacity: 1, Geometry: g}))
		ids := strategytest.IDs(rapid.Uint64().Draw(t, "seed"), 30)
		left := map[strategies.ID]int{}
		met := make([]int, g.Bits) // articles a counter met, had it no end
		ended := false
		var history []byte
		change := func(id strategies.ID, by int) {
			left[id] += by
			for i, at := range g.Positions(nil, uint64(id)) {
				if !slices.Contains(g.Positions(nil, uint64(id))[:i], at) {
					met[at] += by
					ended = ended || met[at] >= 15
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				shown := rapid.SliceOfN(rapid.SampledFrom(ids), 0, 5).Draw(t, "shown")
				history = f.Record(history, shown)
				for _, id := range shown {
					change(id, 1)
				}
			},
			"delete": func(t *rapid.T) {
				var back []strategies.ID
				for _, id := range rapid.SliceOfN(rapid.SampledFrom(ids), 0, 5).Draw(t, "back") {
					if left[id] > 0 {
						back = append(back, id)
						change(id, -1)
					}
				}
				history = f.Delete(history, back)
			},
			"delete what nobody takes for seen": func(t *rapid.T) {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				if strategytest.Ask(f, history, []strategies.ID{id})[0] {
					t.Skip("a false positive")
				}
				before := slices.Clone(history)
				if history = f.Delete(history, []strategies.ID{id}); !bytes.Equal(history, before) {
					t.Fatal("the history changed")
				}
			},
			"": func(t *rapid.T) {
				var multiset []strategies.ID
				for _, id := range ids {
					multiset = append(multiset, slices.Repeat([]strategies.ID{id}, left[id])...)
				}
				if slices.Contains(strategytest.Ask(f, history, multiset), false) {
					t.Fatal("an article is forgotten")
				}
				if !ended && len(multiset) > 0 && !bytes.Equal(history, f.Record(nil, multiset)) {
					t.Fatal("the history is not that of what is left")
				}
				strategytest.Must(t, f.Validate(history))
			},
		})
	})
}

// lose takes back some of the false positives among unseen articles, each from the history as it was, and
// returns how many there were and how many of the articles shown are forgotten, summed over them.
func lose(f *counting.Filter, history []byte, shown, fresh []strategies.ID) (positives, lost int) {
	for i, hit := range strategytest.Ask(f, history, fresh) {
		if hit {
			positives++
			after := f.Delete(slices.Clone(history), fresh[i:i+1])
			lost += len(shown) - strategytest.Count(strategytest.Ask(f, after, shown))
		}
	}
	return positives, lost
}

// Taking one false positive back makes the filter forget LostByOne of the articles, in the mean over
// everything that is one: from a filter of a single article to a full one. The ratio lies within four
// standard errors, clustered by user; a right theory fails one of the six with a probability of 4e-4.
func TestLostByOne(t *testing.T) {
	tiny, small := bloom.Geometry{Bits: 12, Hashes: 3}, bloom.Geometry{Bits: 301, Hashes: 5}
	for _, tt := range []struct {
		geometry bloom.Geometry
		read     int
		readers  int
		want     float64 // about; by hand, or the rule of thumb
	}{
		{tiny, 1, 5000, 1}, // there is no other to be lost
		{tiny, 3, 5000, 0},
		{small, 20, 1500, 0},
		{small, 40, 1000, 0},
		{small, 100, 200, 0},
		{counting.Paper.Geometry, 500, 100, 6 * 0.738 / (math.Exp(0.738) - 1)},
	} {
		f := build(t, counting.Config{Capacity: 1, Geometry: tt.geometry})
		want := f.LostByOne(tt.read)
		if tt.want != 0 && math.Abs(want/tt.want-1) > 0.02 {
			t.Errorf("LostByOne(%d) of %v is %.4f, want about %.4f", tt.read, tt.geometry, want, tt.want)
		}
		positives, lost, squares := 0, 0, 0.
		for reader := range tt.readers {
			ids := strategytest.IDs(uint64(reader), tt.read+300)
			p, l := lose(f, f.Record(nil, ids[:tt.read]), ids[:tt.read], ids[tt.read:])
			positives, lost = positives+p, lost+l
			d := float64(l) - want*float64(p)
			squares += d * d
		}
		got, stderr := float64(lost)/float64(positives), math.Sqrt(squares)/float64(positives)
		if positives < 300 || math.Abs(got-want) > 4*stderr {
			t.Errorf("%v, %d articles: a false positive taken back loses %.4f ± %.4f of them (%d counted), want %.4f",
				tt.geometry, tt.read, got, stderr, positives, want)
		}
	}
}
