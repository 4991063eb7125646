package quotient_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/beyond/quotient"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(quotient.New)

// others are configurations beside the window of 400: tags of one bit to seven, no low bits and many, generations of
// one article, of which two fit in the same bytes, and one so large that a directory's blocks are several words.
var others = []quotient.Config{
	{Generations: 2, Generation: 1, Range: 64},
	{Generations: 2, Generation: 50, Range: 4096},
	{Generations: 3, Generation: 7, Range: 1 << 30},
	{Generations: 5, Generation: 40, Range: 65},
	{Generations: 17, Generation: 9, Range: 1 << 20},
	{Generations: 128, Generation: 2, Range: 10000},
	{Generations: 3, Generation: 600, Range: 60000},
}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[quotient.Config, *quotient.Filter]{
		New: quotient.New, Sized: quotient.Sized, Presets: []quotient.Config{quotient.Window400},
		Digest: "35b08001a2f8ec6d",
		Config: func(r strategytest.Random) quotient.Config {
			generations := r.Log(2, 128)
			return quotient.Config{
				Generations: generations, Generation: r.Log(1, min(65535, 200_000/generations)), Range: r.Log(64, 1<<30),
			}
		},
		Subject: func(_ strategytest.Random, f *quotient.Filter) strategytest.Subject {
			return strategytest.Subject{
				Strategy: f, Theory: f, Forgets: func(read, age int) bool { return age > f.Window(read) },
			}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, quotient.Window400)) }

func FuzzKitSmall(f *testing.F) {
	strategytest.Fuzz(f, build(f, quotient.Config{Generations: 3, Generation: 7, Range: 1000}))
}

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"961a3a7480ed416b": build(t, quotient.Window400),
		"1a248b117211e656": build(t, quotient.Config{Generations: 5, Generation: 40, Range: 1000003}),
	})
}

// Histories follow their definition. Whatever is recorded, in requests of any size and with repeats, an ID is
// recognised exactly if its first digit is one of the last articles', whose number theory gives; and Validate agrees.
// One article shown again and again fills a bucket with all entries.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 5))
	for round := range 120 {
		c := quotient.Config{Generations: 2 + r.IntN(20), Generation: 1 + r.IntN(60), Range: 64 + r.IntN(1<<(6+r.IntN(20)))}
		if round < len(others) {
			c = others[round]
		}
		f := build(t, c)
		few := strategytest.IDs(uint64(round), 1+r.IntN(3*c.Generations*c.Generation))
		var history []byte
		var digits []uint64
		for range 25 {
			shown := make([]strategies.ID, r.IntN(1+c.Generation*(1+r.IntN(2*c.Generations)/(1+r.IntN(8)))))
			for i := range shown {
				shown[i] = few[r.IntN(len(few))]
				if round%9 == 0 {
					shown[i] = few[0]
				}
				digit, _ := bits.Mul64(mix.Mix(uint64(shown[i])), uint64(c.Range))
				digits = append(digits, digit)
			}
			history = f.Record(history, shown)
			if err := f.Validate(history); err != nil {
				t.Fatalf("%+v after %d articles: %v", c, len(digits), err)
			}
			held := digits[len(digits)-f.Window(len(digits)):]
			candidates := append(strategytest.IDs(uint64(round), 400), few[:min(400, len(few))]...)
			for i, seen := range strategytest.Ask(f, history, candidates) {
				digit, _ := bits.Mul64(mix.Mix(uint64(candidates[i])), uint64(c.Range))
				if want := slices.Contains(held, digit); seen != want {
					t.Fatalf("%+v after %d articles: digit %d seen is %v, want %v", c, len(digits), digit, seen, want)
				}
			}
		}
	}
}

// of returns an ID with that fingerprint below a range.
func of(fingerprint, below uint64) strategies.ID {
	id, _ := bits.Div64(fingerprint, 0, below)
	return strategies.ID(mix.Unmix(id + 1))
}

// Histories damaged by hand, of three generations of two articles below 127, in 64 buckets of two: fields have one low
// bit and two of tag. A full one has 70 unary bits in 9 bytes, 18 bits of fields in 3, and the header.
func TestValidate(t *testing.T) {
	f := build(t, quotient.Config{Generations: 3, Generation: 2, Range: 127})
	record := func(fingerprints ...uint64) []byte {
		var history []byte
		for _, fingerprint := range fingerprints {
			history = f.Record(history, []strategies.ID{of(fingerprint, 127)})
		}
		return history
	}
	good := record(1, 0, 126, 1, 1)
	// In bucket 0 article 1 of generation 0, low bit first, 100, then 000, 110 and 101.
	if got, want := fmt.Sprintf("%x", good), "0f0000000000000008"+"c12a00"+"010082"; got != want {
		t.Fatalf("history %s, want %s", got, want)
	}
	says := func(name string, at int, flip byte, want string) {
		t.Helper()
		history := slices.Clone(good)
		history[at] ^= flip
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("as recorded", 0, 0, "")
	says("no article in the youngest generation", 12, 1, "the youngest generation holds 0 articles, want 1 to 2")
	says("too many", 12, 2, "the youngest generation holds 3 articles, want 1 to 2")
	says("far too many", 13, 1, "the youngest generation holds 257 articles")
	says("another youngest generation", 14, 1, "the youngest generation is 3")
	says("not all there", 14, 0x80, "the youngest generation is 2 (all there: false) in a history of 15 bytes")
	says("fewer than there is room for", 14, 0x83, "the youngest generation is 1 (all there: false) in a history of 15")
	says("another youngest", 14, 2, "in bucket 0 an article of age 2 is behind one of age 0")
	says("an article more", 7, 0x10, "an article in bucket 62 is the 6th, want 5 in 64 buckets")
	says("an article fewer", 0, 0x08, "an article in bucket 64 is the 4th, want 5 in 64 buckets")
	says("an article behind the last bucket", 8, 0x18, "an article in bucket 64 is the 5th")
	says("a bit behind the unary", 8, 0x20, "1 bits are set beyond the 5 articles")
	says("a bit in the article behind the last", 10, 0x80, "1 bits are set beyond the 5 articles")
	says("a bit behind the articles", 11, 0x80, "1 bits are set beyond the 5 articles")
	says("no such fingerprint", 10, 0x10, "fingerprint 127 of generation 1, want them below 127 and 3")
	says("no such generation", 10, 0x40, "fingerprint 126 of generation 3, want them below 127 and 3")
	says("another generation's", 10, 0x20, "3 articles of generation 0, want 2")
	swapped := slices.Clone(good) // the last two of bucket 0
	swapped[9], swapped[10] = swapped[9]^0x80, swapped[10]^0x0d
	strategytest.ErrorSays(t, "articles of one bucket swapped", f.Validate(swapped),
		"an article of age 1 is behind one of age 0")
}

func TestNewErrors(t *testing.T) {
	strategytest.Refuses(t, quotient.New, map[string]quotient.Config{
		"Generations is 1, want 2 to 128":      {Generations: 1, Generation: 57, Range: 100},
		"Generations is 129, want 2 to 128":    {Generations: 129, Generation: 57, Range: 100},
		"Generation is 0, want 1 to 65535":     {Generations: 8, Range: 100},
		"Generation is 65536, want 1 to 65535": {Generations: 8, Generation: 65536, Range: 100},
		"Range is 63, want 64 to 1073741824":   {Generations: 8, Generation: 57, Range: 63},
	})
}

// By hand: 1 - (1 - 1/22572)^N for N = 1, 400 and 456.
func TestTheory(t *testing.T) {
	f := build(t, quotient.Window400)
	for read, want := range map[int]float64{0: 0, 1: 1. / 22572, 400: 0.0175654, 457: 0.0175654, 513: 0.0199998} {
		strategytest.Near(t, f.FPR(read), want, 0.5e-7, "FPR(%d)", read)
	}
}

// 605 bytes: 456 of fields, 146 of 456 + 706 unary bits, and 3 of header. No other number of generations is smaller,
// and no smaller range is good enough.
func TestSized(t *testing.T) {
	c, err := quotient.Sized(400, 0.02)
	if err != nil || c != quotient.Window400 {
		t.Fatalf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, quotient.Window400)
	}
	f := build(t, c)
	strategytest.Equal(t, f.Bytes(456), 456+146+3, "bytes")
	c.Range--
	if got := build(t, c).FPR(456); got <= 0.02 {
		t.Errorf("a smaller range does with %v", got)
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, quotient.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 8322946":    {0, 0.02},
		"window is 8322947":                 {8322947, 0.02},
		"fpr is 0, want it between 0 and 1": {400, 0},
		"fpr is 1":                          {400, 1},
		"fpr is NaN":                        {400, math.NaN()},
		"fpr is 1e-08, want at least 4e-07 for 400 articles": {400, 1e-8},
	})
}
