package classes_test

import (
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/classes"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(classes.New)

// odd has classes that end within a byte, two of them in the same byte, with other numbers of hashes, and the second
// no bigger than the first.
var odd = classes.Config{Classes: []classes.Class{
	{Capacity: 9, Geometry: bloom.Geometry{Bits: 83, Hashes: 5}},
	{Capacity: 10, Geometry: bloom.Geometry{Bits: 81, Hashes: 6}},
	{Capacity: 77, Geometry: bloom.Geometry{Bits: 1001, Hashes: 9}},
	{Capacity: 78, Geometry: bloom.Geometry{Bits: 1, Hashes: 1}},
}}

// A member is one class of a family's configuration.
type member struct {
	classes.Config
	Class int
}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[member, *classes.Filter]{
		New: func(c member) (*classes.Filter, error) {
			family, err := classes.New(c.Config)
			if err != nil {
				return nil, err
			}
			return family.Class(c.Class), nil
		},
		Presets: []member{{classes.Ladder, 2}, {odd, 0}, {odd, 3}},
		Digest:  "65ac2f2d3329d466",
		Config: func(r strategytest.Random) member {
			var c classes.Config
			for capacity := 0; len(c.Classes) == 0 || len(c.Classes) < classes.MaxClasses && r.IntN(8) > 0; {
				capacity += r.Log(1, 2000)
				g := strategytest.Geometry[bloom.Geometry](r, 1)
				c.Classes = append(c.Classes, classes.Class{Capacity: capacity, Geometry: g})
			}
			return member{c, r.IntN(len(c.Classes))}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, classes.Ladder).Class(2)) }

func TestLayout(t *testing.T) {
	f := build(t, classes.Ladder)
	for i, want := range []string{
		"7d7ebccaedfb1fd6", "7b43f5e2a5dcb3b9", "1a427995ddf1a9bd", "b54d6c2fd7e1f5b7", "3bff08abf612a7ea",
	} {
		strategytest.Equal(t, strategytest.Digest(f.Class(i)), want, "layout digest of class %d", i)
	}
}

// All classes ask, extend and validate a history in turn, and it stays as it would be under its first class.
func TestEveryClassTakesAll(t *testing.T) {
	for _, c := range []classes.Config{classes.Ladder, odd} {
		f, ids := build(t, c), strategytest.IDs(1, 700)
		for first := range c.Classes {
			history := f.Class(first).Record(nil, ids[:1])
			for read, step := 1, 1; read < 500; step++ {
				at := f.Class(step % len(c.Classes))
				history = at.Record(history, ids[read:read+step])
				read += step
				strategytest.EqualSlices(t, history, f.Class(first).Record(nil, ids[:read]), "history of class %d", first)
				seen := strategytest.Ask(at, history, ids)
				strategytest.EqualSlices(t, seen, strategytest.Ask(f.Class(first), history, ids), "answers of class %d", first)
				strategytest.Equal(t, strategytest.Count(seen[:read]), read, "seen")
				strategytest.Must(t, at.Validate(history))
			}
		}
	}
}

// The boundaries between classes, and what lies beyond the last.
func TestOf(t *testing.T) {
	f := build(t, classes.Ladder)
	for articles, want := range map[int]int{-1: 0, 0: 0, 31: 0, 32: 1, 62: 1, 63: 2, 125: 3, 250: 3, 251: 4, 501: 4} {
		strategytest.Equal(t, f.Of(articles), want, "Of(%d)", articles)
	}
}

// A class at its capacity, an article more, and a user who outgrew it: golden values from the recursion of Bose et al.
// (2008), computed outside the project.
func TestTheory(t *testing.T) {
	ladder := build(t, classes.Ladder)
	for _, tt := range []struct {
		class, read int
		fpr         float64
		bytes       int
	}{
		{0, 0, 0, 0},
		{0, 31, 0.019772, 33},
		{0, 32, 0.022475, 33},
		{1, 63, 0.020832, 65},
		{2, 124, 0.019399, 129},
		{3, 250, 0.019979, 256},
		{3, 251, 0.020306, 256},
	} {
		f := ladder.Class(tt.class)
		strategytest.Near(t, f.FPR(tt.read), tt.fpr, 0.6e-6, "%v: FPR(%d)", f.Geometry, tt.read)
		strategytest.Equal(t, f.Bytes(tt.read), tt.bytes, "%v: Bytes(%d)", f.Geometry, tt.read)
	}
	small := ladder.Class(0).Record(nil, strategytest.IDs(1, 1)) // six probes
	if ones, of := ladder.Class(4).Fill(small); ones < 1 || ones > 6 || of != 255 {
		t.Errorf("Fill of a history of another class is %d of %d, want up to 6 of 255", ones, of)
	}
}

func TestNewErrors(t *testing.T) {
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	of := func(c ...classes.Class) classes.Config { return classes.Config{Classes: c} }
	five := classes.Class{Capacity: 5, Geometry: g}
	many := make([]classes.Class, classes.MaxClasses+1)
	for i := range many {
		many[i] = classes.Class{Capacity: i + 1, Geometry: g}
	}
	strategytest.Refuses(t, classes.New, map[string]classes.Config{
		"Classes has 0, want 1 to 256":                         of(),
		"Classes has 257, want 1 to 256":                       of(many...),
		"Capacity of class 0 is 0, want at least 1":            of(classes.Class{Geometry: g}),
		"Capacity of class 1 is 5, want at least 6":            of(five, five),
		"class 0: geometry 0/0: Bits is 0, want 1 to 16777216": of(classes.Class{Capacity: 5}),
		"class 1: geometry 6/812: Hashes is 812, want 1 to 64": of(classes.Class{Capacity: 5, Geometry: g},
			classes.Class{Capacity: 6, Geometry: bloom.Geometry{Bits: 6, Hashes: 812}}),
	})
	f := build(t, of(many[:classes.MaxClasses]...))
	strategytest.ErrorSays(t, "the 256th class",
		f.Class(3).Validate(f.Class(255).Record(nil, strategytest.IDs(1, 1))), "")
}

func TestValidate(t *testing.T) {
	f := build(t, classes.Ladder)
	good := f.Class(2).Record(nil, strategytest.IDs(1, 100)) // 1020 bits, 128 bytes, and class 2
	with := func(at int, set byte) []byte {
		changed := slices.Clone(good)
		changed[at] |= set
		return changed
	}
	blank := make([]byte, 129)
	blank[128] = 2
	says := func(name string, history []byte, want string) {
		t.Helper()
		for i := range classes.Ladder.Classes {
			err := f.Class(i).Validate(history)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, by class %d: error %v, want %q", name, i, err, want)
			}
		}
	}
	says("as recorded", good, "")
	says("a newcomer's", nil, "")
	says("cut short", append(slices.Clone(good[:127]), 2), "history of 128 bytes, want 0 or one of [")
	says("a byte too many", append(slices.Clone(good), 2), "history of 130 bytes")
	says("another class", with(128, 1), "no class 3, of 5, has histories of 129 bytes")
	says("no class", with(128, 5), "no class 7, of 5,")
	says("the class after the last", append(slices.Clone(good[:128]), 5), "no class 5, of 5,")
	says("a bit behind the last", with(127, 0x10), "beyond the last of the 1020")
	says("no bit at all", blank, "no bit is set")
}
