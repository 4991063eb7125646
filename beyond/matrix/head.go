package matrix

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/internal/garbage"
	"dejavu/internal/kernel"
	"dejavu/strategies"
)

// The head is the active link, a sorted list of keys: first the differences of their high bits in unary, a one for each
// key and a zero after each value, and then their low bits (Elias, "Efficient storage and retrieval ...", JACM 1974).

// headBytes returns the length of a list of articles that stores low bits of each key as they are.
func (c Config) headBytes(articles, low int) int {
	return (articles+1<<(c.KeyBits-low)+7)/8 + (articles*low+7)/8
}

// low returns how many low bits make the longest head the shortest, with at most 2^16 values of high bits.
func (c Config) low() int {
	best := max(0, c.KeyBits-16)
	for low := best + 1; low < c.KeyBits; low++ {
		if c.headBytes(c.Articles-1, low) <= c.headBytes(c.Articles-1, best) {
			best = low
		}
	}
	return best
}

func (f *Filter) buckets() int { return 1 << (f.KeyBits - f.low) }

func (f *Filter) head(r room) (unary, open int) {
	unary = f.headAt(r.links)
	return unary, unary + (r.head+f.buckets()+7)/8
}

// keysBehind is the number of keys that vectors may write past the end of a list.
const keysBehind = 48

func (f *Filter) decode(history []byte, s cycle.Parts, keys []uint32) []uint32 {
	if s.Count == 0 {
		return nil
	}
	unary, open := f.head(f.room(history))
	keys = keys[:s.Count]
	if f.listByVectors(history, unary, open, keys) {
		return keys
	}
	lows, low, word, have := history[open:], f.low, uint64(0), 0
	last, mask, n := f.buckets()-1, uint32(1)<<low-1, 0
	for bit := unary << 3; bit < open<<3; bit += bitarray.Most {
		w := bitarray.Read(history, bit, min(bitarray.Most, open<<3-bit))
		for high := bit - unary<<3 - n; w != 0 && n < len(keys); w &= w - 1 {
			if have < low { // the header behind the list is long enough to be read with the last
				word |= uint64(binary.LittleEndian.Uint32(lows)) << (have & 63)
				lows, have = lows[4:], have+32
			}
			bucket := (high + bits.TrailingZeros64(w)) & last // a forged head has others
			keys[n] = uint32(bucket)<<(low&31) | uint32(word)&mask
			word, have = word>>(low&63), have-low
			high, n = high-1, n+1
		}
	}
	clear(keys[n:])
	return keys
}

func (f *Filter) encode(history []byte, keys []uint32) {
	unary, open := f.head(f.room(history))
	clear(history[unary : len(history)-headerBytes])
	ones, lows := history[unary:open], history[open:]
	low, word, have := f.low, uint64(0), 0
	for i, key := range keys {
		bit := int(key>>low) + i
		ones[bit>>3] |= 1 << (bit & 7)
		word |= uint64(key&(1<<low-1)) << have
		if have += low; have >= 32 {
			binary.LittleEndian.PutUint32(lows, uint32(word))
			lows, word, have = lows[4:], word>>32, have-32
		}
	}
	for ; have > 0; have -= 8 {
		lows[0] = byte(word)
		lows, word = lows[1:], word>>8
	}
}

// A sieve passes the keys that were added, and few others.
type sieve [1024 / 64]uint64

func (s *sieve) add(key uint32)      { s[key>>6%uint32(len(s))] |= 1 << (key & 63) }
func (s *sieve) has(key uint32) bool { return s[key>>6%uint32(len(s))]>>(key&63)&1 != 0 }

func (f *Filter) keysOf(history []byte, s cycle.Parts, room *workroom) []uint32 {
	if s.Count == 0 || f.searchesByVectors() {
		return nil
	}
	keys := f.decode(history, s, room.keys[:])
	if kernel.Now() < kernel.IceLake {
		room.sieve = sieve{}
		for _, key := range keys {
			room.add(key)
		}
	}
	return keys
}

func (f *Filter) find(history []byte, s cycle.Parts, keys []uint32, n int, room *workroom) {
	switch {
	case s.Count == 0:
	case f.searchesByVectors():
		f.searchByVectors(history, n, room)
	case kernel.Now() >= kernel.IceLake:
		findByVectors(keys, n, room)
	default:
		for i, key := range room.wanted[:n] {
			if room.has(key) && !room.seen[i] {
				_, room.seen[i] = slices.BinarySearch(keys, key)
			}
		}
	}
}

// Record adds the articles to the active link. When that is full, it is solved and replaces the oldest link.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	// The last of two cycles drops all before, so a longer list is cut by whole cycles.
	cycle := f.Links * f.Articles
	if over := len(shown) - 2*cycle; over > 0 {
		shown = shown[over/cycle*cycle:]
	}
	room := garbage.Fill(rooms.Get().(*workroom))
	defer rooms.Put(room)
	keys, fresh, x := room.keys[:], &room.fresh, &room.columns
	if len(history) > 0 {
		f.decode(history, s, keys)
	}
	history = f.resize(history, s, len(shown))
	for len(shown) > 0 {
		some := min(len(shown), f.Articles-s.Count)
		for i, id := range shown[:some] {
			fresh[i] = f.key(id)
		}
		slices.Sort(fresh[:some])
		merge(keys[:s.Count+some], s.Count, fresh[:some])
		s.Count, shown = s.Count+some, shown[some:]
		if s.Count == f.Articles {
			seed := f.solve(s.Next, keys[:s.Count], x)
			if seed == unsolved {
				*x = columns{} // the columns do not matter, but must not be another user's
			}
			f.write(history, s.Next, x)
			history[f.seedsAt(f.room(history).links)+s.Next] = seed
			s.Count = 0
			if s.Next++; s.Next == f.Links {
				s.Next, s.Full = 0, true
			}
		}
	}
	f.encode(history, keys[:s.Count])
	s.Store(history)
	return history
}

func merge(keys []uint32, n int, more []uint32) {
	for i := len(keys) - 1; len(more) > 0; i-- {
		if last := more[len(more)-1]; n > 0 && keys[n-1] > last {
			n--
			keys[i] = keys[n]
		} else {
			keys[i], more = last, more[:len(more)-1]
		}
	}
}

// resize gives a history the length that it needs after more articles. What follows the columns is then blank, except
// the seeds.
func (f *Filter) resize(history []byte, s cycle.Parts, more int) []byte {
	all := f.closed(s)*f.Articles + s.Count + more
	j := f.roomFor(min(all/f.Articles, f.Links), all%f.Articles)
	var seeds [maxLinks]byte
	if len(history) > 0 {
		if j == f.Index(history) {
			return history
		}
		at := f.seedsAt(f.room(history).links)
		copy(seeds[:f.closed(s)], history[at:])
		clear(history[at:])
	}
	size := f.Sizes()[j]
	history = strategies.Grow(history, size)[:size]
	copy(history[f.seedsAt(f.rooms[j].links):], seeds[:f.closed(s)])
	return history
}
