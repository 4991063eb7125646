package rolling_test

import (
	"slices"
	"testing"

	"dejavu/beyond/rolling"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(rolling.New)

// core is sized as Bitcoin Core would for 400 articles at 2 %, by the textbook formula and to whole 64-bit
// words; small has the 512 bytes of the paper's chain, header included, which is too few for 400 articles: a
// false positive rate of 19.8 %.
var (
	core  = rolling.Config{Generation: 200, Geometry: bloom.Geometry{Bits: 4928, Hashes: 6}}
	small = rolling.Config{Generation: 200, Geometry: bloom.Geometry{Bits: 2036, Hashes: 2}}
)

// Small filters: for the general kernels, odd and even numbers of hashes, and arrays that end within a byte.
var (
	odd  = rolling.Config{Generation: 7, Geometry: bloom.Geometry{Bits: 131, Hashes: 3}}
	even = rolling.Config{Generation: 10, Geometry: bloom.Geometry{Bits: 202, Hashes: 4}}
	one  = rolling.Config{Generation: 1, Geometry: bloom.Geometry{Bits: 67, Hashes: 6}}
)

// The filter sized for 400, the preset of few hashes, and small ones, over two
// turns of the ring and more; what was wiped left no trace.
func TestKit(t *testing.T) {
	sized := strategytest.Value(rolling.Sized(400, 0.02))
	for name, c := range map[string]rolling.Config{
		"sized": sized, "small": small, "odd": odd, "one article": one,
	} {
		t.Run(name, func(t *testing.T) {
			f, g := build(t, c), c.Generation
			strategytest.Run(t, strategytest.Subject{
				Strategy: f, Theory: f,
				Forgets: func(read, age int) bool { return age > f.Window(read) },
				Reads:   []int{g + 1, 3 * g, 4*g + (g+1)/2},
				Life:    7*g + 100,
			})
		})
	}
}

func FuzzKit(f *testing.F)    { strategytest.Fuzz(f, build(f, core)) }
func FuzzKitOdd(f *testing.F) { strategytest.Fuzz(f, build(f, odd)) }

func TestWindows(t *testing.T) { strategytest.Windows(t, rolling.Sized, build) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"f4cf39c3d69b7b4c": build(t, core),
		"0c081673b43e907b": build(t, odd),
	})
}

// The plain statement: a list of tags, one a position, and the rule of the package comment, article by article. The
// kernels and the packed bits say the same of every candidate, and Fill counts the same positions.
func TestAgainstPlainTags(t *testing.T) {
	for _, c := range []rolling.Config{core, odd, even, one} {
		f := build(t, c)
		ids := strategytest.IDs(1, 8*c.Generation+3)
		tags := make([]int, c.Geometry.Bits)
		present, held := 1, 0
		var history []byte
		step := max(1, c.Generation/9)
		for i, id := range ids {
			if held == c.Generation {
				present, held = present%3+1, 0
				for p := range tags {
					if tags[p] == present {
						tags[p] = 0
					}
				}
			}
			held++
			for _, p := range c.Geometry.Positions(nil, uint64(id)) {
				tags[p] = present
			}
			history = f.Record(history, ids[i:i+1])
			if i%step != 0 {
				continue
			}
			candidates := slices.Concat(ids, strategytest.IDs(uint64(i)+2, 300))
			seen := strategytest.Ask(f, history, candidates)
			for j, candidate := range candidates {
				want := true
				for _, p := range c.Geometry.Positions(nil, uint64(candidate)) {
					want = want && tags[p] != 0
				}
				if seen[j] != want {
					t.Fatalf("%v: after %d articles candidate %d is seen: %v, want %v", c.Geometry, i+1, j, seen[j], want)
				}
			}
			full := 0
			for _, tag := range tags {
				if tag != 0 {
					full++
				}
			}
			if ones, of := f.Fill(history); ones != full || of != c.Geometry.Bits {
				t.Fatalf("%v: after %d articles Fill is %d of %d, want %d of %d", c.Geometry, i+1, ones, of, full, c.Geometry.Bits)
			}
		}
	}
}

func TestNewErrors(t *testing.T) {
	g := core.Geometry
	strategytest.Refuses(t, rolling.New, map[string]rolling.Config{
		"Generation is 0, want 1 to 65535":     {Geometry: g},
		"Generation is -1, want 1 to 65535":    {Generation: -1, Geometry: g},
		"Generation is 65536, want 1 to 65535": {Generation: 65536, Geometry: g},
		"Bits is 0, want 1 to 16777216":        {Generation: 200},
		"Bits is 63, want at least 64":         {Generation: 200, Geometry: bloom.Geometry{Bits: 63, Hashes: 6}},
		"Hashes is 0, want 1 to 64":            {Generation: 200, Geometry: bloom.Geometry{Bits: 4928}},
		"Hashes is 4928, want 1 to 64":         {Generation: 200, Geometry: bloom.Geometry{Bits: 6, Hashes: 4928}}, // swapped
	})
}

func TestValidate(t *testing.T) {
	f := build(t, odd) // 131 positions: 17 bytes of one bit each, 33 of two, and 3 of header
	young, good := f.Record(nil, strategytest.IDs(4, 7)), f.Record(nil, strategytest.IDs(4, 24))
	with := func(history []byte, at int, b byte) []byte {
		history = slices.Clone(history)
		history[at] = b
		return history
	}
	empty := func(history []byte) []byte {
		history = slices.Clone(history)
		clear(history[:len(history)-3])
		return history
	}
	for _, tt := range []struct {
		name    string
		history []byte
		want    string // in the error; none where empty
	}{
		{"a newcomer's", nil, ""},
		{"the first generation", young, ""},
		{"as recorded", good, ""},
		{"cut short", good[:35], "history of 35 bytes, want 0 or one of [20 36]"},
		{"tag 0", with(good, 35, 0), "tag is 0, want 1 to 3"},
		{"tag 4", with(good, 35, 4), "tag is 4, want 1 to 3"},
		{"tag 2 and one bit a position", with(young, 19, 2), "tag is 2, want 1 to 1"},
		{"no articles", with(good, 33, 0), "articles is 0, want 1 to 7"},
		{"an article too many", with(young, 17, 8), "articles is 8, want 1 to 7"},
		{"256 articles too many", with(good, 34, 1), "articles is 259"},
		{"a bit behind the last", with(young, 16, young[16]|8), "beyond the last of the 131 positions"},
		{"a tag behind the last", with(good, 32, good[32]|64), "beyond the last of the 131 positions"},
		{"nothing set", empty(young), "positions is 0, want 1 to 21"},
		{"nothing tagged", empty(good), "positions is 0, want 1 to 9"},
		{"too few articles for the bits", with(young, 17, 1), "positions is 21, want 1 to 3"},
	} {
		strategytest.ErrorSays(t, tt.name, f.Validate(tt.history), tt.want)
	}
	if full := slices.Repeat([]byte{0x55}, 33); f.Validate(append(full, 7, 0, 2)) == nil {
		t.Error("all positions tagged by one generation of 7 articles pass")
	}
}
