// Package scalable implements a filter that grows: Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom filters",
// Information Processing Letters 101, 2007.
//
// A full Bloom filter cannot move into a larger one, because that would need the IDs. So when a stage is full, a
// larger one with a tighter rate begins: stage i takes First*Growth^i articles at a rate of FPR*(1-r)*r^i, where r is
// Tightening. An article is reported as seen if any stage holds it; the rates sum up to at most FPR (§3 there). The
// price is bits, 12.5 an article at 375 articles and 2 %, where a filter made for them takes 8.2, and that a query
// asks every stage. The last stage takes all further articles: nothing is forgotten, but the rate grows.
package scalable

import (
	"cmp"
	"fmt"
	"math"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_          struct{}
	First      int     // articles that the first stage takes (n0), at least 1
	Growth     int     // the next stage's articles over this one's (s), 1 to 1024
	FPR        float64 // bound on the rate of all stages together, in (0, 1)
	Tightening float64 // the next stage's rate over this one's (r), in (0, 1)
	Stages     int     // stages at most, 1 to MaxStages
}

const (
	// MaxStages is the most stages that a history can have.
	MaxStages = 64

	maxGrowth   = 1024
	maxCapacity = 1<<24 - 1 // articles of one stage: the header counts in 24 bits
)

// Doubling holds 2 % for 25,575 articles, in stages of 25, 50, 100 and so on. A tightening of 0.5 takes 610 bytes for
// the first 375 articles and 67,608 for all; 0.7 takes 585 and 53,072, and 0.9 takes 636 and 46,987.
var Doubling = Config{First: 25, Growth: 2, FPR: 0.02, Tightening: 0.7, Stages: 10}

// Sized returns ten stages that double, of which the first four take window articles, at a rate of at most fpr, in (0,
// 1), as long as all take more. It returns an error if window is not 1 to 50,000 or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	const (
		filled = 1<<4 - 1 // stages, of First articles each, in the first four
		most   = 50_000   // beyond, the tenth stage would need a rate above 0.8
	)
	if err := strategies.ValidTarget("scalable", window, most, fpr); err != nil {
		return Config{}, err
	}
	c := Doubling
	c.First, c.FPR = (window+filled-1)/filled, fpr
	last := c.Stages - 1
	if _, err := c.stage(last); err != nil { // no smaller stage with a laxer rate is impossible
		share := (1 - c.Tightening) * math.Pow(c.Tightening, float64(last))
		return Config{}, strategies.Unmet("scalable", window, fpr, bloom.LeastRate(c.First<<last)/share)
	}
	return c, nil
}

// headerBytes follow the stages: the number of articles in the newest, in 24 bits, little-endian.
const headerBytes = 3

// A Filter is the strategy, with its Theory. It accepts the histories of a Filter with fewer Stages.
type Filter struct {
	Config
	strategies.Layout // of one to Stages stages
	stages            []stage
	full              []float64 // full[i] is the rate of the first i stages when they are full
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("scalable: First", c.First, 1, maxCapacity),
		strategies.Within("scalable: Growth", c.Growth, 1, maxGrowth),
		strategies.ValidShare("scalable: FPR", c.FPR),
		strategies.ValidShare("scalable: Tightening", c.Tightening),
		strategies.Within("scalable: Stages", c.Stages, 1, MaxStages),
	); err != nil {
		return nil, err
	}
	f := &Filter{Config: c}
	at, rate := 0, 0.
	var ends []int
	for i := range c.Stages {
		s, err := c.stage(i)
		if err != nil {
			return nil, err
		}
		s.at = at
		at += s.Bytes()
		f.stages = append(f.stages, s)
		ends = append(ends, at)
		f.full = append(f.full, rate)
		rate = bloom.Union(rate, bloom.Exact(s.capacity, s.Geometry()))
	}
	f.Layout = strategies.NewLayout("scalable", c, headerBytes, ends...)
	return f, nil
}

// stage returns the i-th stage, except for at: the smallest that exactly meets its share of FPR.
func (c Config) stage(i int) (stage, error) {
	capacity, rate := c.First, c.FPR*(1-c.Tightening)
	for range i {
		// A capacity that is too large stays so, without overflow.
		capacity, rate = min(capacity, maxCapacity/c.Growth+1)*c.Growth, rate*c.Tightening
	}
	if capacity > maxCapacity {
		return stage{}, fmt.Errorf(
			"scalable: Stages is %d, but stage %d would take more than %d articles: fewer stages will do",
			c.Stages, i, maxCapacity)
	}
	geometry, err := bloom.BestGeometry(capacity, rate)
	if err != nil {
		return stage{}, fmt.Errorf("scalable: stage %d of %d: %w", i, c.Stages, err)
	}
	lane, err := bloom.NewLanes(geometry, 1)
	return stage{Lanes: lane, capacity: capacity, salt: bloom.Salt(i)}, err
}

func (f *Filter) load(history []byte) (newest, count int) {
	if len(history) == 0 {
		return 0, 0
	}
	h := history[len(history)-headerBytes:]
	return f.Index(history), int(h[0]) | int(h[1])<<8 | int(h[2])<<16
}

// Seen tests each candidate against the stages, the largest first.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	if len(history) == 0 {
		return
	}
	for i := f.Index(history); i >= 0; i-- {
		s := &f.stages[i]
		bloom.QuerySalted(s.Lanes, history[s.at:], s.salt, candidates, seen)
	}
}

// Record adds the articles to the newest stage, and begins the next one when it is full and an article follows.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	newest, count := f.load(history)
	count = min(count, f.stages[newest].capacity) // a forged header may say more
	last, left := newest, len(shown)-(f.stages[newest].capacity-count)
	for left > 0 && last+1 < len(f.stages) {
		last++
		left -= f.stages[last].capacity
	}
	if last > newest && len(history) > 0 {
		clear(history[len(history)-headerBytes:]) // where the next stage begins
	}
	history = strategies.Grow(history, f.Sizes()[last])
	for {
		s := &f.stages[newest]
		n := len(shown) // the last stage takes what comes
		if newest < len(f.stages)-1 {
			n = min(n, s.capacity-count)
		}
		bloom.InsertSalted(s.Lanes, history[s.at:], s.salt, shown[:n])
		count = min(count+n, s.capacity)
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		newest, count = newest+1, 0
	}
	h := history[len(history)-headerBytes:]
	h[0], h[1], h[2] = byte(count), byte(count>>8), byte(count>>16)
	return history
}

// Validate accepts nothing, or stages and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	newest, count := f.load(history)
	err := strategies.Within("scalable: the newest stage's number of articles", count, 1, f.stages[newest].capacity)
	if err != nil {
		return err
	}
	for i, s := range f.stages[:newest+1] {
		array := history[s.at : s.at+s.Bytes()]
		// Any full stage may have been the last one once, and have taken more than its capacity.
		held := bloom.Some
		if i == newest && count < s.capacity {
			held = count
		}
		if err := s.Check(fmt.Sprintf("scalable: stage %d", i), array, held); err != nil {
			return err
		}
	}
	return nil
}

// A stage is one filter of the history. With the same probes in all stages the rate would be up to 3 % off their union.
type stage struct {
	bloom.Lanes        // one
	capacity    int    // articles it is made for
	at          int    // first byte
	salt        uint64 // bloom.Salt(i) in stage i: no two stages share products
}

// held returns, after read articles, the newest stage and the number of articles in it.
func (f *Filter) held(read int) (newest, count int) {
	for newest < len(f.stages)-1 && read > f.stages[newest].capacity {
		read -= f.stages[newest].capacity
		newest++
	}
	return newest, read
}

// Bytes returns the bytes of the stages in use and the header.
func (f *Filter) Bytes(read int) int {
	newest, _ := f.held(read)
	return f.SizeAt(read, newest)
}

// FPR returns the union of the stages' exact rates. Until the last stage is full it is at most Config.FPR.
func (f *Filter) FPR(read int) float64 {
	newest, count := f.held(read)
	return bloom.Union(f.full[newest], bloom.Exact(count, f.stages[newest].Geometry()))
}

// Asymptotic returns FPR by the textbook approximation.
func (f *Filter) Asymptotic(read int) float64 {
	newest, count := f.held(read)
	rate := bloom.Asymptotic(count, f.stages[newest].Geometry())
	for _, s := range f.stages[:newest] {
		rate = bloom.Union(rate, bloom.Asymptotic(s.capacity, s.Geometry()))
	}
	return rate
}

// Window returns the number of all articles: nothing is ever cleared.
func (f *Filter) Window(read int) int { return bloom.All(read) }

// Capacity returns how many articles all stages take before the rate leaves its bound.
func (f *Filter) Capacity() int {
	total := 0
	for _, s := range f.stages {
		total += s.capacity
	}
	return total
}

// Fill counts the set bits in all stages in use, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	for _, s := range f.stages[:f.Index(history)+1] {
		set, bits := s.Lanes.Fill(history[s.at:], 1)
		ones, of = ones+set, of+bits
	}
	return ones, of
}

// FillTheory returns the expected share of set bits in the stages in use.
func (f *Filter) FillTheory(read int) float64 {
	newest, count := f.held(read)
	ones, of := 0., 0
	for i, s := range f.stages[:newest+1] {
		n := s.capacity
		if i == newest {
			n = count
		}
		g := s.Geometry()
		ones, of = ones+float64(g.Bits)*bloom.Fill(n, g), of+g.Bits
	}
	return ones / float64(of)
}
