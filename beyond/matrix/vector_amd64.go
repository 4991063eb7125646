//go:build amd64 && !purego && !race

package matrix

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"

	"dejavu/strategies"
)

//go:generate go -C ../../internal/asm/matrix run . -out ../../../beyond/matrix/kernels_amd64.s -stubs ../../../beyond/matrix/kernels_amd64.go -pkg matrix

// hasVectors is whether this processor has the instructions of AVX-512 that the kernels use: that multiply matrices of
// bits, move bytes and count ones. GODEBUG's cpu.avx512f=off turns them off when a program starts, and the build tag
// purego leaves them out.
var hasVectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VBMI &&
	cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512GFNI && cpu.X86.HasBMI2

// A plan is what a kernel knows of a filter; internal/asm/matrix has the same fields, in this order.
type plan struct {
	articles, columns, short int
	kinds                    uint64 // the bits of a spread key that are zero in one of the second kind
	words                    int
	drawn                    *[2][unsolved]uint64
	at                       [8]int // the bits of a link at which eight columns begin, from the first one's on
	rows                     [maxWords]uint64
	marks                    [asked]uint64
	eights                   [8]eight // by the bit of a byte with which the first column begins
}

// An eight is eight columns that begin in some bit of a byte: of each the bytes of which it has a bit, and its first.
type eight struct {
	bytes  [8][8]byte
	shifts [8]uint64
}

func (f *Filter) plan() *plan {
	p := &plan{
		articles: f.Articles, columns: f.Columns, short: f.Short, kinds: ^uint64(0) << (64 - f.kindBits), words: f.words,
		drawn: &drawn, rows: f.rows,
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
	for j, m := range f.marks[:asked] {
		p.marks[j] = m.bit
	}
	return p
}

// asked is how many columns a kernel asks of links whose rows have one word, and half as many of others.
const asked = 16

// seenByVectors is Seen, and reports whether it was.
func (f *Filter) seenByVectors(history []byte, s state, candidates []strategies.ID, seen []bool) bool {
	if !hasVectors || f.low > mostLow {
		return false
	}
	room := rooms.Get().(*workroom)
	defer rooms.Put(room)
	at := f.seedsAt(f.room(history).links)
	seeds := history[at : at+f.closed(s)]
	if bytes.IndexByte(seeds, unsolved) >= 0 {
		for i := range candidates {
			seen[i] = true
		}
		return true
	}
	for len(candidates) > 0 {
		n := min(len(candidates), block)
		spreadAVX512(&room.wanted[0], &room.spreads[0], (*uint64)(&candidates[0]), uint64(n), uint64(64-f.KeyBits))
		clear(room.seen[:])
		for slot := 0; slot < len(seeds); slot += 8 {
			f.askEight(history, seeds[slot:min(len(seeds), slot+8)], slot, n, room)
		}
		f.findByVectors(history, s, n, room)
		copy(seen, room.seen[:n])
		candidates, seen = candidates[n:], seen[n:]
	}
	return true
}

// findByVectors sets the answers of n candidates that the head lists.
func (f *Filter) findByVectors(history []byte, s state, n int, room *workroom) {
	if s.count == 0 {
		return
	}
	if f.words == 1 && f.low <= mostShort && f.buckets() <= 64 {
		unary, open := f.head(f.room(history))
		searchAVX512(&room.seen[0], &room.wanted[0], uint64(n+31)/32, &history[unary], &history[open],
			&history[len(history)-1], uint64(f.low))
		return
	}
	keys := f.decode(history, s, room.keys[:])
	findAVX512(&room.seen[0], &room.wanted[0], uint64(n+15)/16, &keys[0], uint64(len(keys)))
}

// Heads of short keys are searched as they lie: of one word's articles, in no more than 64 buckets.
const mostShort = 16

// A workroom is what a query works with. It is kept: to clear one takes as long as to ask a link.
type workroom struct {
	matrices [18][64]byte // and factors
	spreads  [block]uint64
	wanted   [block]uint32
	keys     [maxArticles + keysBehind]uint32
	agreed   [block / 8][8]byte
	seen     [block]bool
}

var rooms = sync.Pool{New: func() any { return new(workroom) }}

// askEight sets the answers of n candidates that agree with one of up to eight links.
func (f *Filter) askEight(history, seeds []byte, slot, n int, room *workroom) {
	blocks, from := (n+7)/8, asked
	p, h, last, s := (*byte)(unsafe.Pointer(f.known)), &history[0], &history[len(history)-1], &room.spreads[0]
	a, m := &room.agreed[0][0], &room.matrices[0][0]
	if f.words == 1 {
		agreeOneAVX512(p, h, &seeds[0], uint64(slot), uint64(f.at(slot)), uint64(len(seeds)), s, a, uint64(blocks), m, last)
	} else {
		from = asked / 2
		clear(room.agreed[:blocks]) // of eight links all are not there
		agreeSeveralAVX512(p, h, &seeds[0], uint64(slot), uint64(f.at(slot)), uint64(len(seeds)), s, a, uint64(blocks), m, last)
	}
	for b := range room.agreed[:blocks] {
		for left := binary.LittleEndian.Uint64(room.agreed[b][:]); left != 0; left &= left - 1 {
			link, i := bits.TrailingZeros64(left)/8, 8*b+bits.TrailingZeros64(left)%8
			room.seen[i] = room.seen[i] || f.Columns <= from ||
				f.agreesFrom(history, from, slot+link, int(seeds[link]), room.spreads[i])
		}
	}
}

// listByVectors is list, and reports whether it was. It writes keysBehind more keys, like the last.
func (f *Filter) listByVectors(history []byte, unary, open int, keys []uint32) bool {
	if !hasVectors || f.low > mostLow {
		return false
	}
	_ = keys[:len(keys)+keysBehind]
	listAVX512(&keys[0], uint64(len(keys)), &history[unary], &history[open], &history[len(history)-1], uint64(f.low),
		1<<f.KeyBits-1)
	return true
}

// mostLow is how many bits may lie in four bytes, wherever they begin in the first.
const mostLow = 25
