package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"dejavu/bloom"
	"dejavu/measure"
)

// A need is what a memory of articles shown must do.
type need struct {
	users    int
	window   int     // articles remembered at every moment, once as many have been shown
	fpr      float64 // at most, at the worst moment
	articles int     // that a reader is ever shown, for a strategy that wears out
	memory   size    // for all readers; 0 is no limit
}

// storeBytes is what package store keeps beside a history: 10 bytes a reader,
// less than 1 for tables of chunks, and 12 at the most.
const storeBytes = 12

// budget is how many bytes of history a reader may have.
func (n need) budget() int {
	if n.memory == 0 {
		return math.MaxInt
	}
	return int(n.memory)/n.users - storeBytes
}

// reach is what a kind's capacity is to be found for: the window, or the
// articles until which a strategy that never forgets must hold its rate.
func (n need) reach(k kind) int {
	if k.wears {
		return n.articles
	}
	return n.window
}

// An offer is a strategy's cheapest configuration that remembers enough and
// errs seldom enough, and whether it fits the memory. Where there is none, Why
// says so and what has no value is 0.
type offer struct {
	Strategy string `json:"strategy"`
	Fits     bool   `json:"fits"`
	Why      string `json:"why,omitempty"` // it does not fit

	Links     int    `json:"links,omitempty"`     // of a chain
	Capacity  int    `json:"capacity,omitempty"`  // articles: of the queue, a filter or a link
	Threshold int    `json:"threshold,omitempty"` // of the dual filter
	Bits      int    `json:"bits,omitempty"`      // of a filter or a link
	Hashes    int    `json:"hashes,omitempty"`
	Go        string `json:"go,omitempty"` // constructs it

	Payload int   `json:"payload_bytes"` // of the longest history
	Header  int   `json:"header_bytes"`  // of it
	User    int   `json:"user_bytes"`    // both, and the store's
	Total   int64 `json:"total_bytes"`   // of all readers: the memory it needs

	FPR        float64 `json:"fpr"`      // at the worst moment
	FPRMean    float64 `json:"fpr_mean"` // over a turn, or over all articles until it wears out
	Window     int     `json:"window_least"`
	WindowMost int     `json:"window_most"`
	Until      int     `json:"until,omitempty"`     // articles for which it holds the rate asked for; 0 is for ever
	FPRTwice   float64 `json:"fpr_twice,omitempty"` // and the rate after twice as many

	// Of a request of 40 candidates:
	Multiplications int     `json:"multiplications"` // that make positions of IDs
	Loads           int     `json:"loads"`           // from the history
	Lines           int     `json:"cache_lines"`     // of 64 bytes that these meet, expected
	Nanos           float64 `json:"measured_ns,omitempty"`
	MeasuredOn      string  `json:"measured_on,omitempty"` // strategy of the reference run

	// What would do where it does not fit, the rest unchanged; 0 is nothing.
	PossibleFPR   float64 `json:"possible_fpr,omitempty"`
	PossibleReach int     `json:"possible_window,omitempty"` // or articles, where it wears out

	kind  kind
	shape shape
	made  strategy
}

// offers are the cheapest of each family, by bytes; what cannot be made at
// all comes last.
func offers(n need) ([]offer, error) {
	var all []offer
	for _, family := range families {
		s, err := suggest(family, n)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b offer) int {
		return cmp.Or(cmp.Compare(b2i(a.made == nil), b2i(b.made == nil)), cmp.Compare(a.User, b.User))
	})
	return all, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// suggest finds a family's cheapest: the fewest bytes, of those the fewest
// hashes, of those the fewest links.
func suggest(family []kind, n need) (offer, error) {
	best := offer{Strategy: family[0].name}
	fewest := math.MaxInt
	for _, k := range family {
		s, err := k.cheapest(n, fewest)
		if err != nil {
			if best.made == nil {
				best.Why = err.Error() // of the longest chain, which can do the most
			}
			continue
		}
		b := k.bytes(s)
		if best.made != nil && b == fewest && s.geometry.Hashes >= best.shape.geometry.Hashes {
			continue
		}
		made, err := k.construct(s)
		if err != nil {
			return best, err
		}
		best, fewest = offer{Strategy: k.name, kind: k, shape: s, made: made}, b
	}
	if best.made != nil {
		best.describe(n)
	}
	if !best.Fits {
		best.PossibleFPR = lowest(family, n)
		best.PossibleReach = farthest(family, n)
	}
	return best, nil
}

// cheapest is the shape of the fewest bytes, at most so many, that does what is
// needed but for the memory; the error says why there is none.
func (k kind) cheapest(n need, most int) (shape, error) {
	capacity, err := k.capacity(n.reach(k))
	if err != nil {
		return shape{}, err
	}
	if k.lanes == 0 {
		s := shape{capacity: capacity}
		if rate := k.rate(s); rate > n.fpr {
			return s, fmt.Errorf("its rate is %.3g whatever the memory", rate)
		}
		return s, nil
	}
	s, ok := k.smallest(capacity, n.fpr, k.mostBits(capacity, most))
	if !ok {
		return s, fmt.Errorf("no filter of at most %d bits and %d hashes does", bloom.MaxBits, bloom.MaxHashes)
	}
	return s, nil
}

// within is the lowest rate that a history of at most so many bytes allows, 1
// where none is as short.
func (k kind) within(capacity, bytes int) float64 {
	if k.lanes == 0 {
		if s := (shape{capacity: capacity}); k.bytes(s) <= bytes {
			return k.rate(s)
		}
		return 1
	}
	bits := k.mostBits(capacity, bytes)
	if bits < k.least {
		return 1
	}
	_, rate := k.sharpest(capacity, bits)
	return rate
}

// lowest is the lowest rate that a family has in the memory, with the reach
// asked for; 0 where it has none.
func lowest(family []kind, n need) float64 {
	rate := 1.
	for _, k := range family {
		if capacity, err := k.capacity(n.reach(k)); err == nil {
			rate = min(rate, k.within(capacity, n.budget()))
		}
	}
	if rate = roundUp(rate); rate >= 1 {
		return 0
	}
	return rate
}

// farthest is the longest reach that a family has in the memory, with the rate
// asked for; 0 where it has none. It is below the one asked for, which does not
// fit.
func farthest(family []kind, n need) (reach int) {
	for _, k := range family {
		fits := func(reach int) bool {
			capacity, err := k.capacity(reach)
			return err == nil && k.within(capacity, n.budget()) <= n.fpr
		}
		if most := n.reach(k) - 1; reach < most && fits(reach+1) {
			reach += sort.Search(most-reach, func(i int) bool { return !fits(reach + 1 + i) })
		}
	}
	return reach
}

// describe fills in what the strategy's theory and its making say.
func (s *offer) describe(n need) {
	k, capacity := s.kind, s.shape.capacity
	first, last := k.turn(capacity)
	s.Links, s.Capacity = k.links, capacity
	s.Bits, s.Hashes = s.shape.geometry.Bits, s.shape.geometry.Hashes
	if k.name == dualKind.name {
		s.Threshold = threshold(capacity)
	}
	s.Go = "memory, err := " + k.source(s.shape)

	bytes := s.made.Bytes(last)
	if h, ok := s.made.(measure.Headed); ok {
		s.Header = h.HeaderBytes()
	}
	s.Payload, s.User = bytes-s.Header, bytes+storeBytes
	s.Total = int64(s.User) * int64(n.users)
	s.Fits = s.User-storeBytes <= n.budget()
	if !s.Fits {
		s.Why = fmt.Sprintf("%s more than the memory", bytesText(roundUp(float64(s.Total-int64(n.memory)))))
	}

	s.FPR, s.FPRMean = digits(s.made.FPR(last)), digits(meanRate(s.made, first, last))
	s.Window, s.WindowMost = s.made.Window(first), s.made.Window(last)
	if k.wears {
		s.Window = s.WindowMost
		s.Until = sort.Search(2*mostWindow, func(read int) bool { return s.made.FPR(read+1) > n.fpr })
		s.FPRTwice = digits(s.made.FPR(2 * s.Until))
	}
	s.cost(bytes)
}

// moments is how many of a turn's moments a mean is taken over at most, about:
// it is then the mean over all of them to four digits.
const moments = 250

// meanRate is the mean of the rate over a turn: of the middle of each of its
// parts, which are of equal length, but for the last.
func meanRate(s strategy, first, last int) float64 {
	part := (last-first)/moments | 1 // odd, so that there is a middle
	sum := 0.
	for from := first; from <= last; from += part {
		length := min(part, last-from+1)
		sum += float64(length) * s.FPR(from+(length-1)/2)
	}
	return sum / float64(last-first+1)
}

// digits leaves what closed forms give alike on every processor.
func digits(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64) // what was just written
	return v
}

// roundUp leaves three digits of a number that is not negative, rounded up:
// so much is enough.
func roundUp(v float64) float64 {
	text := strconv.FormatFloat(v, 'e', 2, 64)
	up, _ := strconv.ParseFloat(text, 64)
	if up < v {
		mantissa, exponent, _ := strings.Cut(text, "e")
		m, _ := strconv.ParseFloat(mantissa, 64)
		up, _ = strconv.ParseFloat(strconv.FormatFloat(m+0.01, 'f', 2, 64)+"e"+exponent, 64)
	}
	return up
}
