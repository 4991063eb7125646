package blocked_test

import (
	"slices"
	"testing"

	"dejavu/beyond/blocked"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(blocked.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[blocked.Config, *blocked.Filter]{
		New: blocked.New, Sized: blocked.Sized, Presets: []blocked.Config{blocked.Default},
		Digest: "6c846dbc03f8ba9b",
		Config: func(r strategytest.Random) blocked.Config {
			return blocked.Config{Blocks: r.Log(1, 256), Hashes: r.Log(1, 64)}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, blocked.Default)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"77e14e978b5b9c9c": build(t, blocked.Default),
		"29f89a5c95bafc52": build(t, blocked.Config{Blocks: 3, Hashes: 8}),
	})
}

// bitsOf is the plain statement of where an article's bits are.
func bitsOf(c blocked.Config, id strategies.ID) (bits []int) {
	const multiplier = 0xd1342543de82ef95
	product := (mix.Mix(uint64(id)) ^ 0x9e3779b97f4a7c15) * multiplier
	block := int(product >> 32 * uint64(c.Blocks) >> 32)
	for i := range c.Hashes {
		if i%7 == 0 {
			product = (product ^ product>>32) * multiplier
		}
		bits = append(bits, 512*block+int(product>>(9*(i%7))&511))
	}
	return bits
}

// The kernels against that statement: histories byte by byte, and every answer.
func TestAgainstPlainBits(t *testing.T) {
	for _, c := range []blocked.Config{
		blocked.Default, {Blocks: 3, Hashes: 8}, {Blocks: 5, Hashes: 64}, {Blocks: 1, Hashes: 1}, {Blocks: 7, Hashes: 5},
	} {
		f, ids := build(t, c), strategytest.IDs(1, 40*c.Blocks)
		want := make([]byte, 64*c.Blocks)
		for _, id := range ids {
			for _, bit := range bitsOf(c, id) {
				want[bit/8] |= 1 << (bit % 8)
			}
		}
		history := f.Record(nil, ids)
		if !slices.Equal(history, want) {
			t.Fatalf("%+v: %d articles set other bits than they should", c, len(ids))
		}
		candidates := slices.Concat(ids, strategytest.IDs(2, 2000))
		seen := make([]bool, len(candidates))
		f.Seen(history, candidates, seen)
		for i, id := range candidates {
			all := true
			for _, bit := range bitsOf(c, id) {
				all = all && want[bit/8]>>(bit%8)&1 == 1
			}
			if seen[i] != all {
				t.Fatalf("%+v: candidate %d is seen: %v, want %v", c, i, seen[i], all)
			}
		}
	}
}

func TestNewErrors(t *testing.T) {
	strategytest.Refuses(t, blocked.New, map[string]blocked.Config{
		"Blocks is 0, want 1 to 32768":     {Hashes: 6},
		"Blocks is -8, want 1 to 32768":    {Blocks: -8, Hashes: 6},
		"Blocks is 32769, want 1 to 32768": {Blocks: 32769, Hashes: 6},
		"Hashes is 0, want 1 to 64":        {Blocks: 8},
		"Hashes is 4064, want 1 to 64":     {Blocks: 6, Hashes: 4064}, // bits of a single filter
	})
}

func TestValidate(t *testing.T) {
	f := build(t, blocked.Default)
	good := f.Record(nil, strategytest.IDs(5, 100))
	says := func(name string, history []byte, want string) {
		t.Helper()
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("as recorded", good, "")
	says("a newcomer's", nil, "")
	says("cut short", good[:511], "history of 511 bytes, want 0 or one of [512]")
	says("a block too many", append(slices.Clone(good), good[:64]...), "history of 576 bytes")
	says("no bit at all", make([]byte, 512), "no bit is set")
}
