package counting_test

import (
	"slices"
	"testing"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var _ strategies.Deleter = (*counting.Filter)(nil)

var build = strategytest.Builder(counting.New)

// The paper's geometry, one of an odd number of counters and of hashes whose
// counters come to their end within a life, and the smallest there is.
func TestKit(t *testing.T) {
	for name, c := range map[string]counting.Config{
		"paper": counting.Paper,
		"small": {Capacity: 30, Geometry: bloom.Geometry{Bits: 301, Hashes: 5}},
		"tiny":  {Capacity: 1, Geometry: bloom.Geometry{Bits: 1, Hashes: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := build(t, c)
			strategytest.Run(t, strategytest.Subject{Strategy: f, Theory: f, Reads: []int{1, 100, 300, 500, 1500}})
		})
	}
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, counting.Paper)) }

func TestWindows(t *testing.T) { strategytest.Windows(t, counting.Sized, build) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"7382bfc23cbb4740": build(t, counting.Paper),
	})
}

// The counters above 0 are the bits of package single's filter, which takes a
// quarter of the memory, and both give the same answers to everyone.
func TestAnswersAsSingle(t *testing.T) {
	for _, g := range []bloom.Geometry{{Bits: 4064, Hashes: 6}, {Bits: 301, Hashes: 5}, {Bits: 40, Hashes: 64}} {
		f := build(t, counting.Config{Capacity: 1, Geometry: g})
		bits := strategytest.Value(single.New(single.Config{Capacity: 1, Geometry: g}))
		ids := strategytest.IDs(uint64(g.Bits), 3000)
		for _, read := range []int{1, 20, 100, 500, 1000} {
			counted, set := f.Record(nil, ids[:read]), bits.Record(nil, ids[:read])
			if !slices.Equal(strategytest.Ask(f, counted, ids), strategytest.Ask(bits, set, ids)) {
				t.Errorf("%v after %d articles: the counters answer otherwise than the bits", g, read)
			}
			ones, of := f.Fill(counted)
			wantOnes, wantOf := bits.Fill(set)
			if ones != wantOnes || of != wantOf {
				t.Errorf("%v after %d articles: %d of %d counters above 0, and %d of %d bits", g, read, ones, of, wantOnes, wantOf)
			}
			if f.FPR(read) != bits.FPR(read) || f.Asymptotic(read) != bits.Asymptotic(read) ||
				f.FillTheory(read) != bits.FillTheory(read) {
				t.Errorf("%v after %d articles: another theory than that of bits", g, read)
			}
		}
		if got, want := f.Bytes(1), (4*g.Bits+7)/8; got != want {
			t.Errorf("%v: %d bytes, want 4 bits a counter, %d", g, got, want)
		}
	}
}

// A counter that has come to 15 stays there, whatever is taken back, and its neighbour in the byte is none the wiser.
func TestCountersEndAtFifteen(t *testing.T) {
	f := build(t, counting.Config{Capacity: 1, Geometry: bloom.Geometry{Bits: 97, Hashes: 3}})
	one := strategytest.IDs(2, 1)
	for _, times := range []int{14, 15, 16, 100} {
		history := f.Record(nil, slices.Repeat(one, times))
		for _, pair := range history {
			if want := byte(min(times, 15)); pair&15 != 0 && pair&15 != want || pair>>4 != 0 && pair>>4 != want {
				t.Fatalf("recorded %d times: counters %x, want 0 or %d", times, history, want)
			}
		}
		history = f.Delete(history, slices.Repeat(one, times))
		strategytest.Equal(t, strategytest.Ask(f, history, one)[0], times >= 15,
			"recorded %d times and taken back as often: seen is", times)
	}
}

func TestNewErrors(t *testing.T) {
	paper := counting.Paper.Geometry
	strategytest.Refuses(t, counting.New, map[string]counting.Config{
		"Capacity is 0, want at least 1":  {Geometry: paper},
		"Capacity is -5, want at least 1": {Capacity: -5, Geometry: paper},
		"Bits is 0, want 1 to 16777216":   {Capacity: 500},
		"Hashes is 4064, want 1 to 64":    {Capacity: 500, Geometry: bloom.Geometry{Bits: 6, Hashes: 4064}}, // swapped
	})
}

func TestValidate(t *testing.T) {
	f := build(t, counting.Config{Capacity: 100, Geometry: bloom.Geometry{Bits: 813, Hashes: 6}})
	good := f.Record(nil, strategytest.IDs(1, 100))
	padded := slices.Clone(good)
	padded[406] |= 1 << 4 // counter 813
	for _, tt := range []struct {
		name    string
		history []byte
		want    string // in the error; none where empty
	}{
		{"as recorded", good, ""},
		{"a newcomer's", nil, ""},
		{"all taken back", make([]byte, 407), ""},
		{"cut short", good[:406], "history of 406 bytes, want 0 or one of [407]"},
		{"a byte too many", append(slices.Clone(good), 0), "history of 408 bytes"},
		{"a counter behind the last", padded, "beyond the last"},
	} {
		strategytest.ErrorSays(t, tt.name, f.Validate(tt.history), tt.want)
	}
}

func TestSizedKeepsItsPromise(t *testing.T) { strategytest.KeepsPromises(t, counting.Sized, build) }
