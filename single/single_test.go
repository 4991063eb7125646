package single_test

import (
	"slices"
	"testing"

	"dejavu/bloom"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(single.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[single.Config, *single.Filter]{
		New: single.New, Sized: single.Sized, Presets: []single.Config{single.Paper},
		Digest: "774f63d24027bb9a",
		Config: func(r strategytest.Random) single.Config {
			return single.Config{Capacity: r.Log(1, 1<<20), Geometry: strategytest.Geometry[bloom.Geometry](r, 1)}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, single.Paper)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{"dbac7be35ee2f5b9": build(t, single.Paper)})
}

// The rate by articles read: golden values computed outside the project from the recursion of Bose et al. (2008). §5
// says that at 500 articles nearly all bits are ones and from then on everything new is reported as seen; in fact the
// rate rises gradually.
func TestTheory(t *testing.T) {
	f := build(t, single.Paper)
	for read, want := range map[int]float64{
		0: 0, 200: 0.000280, 300: 0.002104, 500: 0.020268, 1000: 0.211128, 1500: 0.499930, 2000: 0.725167, 3000: 0.930626,
	} {
		strategytest.Near(t, f.FPR(read), want, 0.5e-6, "FPR(%d)", read)
		strategytest.Equal(t, f.Window(read), read, "Window(%d)", read)
		want := 508
		if read == 0 {
			want = 0
		}
		strategytest.Equal(t, f.Bytes(read), want, "Bytes(%d)", read)
	}
}

func TestNewErrors(t *testing.T) {
	paper := single.Paper.Geometry
	strategytest.Refuses(t, single.New, map[string]single.Config{
		"Capacity is 0, want at least 1":       {Geometry: paper},
		"Capacity is -5, want at least 1":      {Capacity: -5, Geometry: paper},
		"Bits is 0, want 1 to 16777216":        {Capacity: 500},
		"Bits is 16777217, want 1 to 16777216": {Capacity: 500, Geometry: bloom.Geometry{Bits: 1<<24 + 1, Hashes: 6}},
		"Hashes is 0, want 1 to 64":            {Capacity: 500, Geometry: bloom.Geometry{Bits: 4064}},
		"Hashes is 4064, want 1 to 64":         {Capacity: 500, Geometry: bloom.Geometry{Bits: 6, Hashes: 4064}}, // swapped
	})
}

func TestValidate(t *testing.T) {
	f := build(t, single.Config{Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}})
	good := f.Record(nil, strategytest.IDs(1, 100))
	padded := slices.Clone(good)
	padded[101] |= 1 << 4 // bit 812
	says := func(name string, history []byte, want string) {
		t.Helper()
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("as recorded", good, "")
	says("a newcomer's", nil, "")
	says("cut short", good[:101], "history of 101 bytes, want 0 or one of [102]")
	says("a byte too many", append(slices.Clone(good), 0), "history of 103 bytes")
	says("a bit behind the last", padded, "beyond the last of the 812 positions")
	says("no bit at all", make([]byte, 102), "no bit is set")
}
