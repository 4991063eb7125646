package quotient

import (
	"math/bits"
	"slices"

	"dejavu/internal/bitarray"
	"dejavu/strategies"
)

// batch is how many articles are entered at once, at most.
const batch = 64

// Record enters the articles, and drops the oldest generation when all are full and one more is needed.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := f.load(history)
	// Of a list of more than two cycles of the tags whole cycles are left out: the last one drops all before.
	if over := len(shown) - 2*f.articles(); over > 0 {
		shown = shown[over/f.articles()*f.articles():]
	}
	n := f.held(s)
	history = f.grow(history, n, min(f.older(s)+(s.count+len(shown)-1)/f.Generation+1, f.Generations))
	for len(shown) > 0 {
		if s.count == f.Generation {
			s.count, s.head = 0, (s.head+1)%f.Generations
			if s.full {
				f.drop(history, n, s.head)
				n -= f.Generation
			}
			s.full = s.full || s.head == f.Generations-1
		}
		some := min(len(shown), f.Generation-s.count, batch)
		f.enter(history, n, s.head, shown[:some])
		s.count, n, shown = s.count+some, n+some, shown[some:]
	}
	s.store(history)
	return history
}

// grow makes room for so many generations in a history of n articles.
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

// enter puts articles of one generation into a history of n: each at the end of its bucket, which the bits
// behind it make room for. From the last bucket on, so that every bit moves once.
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

// drop removes a full generation from a history of n. What is between its articles moves down, run by run.
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
