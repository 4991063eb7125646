package matrix

import (
	"math/bits"

	"dejavu/internal/bitarray"
	"dejavu/strategies"
)

// block is how many candidates are asked together: one link's columns are read for all of them.
const block = 64

// Seen asks each link, one after the other, whether a candidate agrees with it, and whether the head lists its key.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	s := f.load(history)
	if f.seenByVectors(history, s, candidates, seen) {
		return
	}
	var keys [maxArticles + keysBehind]uint32
	h := head{keys: f.decode(history, s, keys[:])}
	for _, key := range h.keys {
		h.sieve.add(key)
	}
	for len(candidates) > 0 {
		n := min(len(candidates), block)
		f.ask(history, s, &h, candidates[:n], seen[:n])
		candidates, seen = candidates[n:], seen[n:]
	}
}

func (f *Filter) ask(history []byte, s state, h *head, candidates []strategies.ID, seen []bool) {
	var spreads [block]uint64
	for i, id := range candidates {
		key := f.key(id)
		spreads[i] = spread(key)
		seen[i] = h.has(key)
	}
	var x columns
	seeds := history[f.seedsAt(f.room(history).links):]
	for slot, seed := range seeds[:f.closed(s)] {
		if seed == unsolved {
			for i := range seen {
				seen[i] = true
			}
			return
		}
		f.read(history, slot, &x)
		by := [2][maxWords]uint64{f.factors(0, slot, int(seed)), f.factors(1, slot, int(seed))}
		if f.words == 1 {
			f.agree(spreads[:len(seen)], by[0][0], by[1][0], &x, f.columns(slot), seen)
			continue
		}
		for i, p := range spreads[:len(seen)] {
			seen[i] = seen[i] || f.agrees(p, &by[f.kind(p)], &x, f.columns(slot))
		}
	}
}

// few is how many columns are asked without a branch: a key that agrees with them by chance costs a wrong guess.
const few = 4

// agree sets seen where a key agrees with all columns of a link, and has one word. Columns that no link has are
// blank.
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

// agrees reports whether a key agrees with all columns of a link.
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
	by := f.factors(f.kind(spread), slot, seed)
	for j := column; j < f.columns(slot); j++ {
		common, bit := uint64(0), f.at(slot)+j*f.Articles
		for w := range f.words {
			x := bitarray.Read(history, bit, min(rowBits, f.Articles-w*rowBits))
			if w == f.marks[j].word {
				x |= f.marks[j].bit
			}
			common ^= x & word(spread, by[w], w)
			bit += rowBits
		}
		if bits.OnesCount64(common)&1 != 0 {
			return false
		}
	}
	return true
}
