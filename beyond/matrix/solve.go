package matrix

import (
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
)

// Two kinds of keys: rows of the first follow from the seed's upper bits alone, and are eliminated once for all those.
const (
	tries    = 32  // seeds that share their upper bits
	unsolved = 255 // the seed of a link that could not be solved: it reports every candidate as seen
)

// drawn holds the numbers that factors are made of, by kind and seed.
var drawn = func() (d [2][unsolved]uint64) {
	for seed := range unsolved {
		d[0][seed], d[1][seed] = mix.Mix(uint64(seed/tries)), mix.Mix(1<<8|uint64(seed))
	}
	return d
}()

// factor returns the odd factor of a key's w-th word, another in each slot: a blank row in one is like any in the next.
func factor(kind, slot, seed, w int) uint64 {
	return (drawn[kind][seed]+uint64(slot<<8|w))*bloom.Multiplier | 1
}

func (f *Filter) factors(kind, slot, seed int) (by [maxWords]uint64) {
	for w := range f.words {
		by[w] = factor(kind, slot, seed, w)
	}
	return by
}

// spread returns 64 bits of a key, from which factors make its words.
func spread(key uint32) uint64 { return mix.Mix(uint64(key)) }

// kind returns the key's kind, the second if the bits that the filter looks at are all zero.
func (f *Filter) kind(spread uint64) int { return int((spread>>(64-f.kindBits) - 1) >> 63) }

// word returns the w-th word of a key: bits of its row and of its fingerprint. It rotates the spread key for each
// word, because a product keeps the lowest bit of its factor, and columns of two words would depend on each other.
func word(spread, factor uint64, w int) uint64 {
	x := bits.RotateLeft64(spread, 8*w) * factor
	return x ^ x>>32
}

// A columns holds a link's columns, as rows, with bits of a fingerprint: a key agrees if it shares an even number.
type columns [maxColumns][maxWords]uint64

// A system holds the equations of a link, one for each key: its words, one after the other.
type system struct {
	*Filter
	spreads []uint64 // spread keys, of the first kind first
	first   int      // number of keys of the first kind
	words   []uint64
	pivots  []place // the bit of the row that each equation determines
}

// solve sets the columns of a link of sorted keys, and returns the seed. A repeated key is one equation.
func (f *Filter) solve(slot int, keys []uint32, x *columns) (seed byte) {
	if seed, done := f.solveByVectors(slot, keys, x); done {
		return seed
	}
	if f.words == 1 { // most links are small, and to clear room for large ones takes as long as they do
		var spreads, words [rowBits]uint64
		var pivots [rowBits]place
		return (&system{f, spreads[:], 0, words[:], pivots[:]}).solve(slot, keys, x)
	}
	return f.solveLarge(slot, keys, x)
}

func (f *Filter) solveLarge(slot int, keys []uint32, x *columns) (seed byte) {
	var spreads [maxArticles]uint64
	var words [maxArticles * maxWords]uint64
	var pivots [maxArticles]place
	return (&system{f, spreads[:], 0, words[:], pivots[:]}).solve(slot, keys, x)
}

func (e *system) solve(slot int, keys []uint32, x *columns) (seed byte) {
	n := 0
	for k := range 2 {
		e.first = n
		for i, key := range keys {
			if p := spread(key); e.kind(p) == k && (i == 0 || key != keys[i-1]) {
				e.spreads[n] = p
				n++
			}
		}
	}
	e.spreads = e.spreads[:n]
	for from := 0; from < unsolved; from += tries {
		e.fill(0, e.first, e.factors(0, slot, from))
		if !e.eliminate(0, e.first) {
			continue
		}
		for seed := from; seed < min(from+tries, unsolved); seed++ {
			e.fill(e.first, len(e.spreads), e.factors(1, slot, seed))
			for i := range e.first { // remove the pivots of the first kind from the others
				e.subtract(i, e.first, len(e.spreads))
			}
			if e.eliminate(e.first, len(e.spreads)) {
				e.say(x)
				return byte(seed)
			}
		}
	}
	return unsolved
}

func (e *system) fill(from, to int, by [maxWords]uint64) {
	n := e.Filter.words
	for i, p := range e.spreads[from:to] {
		for w := range n {
			e.words[(from+i)*n+w] = word(p, by[w], w)
		}
	}
}

// eliminate gives equations pivots that later ones lack. It returns false if one follows from the others.
func (e *system) eliminate(from, to int) bool {
	for i := from; i < to; i++ {
		p, ok := e.pivot(i)
		if !ok {
			return false
		}
		e.pivots[i] = p
		e.subtract(i, i+1, to)
	}
	return true
}

func (e *system) pivot(i int) (p place, ok bool) {
	n := e.Filter.words
	for w := range n {
		if row := e.words[i*n+w] & e.Filter.rows[w]; row != 0 {
			return place{w, row & -row}, true
		}
	}
	return place{}, false
}

func (e *system) subtract(i, from, to int) {
	n, p := e.Filter.words, e.pivots[i]
	at := bits.TrailingZeros64(p.bit) & 63
	if n == 1 {
		x, others := e.words[i], e.words[from:to]
		for j, y := range others {
			others[j] = y ^ x&-(y>>at&1)
		}
		return
	}
	x := e.words[i*n:][:n]
	if n == 2 {
		x, y := [2]uint64(x), e.words[2*from:2*to]
		for len(y) >= 2 {
			has := -(y[p.word&1] >> at & 1)
			y[0] ^= x[0] & has
			y[1] ^= x[1] & has
			y = y[2:]
		}
		return
	}
	for ; from < to; from++ {
		y := e.words[from*n:][:n]
		has := -(y[p.word] >> at & 1)
		for w := range y {
			y[w] ^= x[w] & has
		}
	}
}

// say sets the columns, from the last equation on: all of an equation is known but its pivot.
func (e *system) say(x *columns) {
	n := e.Filter.words
	*x = columns{}
	for j, m := range e.marks[:e.Columns] {
		x[j][m.word] = m.bit
	}
	for i := len(e.spreads) - 1; i >= 0; i-- {
		y, p := e.words[i*n:][:n], e.pivots[i]
		for j := range e.Columns {
			x[j][p.word] |= p.bit & -odd(y, &x[j])
		}
	}
}

func odd(words []uint64, column *[maxWords]uint64) uint64 {
	var common uint64
	for w, y := range words {
		common ^= y & column[w]
	}
	return uint64(bits.OnesCount64(common)) & 1
}

func (f *Filter) write(history []byte, slot int, x *columns) {
	bit := f.at(slot)
	for j := range f.columns(slot) {
		for left, w := f.Articles, 0; left > 0; left, w = left-rowBits, w+1 {
			some := min(left, rowBits)
			bitarray.Write(history, bit, some, x[j][w])
			bit += some
		}
	}
}

func (f *Filter) read(history []byte, slot int, x *columns) {
	bit := f.at(slot)
	for j, m := range f.marks[:f.columns(slot)] {
		x[j] = [maxWords]uint64{}
		for left, w := f.Articles, 0; left > 0; left, w = left-rowBits, w+1 {
			some := min(left, rowBits)
			x[j][w] = bitarray.Read(history, bit, some)
			bit += some
		}
		x[j][m.word] |= m.bit
	}
}
