// Package chain implements the paper's §7: a ring of small Bloom filters, called links. When the newest is full, the
// oldest is cleared.
//
// New articles go into the active link. When it holds Capacity of them (100 in the paper) the next link becomes active:
// a new one while there are fewer than Links (5), then the oldest, cleared. So the last (Links-1)*Capacity to
// Links*Capacity articles are recognised, 400 to 500, in 106 to 512 bytes. The links' rates add up: at 812 bits and 6
// hashes a link has 2.05 %, and the chain 7.9 to 9.8 %. The links are interleaved: a query costs the loads of one.
package chain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"dejavu/bloom"
	"dejavu/internal/cycle"
	"dejavu/strategies"
)

// Config contains the chain's parameters.
type Config struct {
	_        struct{}
	Links    int            // filters in the ring, 2 to MaxLinks
	Capacity int            // articles a link takes, 1 to 65535
	Geometry bloom.Geometry // of one link, at least bloom.MinLaneBits bits

	// ClearAhead clears the oldest link as soon as the active one is full, as the paper words it, and not only when an
	// article needs the room. The smallest window is then (Links-1)*Capacity articles instead of one more.
	ClearAhead bool

	// HeadSilent is the literal reading of "one node stores, the others deduplicate": the active link is not queried,
	// and up to Capacity of the most recent articles repeat.
	HeadSilent bool
}

// MaxLinks is the most links of a chain.
const MaxLinks = bloom.MaxLanes

const maxCapacity = math.MaxUint16

// The configuration of §7, five links of 812 bits for 100 articles, in three readings: Paper queries the active link
// too, as a working system must; Literal does not; Eager clears ahead.
var (
	Paper   = Config{Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}}
	Literal = Config{Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}, HeadSilent: true}
	Eager   = Config{Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}, ClearAhead: true}
)

// Sized returns a chain of five links that remembers at least window articles at every moment at a rate of at most fpr,
// in (0, 1), when all links are full. Best finds shorter chains, by 0.8 % at 400 articles and 2 %. Sized returns an
// error if window is not 1 to 262140, or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	const links = 5
	if err := strategies.ValidTarget("chain", window, maxCapacity*(links-1), fpr); err != nil {
		return Config{}, err
	}
	capacity := (window + links - 2) / (links - 1)
	g, err := bloom.BestGeometry(capacity, -math.Expm1(math.Log1p(-fpr)/links))
	if err != nil {
		return Config{}, strategies.Unmet("chain", window, fpr, union(links, capacity))
	}
	g.Bits = max(g.Bits, bloom.MinLaneBits)
	return Config{Links: links, Capacity: capacity, Geometry: g}, nil
}

// union returns the lowest rate of any chain with these links and capacity.
func union(links, capacity int) float64 {
	return -math.Expm1(float64(links) * math.Log1p(-bloom.LeastRate(capacity)))
}

// headerBytes follow the lanes: 16 bits with the active link's articles, little-endian, its lane, the number of lanes.
const headerBytes = 4

// A Chain is the strategy, with its Theory. It reads the histories of chains with fewer links.
type Chain struct {
	Config
	strategies.Layout // of one to Links links
	lanes             bloom.Lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Chain, error) {
	lanes, err := bloom.NewLanes(c.Geometry, c.Links)
	if err := cmp.Or(
		strategies.Within("chain: Links", c.Links, 2, MaxLinks),
		strategies.Within("chain: Capacity", c.Capacity, 1, maxCapacity),
		strategies.In("chain", err),
	); err != nil {
		return nil, err
	}
	return &Chain{c, strategies.NewLayout("chain", c, headerBytes, lanes.LaneBytes()...), lanes}, nil
}

type state struct { // the header
	count int // articles in the active link
	head  int // its lane
	links int // lanes in use
}

func load(history []byte) state {
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return state{count: int(word & 0xffff), head: int(word >> 16 & 0xff), links: int(word >> 24)}
}

// Held returns how many articles a history holds.
func (c *Chain) Held(history []byte) int {
	if len(history) == 0 {
		return 0
	}
	s := load(history)
	return (s.links-1)*c.Capacity + s.count
}

// Seen tests each candidate against the links.
func (c *Chain) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	live := ^uint64(0)
	if c.HeadSilent && len(history) > 0 {
		live &^= 1 << load(history).head
	}
	bloom.Query(c.lanes.First(c.Index(history)+1), history, live, candidates, seen)
}

// Record adds the articles to the active link, and rotates if it is full. The array grows at most once.
func (c *Chain) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	// Of a long list, keep one to two full rotations: earlier articles would be cleared again.
	if cycle := c.Links * c.Capacity; len(shown) > 2*cycle {
		shown = shown[(len(shown)/cycle-1)*cycle:]
	}
	var s state
	if len(history) > 0 {
		s = load(history)
		// A forged header may be invalid.
		s.links = c.Index(history) + 1
		s.head, s.count = min(s.head, s.links-1), min(s.count, c.Capacity)
	}
	blank := 0
	if s.links == 0 || s.links < c.Links && s.count+len(shown) > c.Capacity {
		history, s, blank = c.grow(history, s, (s.count+len(shown)-1)/c.Capacity)
	}
	lanes := c.lanes.First(s.links)
	for {
		n := min(len(shown), c.Capacity-s.count)
		bloom.Insert(lanes, history, 1<<s.head, shown[:n])
		s.count += n
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		s.head, s.count = s.after(), 0
		if blank > 0 {
			blank--
		} else {
			lanes.Clear(history, 1<<s.head)
		}
	}
	c.finish(history, s)
	return history
}

// finish writes the header, and clears ahead if ClearAhead is set and no blank link is left.
func (c *Chain) finish(history []byte, s state) {
	if c.ClearAhead && s.count == c.Capacity && s.links == c.Links {
		s.head, s.count = s.after(), 0
		c.lanes.Clear(history, 1<<s.head)
	}
	word := uint32(s.count | s.head<<16 | s.links<<24)
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], word)
}

// after returns the lane that a rotation makes active.
func (s state) after() int {
	if s.head+1 == s.links {
		return 0
	}
	return s.head + 1
}

// grow adds the blank links that the given number of rotations needs, and returns how many it added.
func (c *Chain) grow(history []byte, s state, moves int) (grown []byte, _ state, blank int) {
	if len(history) == 0 {
		s.links = 1
		history = c.lanes.Grow(history, headerBytes, min(1+moves, c.Links), 0)
	}
	blank = max(0, min(moves, c.Links-s.links))
	if blank > 0 {
		// New links follow the active one, so that lanes in ascending order are links from the oldest to the newest.
		// Lanes move only if the history is from a chain of fewer links that had rotated.
		history = c.lanes.Grow(history, headerBytes, s.links+blank, s.after())
		s.head, s.links = s.links-1, s.links+blank
	}
	return history, s, blank
}

// Validate accepts an empty history, or one whose header and lanes agree.
func (c *Chain) Validate(history []byte) error {
	if err := c.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := load(history)
	switch {
	case s.links < 1 || s.links > c.Links || c.Sizes()[s.links-1] != len(history):
		return fmt.Errorf("chain: header says %d links in a history of %d bytes", s.links, len(history))
	case s.head >= s.links:
		return fmt.Errorf("chain: head is link %d of %d", s.head, s.links)
	}
	least, most := 1, c.Capacity
	if c.ClearAhead && s.links == c.Links {
		least, most = 0, c.Capacity-1
	}
	var counts [MaxLinks]int
	for i := range s.links {
		counts[i] = c.Capacity
	}
	counts[s.head] = s.count
	return cmp.Or(
		strategies.Within("chain: the head's number of articles", s.count, least, most),
		c.lanes.First(s.links).Check("chain", history, counts[:s.links]...),
	)
}

// filled returns the number of articles in the active link, and of full links, after read articles.
func (c *Chain) filled(read int) (head, full int) {
	if c.ClearAhead && read >= c.Links*c.Capacity {
		return read % c.Capacity, c.Links - 1
	}
	return cycle.Generations(read, c.Capacity, c.Links)
}

// Bytes returns the length of the links in use and the header.
func (c *Chain) Bytes(read int) int {
	_, full := c.filled(read)
	return c.SizeAt(read, full)
}

func (c *Chain) answers(read int) []int {
	head, full := c.filled(read)
	links := slices.Repeat([]int{c.Capacity}, full)
	if !c.HeadSilent {
		links = append(links, head)
	}
	return links
}

// FPR returns the probability that any queried link reports an unseen article (bloom.ExactShared).
func (c *Chain) FPR(read int) float64 { return bloom.ExactShared(c.Geometry, c.answers(read)...) }

// Asymptotic returns FPR by the textbook approximation (eq. 1), link by link.
func (c *Chain) Asymptotic(read int) float64 {
	links := c.answers(read)
	rates := make([]float64, len(links))
	for i, articles := range links {
		rates[i] = bloom.Asymptotic(articles, c.Geometry)
	}
	return bloom.Union(rates...)
}

// Window returns how many articles the links hold, or 0 if the newest are in an active link that is not queried.
func (c *Chain) Window(read int) int {
	head, full := c.filled(read)
	if c.HeadSilent && head > 0 {
		return 0
	}
	return head + full*c.Capacity
}

// Remembers reports whether a queried link holds the article shown age articles ago, 1 being the newest.
func (c *Chain) Remembers(read, age int) bool {
	head, full := c.filled(read)
	newest := 1
	if c.HeadSilent {
		newest = head + 1
	}
	return newest <= age && age <= head+full*c.Capacity
}

// Fill returns how many bits of the links in use are set, and how many there are.
func (c *Chain) Fill(history []byte) (ones, of int) {
	return c.lanes.First(c.Index(history)+1).Fill(history, ^uint64(0))
}

// FillTheory returns the expected share of set bits in the links in use.
func (c *Chain) FillTheory(read int) float64 {
	head, full := c.filled(read)
	ones := bloom.Fill(head, c.Geometry) + float64(full)*bloom.Fill(c.Capacity, c.Geometry)
	return ones / float64(full+1)
}
