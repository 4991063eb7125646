package matrix

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"sync"

	"dejavu/internal/bitarray"
	"dejavu/internal/garbage"
	"dejavu/strategies"
)

const block = 64

// A workroom is the memory of a query or a record. It is pooled: clearing one takes as long as asking some links.
type workroom struct {
	matrices [18][64]byte // of eight links, and factors, as a kernel has them
	spreads  [block]uint64
	second   [block]uint64 // all ones for keys of the second kind: behind spreads, where AVX2 finds it
	wanted   [block]uint32 // keys of candidates
	agreed   [block / 8][8]byte
	seen     [block]bool
	keys     [maxArticles + keysBehind]uint32 // of the head
	sieve
	columns
	fresh [maxArticles]uint32 // keys to be recorded
}

var rooms = sync.Pool{New: func() any { return new(workroom) }}

// Seen asks each link, one after the other, whether a candidate agrees with it, and whether the head lists its key.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	s := f.load(history)
	at := f.seedsAt(f.room(history).links)
	seeds := history[at : at+f.closed(s)]
	if bytes.IndexByte(seeds, unsolved) >= 0 {
		for i := range seen {
			seen[i] = true
		}
		return
	}
	room := garbage.Fill(rooms.Get().(*workroom))
	keys := f.keysOf(history, s, room)
	for len(candidates) > 0 {
		n := min(len(candidates), block)
		for i := f.spreadByVectors(candidates[:n], room); i < n; i++ {
			key := f.key(candidates[i])
			p := spread(key)
			room.wanted[i], room.spreads[i], room.second[i] = key, p, -uint64(f.kind(p))
		}
		clear(room.seen[:])
		f.ask(history, seeds, n, room)
		f.find(history, s, keys, n, room)
		copy(seen, room.seen[:n])
		candidates, seen = candidates[n:], seen[n:]
	}
	rooms.Put(room)
}

func (f *Filter) ask(history, seeds []byte, n int, room *workroom) {
	for slot := 0; slot < len(seeds); slot += 8 {
		eight := seeds[slot:min(len(seeds), slot+8)]
		asked := f.askByVectors(history, eight, slot, n, room)
		if asked == 0 {
			f.askPlainly(history, eight, slot, n, room)
			continue
		}
		for b := range room.agreed[:(n+7)/8] {
			for left := binary.LittleEndian.Uint64(room.agreed[b][:]); left != 0; left &= left - 1 {
				link, i := bits.TrailingZeros64(left)/8, 8*b+bits.TrailingZeros64(left)%8
				room.seen[i] = room.seen[i] || f.Columns <= asked ||
					f.agreesFrom(history, asked, slot+link, int(eight[link]), room.spreads[i])
			}
		}
	}
}

func (f *Filter) askPlainly(history, seeds []byte, first, n int, room *workroom) {
	x := &room.columns
	clear(x[:few])
	for link, seed := range seeds {
		slot := first + link
		f.read(history, slot, x)
		by := [2][maxWords]uint64{f.factors(0, slot, int(seed)), f.factors(1, slot, int(seed))}
		columns := f.columns(slot)
		if f.words == 1 {
			f.agree(room.spreads[:n], by[0][0], by[1][0], x, columns, room.seen[:n])
			continue
		}
		for i, p := range room.spreads[:n] {
			room.seen[i] = room.seen[i] || f.agrees(p, &by[f.kind(p)], x, columns)
		}
	}
}

// few is the number of columns that are asked without a branch, as a key agrees with them by chance.
const few = 4

// agree sets seen where a key, of one word, agrees with a link's n columns. Missing ones of the few first are blank.
func (f *Filter) agree(spreads []uint64, first, second uint64, x *columns, n int, seen []bool) {
	a, b, c, d := x[0][0], x[1][0], x[2][0], x[3][0]
	shift := 64 - f.kindBits
	seen = seen[:len(spreads)]
	for i, p := range spreads {
		w := word(p, first^(first^second)&uint64(int64(p>>shift-1)>>63), 0)
		if (bits.OnesCount64(w&a)|bits.OnesCount64(w&b)|bits.OnesCount64(w&c)|bits.OnesCount64(w&d))&1 != 0 {
			continue
		}
		j := few
		for j < n && bits.OnesCount64(w&x[j][0])&1 == 0 {
			j++
		}
		seen[i] = seen[i] || j >= n
	}
}

func (f *Filter) agrees(spread uint64, by *[maxWords]uint64, x *columns, columns int) bool {
	var words [maxWords]uint64
	for w := range f.words {
		words[w] = word(spread, by[w], w)
	}
	for j := range columns {
		if odd(words[:f.words], &x[j]) != 0 {
			return false
		}
	}
	return true
}

// agreesFrom reports whether a key agrees with a link's columns, from the given one on.
func (f *Filter) agreesFrom(history []byte, column, slot, seed int, spread uint64) bool {
	kind := f.kind(spread)
	for j := column; j < f.columns(slot); j++ {
		common, bit := uint64(0), f.at(slot)+j*f.Articles
		for w := range f.words {
			x := uint64(0)
			if left := f.Articles - w*rowBits; left > 0 { // otherwise the word holds fingerprint bits alone
				x = bitarray.Read(history, bit, min(rowBits, left))
			}
			if w == f.marks[j].word {
				x |= f.marks[j].bit
			}
			common ^= x & word(spread, factor(kind, slot, seed, w), w)
			bit += rowBits
		}
		if bits.OnesCount64(common)&1 != 0 {
			return false
		}
	}
	return true
}
