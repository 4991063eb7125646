//go:build amd64 && !purego && !race

package matrix

import (
	"unsafe"

	"dejavu/internal/kernel"
	"dejavu/strategies"
)

//go:generate go -C ../../internal/asm/matrix run . -out ../../../beyond/matrix/kernels_amd64.s -stubs ../../../beyond/matrix/kernels_amd64.go -pkg matrix

// A plan tells a kernel about a filter. internal/asm/matrix has the same fields.
type plan struct {
	articles, columns, short int
	kinds                    uint64 // a spread key without any of these bits is of the second kind
	words                    int
	drawn                    *[2][unsolved]uint64
	at                       [8]int // where eight columns begin in a link, in bits after the first one's beginning
	rows                     [maxWords]uint64
	marks                    [maxColumns]uint64
	eights                   [8]eight // by the bit of a byte with which the first column begins
}

// An eight holds, for eight columns that begin in some bit of a byte, the bytes of each, and its first bit.
type eight struct {
	bytes  [8][8]byte
	shifts [8]uint64
}

func (f *Filter) plan() *plan {
	p := &plan{
		articles: f.Articles, columns: f.Columns, short: f.Short, words: f.words, rows: f.rows,
		kinds: ^uint64(0) << (64 - f.kindBits), drawn: &drawn,
	}
	for j := range p.at {
		p.at[j] = j * f.Articles
	}
	for bit := range p.eights {
		for j := range 8 {
			first := bit + j*f.Articles
			p.eights[bit].shifts[j] = uint64(first % 8)
			for i := range 8 {
				p.eights[bit].bytes[j][i] = byte(first/8 + i)
			}
		}
	}
	for j, m := range f.marks {
		p.marks[j] = m.bit
	}
	return p
}

// How many columns kernels ask: AVX-512 with rows of one word, and all others.
const (
	askedOne = 16
	asked    = 8
)

// spreadByVectors sets the keys of the first candidates, and spreads them. It returns how many.
func (f *Filter) spreadByVectors(candidates []strategies.ID, room *workroom) int {
	n, shift, id := len(candidates), uint64(64-f.KeyBits), (*uint64)(&candidates[0])
	switch {
	case kernel.Now() >= kernel.IceLake:
		spreadAVX512(&room.wanted[0], &room.spreads[0], id, uint64(n), shift)
		return n
	case kernel.Now() >= kernel.AVX2 && n >= 4:
		spreadAVX2(&room.wanted[0], &room.spreads[0], id, uint64(n/4), shift, f.known.kinds)
		return n &^ 3
	default:
		return 0
	}
}

// askByVectors sets which of n candidates agree with the first columns of up to eight links, and returns how many.
func (f *Filter) askByVectors(history, seeds []byte, slot, n int, room *workroom) int {
	p, h, last := (*byte)(unsafe.Pointer(f.known)), &history[0], &history[len(history)-1]
	at, links, blocks := uint64(f.at(slot)), uint64(len(seeds)), uint64(n+7)/8
	s, a, m := &room.spreads[0], &room.agreed[0][0], &room.matrices[0][0]
	switch one, now := f.words == 1, kernel.Now(); {
	case one && now >= kernel.IceLake:
		agreeOneAVX512(p, h, &seeds[0], uint64(slot), at, links, s, a, blocks, m, last)
		return askedOne
	case now >= kernel.IceLake:
		clear(room.agreed[:blocks]) // there may be fewer than eight links
		agreeSeveralAVX512(p, h, &seeds[0], uint64(slot), at, links, s, a, blocks, m, last)
		return asked
	case now >= kernel.AVX2:
		clear(room.agreed[:blocks])
		agreeAVX2(p, h, &seeds[0], uint64(slot), at, links, s, a, blocks, m, last)
		return asked
	default:
		return 0
	}
}

func (f *Filter) searchesByVectors() bool {
	return kernel.Now() >= kernel.IceLake && f.words == 1 && f.low <= 16 && f.buckets() <= 64
}

func (f *Filter) searchByVectors(history []byte, n int, room *workroom) {
	unary, open := f.head(f.room(history))
	searchAVX512(&room.seen[0], &room.wanted[0], uint64(n+31)/32, &history[unary], &history[open],
		&history[len(history)-1], uint64(f.low))
}

// findByVectors sets the answers of n candidates whose keys are listed. It overwrites what lies behind the list.
func findByVectors(keys []uint32, n int, room *workroom) {
	behind := keys[len(keys) : len(keys)+3]
	for i := range behind {
		behind[i] = keys[len(keys)-1]
	}
	findAVX512(&room.seen[0], &room.wanted[0], uint64(n+15)/16, &keys[0], uint64(len(keys)))
}

// listByVectors decodes as decode does, and reports whether it did. It may overwrite the keysBehind keys that follow.
func (f *Filter) listByVectors(history []byte, unary, open int, keys []uint32) bool {
	if kernel.Now() < kernel.IceLake || f.low > mostLow {
		return false
	}
	_ = keys[:len(keys)+keysBehind]
	listAVX512(&keys[0], uint64(len(keys)), &history[unary], &history[open], &history[len(history)-1], uint64(f.low),
		1<<f.KeyBits-1)
	return true
}

// mostLow is the most bits that lie in four bytes, wherever they begin in the first.
const mostLow = 25

// A group holds the equations of the keys of one kind, of one word each, followed by blank ones.
type group struct {
	spreads, equations, pivots [rowBits + 8]uint64
	n                          int
}

func (g *group) fill(factor uint64) {
	if g.n > 0 {
		fillAVX512(&g.equations[0], &g.spreads[0], uint64(g.n), factor)
	}
}

// eliminate gives the equations pivots. It returns false if one follows from the others.
func (g *group) eliminate(row uint64) bool {
	return g.n == 0 || eliminateAVX512(&g.equations[0], &g.pivots[0], uint64(g.n), row) == uint64(g.n)
}

func (g *group) reduce(other *group) {
	if g.n > 0 && other.n > 0 {
		reduceAVX512(&g.equations[0], uint64(g.n+15)/16, &other.equations[0], &other.pivots[0], uint64(other.n))
	}
}

func (f *Filter) solveByVectors(slot int, keys []uint32, x *columns) (seed byte, done bool) {
	if kernel.Now() < kernel.IceLake || f.words > 1 {
		return 0, false
	}
	var groups [2]group
	for i, key := range keys {
		if i == 0 || key != keys[i-1] {
			p := spread(key)
			g := &groups[f.kind(p)]
			g.spreads[g.n] = p
			g.n++
		}
	}
	first, second, row := &groups[0], &groups[1], f.rows[0]
	for from := 0; from < unsolved; from += tries {
		first.fill(f.factors(0, slot, from)[0])
		if !first.eliminate(row) {
			continue
		}
		for seed := from; seed < min(from+tries, unsolved); seed++ {
			second.fill(f.factors(1, slot, seed)[0])
			second.reduce(first)
			if second.eliminate(row) {
				first.reduce(second)
				f.sayAll(&groups, x)
				return byte(seed), true
			}
		}
	}
	return unsolved, true
}

func (f *Filter) sayAll(groups *[2]group, x *columns) {
	for j, m := range f.marks[:f.Columns] {
		x[j][0] = m.bit
	}
	for i := range groups {
		if g := &groups[i]; g.n > 0 {
			sayAVX512(&g.equations[0], &g.pivots[0], uint64(g.n), &f.known.marks[0], &x[0][0], uint64(f.Columns))
		}
	}
}
