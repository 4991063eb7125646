package strategytest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

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

// A faulty is a list with some methods replaced.
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
