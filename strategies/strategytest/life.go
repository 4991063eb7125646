package strategytest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"dejavu/strategies"
)

// checkLife leads random lives: requests of random sizes, from none to hundreds of articles, that end on,
// just before and just after every boundary; distinct articles and repeated ones; histories handed over in
// memory of every shape. After every request the history equals, byte for byte, the one that the same
// articles make one at a time, and it answers as the exact model demands.
func checkLife(s Subject, e effort) error {
	boundaries := s.boundaries()
	for i := range e.lives {
		r := generator(0x11fe, uint64(i))
		repeats := i%2 == 1
		l := life{Subject: s, random: r, shown: shownLife(r, s.life(), repeats), distinct: !repeats, boundaries: boundaries}
		if err := l.lead(); err != nil {
			return fmt.Errorf("life %d: %w", i, err)
		}
	}
	return nil
}

// A life is one user's, from the first request to the last.
type life struct {
	Subject
	random     *rand.Rand
	shown      []strategies.ID // all that will ever be shown
	distinct   bool            // whether shown has no repeats
	boundaries []int           // see Subject.boundaries
}

// lead records the articles in requests and checks after each.
func (l *life) lead() error {
	sizes := l.Strategy.Sizes()
	full := slices.Max(sizes)
	var history, stepwise []byte
	for read := 0; read < len(l.shown); {
		request := l.shown[read : read+l.request(read)]
		longest := len(stepwise)
		for i := range request {
			stepwise = l.Strategy.Record(stepwise, request[i:i+1])
			longest = max(longest, len(stepwise))
		}
		before := slices.Clone(request)
		given := hand(l.random, history, full)
		history = l.Strategy.Record(given.history, request)
		at := fmt.Sprintf("articles %d to %d in one request", read, read+len(request))
		read += len(request)

		if !slices.Equal(request, before) {
			return fmt.Errorf("%s: they were changed by Record", at)
		}
		if err := difference(history, stepwise); err != nil {
			return fmt.Errorf("%s: the history is not the one they make one by one: %w", at, err)
		}
		if err := l.length(history, read, sizes); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := given.check(history, longest); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		if err := l.ask(hand(l.random, history, full).history, read); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	return nil
}

// request draws how many articles the next request shows.
func (l *life) request(read int) int {
	left := len(l.shown) - read
	size := 0
	switch l.random.IntN(8) {
	case 0: // nothing new on this page
	case 1:
		size = 1
	case 2:
		size = 1 + l.random.IntN(10)
	case 3:
		size = 40
	case 4:
		size = 1 + l.random.IntN(len(l.shown)/3+1)
	default:
		next, _ := slices.BinarySearch(l.boundaries, read+2)
		if next += l.random.IntN(2); next < len(l.boundaries) {
			size = l.boundaries[next] - read - 1 + l.random.IntN(3)
		}
	}
	return min(max(size, 0), left)
}

// length checks the number of bytes.
func (l *life) length(history []byte, read int, sizes []int) error {
	if read == 0 && len(history) == 0 {
		return nil
	}
	if _, ok := slices.BinarySearch(sizes, len(history)); !ok {
		return fmt.Errorf("the history has %d bytes, which is not one of Sizes", len(history))
	}
	if want := l.Theory.Bytes(read); l.distinct && len(history) != want {
		return fmt.Errorf("the history has %d bytes, Theory.Bytes(%d) is %d", len(history), read, want)
	}
	return nil
}

// ask asks one request in random order: what has to be remembered, unseen articles, and some twice.
func (l *life) ask(history []byte, read int) error {
	const exact = 1e-9 // a rate at which none of some 1e5 candidates is mistaken but in one of 1e4 kits
	r := l.random
	must := make(map[strategies.ID]int) // the age, of what it has to remember
	var candidates []strategies.ID
	for age := 1; age <= read; age++ {
		// All of a small window; of a large one its ends and a sample.
		if l.remembers(read, age) && (age <= 20 || r.IntN(8) == 0 || !l.remembers(read, age+20)) {
			id := l.shown[read-age]
			must[id] = cmp.Or(must[id], age)
			candidates = append(candidates, id)
		}
	}
	fresh := make([]strategies.ID, 1+r.IntN(40))
	fill(r, fresh)
	candidates = append(append(candidates, fresh...), peculiar...)
	for range 1 + len(candidates)/8 {
		candidates = append(candidates, candidates[r.IntN(len(candidates))])
	}
	r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })

	seen := make([]bool, len(candidates))
	for i := range seen {
		seen[i] = r.IntN(2) == 0 // whatever the request before left there
	}
	historyBefore, candidatesBefore := bytes.Clone(history), slices.Clone(candidates)
	l.Strategy.Seen(history, candidates, seen)
	if err := difference(history, historyBefore); err != nil {
		return fmt.Errorf("the history changed when asked: %w", err)
	}
	if !slices.Equal(candidates, candidatesBefore) {
		return errors.New("the candidates changed when asked for")
	}
	// A filter of few articles, too, may hold a peculiar ID: all probes of ID 0 are one position's, say.
	precise, precisely := l.Theory.FPR(read) < exact, l.Theory.FPR(len(l.shown)) < exact
	var alone [1]bool
	for i, id := range candidates {
		if age := must[id]; age > 0 && !seen[i] {
			return fmt.Errorf("%w (candidate %d of %d)", forgot(read, age, l.Theory.Window(read)), i, len(candidates))
		}
		if seen[i] && (precisely || precise && !slices.Contains(peculiar, id)) && !slices.Contains(l.shown[:read], id) {
			return fmt.Errorf("ID %#x was never shown, and Seen reports it as seen", id)
		}
		if i%16 == 0 {
			alone[0] = !seen[i]
			if l.Strategy.Seen(history, candidates[i:i+1], alone[:]); alone[0] != seen[i] {
				return fmt.Errorf("ID %#x: Seen says %v when it is asked for alone, %v as candidate %d of %d", id, alone[0],
					seen[i], i, len(candidates))
			}
		}
	}
	return nil
}

// forgot says which article a strategy forgot.
func forgot(read, age, window int) error {
	return fmt.Errorf("after %d articles the one of age %d is forgotten; Theory.Window promises the newest %d", read, age,
		window)
}

// difference reports the first byte at which two histories differ.
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

// checkWindow follows one user article by article and asks, after every single one, for all that has to be
// remembered: a promise that is one article too long for one article's time is found. Where that would ask
// for more candidates than the effort allows, the two ends of the window are asked for after every article,
// and the whole of it every so often and around the boundaries.
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
