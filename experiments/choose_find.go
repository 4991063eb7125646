package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
)

// A need is what a memory of articles shown must do.
type need struct {
	users    int
	window   int     // articles remembered at every moment, once as many have been shown
	fpr      float64 // at most, at the worst moment
	articles int     // that a reader is ever shown, for a strategy that wears out
	memory   size    // for all readers; 0 is no limit
	paper    bool    // of the strategies of the paper alone
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

// reach is what a kind is to be made for: the window, or the articles until which
// a strategy that never forgets must hold its rate.
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

	Geometry  string `json:"geometry,omitempty"`  // for people
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

	// Of what never forgets: articles for which it holds the rate asked for in
	// these bytes (0 is for ever), and the rate and bytes of a user after twice as many.
	Until     int     `json:"until,omitempty"`
	FPRTwice  float64 `json:"fpr_twice,omitempty"`
	UserTwice int     `json:"user_bytes_twice,omitempty"`

	// Of a request of 40 candidates, but for times known of the paper's alone:
	Multiplications int     `json:"multiplications"` // that make positions of IDs
	Loads           int     `json:"loads"`           // from the history
	Lines           int     `json:"cache_lines"`     // of 64 bytes that these meet, expected
	Nanos           float64 `json:"measured_ns,omitempty"`
	MeasuredOn      string  `json:"measured_on,omitempty"` // strategy of the reference run

	// What would do where it does not fit, the rest unchanged; 0 is nothing.
	PossibleFPR   float64 `json:"possible_fpr,omitempty"`
	PossibleReach int     `json:"possible_window,omitempty"` // or articles, where it wears out

	kind   kind
	config any
	made   catalogue.Strategy
	first  int // article of a turn, and its last
	last   int
}

// offers are the cheapest of each kind, by bytes; what cannot be made at all
// comes last.
func offers(n need) ([]offer, error) {
	kinds := kinds(n.paper)
	all, errs := make([]offer, len(kinds)), make([]error, len(kinds))
	var group sync.WaitGroup
	for i, k := range kinds {
		group.Go(func() { all[i], errs[i] = suggest(k, n) })
	}
	group.Wait()
	slices.SortStableFunc(all, func(a, b offer) int {
		return cmp.Or(cmp.Compare(b2i(a.made == nil), b2i(b.made == nil)), cmp.Compare(a.User, b.User))
	})
	return all, errors.Join(errs...)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// suggest finds a kind's cheapest.
func suggest(k kind, n need) (offer, error) {
	s := offer{Strategy: k.name, kind: k}
	made, err := k.made(n.reach(k), n.fpr)
	if err != nil {
		s.Why = err.Error()
	} else {
		first, _ := turn(made, n.window)
		if sure := made.Window(first); sure < n.window {
			s.Why = fmt.Sprintf("%s: of many articles only the last %d are certain", k.name, sure)
			return s, nil
		}
		if s.config, err = k.config(n.reach(k), n.fpr); err != nil {
			return s, fmt.Errorf("%s: %w", k.name, err)
		}
		s.made = made
		s.describe(n)
	}
	if !s.Fits {
		s.PossibleFPR = lowest(k, n)
		s.PossibleReach = farthest(k, n)
	}
	return s, nil
}

// bytes is the length of the longest history of a strategy made for so many
// articles.
func (k kind) bytes(s catalogue.Strategy, articles int) int {
	if k.wears {
		return s.Bytes(articles)
	}
	_, last := turn(s, articles)
	return s.Bytes(last)
}

// fits reports whether a kind does it.
func (k kind) fits(n need, articles int, fpr float64) bool {
	s, err := k.made(articles, fpr)
	return err == nil && k.bytes(s, articles) <= n.budget()
}

// lowest is the lowest rate that a kind has in the memory, with the reach asked
// for; 0 where it has none. It is above the one asked for, which does not fit.
func lowest(k kind, n need) float64 {
	low, high := math.Log(n.fpr), math.Log(0.999)
	if low >= high || !k.fits(n, n.reach(k), math.Exp(high)) {
		return 0
	}
	for high-low > 1e-4 {
		if middle := (low + high) / 2; k.fits(n, n.reach(k), math.Exp(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	if rate := roundUp(math.Exp(high)); rate < 1 {
		return rate
	}
	return 0
}

// farthest is the longest reach that a kind has in the memory, with the rate
// asked for; 0 where it has none. It is below the one asked for, which does not
// fit.
func farthest(k kind, n need) int {
	return sort.Search(n.reach(k)-1, func(i int) bool { return !k.fits(n, i+1, n.fpr) })
}

// describe fills in what the strategy's theory and its making say.
func (s *offer) describe(n need) {
	s.shapeOf(s.config)
	s.first, s.last = turn(s.made, n.window)
	if s.kind.wears {
		s.first, s.last = 1, n.articles
	}
	bytes := s.made.Bytes(s.last)
	if h, ok := s.made.(measure.Headed); ok {
		s.Header = h.HeaderBytes()
	}
	s.Payload, s.User = bytes-s.Header, bytes+storeBytes
	s.Total = int64(s.User) * int64(n.users)
	s.Fits = bytes <= n.budget()
	if !s.Fits {
		s.Why = fmt.Sprintf("%s more than the memory", bytesText(roundUp(float64(s.Total-int64(n.memory)))))
	}

	s.FPR, s.FPRMean = digits(s.made.FPR(s.last)), digits(meanRate(s.made, s.first, s.last))
	s.Window, s.WindowMost = s.made.Window(s.first), s.made.Window(s.last)
	if s.kind.wears {
		s.Window = s.WindowMost
		s.Until = sort.Search(2*mostWindow, func(read int) bool {
			return s.made.FPR(read+1) > n.fpr || s.made.Bytes(read+1) > bytes
		})
		s.FPRTwice, s.UserTwice = digits(s.made.FPR(2*s.Until)), s.made.Bytes(2*s.Until)+storeBytes
	}
	s.cost(bytes)
}

// moments is how many of a turn's moments a mean is taken over at most, about:
// it is then the mean over all of them to four digits.
const moments = 250

// meanRate is the mean of the rate over a turn: of the middle of each of its
// parts, which are of equal length, but for the last.
func meanRate(s catalogue.Strategy, first, last int) float64 {
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
