// Package quotient remembers the last articles by sorted fingerprints, and stores only the differences of their high
// bits.
//
// A fingerprint is a number below Range. Its high part is its bucket. The buckets' sizes are stored in unary, a one
// for each article and a zero after each bucket; the low bits follow in the order of the buckets (Elias, JACM 1974;
// quotient filters: Bender and others, "Don't thrash: how to cache your hash in flash", VLDB 2012). Beside its low
// bits an article has a tag, its generation. When the newest generation is full and Generations of them exist, the
// oldest is dropped.
//
// For 400 articles at 2 % that takes 605 bytes, and the best chain 717. A query selects in the unary bits, and looks
// at the articles of one bucket, 0.6 on average. The price is Record, which moves the history's bits once a request.
package quotient

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_           struct{}
	Generations int // at most held, 2 to 128
	Generation  int // articles in each, 1 to 65535
	Range       int // of fingerprints, 64 to 2^30
}

const (
	maxGenerations = 128
	maxGeneration  = math.MaxUint16
	minRange       = 64 // so that eight bytes can be read of every history
	maxRange       = 1 << 30

	// headerBytes follow the articles: cycle.Parts, by the tag of the youngest generation.
	headerBytes = cycle.PartsBytes
)

func (c Config) articles() int { return c.Generations * c.Generation }

func (c Config) tagBits() int { return bits.Len(uint(c.Generations - 1)) }

func (c Config) buckets(low int) int { return (c.Range-1)>>low + 1 }

func (c Config) lengths(articles, low int) (unary, open int) {
	return (articles + c.buckets(low) + 7) / 8, (articles*(low+c.tagBits()) + 7) / 8
}

// low returns the number of low bits with which a full history is the shortest and has minRange buckets or more.
func (c Config) low() int {
	best, shortest := 0, math.MaxInt
	for low := 0; c.buckets(low) >= minRange; low++ {
		if unary, open := c.lengths(c.articles(), low); unary+open < shortest {
			best, shortest = low, unary+open
		}
	}
	return best
}

// A Filter is the quotient strategy. It implements strategies.Strategy and strategies.Theory. A history is the unary
// bits, the low bits and tags, and the header, each in whole bytes, with room for one generation, two, and so on.
type Filter struct {
	Config
	strategies.Layout
	low     int // bits of the low part
	width   int // of an article's field: the low part, and the tag above it
	buckets int
	rooms   []room // by the index in Sizes
}

type room struct {
	generations int
	unary       int // bytes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("quotient: Generations", c.Generations, 2, maxGenerations),
		strategies.Within("quotient: Generation", c.Generation, 1, maxGeneration),
		strategies.Within("quotient: Range", c.Range, minRange, maxRange),
	); err != nil {
		return nil, err
	}
	f := &Filter{Config: c, low: c.low()}
	f.width, f.buckets = f.low+c.tagBits(), c.buckets(f.low)
	var arrays []int
	for n := 1; n <= c.Generations; n++ {
		unary, open := c.lengths(n*c.Generation, f.low)
		if last := len(arrays) - 1; last >= 0 && arrays[last] == unary+open {
			arrays, f.rooms = arrays[:last], f.rooms[:last] // the smaller room fits in the same bytes
		}
		arrays, f.rooms = append(arrays, unary+open), append(f.rooms, room{n, unary})
	}
	f.Layout = strategies.NewLayout("quotient", c, headerBytes, arrays...)
	return f, nil
}

func (f *Filter) fingerprint(id strategies.ID) int { return bloom.Digit(uint64(id), f.Range) }

func (f *Filter) roomFor(generations int) int {
	return sort.Search(len(f.rooms)-1, func(i int) bool { return f.rooms[i].generations >= generations })
}

// load returns a possible state of the history, whatever its header says.
func (f *Filter) load(history []byte) cycle.Parts {
	s, last := cycle.PartsOf(history), f.rooms[f.Index(history)].generations-1
	s.Count, s.Next, s.Full = min(s.Count, f.Generation), min(s.Next, last), s.Full && last == f.Generations-1
	return s
}

func (f *Filter) older(s cycle.Parts) int { return s.Others(f.Generations - 1) }

func (f *Filter) held(s cycle.Parts) int { return f.older(s)*f.Generation + s.Count }

// Validate accepts nothing, or generations that are full except the youngest, in each bucket the oldest first.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := cycle.PartsOf(history)
	switch {
	case s.Count < 1 || s.Count > f.Generation:
		return fmt.Errorf("quotient: the youngest generation holds %d articles, want 1 to %d", s.Count, f.Generation)
	case s.Next >= f.Generations || s.Next == f.Generations-1 && !s.Full || f.roomFor(f.older(s)+1) != f.Index(history):
		return fmt.Errorf("quotient: the youngest generation is %d (all there: %v) in a history of %d bytes", s.Next, s.Full,
			len(history))
	}
	n, end := f.held(s), f.rooms[f.Index(history)].unary<<3
	if stray := bitarray.Ones(history, n+f.buckets, end) + bitarray.Ones(history, end+n*f.width,
		8*(len(history)-headerBytes)); stray > 0 {
		return fmt.Errorf("quotient: %d bits are set beyond the %d articles", stray, n)
	}
	return f.validateArticles(history, s)
}

func (f *Filter) validateArticles(history []byte, s cycle.Parts) error {
	n, unary := f.held(s), f.rooms[f.Index(history)].unary<<3
	var held [maxGenerations]int
	bucket, age, article := 0, f.Generations, 0
	for bit := range n + f.buckets {
		if bitarray.Read(history, bit, 1) == 0 {
			bucket, age = bucket+1, f.Generations
			continue
		}
		if bucket == f.buckets || article == n {
			return fmt.Errorf("quotient: an article in bucket %d is the %dth, want %d in %d buckets", bucket, article+1, n,
				f.buckets)
		}
		open := int(bitarray.Read(history, unary+article*f.width, f.width))
		tag := open >> f.low
		if fingerprint := bucket<<f.low | open&(1<<f.low-1); fingerprint >= f.Range || tag >= f.Generations {
			return fmt.Errorf("quotient: fingerprint %d of generation %d, want them below %d and %d", fingerprint, tag, f.Range,
				f.Generations)
		}
		older := age
		if age = (s.Next - tag + f.Generations) % f.Generations; age > older {
			return fmt.Errorf("quotient: in bucket %d an article of age %d is behind one of age %d", bucket, age, older)
		}
		held[tag]++
		article++
	}
	for tag, got := range held[:f.Generations] {
		want := f.Generation
		switch age := (s.Next - tag + f.Generations) % f.Generations; {
		case age == 0:
			want = s.Count
		case age > f.older(s):
			want = 0
		}
		if got != want {
			return fmt.Errorf("quotient: %d articles of generation %d, want %d", got, tag, want)
		}
	}
	return nil
}

// Window400 is the filter for a window of 400 articles at 2 %, as the paper's chain has (§7).
var Window400 = Config{Generations: 8, Generation: 57, Range: 22572}

const maxWindow = (maxGenerations-1)*maxGeneration + 1

// Sized returns the filter of the fewest bytes, then generations, that remembers window articles at every moment at a
// rate of at most fpr, in (0, 1). It returns an error if window is not 1 to 8322946 or no Range up to 2^30 meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("quotient", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	shortest, lowest := math.MaxInt, 1. // of all, bytes and rate
	for generations := 2; generations <= maxGenerations; generations++ {
		c := Config{Generations: generations, Generation: max(1, (window-1+generations-2)/(generations-1))}
		if c.Generation > maxGeneration {
			continue
		}
		lowest = min(lowest, bloom.FingerprintFPR(c.articles(), maxRange))
		least, ok := bloom.LeastFingerprints(c.articles(), fpr, maxRange)
		if !ok {
			continue
		}
		c.Range = max(minRange, least)
		if unary, open := c.lengths(c.articles(), c.low()); unary+open < shortest {
			best, shortest = c, unary+open
		}
	}
	if shortest == math.MaxInt {
		return Config{}, strategies.Unmet("quotient", window, fpr, lowest)
	}
	return best, nil
}

// Bytes returns the bytes of the articles, in whole generations, and the header.
func (f *Filter) Bytes(read int) int {
	return f.SizeAt(read, f.roomFor(min((read-1)/f.Generation+1, f.Generations)))
}

// FPR returns the chance that an unseen article's fingerprint is one of the N held, 1 - (1 - 1/Range)^N.
func (f *Filter) FPR(read int) float64 { return bloom.FingerprintFPR(f.Window(read), f.Range) }

// Window returns the number of articles held.
func (f *Filter) Window(read int) int {
	newest, full := cycle.Generations(read, f.Generation, f.Generations)
	return full*f.Generation + newest
}
