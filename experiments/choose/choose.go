// Package choose recommends strategies. For a number of users, a window, a false positive rate and a memory it finds
// the smallest configuration of each kind in the catalogue, with Go code that constructs it; if none fits, it names the
// constraint to relax. It also computes the interactive part of a run's page, for every window and rate of the sliders.
//
// Promises come from each strategy's own theory. Times come from the committed reference run, and are shown beside the
// strategy that they were measured on. A choice takes seconds, because every rate that is tried sizes a strategy anew.
package choose

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

const (
	// MaxWindow is the longest window, in articles. A store distinguishes 16383 lengths of histories; a queue grows by
	// 50 articles: 819150.
	MaxWindow = 500_000

	// MinFPR is the lowest rate. IDs have 64 bits: an unseen article shares the ID of one of MaxWindow articles once in
	// 4e13, which no filter can help.
	MinFPR = 1e-12

	// The most bytes that package store keeps beside each history, for a million users or more: for keys that are
	// strings or numbers of any size, and for users numbered 0 to n-1.
	keyedBytes, numberedBytes = 28, 12

	endlessLife = 10 // default number of windows that a filter which never forgets must hold its rate for
)

// Need holds the user's requirements.
type Need struct {
	Users    int     `json:"users"`
	Window   int     `json:"window"`                 // articles always remembered, once that many were shown
	FPR      float64 `json:"fpr"`                    // at most, at the worst moment
	Articles int     `json:"articles"`               // up to which FPR holds without forgetting; 0: ten times Window
	Memory   int64   `json:"memory_bytes,omitempty"` // for all users; 0 is no limit
	// MemoryTyped is Memory as the user wrote it, or "" to write it in bytes.
	MemoryTyped string `json:"-"`
	Numbered    bool   `json:"numbered,omitempty"` // users have the numbers 0 to Users-1; otherwise they have keys
	Paper       bool   `json:"-"`                  // of the strategies of the paper alone
}

// Check reports which requirement is out of range, by the name of its flag.
func (n Need) Check() error {
	switch {
	case n.Users < 1 || n.Users > workload.MaxUsers:
		return fmt.Errorf("--users is %d, want 1 to %d", n.Users, workload.MaxUsers)
	case n.Window < 1 || n.Window > MaxWindow:
		return fmt.Errorf("--window is %d, want 1 to %d", n.Window, MaxWindow)
	case !(n.FPR >= MinFPR && n.FPR < 1): // also false for NaN
		return fmt.Errorf("--fpr is %v, want %v or more and less than 1, such as 0.02 or 2%%", n.FPR, MinFPR)
	case n.Articles != 0 && n.Articles < n.Window || n.Articles > MaxWindow:
		return fmt.Errorf("--articles is %d, want %d (--window) to %d", n.Articles, n.Window, MaxWindow)
	}
	return nil
}

// StoreBytes returns what package store keeps of a user beside the history, in bytes.
func (n Need) StoreBytes() int {
	if n.Numbered {
		return numberedBytes
	}
	return keyedBytes
}

// budget returns how many bytes a user's history may take.
func (n Need) budget() int {
	if n.Memory == 0 {
		return math.MaxInt
	}
	return int(min(n.Memory/int64(n.Users), math.MaxInt)) - n.StoreBytes()
}

// life returns how many articles a strategy that never forgets must hold at its rate.
func (n Need) life() int { return cmp.Or(n.Articles, min(endlessLife*n.Window, MaxWindow)) }

// reach returns how many articles a kind is sized for: the window, or a life.
func (n Need) reach(k kind) int {
	if k.endless {
		return n.life()
	}
	return n.Window
}

// An Offer is the smallest configuration of a strategy that keeps window and rate, and whether it fits the memory. If
// there is none, Why says so. Missing values are 0.
type Offer struct {
	Strategy   string  `json:"strategy"`
	Fits       bool    `json:"fits"`
	Why        string  `json:"why,omitempty"`    // it does not fit
	Config     any     `json:"config,omitempty"` // of its package
	Payload    int     `json:"payload_bytes"`    // of the longest history
	Header     int     `json:"header_bytes"`     // of it
	Average    int     `json:"average_bytes"`    // of a history with its header, over a full rotation
	User       int     `json:"user_bytes"`       // both, and the store's
	Total      int64   `json:"total_bytes"`      // of all users: the memory it needs
	FPR        float64 `json:"fpr"`              // at the worst moment
	FPRMean    float64 `json:"fpr_mean"`         // over a full rotation, or over a fixed capacity
	Window     int     `json:"window_least"`
	WindowMost int     `json:"window_most"`

	// The articles that a strategy which never forgets holds at the rate asked for; 0 is for ever.
	Until int `json:"until,omitempty"`

	// As in Time, if that is near.
	Query   float64 `json:"query_ns,omitempty"`
	Request float64 `json:"request_ns,omitempty"`

	// What would fit if the offer does not, the rest unchanged; 0 is nothing.
	PossibleFPR    float64 `json:"possible_fpr,omitempty"`
	PossibleWindow int     `json:"possible_window,omitempty"` // or articles, of a fixed capacity
	Go             string  `json:"go,omitempty"`              // constructs it

	kind        kind
	made        catalogue.Strategy
	time        Time
	first, last int // articles shown, between which it is looked at
}

// Offers returns the smallest of each kind, by bytes: first kinds that keep their window for ever, then fixed
// capacities, then kinds that cannot be made. The need must pass Check. An error is a fault of the program.
func Offers(n Need) ([]Offer, error) {
	kinds := kinds(n.Paper)
	all, errs := make([]Offer, len(kinds)), make([]error, len(kinds))
	measure.Together(len(kinds), func(i int) { all[i], errs[i] = offer(kinds[i], n) })
	rank := func(o Offer) int {
		switch {
		case o.made == nil:
			return 2
		case o.kind.endless:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Offer) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.User, b.User))
	})
	return all, errors.Join(errs...)
}

// Fitting counts the offers that fit.
func Fitting(all []Offer) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(o Offer) bool { return !o.Fits }))
}

// offer finds the smallest of a kind.
func offer(k kind, n Need) (Offer, error) {
	o := Offer{Strategy: k.name, kind: k}
	made, err := k.Sized(n.reach(k), n.FPR)
	if err != nil {
		o.Why = err.Error()
	} else {
		o.first, o.last = k.span(made, n.reach(k))
		if o.Config, err = k.Config(n.reach(k), n.FPR); err != nil {
			return o, fmt.Errorf("%s: %w", k.name, err)
		}
		o.made = made
		o.describe(n)
	}
	if !o.Fits {
		o.PossibleFPR, o.PossibleWindow = k.lowest(n), k.longest(n)
	}
	return o, nil
}

// choiceMoments limits, roughly, over how many moments of a rotation a mean is taken.
const choiceMoments = 250

// describe fills in what the strategy's theory and its making say.
func (o *Offer) describe(n Need) {
	o.Go = GoLine(o.Config)
	bytes := o.made.Bytes(o.last)
	if h, ok := o.made.(measure.HeaderSizer); ok {
		o.Header = h.HeaderBytes()
	}
	o.Payload, o.User = bytes-o.Header, bytes+n.StoreBytes()
	o.Total = int64(o.User) * int64(n.Users)
	if o.Fits = bytes <= n.budget(); !o.Fits {
		o.Why = fmt.Sprintf("%s more than the memory", text.Bytes(roundUp(float64(o.Total-n.Memory))))
	}
	rates := catalogue.Over(o.made, o.first, o.last, (o.last-o.first)/choiceMoments|1) // odd, with a middle
	if o.Average = bytes; !o.kind.endless {
		o.Average = int(math.Round(rates.MeanBytes))
	}
	o.FPR, o.FPRMean = digits(o.made.FPR(o.last), 7), digits(rates.Mean, 7)
	o.Window, o.WindowMost = o.made.Window(o.first), o.made.Window(o.last)
	if o.kind.endless {
		o.Window = o.WindowMost
		o.Until = sort.Search(2*MaxWindow, func(read int) bool {
			return o.made.FPR(read+1) > n.FPR || o.made.Bytes(read+1) > bytes
		})
	}
	if o.time = TimeOf(o.kind.Name); o.time.Near(n.FPR, bytes) {
		o.Query, o.Request = o.time.Query, o.time.Request
	}
}

// digits rounds v to n digits. Closed forms agree to seven on every processor.
func digits(v float64, n int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64) // what was just written
	return v
}

// A kind is a strategy whose parameters are still open: an entry of the catalogue that can be sized.
type kind struct {
	catalogue.Entry
	name    string
	endless bool // it never forgets: it is made for the articles up to which it holds its rate, not for a window
}

// kinds returns the structures that can be sized, or only the paper's.
func kinds(paper bool) (all []kind) {
	for _, e := range catalogue.Structures(catalogue.All()) {
		k := kind{Entry: e, name: e.Structure()}
		if e.Study || paper && strings.HasPrefix(k.name, results.Beyond) {
			continue
		}
		if s, err := e.Sized(1, 0.1); err == nil { // whatever number of articles it is made for
			k.endless = catalogue.Endless(s)
		}
		all = append(all, k)
	}
	return all
}

// span returns the articles shown over which a strategy is judged: all if it never forgets, or else one full rotation,
// long after the first. The window is smallest where it begins, the rate highest where it ends.
func (k kind) span(s catalogue.Strategy, articles int) (first, last int) {
	if k.endless {
		return 1, articles
	}
	// The window falls where a rotation begins. A queue's never does.
	begins := func(from int) int {
		for read := from; read <= from+2*articles+1; read++ {
			if s.Window(read) < s.Window(read-1) {
				return read
			}
		}
		return 0
	}
	first = 4*articles + 1<<9 // by then every ring has rotated
	if begin := begins(first); begin > 0 {
		return begin, begins(begin+1) - 1
	}
	return first, first
}

// fits reports whether the memory holds the longest history of a kind sized for these articles.
func (k kind) fits(n Need, articles int, fpr float64) bool {
	s, err := k.Sized(articles, fpr)
	if err != nil {
		return false
	}
	_, last := k.span(s, articles)
	return s.Bytes(last) <= n.budget()
}

// lowest returns the lowest rate above n.FPR that a kind reaches in the memory, or 0.
func (k kind) lowest(n Need) float64 {
	rate := roundUp(catalogue.LowestFPR(n.FPR, 1e-4, func(fpr float64) bool { return k.fits(n, n.reach(k), fpr) }))
	if rate < 1 {
		return rate
	}
	return 0
}

// longest returns the longest reach below the need's that a kind has in the memory, or 0.
func (k kind) longest(n Need) int {
	return sort.Search(n.reach(k)-1, func(i int) bool { return !k.fits(n, i+1, n.FPR) })
}

// roundUp leaves three digits of a number that is not negative, rounded up: so much is enough.
func roundUp(v float64) float64 {
	if up := digits(v, 3); up >= v {
		return up
	}
	half := math.Pow(10, math.Floor(math.Log10(v))-2) / 2 // of the third digit
	return digits(v+half, 3)
}
