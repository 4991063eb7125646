package deal

import (
	"math/bits"
	"slices"

	"dejavu/store"
	"dejavu/strategies"
)

// An Exact is the truth beside a replay: for each user a set of articles, by their 64 bits, and for each article a few
// numbers of 31 or 32 bits, its lanes. A set is an open-addressed table, at most seven eighths full, that doubles.
// Tables of one length share chunks without pointers. With one lane an article takes 14 to 27 bytes.
type Exact struct {
	lanes  int
	places []place
	pools  []tables // by class
}

type place struct {
	table uint32
	n     uint32 // articles in it
	class uint8  // 1 more than the class of its length, 0 if there is no table
}

type tables struct {
	words, each int // of a table, and how many of them a chunk has
	chunks      [][]uint32
	made        uint32
	free        []uint32
}

const (
	leastSlots = 8
	chunkWords = 1 << 15
	occupied   = 1 << 31 // of the first lane
)

// NewExact keeps the given number of lanes for each article, all 0 at first; the first has 31 bits, the others 32.
func NewExact(lanes int) *Exact { return &Exact{lanes: lanes} }

// A Table is one user's set, valid until the next table is opened.
type Table struct {
	words  []uint32
	stride int
	shift  int
	place  *place
}

// Open returns the user's table, with room for more articles.
func (x *Exact) Open(user, more int) Table {
	for user >= len(x.places) {
		x.places = append(x.places, place{})
	}
	p := &x.places[user]
	class := p.class
	for class == 0 || int(p.n)+more > leastSlots<<(class-1)/8*7 {
		class++
	}
	if class != p.class {
		x.grow(p, class)
	}
	return x.table(p)
}

func (x *Exact) table(p *place) Table {
	pool := &x.pools[p.class-1]
	at := int(p.table) % pool.each * pool.words
	return Table{
		words:  pool.chunks[int(p.table)/pool.each][at : at+pool.words],
		stride: 2 + x.lanes, shift: 64 - bits.Len(leastSlots-1) - int(p.class-1), place: p,
	}
}

func (x *Exact) grow(p *place, to uint8) {
	class := int(to)
	for len(x.pools) < class {
		words := (2 + x.lanes) * leastSlots << len(x.pools)
		x.pools = append(x.pools, tables{words: words, each: max(1, chunkWords/words)})
	}
	old := *p
	*p = place{table: x.pools[class-1].get(), class: to}
	if old.class == 0 {
		return
	}
	from, more := x.table(&old), x.table(p)
	for at := 0; at < len(from.words); at += from.stride {
		if from.words[at+2]&occupied != 0 {
			id := strategies.ID(uint64(from.words[at])<<32 | uint64(from.words[at+1]))
			lanes, _ := more.Find(id)
			copy(lanes, from.words[at+2:at+from.stride])
		}
	}
	clear(from.words)
	x.pools[old.class-1].free = append(x.pools[old.class-1].free, old.table)
}

func (t *tables) get() uint32 {
	if last := len(t.free) - 1; last >= 0 {
		n := t.free[last]
		t.free = t.free[:last]
		return n
	}
	if int(t.made) == t.each*len(t.chunks) {
		t.chunks = append(t.chunks, make([]uint32, t.each*t.words))
	}
	t.made++
	return t.made - 1
}

// Find returns the lanes of an article. It adds the article if it is not known.
func (t Table) Find(id strategies.ID) (lanes []uint32, known bool) {
	high, low := uint32(id>>32), uint32(id)
	for slot := int(uint64(id) * 0x9e3779b97f4a7c15 >> t.shift); ; slot++ {
		at := slot * t.stride
		if at >= len(t.words) {
			slot, at = 0, 0
		}
		s := t.words[at : at+t.stride : at+t.stride]
		if s[2]&occupied == 0 {
			s[0], s[1], s[2] = high, low, occupied
			t.place.n++
			return s[2:], false
		}
		if s[0] == high && s[1] == low {
			return s[2:], true
		}
	}
}

// Show sets an article's first lane to n, its number among all that the user was shown. It returns how many articles
// ago it was shown before, 1 being the newest of the before articles that precede the request, or 0 if it never was.
func (t Table) Show(id strategies.ID, before, n uint32) (age uint32, lanes []uint32) {
	lanes, known := t.Find(id)
	if known {
		age = before - First(lanes) + 1
	}
	SetFirst(lanes, n)
	return age, lanes
}

// First returns the first lane of an article.
func First(lanes []uint32) uint32 { return lanes[0] &^ occupied }

// SetFirst sets the first lane.
func SetFirst(lanes []uint32, to uint32) { lanes[0] = to&^occupied | occupied }

// Bytes returns the memory of all tables.
func (x *Exact) Bytes() (sum int64) {
	for _, p := range x.pools {
		sum += 4 * (int64(len(p.chunks))*int64(p.each*p.words) + int64(cap(p.free)))
	}
	return sum + 12*int64(cap(x.places))
}

const (
	AgeBins     = 16 + 8*28 // bins of ages that there are
	ElapsedBins = 9         // and ranges of elapsed time

	minute, hour, day = 60, 60 * 60, 24 * 60 * 60
)

// Bins define a histogram of numbers from 0 on: one bin a number below 2^Bins, then 2^(Bins-1) bins for each doubling.
type Bins uint8

// Bins of a replay's rows, and of a log's description.
const (
	Coarse Bins = 4  // exact below 16, an eighth of the number wide at most beyond
	Fine   Bins = 13 // exact below 8192, 1/4096 of the number wide at most beyond
)

// Bin returns the bin of a number.
func (b Bins) Bin(n int) int {
	octave := max(0, bits.Len(uint(n))-int(b))
	return octave<<(b-1) + n>>octave
}

// From returns the least number of a bin.
func (b Bins) From(bin int) int {
	octave := max(0, bin>>(b-1)-1)
	return (bin - octave<<(b-1)) << octave
}

// To returns the largest number of a bin.
func (b Bins) To(bin int) int { return b.From(bin+1) - 1 }

// AgeBin returns the Coarse bin of an age, and AgeOf the least age of a bin.
func AgeBin(age int) int { return min(Coarse.Bin(age), AgeBins-1) }
func AgeOf(bin int) int  { return Coarse.From(bin) }

// Window returns the least window, to a bin, that contains at least that share of the repeats, and the share that it
// contains. Ages is a histogram of the repeats' ages. The window is 0 if none contains that share.
func (b Bins) Window(ages []int64, repeats int64, share float64) (window int, has float64) {
	sum := int64(0)
	for bin, n := range ages {
		if sum += n; n > 0 && float64(sum) >= share*float64(repeats) {
			return b.To(bin), float64(sum) / float64(repeats)
		}
	}
	return 0, float64(sum) / float64(max(repeats, 1))
}

// elapsed lists where ranges of seconds since the last showing begin, chosen as rules of forgetting are.
var elapsed = [ElapsedBins]int{0, minute, 10 * minute, hour, 6 * hour, day, 2 * day, 7 * day, 30 * day}

// ElapsedBin returns the range that contains seconds, 0 or more.
func ElapsedBin(seconds int) int {
	next, _ := slices.BinarySearch(elapsed[:], seconds+1)
	return next - 1
}

// ElapsedFrom returns the least number of seconds of a range.
func ElapsedFrom(bin int) int { return elapsed[bin] }

// Since returns the seconds between two times, 0 if the clock went backwards.
func Since(from, to store.Timestamp) int { return max(0, int(to)-int(from)) }
