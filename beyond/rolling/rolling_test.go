package rolling_test

import (
	"math"
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

// The rate is that of a filter of all articles remembered: golden values of bloom.Exact computed outside the
// project (Bose et al. 2008), here for three generations of 100 and of 500 in the paper's 4064 positions.
func TestTheory(t *testing.T) {
	paper := bloom.Geometry{Bits: 4064, Hashes: 6}
	for _, tt := range []struct {
		generation, read, window int
		fpr                      float64
	}{
		{100, 0, 0, 0},
		{100, 200, 200, 0.000280},
		{100, 300, 300, 0.002104},
		{100, 900, 300, 0.002104},
		{500, 500, 500, 0.020268},
		{500, 1000, 1000, 0.211128},
		{500, 1500, 1500, 0.499930},
		{500, 2000, 1500, 0.499930},
		{500, 1_000_000, 1500, 0.499930},
	} {
		f := build(t, rolling.Config{Generation: tt.generation, Geometry: paper})
		strategytest.Near(t, f.FPR(tt.read), tt.fpr, 0.5e-6, "generations of %d: FPR(%d)", tt.generation, tt.read)
		strategytest.Equal(t, f.Window(tt.read), tt.window, "generations of %d: Window(%d)", tt.generation, tt.read)
	}
}

// Whatever is asked for is met at every moment, and a position less misses it.
func TestSizedKeepsItsPromise(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
	}{{1, 0.5}, {2, 0.01}, {3, 0.1}, {4, 0.1}, {399, 0.02}, {400, 0.02}, {401, 0.001}, {402, 0.3}, {1, 0.999}} {
		c, err := rolling.Sized(tt.window, tt.fpr)
		if err != nil {
			t.Fatalf("Sized(%d, %v): %v", tt.window, tt.fpr, err)
		}
		f := build(t, c)
		for read := range 7 * c.Generation {
			if f.Window(read) < min(read, tt.window) {
				t.Fatalf("Sized(%d, %v): the window is %d after %d articles", tt.window, tt.fpr, f.Window(read), read)
			}
			if read%c.Generation == 0 && f.FPR(read) > tt.fpr {
				t.Fatalf("Sized(%d, %v): the rate is %v after %d articles", tt.window, tt.fpr, f.FPR(read), read)
			}
		}
		if smaller := c; c.Generation > 1 {
			smaller.Generation--
			if got := build(t, smaller).Window(3*smaller.Generation + 1); got >= tt.window {
				t.Errorf("Sized(%d, %v): generations of %d would do, their window is %d", tt.window, tt.fpr, smaller.Generation,
					got)
			}
		}
		if smaller := c; c.Geometry.Bits > bloom.MinLaneBits {
			smaller.Geometry.Bits--
			if got := build(t, smaller).FPR(3 * c.Generation); got <= tt.fpr {
				t.Errorf("Sized(%d, %v): %v does with a position less: %v", tt.window, tt.fpr, c.Geometry, got)
			}
		}
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, rolling.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 131071":                            {0, 0.02},
		"window is 131072, want 1 to 131071":                       {131072, 0.02},
		"fpr is 0, want it between 0 and 1":                        {400, 0},
		"fpr is 1, want it between 0 and 1":                        {400, 1},
		"fpr is NaN":                                               {400, math.NaN()},
		"fpr is 1e-300, want at least 1.6e-18 for 131071 articles": {131071, 1e-300},
	})
}
