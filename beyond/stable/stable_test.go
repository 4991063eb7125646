package stable_test

import (
	"slices"
	"testing"

	"dejavu/beyond/stable"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(stable.New)

// Filters whose runs wrap often, take longer than a window, or take from every
// cell; with cells that straddle bytes; with odd numbers of hashes.
var (
	three = stable.Config{Cells: 131, CellBits: 3, Hashes: 5, Decrements: 45}
	every = stable.Config{Cells: 67, CellBits: 2, Hashes: 3, Decrements: 67}
	most  = stable.Config{Cells: 100, CellBits: 2, Hashes: 4, Decrements: 80} // more than half
)

// Only the newest Max articles are certain, which the kit's Window check holds
// at every article; nothing leaves no trace, so Forgets is nil.
func TestKit(t *testing.T) {
	for name, tt := range map[string]struct {
		config stable.Config
		reads  []int
	}{
		"one bit":    {stable.OneBit, []int{500}},
		"two bits":   {stable.TwoBits, []int{200}},
		"three bits": {three, []int{10, 50}},
		"every cell": {every, []int{20}},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(t, tt.config)
			strategytest.Run(t, strategytest.Subject{Strategy: f, Theory: f, Reads: tt.reads, Life: 300})
		})
	}
}

func FuzzKit(f *testing.F)      { strategytest.Fuzz(f, build(f, stable.TwoBits)) }
func FuzzKitThree(f *testing.F) { strategytest.Fuzz(f, build(f, three)) }

// Longer windows take seconds.
func TestWindows(t *testing.T) { strategytest.Windows(t, stable.Sized, build, 100, 400, 1000) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"c5b7ab8ab8d283b2": build(t, stable.OneBit),
		"efec2765e6bd18ae": build(t, stable.TwoBits),
		"7506970615f50ac9": build(t, three),
	})
}

// cells reads the packed cells, a bit at a time.
func cells(c stable.Config, history []byte) []int {
	values := make([]int, c.Cells)
	for i := range c.Cells * c.CellBits {
		values[i/c.CellBits] |= int(history[i/8]>>(i%8)&1) << (i % c.CellBits)
	}
	return values
}

// explains is whether taking from the run that begins at start, and then filling
// the given cells, leads from before to after.
func explains(c stable.Config, before, after, full []int, start int) bool {
	for p, value := range before {
		if (p-start+c.Cells)%c.Cells < c.Decrements {
			value = max(0, value-1)
		}
		if slices.Contains(full, p) {
			value = 1<<c.CellBits - 1
		}
		if value != after[p] {
			return false
		}
	}
	return true
}

// The plain statement, article by article: one is taken from each of a run of Decrements cells, somewhere in
// the ring, and the article's cells are full. That there is such a run is all that can be said of chance
// here; and the answers to candidates follow from their cells, and the fill.
func TestAgainstPlainCells(t *testing.T) {
	for _, c := range []stable.Config{stable.OneBit, stable.TwoBits, three, every, most} {
		f := build(t, c)
		ids, fresh := strategytest.IDs(1, 40), strategytest.IDs(2, 300)
		g := bloom.Geometry{Bits: c.Cells, Hashes: c.Hashes}
		history := f.Record(nil, strategytest.IDs(3, 600)) // where something is to be taken everywhere
		before := cells(c, history)
		starts := map[int]bool{}
		for n, id := range ids {
			history = f.Record(history, []strategies.ID{id})
			after, full := cells(c, history), g.Positions(nil, uint64(id))
			start := 0
			for start < c.Cells && !explains(c, before, after, full, start) {
				start++
			}
			if start == c.Cells {
				t.Fatalf("%+v: article %d changes the cells as no run of %d does", c, n, c.Decrements)
			}
			starts[start] = true
			before = after
		}
		if len(starts) < 15 && c.Decrements < c.Cells {
			t.Errorf("%+v: %d articles take from %d places only", c, len(ids), len(starts))
		}
		seen, above := make([]bool, len(fresh)), 0
		f.Seen(history, fresh, seen)
		for i, id := range fresh {
			want := true
			for _, p := range g.Positions(nil, uint64(id)) {
				want = want && before[p] > 0
			}
			if seen[i] != want {
				t.Fatalf("%+v: candidate %d is seen: %v, want %v", c, i, seen[i], want)
			}
		}
		for _, value := range before {
			above += min(value, 1)
		}
		if ones, of := f.Fill(history); ones != above || of != c.Cells {
			t.Errorf("%+v: Fill is %d of %d, want %d of %d", c, ones, of, above, c.Cells)
		}
	}
}

// An article that is shown again, ten others later, does not take from the same cells for ever, although its ID is
// the same: it takes elsewhere whenever the eight bytes that it looks at have changed, about every other time.
func TestRepeatsTakeElsewhere(t *testing.T) {
	f := build(t, stable.TwoBits)
	again, others := strategytest.IDs(3, 1), strategytest.IDs(4, 1000)
	history := f.Record(nil, others)
	places := map[int]bool{}
	for i := range 40 {
		history = f.Record(history, others[10*i:10*i+10])
		before := cells(stable.TwoBits, history)
		history = f.Record(history, again)
		for p, value := range cells(stable.TwoBits, history) {
			if value < before[p] {
				places[p] = true // the first cell that was lowered, near the run's start
				break
			}
		}
	}
	if len(places) < 15 {
		t.Errorf("an article that is shown 40 times takes from %d places", len(places))
	}
}

func TestNewErrors(t *testing.T) {
	strategytest.Refuses(t, stable.New, map[string]stable.Config{
		"Cells is 0, want 64 to 16777216":    {CellBits: 1, Hashes: 3, Decrements: 8},
		"Cells is 63, want 64 to":            {Cells: 63, CellBits: 1, Hashes: 3, Decrements: 8},
		"Cells is 16777217":                  {Cells: 1<<24 + 1, CellBits: 1, Hashes: 3, Decrements: 8},
		"CellBits is 0, want 1 to 3":         {Cells: 4064, Hashes: 3, Decrements: 8},
		"CellBits is 4, want 1 to 3":         {Cells: 4064, CellBits: 4, Hashes: 3, Decrements: 8},
		"Hashes is 0, want 1 to 64":          {Cells: 4064, CellBits: 1, Decrements: 8},
		"Hashes is 65, want 1 to 64":         {Cells: 4064, CellBits: 1, Hashes: 65, Decrements: 8},
		"Decrements is 0, want 1 to 4064":    {Cells: 4064, CellBits: 1, Hashes: 3},
		"Decrements is 4065, want 1 to 4064": {Cells: 4064, CellBits: 1, Hashes: 3, Decrements: 4065},
	})
}

func TestValidate(t *testing.T) {
	f := build(t, three) // 393 bits: 50 bytes, one bit in the last
	good := f.Record(nil, strategytest.IDs(5, 100))
	padded := slices.Clone(good)
	padded[49] |= 2
	for _, tt := range []struct {
		name    string
		history []byte
		want    string // in the error; none where empty
	}{
		{"as recorded", good, ""},
		{"a newcomer's", nil, ""},
		{"cut short", good[:49], "history of 49 bytes, want 0 or one of [50]"},
		{"a bit behind the last", padded, "beyond the last of the 131 positions"},
		{"no cell above zero", make([]byte, 50), "no cell holds 7"},
		{"no cell full", slices.Concat([]byte{0b00_110_011, 1}, make([]byte, 48)), "no cell holds 7"},
	} {
		strategytest.ErrorSays(t, tt.name, f.Validate(tt.history), tt.want)
	}
}
