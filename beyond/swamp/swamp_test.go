package swamp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/beyond/swamp"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// window400 is Sized(400, 0.02).
var window400 = swamp.Config{Window: 400, Bits: 15}

var build = strategytest.Builder(swamp.New)

func TestKit(t *testing.T) {
	for _, c := range []swamp.Config{
		{Window: 120, Bits: 13},
		{Window: 1, Bits: 6},
		{Window: 39, Bits: 7},
		{Window: 40, Bits: 12},
		{Window: 81, Bits: 30},
		{Window: 130, Bits: 8},
	} {
		t.Run(fmt.Sprintf("%d of %d bits", c.Window, c.Bits), func(t *testing.T) {
			f := build(t, c)
			subject := strategytest.Subject{
				Strategy: f, Theory: f,
				Forgets: func(read, age int) bool { return age > min(read, c.Window) },
				Reads:   []int{c.Window, 2*c.Window + 1},
			}
			if c.Bits == 30 { // one chance hit in all would fail it
				subject.Forgets, subject.Reads = nil, []int{c.Window}
			}
			strategytest.Run(t, subject)
		})
	}
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, window400)) }

func TestWindows(t *testing.T) { strategytest.Windows(t, swamp.Sized, build, 100, 400, 2000, 4096) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{"cd29eb2c06f72826": build(t, window400)})
}

// Exactly those IDs are recognised whose mix's first bits are those of one of the last
// articles, whatever is recorded, repeats included.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 7))
	for round := range 60 {
		c := swamp.Config{Window: 1 + r.IntN(200), Bits: 6 + r.IntN(15)}
		f, few := build(t, c), strategytest.IDs(uint64(round), 1+r.IntN(2*c.Window))
		var history []byte
		var held []uint64
		for range 20 {
			shown := make([]strategies.ID, r.IntN(1+c.Window*(1+r.IntN(3))))
			for i := range shown {
				shown[i] = few[r.IntN(len(few))]
				held = append(held, mix.Mix(uint64(shown[i]))>>(64-c.Bits))
			}
			held = held[max(0, len(held)-c.Window):]
			history = f.Record(history, shown)
			if err := f.Validate(history); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			candidates := append(strategytest.IDs(uint64(round), 300), few...)
			for i, seen := range strategytest.Ask(f, history, candidates) {
				if want := slices.Contains(held, mix.Mix(uint64(candidates[i]))>>(64-c.Bits)); seen != want {
					t.Fatalf("%+v with %d held: seen is %v, want %v", c, len(held), seen, want)
				}
			}
		}
	}
}

// 400 articles at 2 %: ceil(log2(400/0.02)) bits, in a buffer of 750 bytes and a table of 414, 6 bits of
// remainder and one of its length an article, and one for each of 512 chains.
func TestSized(t *testing.T) {
	c, err := swamp.Sized(400, 0.02)
	if err != nil || c != window400 || c.Bits != int(math.Ceil(math.Log2(400/0.02))) {
		t.Fatalf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, window400)
	}
	f := build(t, c)
	strategytest.Equal(t, f.Bytes(400), 750+(400+512+7)/8+400*6/8+3, "bytes")
	if rate := f.FPR(400); math.Abs(rate-0.012133) > 1e-6 {
		t.Errorf("a rate of %.6f, want 0.012133", rate)
	}
	strategytest.RefusesTargets(t, swamp.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 65536":           {0, 0.02},
		"window is 65537":                        {65537, 0.02},
		"fpr is 1":                               {400, 1},
		"want at least 3.9e-07 for 400 articles": {400, 1e-8},
	})
	strategytest.Refuses(t, swamp.New, map[string]swamp.Config{
		"Window is 0, want 1 to 65536": {Bits: 8},
		"Bits is 5, want 6 to 30":      {Window: 1, Bits: 5},
		"Bits is 31, want 6 to 30":     {Window: 1, Bits: 31},
	})
}

// Every bit of a history counts: whichever is changed, Validate refuses it, but for
// those of the header that tell one state from another.
func TestValidate(t *testing.T) {
	f := build(t, swamp.Config{Window: 50, Bits: 9})
	for _, read := range []int{1, 13, 40, 41, 50, 77} {
		history := f.Record(nil, strategytest.IDs(uint64(read), read))
		for bit := range 8 * (len(history) - 3) {
			history[bit>>3] ^= 1 << (bit & 7)
			if err := f.Validate(history); err == nil {
				t.Errorf("%d articles: bit %d of %d is not looked at", read, bit, 8*len(history))
			}
			history[bit>>3] ^= 1 << (bit & 7)
		}
		end := len(history) - 3
		for _, header := range []int{0, 51, 1 << 23, read%50 + 1, 0xffffff, 40 | 1<<23} {
			damaged := slices.Clone(history)
			damaged[end], damaged[end+1], damaged[end+2] = byte(header), byte(header>>8), byte(header>>16)
			if err := f.Validate(damaged); err == nil {
				t.Errorf("%d articles: a header of %#x is accepted, its own is %x", read, header, history[end:])
			}
		}
	}
}

func TestSizedKeepsItsPromise(t *testing.T) { strategytest.KeepsPromises(t, swamp.Sized, build) }
