// Package rolling is a Bloom filter whose positions know in which generation
// they were last set: a window that rolls on without a second filter, as in
// Bitcoin Core's rolling Bloom filter.
//
// A position holds two bits: 0 where it is empty, or else the tag, 1 to 3, of
// the generation that wrote it last. A generation takes Generation articles;
// the article after them wipes every position that still has the oldest of the
// three tags, and begins a new generation under it. So the two generations
// before the present one are whole, and the newest 2*Generation + 1 to
// 3*Generation articles are remembered for certain. That a newer generation
// overwrites the tags of an older one costs nothing: such a position stays set
// for as long as the newer tag does, which is longer than the older article
// needs it, and the oldest generation takes with it only what nobody wrote
// since. An article is taken for seen if all its positions hold any tag, so the
// rate is exactly that of one Bloom filter of all articles remembered.
//
// The price is two bits a position for one bit's worth of filter, and room for
// 3*Generation articles where 2*Generation + 1 are promised: at 2 %, 24.5 bits
// for each article of the window. A history has one bit a position until the
// second generation begins, and three bytes of header. A query costs k loads.
package rolling

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"dejavu/bloom"
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

// Presets: Core is sized as Bitcoin Core would for 400 articles at 2 %, by the
// textbook formula and to whole 64-bit words; Small has the 512 bytes of the
// paper's chain, header included, which is too few for 400 articles: 19 % of the
// fresh ones are taken for seen.
var (
	Core  = Config{Generation: 200, Geometry: bloom.Geometry{Bits: 4928, Hashes: 6}}
	Small = Config{Generation: 200, Geometry: bloom.Geometry{Bits: 2036, Hashes: 2}}
)

// Sized returns the smallest filter that remembers at least window articles at
// every moment, or all where fewer were shown, and takes a fresh article for
// seen with a probability of at most fpr, in (0, 1), when its three
// generations are full. It returns an error where window is not 1 to 131071 or
// no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if most := (generations-1)*maxGeneration + 1; window < 1 || window > most {
		return Config{}, fmt.Errorf("rolling: window is %d, want 1 to %d", window, most)
	}
	if !(fpr > 0 && fpr < 1) {
		return Config{}, fmt.Errorf("rolling: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	// Two generations are whole, and the present one has an article at least.
	generation := max(1, window/(generations-1))
	geometry, err := bloom.BestGeometry(generations*generation, fpr)
	if err != nil {
		return Config{}, fmt.Errorf("rolling: three generations of %d articles at %v: %w", generation, fpr, err)
	}
	geometry.Bits = max(geometry.Bits, bloom.MinLaneBits)
	return Config{Generation: generation, Geometry: geometry}, nil
}

// headerBytes follow the positions: the present generation's count of articles
// in 16 bits, little-endian, and its tag in a byte.
const headerBytes = bloom.Slack

// A Filter is the rolling-generations strategy. It implements
// strategies.Strategy and strategies.Theory.
type Filter struct {
	Config
	first bloom.Lanes // one bit a position: all that the first generation needs
	tags  bloom.Lanes // two
	sizes []int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if c.Generation < 1 || c.Generation > maxGeneration {
		return nil, fmt.Errorf("rolling: Generation is %d, want 1 to %d", c.Generation, maxGeneration)
	}
	if err := c.Geometry.Validate(); err != nil {
		return nil, fmt.Errorf("rolling: %w", err)
	}
	if c.Geometry.Bits < bloom.MinLaneBits {
		return nil, fmt.Errorf("rolling: Geometry.Bits is %d, want at least %d", c.Geometry.Bits, bloom.MinLaneBits)
	}
	f := &Filter{
		Config: c,
		first:  bloom.Lanes{Geometry: c.Geometry, Count: 1},
		tags:   bloom.Lanes{Geometry: c.Geometry, Count: 2},
	}
	f.sizes = []int{f.first.Bytes() + headerBytes, f.tags.Bytes() + headerBytes}
	return f, nil
}

// state is what the header says.
type state struct {
	count int    // articles in the present generation
	tag   uint64 // the present generation's, 1 to 3
}

func load(history []byte) state {
	header := history[len(history)-headerBytes:]
	return state{count: int(binary.LittleEndian.Uint16(header)), tag: uint64(header[2])}
}

func (s state) store(history []byte) {
	header := history[len(history)-headerBytes:]
	binary.LittleEndian.PutUint16(header, uint16(s.count))
	header[2] = byte(s.tag)
}

// young reports whether a history is still in its first generation, with one
// bit a position.
func (f *Filter) young(history []byte) bool { return len(history) == f.sizes[0] }

// Seen tests whether each candidate's positions all hold a tag.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	switch {
	case len(history) == 0:
		clear(seen)
	case f.young(history):
		bloom.Query(f.first, history, 1, candidates, seen)
	default:
		query(f.tags, history, candidates, seen)
	}
}

// Record adds the articles under the present generation's tag, and begins a new
// generation when it is full and the next article needs room. Of a long list,
// articles that it wipes again are not written.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := state{tag: 1}
	if len(history) > 0 {
		s = load(history)
	}
	begun := (s.count + len(shown) - 1) / f.Generation // generations that the list begins
	history = f.grow(history, begun > 0)
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
	s.store(history)
	return history
}

// after is the tag of the n-th generation after the one of the given tag.
func after(tag uint64, n int) uint64 { return (tag-1+uint64(n%generations))%generations + 1 }

// grow makes a newcomer's array, and gives every position its second bit when
// a second generation begins: the bit there is becomes the tag 1.
func (f *Filter) grow(history []byte, wide bool) []byte {
	size := f.sizes[0]
	if wide {
		size = f.sizes[1]
	}
	old := len(history)
	if old >= size {
		return history
	}
	history = slices.Grow(history, size-old)[:size]
	if old == 0 {
		clear(history)
	} else {
		bloom.Widen(f.first, history, 0)
	}
	return history
}

// HeaderBytes is how many bytes of every history are header.
func (f *Filter) HeaderBytes() int { return headerBytes }

// Sizes is one bit a position and two, each with the header.
func (f *Filter) Sizes() []int { return f.sizes }

// Validate accepts nothing, or tags and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if len(history) != f.sizes[0] && len(history) != f.sizes[1] {
		return fmt.Errorf("rolling: history of %d bytes, want 0, %d or %d", len(history), f.sizes[0], f.sizes[1])
	}
	lanes, s, last := f.tags, load(history), uint64(generations)
	if f.young(history) {
		lanes, last = f.first, 1
	}
	switch {
	case s.tag < 1 || s.tag > last:
		return fmt.Errorf("rolling: the present generation's tag is %d in a history of %d bytes, want 1 to %d",
			s.tag, len(history), last)
	case s.count < 1 || s.count > f.Generation:
		return fmt.Errorf("rolling: the present generation holds %d articles, want 1 to %d", s.count, f.Generation)
	case lanes.Padded(history):
		return fmt.Errorf("rolling: a bit is set beyond the last of the %d positions", lanes.Bits)
	}
	for tag := uint64(1); tag <= last; tag++ {
		positions, least, most := 0, 0, f.Generation*lanes.Hashes
		if lanes.Count == 1 {
			positions = lanes.Ones(history, 1)
		} else {
			positions = tagged(history[:lanes.Bytes()], tag)
		}
		if tag == s.tag {
			least, most = 1, s.count*lanes.Hashes
		}
		if positions < least || positions > most {
			return fmt.Errorf("rolling: %d positions have tag %d, want %d to %d", positions, tag, least, most)
		}
	}
	return nil
}
