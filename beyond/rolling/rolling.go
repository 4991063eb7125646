// Package rolling is a Bloom filter whose positions know in which generation they were last set: a window
// that rolls on without a second filter, as in Bitcoin Core's rolling Bloom filter.
//
// A position holds two bits: 0 where it is empty, or else the tag, 1 to 3, of the generation that wrote it last. A
// generation takes Generation articles; the article after them wipes every position that still has the oldest of the
// three tags, and begins a new generation under it. So the newest 2*Generation + 1 to 3*Generation articles are
// remembered for certain. The rate is exactly that of one Bloom filter of all articles remembered.
//
// The price is two bits a position for one bit's worth of filter, and room for 3*Generation articles where
// 2*Generation + 1 are promised: at 2 %, 24.5 bits for each article of the window. A history has one bit a
// position until the second generation begins, and three bytes of header. A query costs k loads.
package rolling

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/cycle"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_          struct{}
	Generation int            // articles a generation takes, 1 to 65535
	Geometry   bloom.Geometry // positions and hashes for three generations, at least bloom.MinLaneBits positions
}

// generations is how many tags two bits have beside 0, for empty.
const generations = 3

const maxGeneration = math.MaxUint16

// Sized returns the smallest filter that remembers at least window articles at every moment and reports an
// unseen article as seen with a probability of at most fpr, in (0, 1). It returns an error where window is
// not 1 to 131071 or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("rolling", window, (generations-1)*maxGeneration+1, fpr); err != nil {
		return Config{}, err
	}
	// Two generations are whole, and the present one has an article at least.
	generation := max(1, window/(generations-1))
	g, err := bloom.BestGeometry(generations*generation, fpr)
	if err != nil {
		return Config{}, strategies.Unmet("rolling", window, fpr, bloom.LeastRate(generations*generation))
	}
	g.Bits = max(g.Bits, bloom.MinLaneBits)
	return Config{Generation: generation, Geometry: g}, nil
}

// headerBytes follow the positions: the present generation's articles in 16 bits, little-endian, and its tag.
const headerBytes = bloom.Slack

// A Filter is the rolling-generations strategy. It implements strategies.Strategy and strategies.Theory.
type Filter struct {
	Config
	strategies.Layout
	bloom.Theory             // of all the articles remembered: the positions that hold a tag are those they probe
	first        bloom.Lanes // one bit a position: all that the first generation needs
	tags         bloom.Lanes // two
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	tags, err := bloom.NewLanes(c.Geometry, 2)
	err = cmp.Or(strategies.Within("rolling: Generation", c.Generation, 1, maxGeneration), strategies.In("rolling", err))
	if err != nil {
		return nil, err
	}
	layout := strategies.NewLayout("rolling", headerBytes, tags.LaneBytes()...)
	return &Filter{c, layout, bloom.NewTheory(c.Geometry, c.held), tags.First(1), tags}, nil
}

type state struct { // what the header says
	count int    // articles in the present generation
	tag   uint64 // the present generation's, 1 to 3
}

func load(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	header := history[len(history)-headerBytes:]
	return state{count: int(binary.LittleEndian.Uint16(header)), tag: uint64(header[2])}
}

// young reports whether a history is still in its first generation, with one bit a position.
func (f *Filter) young(history []byte) bool { return len(history) == f.Sizes()[0] }

// Seen tests whether each candidate's positions all hold a tag.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) <= f.Sizes()[0] { // or a newcomer's
		bloom.Query(f.first, history, 1, candidates, seen)
	} else {
		query(f.tags, history, candidates, seen)
	}
}

// Record adds the articles under the present generation's tag, and begins a new generation when it is full
// and the next article needs room. Of a long list, articles that it wipes again are not written.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := load(history)
	// A newcomer is in the first generation, and a forged header may say what none can.
	s.count, s.tag = min(s.count, f.Generation), min(max(s.tag, 1), generations)
	begun := (s.count + len(shown) - 1) / f.Generation // generations that the list begins
	// A second generation gives every position its second bit: the one there is becomes the tag 1.
	history = f.tags.Grow(history, headerBytes, min(1+begun, 2), 0)
	if begun >= generations {
		// Nothing remains of what was there, nor of the list but for the last
		// three generations; the first of those takes the place of an earlier.
		skipped := (begun+1-generations)*f.Generation - s.count
		clear(history)
		s = state{tag: after(s.tag, begun+1-generations)}
		shown = shown[skipped:]
	}
	for {
		n := min(len(shown), f.Generation-s.count)
		if f.young(history) {
			bloom.Insert(f.first, history, 1, shown[:n])
		} else {
			insert(f.tags, history, s.tag, shown[:n])
		}
		s.count += n
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		s = state{tag: after(s.tag, 1)}
		wipe(history[:f.tags.Bytes()], s.tag)
	}
	header := history[len(history)-headerBytes:]
	binary.LittleEndian.PutUint16(header, uint16(s.count))
	header[2] = byte(s.tag)
	return history
}

// after is the tag of the n-th generation after the one of the given tag.
func after(tag uint64, n int) uint64 { return (tag-1+uint64(n%generations))%generations + 1 }

// Validate accepts nothing, or tags and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	lanes, s, last := f.tags, load(history), uint64(generations)
	if f.young(history) {
		lanes, last = f.first, 1
	}
	if err := cmp.Or(
		strategies.Within("rolling: the present generation's tag", int(s.tag), 1, int(last)),
		strategies.Within("rolling: the present generation's number of articles", s.count, 1, f.Generation),
		lanes.Check("rolling", history),
	); err != nil {
		return err
	}
	for tag := uint64(1); tag <= last; tag++ {
		positions, least, most := 0, 0, f.Generation*f.Geometry.Hashes
		if lanes.Count() == 1 {
			positions = lanes.Ones(history, 1)
		} else {
			positions = tagged(history[:lanes.Bytes()], tag)
		}
		if tag == s.tag {
			least, most = 1, s.count*f.Geometry.Hashes
		}
		if err := strategies.Within("rolling: the number of a tag's positions", positions, least, most); err != nil {
			return err
		}
	}
	return nil
}

// held is how many articles are remembered after read articles: the present generation's, which begins with the article
// that needs room, and two whole generations before it: 2*Generation + 1 to 3*Generation from the third one on.
func (c Config) held(read int) int {
	present, before := cycle.Generations(read, c.Generation, generations)
	return before*c.Generation + present
}

// Bytes is one bit a position in the first generation, two after it, and the header.
func (f *Filter) Bytes(read int) int {
	if read <= f.Generation {
		return f.SizeAt(read, 0)
	}
	return f.SizeAt(read, 1)
}

// Fill counts the positions that hold a tag, and all of them.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if len(history) <= f.Sizes()[0] {
		return f.first.Fill(history, 1)
	}
	array := history[:f.tags.Bytes()]
	return 4*len(array) - tagged(array, 0), f.Geometry.Bits
}

// heldAt is, in its lowest bit, whether a position holds a tag; four positions
// share a byte. Its bits are wide because a byte's cost more to shift.
func heldAt(array []byte, position uint64) uint32 {
	tag := uint32(array[position>>2]) >> (position & 3 * 2)
	return tag | tag>>1
}

// query sets seen[i] to whether all positions of candidates[i] hold a tag. A tag is none where both its bits
// are 0, so the lanes cannot be asked one by one: an article's positions may have been written by different
// generations. The probes are bloom.Geometry.Positions, written out; the tests hold one against the other.
func query(l bloom.Lanes, array []byte, candidates []strategies.ID, seen []bool) {
	g := l.Geometry()
	m, digits := uint64(g.Bits), g.Digits()
	seen, array = seen[:len(candidates)], array[:l.Bytes()]
	if g.Hashes == 6 && digits == 3 {
		query6(m, array, candidates, seen)
		return
	}
	for i, id := range candidates {
		product, held := mix.Mix(uint64(id)), uint32(1)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				held &= heldAt(array, p)
			}
			product *= bloom.Multiplier
		}
		seen[i] = held != 0
	}
}

// query6 is query for six hashes, three digits of the ID and three of its product, unrolled.
func query6(m uint64, array []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	for i, id := range candidates {
		product := mix.Mix(uint64(id))
		p, x := bits.Mul64(product, m)
		q, x := bits.Mul64(x, m)
		r, _ := bits.Mul64(x, m)
		held := heldAt(array, p) & heldAt(array, q) & heldAt(array, r)
		p, x = bits.Mul64(product*bloom.Multiplier, m)
		q, x = bits.Mul64(x, m)
		r, _ = bits.Mul64(x, m)
		held &= heldAt(array, p) & heldAt(array, q) & heldAt(array, r)
		seen[i] = held&1 != 0
	}
}

// insert writes the tag to every position of the articles.
func insert(l bloom.Lanes, array []byte, tag uint64, ids []strategies.ID) {
	g := l.Geometry()
	array = array[:l.Bytes()]
	m, digits := uint64(g.Bits), g.Digits()
	for _, id := range ids {
		product := mix.Mix(uint64(id))
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				shift := p & 3 * 2
				array[p>>2] = array[p>>2]&^(3<<shift) | byte(tag<<shift)
			}
			product *= bloom.Multiplier
		}
	}
}

// pairs has the lower bit of every position in a word.
const pairs = 0x5555555555555555

// others has, in the lower bit of every position of a word, whether its tag is another one than that given.
func others(word, tag uint64) uint64 {
	word ^= tag * pairs
	return (word | word>>1) & pairs
}

// wipe empties the positions that have the tag.
func wipe(array []byte, tag uint64) {
	for ; len(array) >= 8; array = array[8:] {
		word := binary.LittleEndian.Uint64(array)
		binary.LittleEndian.PutUint64(array, word&(3*others(word, tag)))
	}
	for i, b := range array {
		array[i] = b & byte(3*others(uint64(b), tag))
	}
}

// tagged counts the positions that have the tag.
func tagged(array []byte, tag uint64) int {
	n := 0
	for ; len(array) >= 8; array = array[8:] {
		n += 32 - bits.OnesCount64(others(binary.LittleEndian.Uint64(array), tag))
	}
	for _, b := range array {
		n += 4 - bits.OnesCount8(byte(others(uint64(b), tag)))
	}
	return n
}
