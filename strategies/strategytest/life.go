package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"dejavu/strategies"
)

type life struct {
	Subject
	shown    []strategies.ID // all that will ever be shown
	distinct bool            // whether shown has no repeats
	about    string
	number   int // of the draw
}

// newLife draws a life of one and a half windows, or three of a short one; every third has repeats.
func newLife(s Subject, about string, number int) *life {
	r := generator(0x7095, uint64(number))
	length := s.lifeUpTo(150_000)
	if s.Life == 0 && length > 1500 {
		length /= 2 // a window and a half
	}
	repeats := number%3 == 2
	return &life{Subject: s, shown: shownLife(r, length, repeats), distinct: !repeats, about: about, number: number}
}

// small returns the subject with a life and reads short enough for a single check.
func (l *life) small() Subject {
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

func checkLife(s Subject, e effort) error {
	var pooled tally
	for i := range e.lives {
		if _, err := take([]*life{newLife(s, "one of the lives", 1+i)}, uint64(i), true, &pooled); err != nil {
			return err
		}
	}
	return nil
}

// A state is a life's current state: one history recorded in small steps in place, one in requests, in any memory.
type state struct {
	*life
	random          *rand.Rand
	read            int
	inPlace, copied []byte
	full            int
	asked, hits     float64
	expected, wide  float64 // of the hits, and of their variance
}

// take runs the lives in turns, the same ones for the same seed. It returns a digest of all answers and histories
// after each turn. If count is set, measurements go to pooled, and candidates are asked about twice.
func take(lives []*life, seed uint64, count bool, pooled *tally) (trace []uint64, err error) {
	defer recovered(&err)
	r := generator(0x7a4e, seed)
	var states []*state
	for _, l := range lives {
		s := &state{life: l, random: r, full: slices.Max(l.Strategy.Sizes())}
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

func (s *state) turn(count bool) (digest uint64, err error) {
	request := s.shown[s.read : s.read+s.size()]
	longest := len(s.inPlace)
	for some := range slices.Chunk(request, 1+len(s.shown)/200) { // one by one, unless life is long
		s.inPlace = s.Strategy.Record(s.inPlace, some)
		longest = max(longest, len(s.inPlace))
	}
	given, before := hand(s.random, s.copied, s.full), slices.Clone(request)
	s.copied = s.Strategy.Record(given.history, request)
	s.read += len(request)
	if !slices.Equal(request, before) {
		return 0, errors.New("the articles were changed by Record")
	}
	if err := difference(s.copied, s.inPlace); err != nil {
		return 0, fmt.Errorf("%d articles in one request do not make the history that they make one by one: %w",
			len(request), err)
	}
	if err := given.check(s.copied, longest); err != nil {
		return 0, err
	}
	if err := s.length(); err != nil {
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

func (s *state) length() error {
	if s.read == 0 && len(s.copied) == 0 {
		return nil
	}
	if _, ok := slices.BinarySearch(s.Strategy.Sizes(), len(s.copied)); !ok {
		return fmt.Errorf("the history has %d bytes, which is not one of Sizes", len(s.copied))
	}
	if want := s.Theory.Bytes(s.read); s.distinct && len(s.copied) != want {
		return fmt.Errorf("the history has %d bytes, Theory.Bytes(%d) is %d", len(s.copied), s.read, want)
	}
	return nil
}

// size draws the length of a request: any, or up to where the history's length or the window's pace changes.
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

// asks asks about articles that must be remembered and about unseen ones. It returns the answers, a byte each.
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
	if from := max(0, len(candidates)-100); count {
		if err := s.asksAgain(candidates[from:], max(0, old-from), seen[from:]); err != nil {
			return nil, err
		}
	}
	if count && s.distinct {
		rate, n := s.Theory.FPR(s.read), float64(len(fresh))
		s.asked, s.hits, s.expected, s.wide = s.asked+n, s.hits+hits, s.expected+n*rate, s.wide+n*rate*(1-rate)
	}
	return seen, nil
}

// asksAgain asks about candidates, the first old of them shown, backwards, some twice or alone, and about peculiar IDs.
func (s *state) asksAgain(candidates []strategies.ID, old int, seen []byte) error {
	const exact = 1e-9 // with this rate one kit in 1e4 finds a false positive among some 1e5 candidates
	all := slices.Concat(candidates, candidates[:1+len(candidates)/8], peculiar)
	slices.Reverse(all)
	before, answers := slices.Clone(all), make([]bool, len(all))
	s.Strategy.Seen(s.copied, all, answers)
	if !slices.Equal(all, before) {
		return errors.New("the candidates changed when asked for")
	}
	// Even a filter of few articles may hold a peculiar ID: all probes of ID 0 are one position, say.
	precise, precisely := s.Theory.FPR(s.read) < exact, s.Theory.FPR(len(s.shown)) < exact
	var alone [1]bool
	for i, id := range all {
		at := len(all) - 1 - i // in the order before it was reversed
		if at >= len(candidates) {
			at -= len(candidates)
		}
		if !slices.Contains(peculiar, id) && answers[i] != (seen[at] == 1) {
			return fmt.Errorf("ID %#x: Seen says %v as candidate %d of %d, and otherwise in another request", id, answers[i], i,
				len(all))
		}
		if odd := slices.Contains(peculiar, id); answers[i] && (odd || at >= old) && (precisely || precise && !odd) &&
			!slices.Contains(s.shown[:s.read], id) {
			return fmt.Errorf("ID %#x was never shown, and Seen reports it as seen", id)
		}
		if i%16 == 0 {
			alone[0] = !answers[i]
			if s.Strategy.Seen(s.copied, all[i:i+1], alone[:]); alone[0] != answers[i] {
				return fmt.Errorf("ID %#x: Seen says %v when it is asked for alone, %v as candidate %d of %d", id, alone[0],
					answers[i], i, len(all))
			}
		}
	}
	return nil
}

func forgot(read, age, window int) error {
	return fmt.Errorf("after %d articles the one of age %d is forgotten; Theory.Window promises the newest %d", read, age,
		window)
}

func difference(got, want []byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of %d is %#02x, want %#02x", i, len(got), got[i], want[i])
		}
	}
	return nil
}

// checkWindow follows one user article by article and asks after each about all that must be remembered: so it finds a
// window that is one article too long for a moment. If that exceeds the effort, it asks about both ends of the window
// after every article, and about the whole window now and then and around the boundaries.
func checkWindow(s Subject, e effort) error {
	shown := IDs(0x3d0, s.life())
	total := 0
	for read := range shown {
		total += s.Theory.Window(read)
	}
	every := 1 + total/e.asked
	whole := make(map[int]bool) // after which articles to ask for everything
	for _, at := range s.boundaries() {
		for read := at - 1; read <= at+1 && every > 1 && len(whole) < len(shown)/every; read++ {
			whole[read] = true
		}
	}

	var history []byte
	ages := make([]int, 0, len(shown))
	candidates := make([]strategies.ID, len(shown))
	seen := make([]bool, len(shown))
	for i := range shown {
		history = s.Strategy.Record(history, shown[i:i+1])
		read := i + 1
		ages = ages[:0]
		for age := 1; age <= read; age++ {
			if s.remembers(read, age) {
				ages = append(ages, age)
			}
		}
		const end = 16
		if read%every != 0 && !whole[read] && len(ages) > 2*end {
			ages = append(ages[:end], ages[len(ages)-end:]...)
		}
		for j, age := range ages {
			candidates[j], seen[j] = shown[read-age], false
		}
		s.Strategy.Seen(history, candidates[:len(ages)], seen[:len(ages)])
		for j, age := range ages {
			if !seen[j] {
				return forgot(read, age, s.Theory.Window(read))
			}
		}
	}
	if len(shown) > 0 && len(history) == 0 {
		return fmt.Errorf("the history is empty after %d articles", len(shown))
	}
	return nil
}

func differs(lives []*life, got, want []uint64) error {
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
