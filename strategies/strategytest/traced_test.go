package strategytest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	"dejavu/bloom"
	"dejavu/internal/golden"
	"dejavu/strategies"
)

// A traced passes calls on and sums up what they are, in any order: the goroutines of
// a check take turns as they like.
type traced struct {
	strategies.Strategy
	strategies.Theory

	mu    sync.Mutex
	calls int
	sum   uint64
}

func (c *traced) call(name string, parts ...any) {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	for _, part := range parts {
		switch part := part.(type) {
		case []byte:
			fmt.Fprintf(h, " %d %x", len(part), part)
		default:
			fmt.Fprint(h, " ", part)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.sum += h.Sum64()
}

func (c *traced) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	c.call("Seen", history, candidates, len(seen))
	c.Strategy.Seen(history, candidates, seen)
}

func (c *traced) Record(history []byte, shown []strategies.ID) []byte {
	c.call("Record", history, shown)
	return c.Strategy.Record(history, shown)
}

func (c *traced) Validate(history []byte) error {
	c.call("Validate", history)
	return c.Strategy.Validate(history)
}

func (c *traced) Bytes(read int) int   { c.call("Bytes", read); return c.Theory.Bytes(read) }
func (c *traced) FPR(read int) float64 { c.call("FPR", read); return c.Theory.FPR(read) }
func (c *traced) Window(read int) int  { c.call("Window", read); return c.Theory.Window(read) }

// What the kit asks of a strategy is as it was: fewer articles, other moments, or
// bytes that are not damaged any more find fewer faults, and no strategy would tell.
// Allocations are counted until they are none, in so many turns as that takes.
func TestGoldenCalls(t *testing.T) {
	var b strings.Builder
	small, tiny := newList(9), newFilter(independent)
	for _, toy := range []struct {
		name string
		s    Subject
	}{
		{"list", Subject{Strategy: small, Theory: small, Reads: []int{5, 30}}},
		{"list by age", Subject{
			Strategy: small, Theory: small, Reads: []int{12, 30}, Life: 50,
			Remembers: func(read, age int) bool { return age <= min(read, 9) }, Forgets: func(_,
				age int,
			) bool {
				return age > 9
			},
		}},
		{"filter", Subject{Strategy: tiny, Theory: tiny, Reads: []int{50}, Life: 130}},
	} {
		for _, c := range checks {
			if c.name == "Allocations" || c.name == "Forgets" && toy.s.Forgets == nil {
				continue
			}
			trace := traced{Strategy: toy.s.Strategy, Theory: toy.s.Theory}
			s := toy.s
			s.Strategy, s.Theory = &trace, &trace
			err := c.guarded(s, effort{lives: 2, asked: 1000, users: 200, queries: 20, corruptions: 16})
			fmt.Fprintf(&b, "%s %s: %d calls, %016x, %v\n", toy.name, c.name, trace.calls, trace.sum, err)
		}
	}
	golden.File(t, "calls.golden", b.String())
}

// What IDs are drawn, and which edges every check takes.
func TestGoldenMoments(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "IDs %x\n", IDs(1, 3))
	for _, repeats := range []bool{false, true} {
		fmt.Fprintf(&b, "life %x\n", shownLife(generator(3, 4), 40, repeats))
	}
	fmt.Fprintf(&b, "lengths %d\n", wrongLengths(1000, 1100))
	fmt.Fprintf(&b, "lengths %d\n", wrongLengths(3, 900))
	for _, window := range []int{1, 3, 1300, 2000} {
		l := newList(window)
		s := Subject{Strategy: l, Theory: l}
		fmt.Fprintf(&b, "window %d: life %d, boundaries %d\n", window, s.life(), s.boundaries()[:min(4, len(s.boundaries()))])
	}
	f := newFilter(independent)
	fmt.Fprintf(&b, "no end: life %d\n", Subject{Strategy: f, Theory: f}.life())
	none := faulty{list: newList(1), window: func(*list, int) int { return 0 }}
	fmt.Fprintf(&b, "no window: life %d\n", Subject{Strategy: none, Theory: none}.life())
	late := faulty{list: newList(1), window: func(_ *list, read int) int { return 1 + 4*(read/(1<<20+1023)) }}
	fmt.Fprintf(&b, "the widest last: life %d\n", Subject{Strategy: late, Theory: late}.life())
	most := faulty{list: newList(1), window: func(*list, int) int { return math.MaxInt32 }}
	fmt.Fprintf(&b, "all: life %d\n", Subject{Strategy: most, Theory: most}.life())
	fmt.Fprintf(&b, "short %+v\nlong %+v\n", currentEffort(true),
		map[bool]effort{true: {}, false: currentEffort(false)}[raceEnabled])
	if !raceEnabled {
		golden.File(t, "moments.golden", b.String())
	}
}

// A list is the exact set: the IDs of the newest articles, oldest first, eight bytes each. It is slow and right.
type list struct {
	window int
	sizes  []int
}

func newList(window int) *list {
	l := &list{window: window}
	for n := 1; n <= window; n++ {
		l.sizes = append(l.sizes, 8*n)
	}
	return l
}

func (l *list) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = false
		for at := 0; at < len(history); at += 8 {
			if binary.LittleEndian.Uint64(history[at:]) == uint64(id) {
				seen[i] = true
				break
			}
		}
	}
}

func (l *list) Record(history []byte, shown []strategies.ID) []byte {
	for _, id := range shown {
		if len(history) == 8*l.window {
			copy(history, history[8:])
			history = history[:8*(l.window-1)]
		}
		history = binary.LittleEndian.AppendUint64(history, uint64(id))
	}
	return history
}

func (l *list) Sizes() []int { return l.sizes }

func (l *list) Validate(history []byte) error {
	if len(history)%8 != 0 || len(history) > 8*l.window {
		return fmt.Errorf("length %d", len(history))
	}
	return nil
}

func (l *list) Bytes(read int) int   { return 8 * l.Window(read) }
func (l *list) FPR(read int) float64 { return math.Ldexp(float64(l.Window(read)), -64) }
func (l *list) Window(read int) int  { return min(max(read, 0), l.window) }

// A filter is one Bloom filter that is never cleared, a bit at a time.
type filter struct {
	geometry bloom.Geometry
	probe    func(x uint64, i, m int) int // the i-th position of m
	sizes    []int
}

func newFilter(probe func(x uint64, i, m int) int) *filter {
	g := bloom.Geometry{Bits: 812, Hashes: 6}
	return &filter{geometry: g, probe: probe, sizes: []int{(g.Bits + 7) / 8}}
}

// independent draws every position anew.
func independent(x uint64, i, m int) int {
	high, _ := bits.Mul64(splitMix(x^splitMix(uint64(i))), uint64(m))
	return int(high)
}

// doubled is plain double hashing, whose positions form an arithmetic
// progression: at 812 bits it misjudges about 4 % more articles than it should.
func doubled(x uint64, i, m int) int {
	return int((splitMix(x)%uint64(m) + uint64(i)*(splitMix(x+1)%uint64(m))) % uint64(m))
}

func (f *filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	for j, id := range candidates {
		seen[j] = len(history) > 0
		for i := 0; i < f.geometry.Hashes && seen[j]; i++ {
			p := f.probe(uint64(id), i, f.geometry.Bits)
			seen[j] = history[p/8]>>(p%8)&1 == 1
		}
	}
}

func (f *filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) == 0 && len(shown) > 0 {
		history = slices.Grow(history, f.sizes[0])[:f.sizes[0]]
		clear(history)
	}
	for _, id := range shown {
		for i := range f.geometry.Hashes {
			p := f.probe(uint64(id), i, f.geometry.Bits)
			history[p/8] |= 1 << (p % 8)
		}
	}
	return history
}

func (f *filter) Sizes() []int { return f.sizes }

func (f *filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if len(history) != f.sizes[0] {
		return fmt.Errorf("length %d, want %d", len(history), f.sizes[0])
	}
	if history[len(history)-1]>>(f.geometry.Bits%8) != 0 {
		return errors.New("a bit beyond the last position is set")
	}
	return nil
}

func (f *filter) Bytes(read int) int {
	if read <= 0 {
		return 0
	}
	return f.sizes[0]
}
func (f *filter) FPR(read int) float64 { return bloom.Exact(read, f.geometry) }
func (f *filter) Window(read int) int  { return bloom.All(read) }

// A faulty is a list of which some methods were replaced.
type faulty struct {
	*list
	seen     func(l *list, history []byte, candidates []strategies.ID, seen []bool)
	record   func(l *list, history []byte, shown []strategies.ID) []byte
	sizes    func(l *list) []int
	validate func(l *list, history []byte) error
	bytes    func(l *list, read int) int
	fpr      func(l *list, read int) float64
	window   func(l *list, read int) int
}

func (f faulty) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if f.seen != nil {
		f.seen(f.list, history, candidates, seen)
		return
	}
	f.list.Seen(history, candidates, seen)
}

func (f faulty) Record(history []byte, shown []strategies.ID) []byte {
	if f.record != nil {
		return f.record(f.list, history, shown)
	}
	return f.list.Record(history, shown)
}

func (f faulty) Sizes() []int {
	if f.sizes != nil {
		return f.sizes(f.list)
	}
	return f.list.Sizes()
}

func (f faulty) Validate(history []byte) error {
	if f.validate != nil {
		return f.validate(f.list, history)
	}
	return f.list.Validate(history)
}

func (f faulty) Bytes(read int) int {
	if f.bytes != nil {
		return f.bytes(f.list, read)
	}
	return f.list.Bytes(read)
}

func (f faulty) FPR(read int) float64 {
	if f.fpr != nil {
		return f.fpr(f.list, read)
	}
	return f.list.FPR(read)
}

func (f faulty) Window(read int) int {
	if f.window != nil {
		return f.window(f.list, read)
	}
	return f.list.Window(read)
}
