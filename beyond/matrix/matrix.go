// Package matrix remembers the last articles in a chain whose full links are solved: a full link is stored as the
// solution of a linear system, not as a filter. docs/solved-links.md explains it with figures.
//
// The active link is a sorted list of keys, the first bits of IDs. When it has Articles keys it is closed: each key
// selects a row, one random bit for each article of the link, and a fingerprint of r bits. The link becomes r columns
// of bits. For every key, the number of ones that its row and a column share is odd exactly if the fingerprint has
// that column's bit. There is one linear equation for each unknown, and seeds for the rows are tried until all can be
// solved, 3.46 on average (Dietzfelbinger and Pagh, ICALP 2008; Porat, CSR 2009). An unseen article agrees with a
// probability of 2^-r. That takes r bits an article, where a Bloom filter takes 1.44 r. A link that no seed solves
// (one in 20 million, of 50 articles) says yes until it is cleared.
//
// For 400 articles at 2 % that takes at most 544 bytes: eight links of 50 articles in nine columns, and an active link
// of 83 bytes. Once all links are closed, the active one grows from empty to full again and again, in 25 steps, and a
// history takes 507 bytes on average, or 500 if ten articles are recorded at a time.
//
// A query asks every link. In requests of 40 candidates, each takes some 6 ns with AVX-512, 17 to 32 with AVX2 and 45
// to 65 in plain Go (BenchmarkVectors). Recording takes some 60 ns an article with AVX-512, and 130 to 180 without.
// The fastest kernels of AVX-512 need at most 56 articles in a link, and at most 64 articles and columns together.
// Sized minimises bytes. It chooses larger links from about 350 articles at 2 % on, and always beyond 850. With AVX2,
// links of 77 to 223 articles take some 60 to 100 ns a candidate, and two to seven times as long to record. To avoid
// that, configure more links: for 1000 articles at 0.1 %, 25 links of 40 articles take 1979 bytes instead of 1937.
package matrix

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_        struct{}
	Links    int // solved links that a history holds at most, 2 to 127
	Articles int // articles of a link, 4 to 448
	Columns  int // columns of a link, which are the bits of a fingerprint, 1 to 32
	Short    int // links with one column less, 0 to Links; 0 if Columns is 1
	KeyBits  int // bits of an article's key, 12 to 32
}

const (
	maxLinks    = 127
	minArticles = 4
	maxArticles = maxWords * rowBits
	maxColumns  = 32
	minKeyBits  = 12 // with shorter keys the rate would depend on the hash factors
	maxKeyBits  = 32

	// A key's row and fingerprint lie in words: rowBits of each belong to the row, the top ones to the fingerprint.
	rowBits  = 56
	maxWords = 8

	steps = 25 // in which the active link grows once all links are closed

	// headerBytes are last: cycle.Parts, by the slot of the next link to be closed.
	headerBytes = cycle.PartsBytes
)

// A Filter is the strategy, with its Theory. A history is the links' columns, their seeds, the head and the header.
type Filter struct {
	Config
	strategies.Layout
	rooms []room // by the index in Sizes, so the shortest first
	low   int    // low bits of a key that the head stores as they are

	kindBits int // bits of a spread key that are zero in the second kind

	words int               // of a row with its fingerprint
	rows  [maxWords]uint64  // which bits of the words belong to the row
	marks [maxColumns]place // where the bits of a fingerprint are
	known *plan             // to kernels
}

type place struct {
	word int
	bit  uint64
}

// A room says for how many closed links, and articles of the active one, a history of some length has space.
type room struct{ links, head int }

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("matrix: Links", c.Links, 2, maxLinks),
		strategies.Within("matrix: Articles", c.Articles, minArticles, maxArticles),
		strategies.Within("matrix: Columns", c.Columns, 1, maxColumns),
		strategies.Within("matrix: Short", c.Short, 0, min(c.Links, (c.Columns-1)*c.Links)),
		strategies.Within("matrix: KeyBits", c.KeyBits, minKeyBits, maxKeyBits),
	); err != nil {
		return nil, err
	}
	f := &Filter{Config: c, low: c.low()}
	f.mark()
	switch { // with few articles all keys are of the second kind, for enough seeds
	case c.Articles > 48:
		f.kindBits = 2
	case c.Articles > 16:
		f.kindBits = 1
	}
	f.known = f.plan()
	f.rooms = []room{{0, (c.Articles + 7) / 8}, {0, (c.Articles + 3) / 4}, {0, (c.Articles + 1) / 2}}
	for links := range c.Links {
		f.rooms = append(f.rooms, room{links, c.Articles - 1})
	}
	for step := range steps + 1 {
		f.rooms = append(f.rooms, room{c.Links, min((c.Articles*step+steps-1)/steps, c.Articles-1)})
	}
	bytes := func(r room) int { return max(f.headAt(r.links)+c.headBytes(r.head, f.low), 8-headerBytes) }
	slices.SortFunc(f.rooms, func(a, b room) int { return cmp.Or(bytes(a)-bytes(b), b.head-a.head) })
	f.rooms = slices.CompactFunc(f.rooms, func(a, b room) bool { return bytes(a) == bytes(b) })
	var arrays []int
	for _, r := range f.rooms {
		arrays = append(arrays, bytes(r))
	}
	f.Layout = strategies.NewLayout("matrix", c, headerBytes, arrays...)
	return f, nil
}

// mark assigns the bits of the words to row and fingerprint; the last word may have more than its row needs.
func (f *Filter) mark() {
	f.words = (f.Articles + rowBits - 1) / rowBits
	for word := range f.words {
		f.rows[word] = 1<<min(rowBits, f.Articles-word*rowBits) - 1
	}
	for column := range f.Columns {
		word, bit := column/8, uint64(1)<<(rowBits+column%8)
		if word >= f.words { // a word of its own, unless the last row leaves room
			if more := column - 8*f.words + 1; rowBits-more >= bits.Len64(f.rows[f.words-1]) {
				word, bit = f.words-1, 1<<(rowBits-more)
			}
		}
		f.marks[column] = place{word, bit}
	}
	for _, m := range f.marks[:f.Columns] {
		f.words = max(f.words, m.word+1)
	}
}

func (c Config) columns(slot int) int {
	if slot < c.Short {
		return c.Columns - 1
	}
	return c.Columns
}

func (c Config) at(slot int) int { return c.Articles * (c.Columns*slot - min(slot, c.Short)) }

// seedsAt and headAt return the bytes at which the seeds and the active link begin.
func (c Config) seedsAt(links int) int { return (c.at(links) + 7) / 8 }
func (c Config) headAt(links int) int  { return c.seedsAt(links) + links }

// load returns a possible state of the history, whatever its header says.
func (f *Filter) load(history []byte) cycle.Parts {
	s, r := cycle.PartsOf(history), f.room(history)
	s.Full = s.Full && r.links == f.Links
	s.Count, s.Next = min(s.Count, r.head), min(s.Next, r.links, f.Links-1)
	return s
}

func (f *Filter) room(history []byte) room { return f.rooms[f.Index(history)] }

// Held returns how many articles a history holds: all of them are recognised.
func (f *Filter) Held(history []byte) int {
	s := f.load(history)
	return f.closed(s)*f.Articles + s.Count
}

func (f *Filter) closed(s cycle.Parts) int { return s.Others(f.Links) }

// roomFor returns the index of the shortest history for the given links and articles of the active link.
func (f *Filter) roomFor(links, head int) int {
	for i, r := range f.rooms {
		if r.links >= links && r.head >= head {
			return i
		}
	}
	return len(f.rooms) - 1
}

// Validate accepts an empty history, or solved links of any bits and an active link with sorted keys. The active link
// may have more room than it needs, as in histories of 0.1.0. Record returns it without.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s, r := cycle.PartsOf(history), f.room(history)
	closed := f.closed(s)
	switch {
	case s.Next >= f.Links || s.Count >= f.Articles || f.roomFor(closed, s.Count) > f.Index(history):
		return fmt.Errorf("matrix: slot %d is next (all closed: %v), the head has %d articles in a history of %d bytes",
			s.Next, s.Full, s.Count, len(history))
	case closed == 0 && s.Count == 0:
		return fmt.Errorf("matrix: no article in a history of %d bytes", len(history))
	}
	unary, open := f.head(r)
	stray := bitarray.Ones(history, f.at(closed), f.seedsAt(r.links)<<3)
	stray += bitarray.Ones(history, unary<<3+s.Count+f.buckets(), open<<3)
	stray += bitarray.Ones(history, open<<3+s.Count*f.low, 8*(len(history)-headerBytes))
	if stray > 0 {
		return fmt.Errorf("matrix: %d bits are set beyond %d links and %d articles", stray, closed, s.Count)
	}
	if ones := bitarray.Ones(history, unary<<3, unary<<3+s.Count+f.buckets()); ones != s.Count {
		return fmt.Errorf("matrix: the head lists %d articles, want %d", ones, s.Count)
	}
	var keys [maxArticles + keysBehind]uint32
	f.decode(history, s, keys[:])
	for i := 1; i < s.Count; i++ {
		if keys[i] < keys[i-1] {
			return fmt.Errorf("matrix: key %d of the head is %d, behind %d", i, keys[i], keys[i-1])
		}
	}
	return nil
}

func (f *Filter) key(id strategies.ID) uint32 { return uint32(mix.Mix(uint64(id)) >> (64 - f.KeyBits)) }

// Window400 is the filter for a window of 400 articles at 2 %, as the paper's chain has (§7).
var Window400 = Config{Links: 8, Articles: 50, Columns: 9, KeyBits: 17}

const maxWindow = maxLinks * maxArticles

// Sized returns the filter of the fewest bytes, then links, that remembers window articles at every moment at a rate of
// at most fpr, in (0, 1). It returns an error if window is not 1 to 56896, or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("matrix", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	shortest, lowest := math.MaxInt, 1. // of all, bytes and rate
	for links := 2; links <= maxLinks; links++ {
		articles := max(minArticles, (window+links-1)/links)
		if articles > maxArticles {
			continue
		}
		finest := Config{Links: links, Articles: articles, Columns: maxColumns, KeyBits: maxKeyBits}
		lowest = min(lowest, finest.rate(links, articles-1))
		for keyBits := minKeyBits; keyBits <= maxKeyBits; keyBits++ {
			c := Config{Links: links, Articles: articles, KeyBits: keyBits}
			if !c.narrowest(fpr) {
				continue
			}
			if bytes := c.headAt(links) + c.headBytes(articles-1, c.low()); bytes < shortest {
				best, shortest = c, bytes
			}
		}
	}
	if shortest == math.MaxInt {
		return Config{}, strategies.Unmet("matrix", window, fpr, lowest)
	}
	return best, nil
}

// narrowest sets the fewest columns that meet a rate, and reports whether any do.
func (c *Config) narrowest(fpr float64) bool {
	for c.Columns = 1; c.Columns <= maxColumns; c.Columns++ {
		if c.Short = 0; c.rate(c.Links, c.Articles-1) > fpr {
			continue
		}
		for c.Columns > 1 && c.Short < c.Links {
			if c.Short++; c.rate(c.Links, c.Articles-1) > fpr {
				c.Short--
				break
			}
		}
		return true
	}
	return false
}

// rate returns the chance that an unseen key is held or agrees with a link: 1 - (1 - 2^-KeyBits)^n Π (1 - 2^-columns).
func (c *Config) rate(links, head int) float64 {
	short := min(links, c.Short)
	log := float64(links*c.Articles+head)*math.Log1p(-math.Exp2(-float64(c.KeyBits))) +
		float64(links-short)*math.Log1p(-math.Exp2(-float64(c.Columns)))
	if short > 0 {
		log += float64(short) * math.Log1p(-math.Exp2(1-float64(c.Columns)))
	}
	return -math.Expm1(log)
}

// held returns the closed links, and the articles of the head, of a history after read articles.
func (c *Config) held(read int) (links, head int) {
	read = max(read, 0)
	return min(read/c.Articles, c.Links), read % c.Articles
}

// Bytes returns the bytes of the links, the head and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, f.roomFor(f.held(read))) }

// FPR is exact for distinct articles, but for links that no seed solves.
func (f *Filter) FPR(read int) float64 { return f.rate(f.held(read)) }

// Window returns the number of articles of the links and of the head.
func (f *Filter) Window(read int) int {
	links, head := f.held(read)
	return links*f.Articles + head
}
