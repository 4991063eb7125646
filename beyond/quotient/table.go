package quotient

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"dejavu/internal/bitarray"
	"dejavu/strategies"
)

// A directory finds where a bucket ends in the unary bits. It is made once a request, on the stack, in one size.
type directory struct {
	shift  uint64             // a block is 1<<shift words
	blocks uint64             // in use
	each   uint64             // mean blocks of a zero, in 2^-32
	before [blocks + 2]uint32 // zeros before each block, and in all; then none
}

const blocks = 64

func (d *directory) open(history []byte, unary int) {
	words := uint64(unary+7) / 8
	for words > blocks<<d.shift {
		d.shift++
	}
	zeros := 0
	for i := uint64(0); i < words; {
		for end := min(i+1<<d.shift, words); i < end; i++ {
			zeros += bits.OnesCount64(^wordAt(history, i))
		}
		d.blocks++
		d.before[d.blocks] = uint32(zeros)
	}
	d.each = d.blocks << 32 / uint64(max(zeros, 1))
}

// wordAt returns the i-th word of a history, blank behind the history's end.
func wordAt(history []byte, j uint64) uint64 {
	i := int(j)
	at := min(i<<3, len(history)-8)
	return binary.LittleEndian.Uint64(history[at:]) >> ((i<<3 - at) << 3 & 63)
}

// end returns the bit behind a bucket, the zero of that number, or one beyond all. Buckets are uniform: it guesses.
func (d *directory) end(history []byte, zero uint64) uint64 {
	block := min(zero*d.each>>32, d.blocks-1) % blocks
	for uint64(d.before[block]) > zero {
		block--
	}
	for uint64(d.before[block+1]) <= zero {
		if block++; block >= d.blocks {
			return block << d.shift << 6
		}
	}
	i, before := block<<d.shift, zero-uint64(d.before[block])
	for left := 1<<d.shift - 1; left > 0; left-- {
		zeros := uint64(bits.OnesCount64(^wordAt(history, i)))
		if zeros > before {
			break
		}
		before -= zeros
		i++
	}
	return i<<6 + place(^wordAt(history, i), before)
}

// Seen looks for each candidate's fingerprint in its bucket, from the newest article on.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	open := f.rooms[f.Index(history)].unary << 3
	var d directory
	d.open(history, open>>3)
	mask := uint64(1)<<f.low - 1
	for i, id := range candidates {
		fingerprint := uint64(f.fingerprint(id))
		bucket := fingerprint >> (f.low & 63)
		end := d.end(history, bucket)
		// The bits of the word before that one, the nearest on top: a one for each article of the bucket. Most have
		// none or one, handled without a branch; other buckets, and buckets at the edge of the word, are few.
		unary := wordAt(history, end>>6) << (63 - end&63) << 1
		article := open + (int(end)-int(bucket)-1)*f.width
		other := (bitarray.Read(history, article, bitarray.Most) ^ fingerprint) & mask
		seen[i] = other|^unary>>63 == 0
		if end&63 < 2 || unary>>62 == 3 {
			seen[i] = f.among(history, int(end), article, fingerprint)
		}
	}
}

// among reports whether an article has the fingerprint: its ones end before a bit, and its open bits end with article.
func (f *Filter) among(history []byte, end, article int, fingerprint uint64) bool {
	for ; end > 0 && article > 0 && bitarray.Read(history, end-1, 1) == 1; end, article = end-1, article-f.width {
		if (bitarray.Read(history, article, f.low)^fingerprint)&(1<<f.low-1) == 0 {
			return true
		}
	}
	return false
}

const (
	lowest  = 0x0101010101010101 // bit of each byte
	highest = 0x8080808080808080
)

// place returns the position of a word's set bit with n before it (Vigna, "Broadword implementation ...", WEA 2008).
func place(x, n uint64) uint64 {
	sums := x - x>>1&0x5555555555555555
	sums = sums&0x3333333333333333 + sums>>2&0x3333333333333333
	sums = (sums + sums>>4) & 0x0f0f0f0f0f0f0f0f * lowest                     // in each byte, the set bits up to it
	at := (n*lowest | highest - sums) & highest >> 7 * lowest >> 56 << 3 & 63 // eight for each byte before
	return at + uint64(setBit[(n-sums<<8>>at)&7][x>>at&0xff])
}

// setBit holds the positions of a byte's set bits, by how many others are before it.
var setBit = func() (table [8][256]uint8) {
	for b := range 256 {
		for n, rest := 0, b; rest != 0; n, rest = n+1, rest&(rest-1) {
			table[n][b] = uint8(bits.TrailingZeros(uint(rest)))
		}
	}
	return table
}()

const batch = 64

// Record enters the articles, and drops the oldest generation when all are full and one more is needed.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	// A list longer than two cycles of the tags is cut by whole cycles: the last one drops all before.
	if over := len(shown) - 2*f.articles(); over > 0 {
		shown = shown[over/f.articles()*f.articles():]
	}
	n := f.held(s)
	history = f.grow(history, n, min(f.older(s)+(s.Count+len(shown)-1)/f.Generation+1, f.Generations))
	for len(shown) > 0 {
		if s.Count == f.Generation {
			s.Count, s.Next = 0, (s.Next+1)%f.Generations
			if s.Full {
				f.drop(history, n, s.Next)
				n -= f.Generation
			}
			s.Full = s.Full || s.Next == f.Generations-1
		}
		some := min(len(shown), f.Generation-s.Count, batch)
		f.enter(history, n, s.Next, shown[:some])
		s.Count, n, shown = s.Count+some, n+some, shown[some:]
	}
	s.Store(history)
	return history
}

func (f *Filter) grow(history []byte, n, generations int) []byte {
	i, j := f.Index(history), f.roomFor(generations)
	if len(history) > 0 && j <= i {
		return history
	}
	from, to := f.rooms[i].unary, f.rooms[j].unary
	clear(history[max(len(history)-headerBytes, 0):])
	history = strategies.Grow(history, f.Sizes()[j])
	bitarray.Move(history, to<<3, from<<3, n*f.width)
	clear(history[min(from, to):to])
	return history
}

// enter puts articles of one generation into a history of n, each at the end of its bucket. Every bit moves once.
func (f *Filter) enter(history []byte, n, tag int, ids []strategies.ID) {
	unary := f.rooms[f.Index(history)].unary
	var d directory
	d.open(history, unary)
	var sorted [batch]uint64 // by bucket, and in one bucket as they came
	for i, id := range ids {
		sorted[i] = uint64(f.fingerprint(id)>>f.low)<<32 | uint64(i)
	}
	slices.Sort(sorted[:len(ids)])
	behind, article := n+f.buckets, n // what has been moved begins with these
	for i := len(ids) - 1; i >= 0; i-- {
		bucket := int(sorted[i] >> 32)
		end := int(d.end(history, uint64(bucket)))
		end = min(max(end, bucket), behind, bucket+article) // as it is, unless the history is forged
		bitarray.Move(history, end+i+1, end, behind-end)
		bitarray.Write(history, end+i, 1, 1)
		place := end - bucket
		bitarray.Move(history, unary<<3+(place+i+1)*f.width, unary<<3+place*f.width, (article-place)*f.width)
		open := uint64(tag)<<f.low | uint64(f.fingerprint(ids[uint32(sorted[i])])&(1<<f.low-1))
		bitarray.Write(history, unary<<3+(place+i)*f.width, f.width, open)
		behind, article = end, place
	}
}

// drop removes a full generation from a history of n. What is between its articles moves down.
func (f *Filter) drop(history []byte, n, tag int) {
	open, end := f.rooms[f.Index(history)].unary<<3, n+f.buckets
	var from, to struct{ bit, article int } // of the next run: where it is, and where it goes
	keep := func(bit, article int) {
		bitarray.Move(history, to.bit, from.bit, bit-from.bit)
		bitarray.Move(history, open+to.article*f.width, open+from.article*f.width, (article-from.article)*f.width)
		to.bit, to.article = to.bit+bit-from.bit, to.article+article-from.article
		from.bit, from.article = bit, article
	}
	article, left := 0, f.Generation
	for i := 0; i<<6 < end; i++ {
		for w := wordAt(history, uint64(i)); w != 0 && article < n && left > 0; w &= w - 1 {
			if int(bitarray.Read(history, open+article*f.width+f.low, f.width-f.low)) == tag {
				keep(min(i<<6+bits.TrailingZeros64(w), end), article)
				from.bit, from.article = from.bit+1, from.article+1
				left--
			}
			article++
		}
	}
	keep(end, n)
	bitarray.Blank(history, end-f.Generation, end)
	bitarray.Blank(history, open+(n-f.Generation)*f.width, open+n*f.width)
}
