package strategytest

import (
	"bytes"
	"fmt"
	"slices"

	"dejavu/strategies"

	"github.com/cespare/xxhash/v2"
)

// turns are one user's life with a strategy, one of several lives that take turns.
type turns struct {
	life
	about  string
	number int
}

// newTurns draws a life of a window and a half, or three of a short one: of distinct articles or, for every third
// number, with repeats.
func newTurns(s Subject, about string, number int) *turns {
	r := generator(0x7095, uint64(number))
	length := s.lifeUpTo(150_000)
	if s.Life == 0 && length > 1500 {
		length = length / 2 // a window and a half
	}
	repeats := number%3 == 2
	return &turns{
		life:  life{Subject: s, shown: shownLife(r, length, repeats), distinct: !repeats},
		about: about, number: number,
	}
}

// small returns the subject with a life and reads that a single check can afford.
func (l *turns) small() Subject {
	s := l.Subject
	s.Life = min(len(l.shown), 600)
	if s.Reads == nil {
		some := 1 + s.Life/3 // or fewer, where few histories that report nearly everything would decide
		for some > 1 && s.Theory.FPR(some) > 0.5 {
			some /= 2
		}
		s.Reads = []int{min(len(l.shown), 1500), some}
		forgets := s.Forgets
		s.Forgets = nil // unless something is forgotten by then
		for age := 1; age <= s.Reads[0] && forgets != nil && s.Forgets == nil; age++ {
			if forgets(s.Reads[0], age) {
				s.Forgets = forgets
			}
		}
	}
	return s
}

// A state is where a life has come to: one history is extended in place, the other is handed over in memory of any
// shape.
type state struct {
	*turns
	read            int
	inPlace, copied []byte
	full            int
	asked, hits     float64
	expected, wide  float64 // of the hits, and of their variance
}

// take leads the lives in turns, the same ones for the same seed. It returns a digest of all answers and histories
// after each turn. If count is set, what is measured goes to pooled.
func take(lives []*turns, seed uint64, count bool, pooled *tally) (trace []uint64, err error) {
	defer recovered(&err)
	r := generator(0x7a4e, seed)
	var states []*state
	for _, l := range lives {
		l.random = r
		s := &state{turns: l, full: slices.Max(l.Strategy.Sizes())}
		s.inPlace = make([]byte, 0, s.full)
		states = append(states, s)
	}
	for left := slices.Clone(states); len(left) > 0; {
		i := r.IntN(len(left))
		digest, err := left[i].turn(count)
		trace = append(trace, digest)
		if err != nil {
			return trace, fmt.Errorf("draw %d, %s, after %d articles: %w", left[i].number, left[i].about, left[i].read, err)
		}
		if left[i].read == len(left[i].shown) {
			left = slices.Delete(left, i, i+1)
		}
	}
	if count {
		for _, s := range states {
			pooled.add(s.asked, s.hits, s.expected, s.wide)
		}
	}
	return trace, nil
}

// turn records one request, and asks for candidates.
func (s *state) turn(count bool) (digest uint64, err error) {
	request := s.shown[s.read : s.read+s.size()]
	s.inPlace = s.Strategy.Record(s.inPlace, request)
	given := hand(s.random, s.copied, s.full)
	s.copied = s.Strategy.Record(given.history, request)
	s.read += len(request)
	if err := difference(s.copied, s.inPlace); err != nil {
		return 0, fmt.Errorf("%d articles recorded in place and in a copy make different histories: %w", len(request), err)
	}
	if err := given.check(s.copied, s.full); err != nil {
		return 0, err
	}
	if err := s.length(s.copied, s.read, s.Strategy.Sizes()); err != nil {
		return 0, err
	}
	if err := s.Strategy.Validate(s.copied); err != nil {
		return 0, fmt.Errorf("Validate rejects what Record returned: %w", err)
	}
	seen, err := s.asks(count)
	h := xxhash.New()
	_, _ = h.Write(s.copied)
	_, _ = h.Write(seen)
	return h.Sum64(), err
}

// size draws the length of a request: any, or up to where the history changes its length or the window its pace.
func (s *state) size() int {
	left := len(s.shown) - s.read
	size := 1 + s.random.IntN(1+len(s.shown)/3)
	switch s.random.IntN(8) {
	case 0:
		size = s.random.IntN(3)
	case 1:
		size = s.random.IntN(40)
	case 2, 3, 4, 5:
		pace := s.Theory.Window(s.read+1) - s.Theory.Window(s.read)
		bytes := s.Theory.Bytes(s.read + 1)
		for size = 1; size < left; size++ {
			at := s.read + size
			if s.Theory.Window(at+1)-s.Theory.Window(at) != pace || s.Theory.Bytes(at+1) != bytes {
				break
			}
		}
		size += s.random.IntN(3) - 1
	}
	return min(size, left)
}

// asks asks for articles that have to be remembered and for unseen ones. It returns the answers, a byte each.
func (s *state) asks(count bool) ([]byte, error) {
	const few, many = 48, 6000
	most := few
	if s.random.IntN(8) == 0 {
		most = many // all of a window, unless it is larger
	}
	var candidates []strategies.ID
	var ages []int
	ask := func(age int) {
		if s.remembers(s.read, age) {
			candidates, ages = append(candidates, s.shown[s.read-age]), append(ages, age)
		}
	}
	// Both ends, and ages between them.
	window := s.Theory.Window(s.read)
	end := window
	if s.Remembers != nil {
		end = s.read
	}
	for i := range min(most, end) {
		switch {
		case end <= most || i < most/4:
			ask(1 + i)
		case i < most/2 && window > i:
			ask(window - (i - most/4))
		default:
			ask(1 + s.random.IntN(end))
		}
	}
	fresh := make([]strategies.ID, 1+s.random.IntN(most))
	fill(s.random, fresh)
	old := len(candidates)
	candidates = append(candidates, fresh...)
	order := s.random.Perm(len(candidates))
	mixed, answers := make([]strategies.ID, len(order)), make([]bool, len(order))
	for i, at := range order {
		mixed[i], answers[i] = candidates[at], i%2 == 0 // whatever the request before left there
	}
	before := bytes.Clone(s.copied)
	s.Strategy.Seen(s.copied, mixed, answers)
	if err := difference(s.copied, before); err != nil {
		return nil, fmt.Errorf("the history changed when asked: %w", err)
	}
	seen := make([]byte, len(order))
	hits := 0.
	for i, at := range order {
		if answers[i] {
			seen[at] = 1
		}
		switch {
		case at < old && !answers[i]:
			return nil, fmt.Errorf("%w (candidate %d of %d)", forgot(s.read, ages[at], window), i, len(order))
		case at >= old && answers[i]:
			hits++
		}
	}
	if count && s.distinct {
		rate, n := s.Theory.FPR(s.read), float64(len(fresh))
		s.asked, s.hits, s.expected, s.wide = s.asked+n, s.hits+hits, s.expected+n*rate, s.wide+n*rate*(1-rate)
	}
	return seen, nil
}

// differs names the first turn after which two kernels differ.
func differs(lives []*turns, got, want []uint64) error {
	var about []string
	for _, l := range lives {
		about = append(about, fmt.Sprintf("draw %d, %s", l.number, l.about))
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	return fmt.Errorf("turn %d of %d has other answers or bytes than plain Go, with the strategies %q", at+1, len(want),
		about)
}
