package strategytest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"dejavu/strategies"
)

type id = strategies.ID

// Short names for what the faults replace.
type (
	seenFunc   = func(l *list, history []byte, candidates []id, seen []bool)
	recordFunc = func(l *list, history []byte, shown []id) []byte
)

// constant is a rate from the first article on.
func constant(rate float64) func(*list, int) float64 {
	return func(_ *list, read int) float64 { return rate * float64(min(read, 1)) }
}

// escape forces an allocation of what is assigned to it.
var escape any

// Faults that the kit must find, each in the check written for it. Most are variations of mistakes in published
// filters.
func TestFindsFaults(t *testing.T) {
	seen := func(f seenFunc) faulty { return faulty{seen: f} }
	record := func(f recordFunc) faulty { return faulty{record: f} }
	const window = 40
	tests := []struct {
		fault string
		check string
		want  string // a part of the error
		toy   faulty
	}{
		{"sizes descend", "Sizes", "8 follows 16", faulty{sizes: func(*list) []int { return []int{16, 8} }}},
		{"sizes repeat", "Sizes", "8 follows 8", faulty{sizes: func(*list) []int { return []int{8, 8} }}},
		{"a size of 0", "Sizes", "0 follows 0", faulty{sizes: func(*list) []int { return []int{0, 8} }}},
		{"no sizes", "Sizes", "no Sizes", faulty{sizes: func(*list) []int { return nil }}},
		{"sizes made anew", "Sizes", "new list", faulty{sizes: func(l *list) []int { return slices.Clone(l.sizes) }}},
		{"a size left out", "Life", "not one of Sizes", faulty{sizes: func(l *list) []int { return l.sizes[1:] }}},

		{"bytes of a newcomer", "Theory", "Bytes(0)", faulty{bytes: func(l *list, read int) int { return 8 }}},
		{"bytes not a size", "Theory", "not one of", faulty{bytes: func(_ *list, read int) int { return 7 * min(read, 2) }}},
		{"an article more", "Life", "Bytes", faulty{bytes: func(l *list, n int) int { return l.Bytes(n + min(n, 1)) }}},
		{"a rate that is no number", "Theory", "NaN", faulty{fpr: func(*list, int) float64 { return math.NaN() }}},
		{"a rate above 1", "Theory", "probability", faulty{fpr: func(_ *list, read int) float64 { return float64(read) }}},
		{"a rate just above 1", "Theory", "probability", faulty{fpr: constant(1.001)}},
		{"a rate below 0", "Theory", "probability", faulty{fpr: constant(-0.001)}},
		{"a rate for a newcomer", "Theory", "FPR(0)", faulty{fpr: func(*list, int) float64 { return 0.01 }}},
		{"a window of -1", "Theory", "treat negative", faulty{window: func(l *list, n int) int { return min(n, l.window) }}},
		{"a window too wide", "Theory", "Window(0) is 1", faulty{window: func(_ *list, read int) int { return read + 1 }}},

		{"an empty history remembers ID 0", "Newcomer", "ID 0x0", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				s[i] = s[i] || c[i] == 0 // 0 marks an empty slot
			}
		})},
		{"seen is only ever set", "Newcomer", "remembers candidate 0", seen(func(l *list, h []byte, c []id, s []bool) {
			for i := range c {
				var one [1]bool
				if l.Seen(h, c[i:i+1], one[:]); one[0] {
					s[i] = true
				}
			}
		})},
		{"a history of nothing", "Newcomer", "shown no articles", record(func(l *list, h []byte, shown []id) []byte {
			if len(h) == 0 && len(shown) == 0 {
				return make([]byte, 8)
			}
			return l.Record(h, shown)
		})},
		{"one memory for all newcomers", "Newcomer", "share memory", record(func() recordFunc {
			memory := make([]byte, 0, 8*window)
			return func(l *list, h []byte, shown []id) []byte {
				if len(h) == 0 {
					h = memory
				}
				return l.Record(h, shown)
			}
		}())},

		{"spare capacity is read as history", "Life", "", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h[:cap(h)&^7], c, s)
		})},
		{"growth leaves spare bytes", "Growth", "another history", record(func(l *list, h []byte, shown []id) []byte {
			n := len(h)
			h = l.Record(h, shown)
			if n == 0 && len(h) > 0 && cap(h) > len(h) {
				h[0] |= h[:cap(h)][len(h)] // what was there before
			}
			return h
		})},
		{"an odd address", "Growth", "another history", record(func(l *list, h []byte, shown []id) []byte {
			odd := uintptr(unsafe.Pointer(unsafe.SliceData(h)))%8 != 0
			if h = l.Record(h, shown); odd {
				h[0]++
			}
			return h
		})},
		{"a history without room", "Growth", "another history", record(func(l *list, h []byte, shown []id) []byte {
			full := len(h) == 24 && cap(h) == len(h) // append leaves room behind three articles
			if h = l.Record(h, shown); full {
				h[0]++
			}
			return h
		})},
		{"a long request keeps the oldest", "Growth", "one by one", record(func(l *list, h []byte, shown []id) []byte {
			return l.Record(h, shown[:min(len(shown), 2*window)])
		})},
		{"a request is recorded newest first", "Life", "one by one", record(func(l *list, h []byte, shown []id) []byte {
			backwards := slices.Clone(shown)
			slices.Reverse(backwards)
			return l.Record(h, backwards)
		})},
		{"a request of nothing records something", "Life", "", record(func(l *list, h []byte, shown []id) []byte {
			if len(h) > 0 && len(shown) == 0 {
				return l.Record(h, []id{7})
			}
			return l.Record(h, shown)
		})},
		{"repeats in one request are dropped", "Life", "one by one", record(func(l *list, h []byte, shown []id) []byte {
			return l.Record(h, slices.Compact(slices.Clone(shown)))
		})},
		{"candidates are sorted in place", "Life", "candidates changed", seen(func(l *list, h []byte, c []id, s []bool) {
			slices.Sort(c)
			l.Seen(h, c, s)
		})},
		{"shown articles are sorted", "Life", "changed by Record", record(func(l *list, h []byte, shown []id) []byte {
			h = l.Record(h, shown)
			slices.Sort(shown)
			return h
		})},
		{"asking moves what was asked", "Life", "history changed", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			if len(h) >= 16 && slices.Contains(s, true) {
				h[0], h[8] = h[8], h[0]
			}
		})},
		{"the first of equal candidates", "Life", "in another request", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				s[i] = s[i] && slices.Index(c, c[i]) == i
			}
		})},
		{"half of the bits are compared", "Life", "never shown", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				for at := 0; at < len(h); at += 8 {
					s[i] = s[i] || binary.LittleEndian.Uint32(h[at:]) == uint32(c[i])
				}
			}
		})},
		{"an empty slot holds ID 0", "Life", "ID 0x0 was never shown", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				s[i] = s[i] || c[i] == 0 && len(h) > 0 && len(h) < 8*l.window
			}
		})},
		{"the highest bit is a mark", "Life", "was never shown", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				for at := 0; at < len(h); at += 8 {
					s[i] = s[i] || binary.LittleEndian.Uint64(h[at:])<<1 == uint64(c[i])<<1
				}
			}
		})},
		{"one ID in 300 is reported as seen", "Life", "was never shown", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				s[i] = s[i] || len(h) > 0 && splitMix(uint64(c[i])) < math.MaxUint64/300
			}
		})},
		{"every record moves the history", "Life", "stay in place", record(func(l *list, h []byte, shown []id) []byte {
			return l.Record(bytes.Clone(h), shown)
		})},
		{"records write beyond the result", "Life", "Record wrote 0x00", record(func(l *list, h []byte, shown []id) []byte {
			h = l.Record(h, shown)
			clear(h[len(h):min(cap(h), len(h)+8)]) // as a word-wise kernel might
			return h
		})},
		{"a request of 200 candidates overflows a table", "Life", "", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := 50; i < len(c); i++ {
				s[i] = false
			}
		})},

		{"a window too long", "Window", "forgotten", faulty{window: func(l *list, n int) int { return min(n, l.window+1) }}},
		{"one article is lost at one moment", "Window", "after 97 articles the one of age 40 is", record(func() recordFunc {
			records := 0
			return func(l *list, h []byte, shown []id) []byte {
				h = l.Record(h, shown)
				if records += len(shown); records == 97 {
					h[0] ^= 1
				}
				return h
			}
		}())},
		{"shown, held a request later", "Window", "the one of age 1 is", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h[:max(0, len(h)-8)], c, s)
		})},

		{"seen allocates", "Allocations", "asking for 40 candidates", seen(func(l *list, h []byte, c []id, s []bool) {
			escape = make([]byte, len(c))
			l.Seen(h, c, s)
		})},
		{"records in place allocate", "Allocations", "with room for", record(func(l *list, h []byte, shown []id) []byte {
			escape = make([]byte, 1+len(shown))
			return l.Record(h, shown)
		})},
		{"growth allocates", "Allocations", "growing from 0 to 8", record(func(l *list, h []byte, shown []id) []byte {
			if len(h) == cap(h) && len(h) < 8*l.window {
				escape = new([100]byte)
			}
			return l.Record(h, shown)
		})},

		{"a newcomer is invalid", "Validate", "newcomer", faulty{validate: func(l *list, h []byte) error {
			if len(h) == 0 {
				return errors.New("empty")
			}
			return l.Validate(h)
		}}},
		{"the longest history is invalid", "Validate", "too long", faulty{validate: func(l *list, h []byte) error {
			if len(h) >= 8*l.window {
				return errors.New("too long")
			}
			return l.Validate(h)
		}}},
		{"any multiple is valid", "Validate", "not one of Sizes", faulty{validate: func(l *list, h []byte) error {
			if len(h)%8 != 0 {
				return errors.New("length")
			}
			return nil
		}}},
		{"nothing is invalid", "Validate", "", faulty{validate: func(*list, []byte) error { return nil }}},
		{"validate panics", "Validate", "panic: runtime error: index", faulty{validate: func(l *list, h []byte) error {
			if len(h) > 0 {
				_ = h[7]
			}
			return l.Validate(h)
		}}},
		{"a byte is an index", "Validate", "panic: runtime error", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			if len(h) > 8 && h[0] == ^headOf(len(h)/8) {
				_ = c[len(h)*1000]
			}
		})},
		{"what Validate rejects panics", "Validate", "panic: made up", faulty{
			validate: func(l *list, h []byte) error {
				if len(h) > 8 && h[0] == ^headOf(len(h)/8) {
					return errors.New("made up")
				}
				return l.Validate(h)
			},
			seen: func(l *list, h []byte, c []id, s []bool) {
				if l.Seen(h, c, s); len(h) > 8 && h[0] == ^headOf(len(h)/8) {
					panic("made up")
				}
			},
		}},
		{"validate repairs the history", "Validate", "changed in Validate", faulty{validate: func(l *list, h []byte) error {
			if len(h) > 8 {
				h[8] = 0
			}
			return l.Validate(h)
		}}},

		{"calls share scratch memory", "Concurrency", "", seen(func() seenFunc {
			// Atomic, so that the comparison finds it and not the race detector.
			var scratch [64]atomic.Uint64
			return func(l *list, h []byte, c []id, s []bool) {
				for i := range c {
					scratch[i%64].Store(uint64(c[i]))
				}
				runtime.Gosched()
				for i := range c {
					one := [1]id{id(scratch[i%64].Load())}
					l.Seen(h, one[:], s[i:i+1])
				}
			}
		}())},

		{"one in 500 is seen", "FPR", "standard errors off", seen(func(l *list, h []byte, c []id, s []bool) {
			l.Seen(h, c, s)
			for i := range c {
				s[i] = s[i] || uint64(c[i])%500 == 0
			}
		})},
		{"the rate promised is too high", "FPR", "standard errors off", faulty{fpr: constant(0.01)}},
		{"IDs are not mixed", "Shapes", "with sequential IDs, salted false, 1 of", faulty{
			seen: func(l *list, h []byte, c []id, s []bool) {
				for i := range c {
					s[i] = false
					for at := 0; at < len(h); at += 8 {
						s[i] = s[i] || binary.LittleEndian.Uint64(h[at:])>>54 == uint64(c[i])>>54
					}
				}
			},
			fpr: func(l *list, read int) float64 { return -math.Expm1(float64(l.Window(read)) * math.Log1p(-1./1024)) },
		}},
		{"one user in 16 bears it all", "Shapes", "with sequential IDs, salted false, 0.01", faulty{
			seen: func(l *list, h []byte, c []id, s []bool) {
				l.Seen(h, c, s)
				for i := range c {
					n := splitMix(uint64(c[i]))
					s[i] = s[i] || n%64 == 0 && c[i] >= 1<<40 || n%4 == 0 && c[i] < 1<<40 && h[2]%16 == 0
				}
			},
			fpr: constant(1. / 64),
		}},
		{"twice the window is held", "Forgets", "+Inf standard errors off", faulty{
			list:   newList(2 * window),
			window: func(_ *list, read int) int { return min(read, window) },
			fpr:    func(*list, int) float64 { return 0 },
		}},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			if raceEnabled && tt.fault == "growth allocates" {
				t.Skip("not counted under the race detector")
			}
			if tt.toy.list == nil {
				tt.toy.list = newList(window)
			}
			s := Subject{
				Strategy: tt.toy, Theory: tt.toy, Reads: []int{50, 100},
				Forgets: func(_, age int) bool { return age > window },
			}
			err := named(t, tt.check).guarded(s, testEffort)
			if err == nil {
				t.Fatalf("check %s does not find it", tt.check)
			}
			Contains(t, err.Error(), tt.want, "check %s", tt.check)
		})
	}
}

// headOf is the first byte of the oldest ID in the histories of n articles that
// the Validate check damages, so that the planted fault lies one flip away.
func headOf(n int) byte { return byte(IDs(0x7a11d, n)[0]) }

// named returns the check of that name.
func named(t *testing.T, name string) check {
	t.Helper()
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	if i < 0 {
		t.Fatalf("no check is called %q", name)
	}
	return checks[i]
}

// Damage is tried at every bit of both ends of a history, in its middle, and early in a life.
func TestDamageReachesEveryBit(t *testing.T) {
	flipped, calls := map[[2]int]bool{}, map[int]int{}
	var valid []byte
	f := faulty{list: newList(40), validate: func(l *list, h []byte) error {
		if len(h) == len(valid) {
			for i := range h {
				if flip := int(h[i] ^ valid[i]); flip != 0 {
					flipped[[2]int{i, flip}] = true
					return errRejected
				}
			}
		}
		return l.Validate(h)
	}}
	valid = f.Record(nil, IDs(1, 40))
	Must(t, checkDamage(Subject{Strategy: f, Theory: f}, testEffort, valid))
	for i := range valid {
		for bit := range 8 {
			if end := i < 24 || i >= len(valid)-24; end && !flipped[[2]int{i, 1 << bit}] {
				t.Errorf("bit %d of byte %d of %d stays", bit, i, len(valid))
			}
		}
	}
	AtLeast(t, len(flipped), 48*8+20, "bits and bytes that are changed")
	f.validate = func(l *list, h []byte) error {
		calls[len(h)]++
		return l.Validate(h)
	}
	Must(t, checkValidate(Subject{Strategy: f, Theory: f}, testEffort))
	AtLeast(t, calls[8*2], 100, "histories of two articles that are damaged")
}
