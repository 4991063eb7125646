package sized_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/sized"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// pair is a family of a small class and a bigger one of so many times its bits.
func pair(t testing.TB, bits, ratio, hashes int) *sized.Family {
	return build(t, sized.Config{Classes: []sized.Class{
		{Capacity: 1, Geometry: bloom.Geometry{Bits: bits, Hashes: hashes}},
		{Capacity: 2, Geometry: bloom.Geometry{Bits: bits * ratio, Hashes: hashes}},
	}})
}

// Folded, a history is byte for byte the one that the smaller class makes of the
// same articles, for ratios with and without a factor of two, lengths that end
// within a byte and at its end, odd and even numbers of hashes, few articles and
// so many that all bits are set, and the IDs at the ends of the range.
func TestFoldIsExact(t *testing.T) {
	ids := append([]strategies.ID{0, 1, 1<<32 - 1, 1 << 32, 1 << 63, 1<<64 - 1}, strategytest.IDs(1, 600)...)
	for _, ratio := range []int{1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 31, 64} {
		for _, bits := range []int{1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 128, 129, 255, 812, 1021} {
			for _, hashes := range []int{1, 2, 6, 7} {
				f := pair(t, bits, ratio, hashes)
				for _, read := range []int{1, 6, 40, 600} {
					history, want := f.Class(1).Record(nil, ids[:read]), f.Class(0).Record(nil, ids[:read])
					got, err := f.Fold(history, 0)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%d articles in %d bits, %d times folded to %d, %d hashes: error %v, or another history than a filter of %d makes",
							read, ratio*bits, ratio, bits, hashes, err, bits)
					}
					if &got[0] != &history[0] {
						t.Fatal("a folded history was moved")
					}
				}
			}
		}
	}
}

// The largest filters there are: every bit of a position counts.
func TestFoldOfTheLargest(t *testing.T) {
	f, ids := pair(t, bloom.MaxBits/2, 2, 6), strategytest.IDs(2, 20_000)
	got, err := f.Fold(f.Class(1).Record(nil, ids), 0)
	if err != nil || !bytes.Equal(got, f.Class(0).Record(nil, ids)) {
		t.Errorf("error %v, or another history", err)
	}
}

// A reader's life through the ladder: folded down step by step or at once, and
// going on in between, a history is always that of its class alone.
func TestFoldDownTheLadder(t *testing.T) {
	f, ids := build(t, sized.Ladder), strategytest.IDs(3, 120)
	var history []byte
	for class := f.Len() - 1; class >= 0; class-- {
		read := 24 * (f.Len() - class)
		history = f.Class(4).Record(history, ids[read-24:read])
		folded, err := f.Fold(history, class)
		if err != nil {
			t.Fatal(err)
		}
		history = folded
		if want := f.Class(class).Record(nil, ids[:read]); !bytes.Equal(history, want) {
			t.Fatalf("class %d after %d articles: not the history of that class alone", class, read)
		}
		if err := f.Class(1).Validate(history); err != nil {
			t.Fatal(err)
		}
		if at, err := f.Fold(f.Class(4).Record(nil, ids[:read]), class); err != nil || !bytes.Equal(at, history) {
			t.Fatalf("folded to class %d at once: %v, or another history", class, err)
		}
	}
}

func TestFoldErrors(t *testing.T) {
	ladder, other := build(t, sized.Ladder), build(t, odd)
	for _, tt := range []struct {
		family   *sized.Family
		from, to int
		want     string
	}{
		{ladder, 1, 2, "class 1 of 510/6 cannot be folded to class 2 of 1020/6"}, // it would have to grow
		{ladder, 1, -1, "fold to class -1, want 0 to 4"},
		{ladder, 1, 5, "fold to class 5, want 0 to 4"},
		{other, 2, 3, "want as many hashes and a divisor of the bits"}, // divides, but 9 hashes are not 1
		{other, 2, 0, "class 2 of 1001/9 cannot be folded to class 0 of 83/5"},
	} {
		history := tt.family.Class(tt.from).Record(nil, strategytest.IDs(4, 20))
		before := slices.Clone(history)
		got, err := tt.family.Fold(history, tt.to)
		if err == nil || !strings.HasPrefix(err.Error(), "sized: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("from class %d to %d: error %v, want %q", tt.from, tt.to, err, tt.want)
		}
		if !bytes.Equal(got, before) {
			t.Errorf("from class %d to %d: the history changed", tt.from, tt.to)
		}
	}
	if got, err := ladder.Fold(nil, 0); got != nil || err != nil {
		t.Errorf("a newcomer's history folds to %v, %v", got, err)
	}
	for from := range ladder.Len() {
		for to := range ladder.Len() {
			if got, want := ladder.Folds(from, to), to <= from; got != want {
				t.Errorf("Folds(%d, %d) = %v, want %v", from, to, got, want)
			}
		}
	}
}

// Whatever passes Validate can be folded, and passes again.
func FuzzFold(f *testing.F) {
	family := build(f, sized.Ladder)
	for class := range family.Len() {
		f.Add(family.Class(class).Record(nil, strategytest.IDs(5, 50)), 0)
	}
	f.Fuzz(func(t *testing.T, history []byte, class int) {
		if family.Class(0).Validate(history) != nil {
			return
		}
		folded, err := family.Fold(history, class)
		if err != nil && len(folded) != len(history) {
			t.Errorf("%v, and %d bytes of %d", err, len(folded), len(history))
		}
		if err := family.Class(0).Validate(folded); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkFold(b *testing.B) {
	for _, ratio := range []int{2, 3, 16} {
		f := pair(b, 4080/ratio, ratio, 6)
		full := f.Class(1).Record(nil, strategytest.IDs(5, 500))
		b.Run(fmt.Sprint(ratio), func(b *testing.B) {
			history := slices.Clone(full)
			for b.Loop() {
				if _, err := f.Fold(append(history[:0], full...), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
