package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"dejavu/strategies"
)

// A keyShape is a pattern of callers' IDs. Its function returns the i-th article of a user, i below 65536; all differ.
type keyShape struct {
	name string
	id   func(user, i uint64) strategies.ID
}

// keyShapes are random, consecutive and distant numbers, and digests. Numbers expose a strategy that does not mix IDs.
var keyShapes = []keyShape{
	{"random", func(user, i uint64) strategies.ID { return strategies.ID(splitMix(splitMix(user+1) ^ i)) }},
	{"sequential", func(user, i uint64) strategies.ID { return strategies.ID(1_000_000 + user<<16 + i) }},
	{"far apart", func(user, i uint64) strategies.ID { return strategies.ID(i<<48 + user) }},
	{"decimal", func(user, i uint64) strategies.ID {
		return strategies.XXHashString(strconv.FormatUint(user<<16+i, 10))
	}},
	{"URLs", func(user, i uint64) strategies.ID {
		return strategies.XXHashString(fmt.Sprintf("https://news.example/articles/%d/%d", user, i))
	}},
}

// checkShapes compares the rate of IDs of each shape, salted and not, with the closed form (within five standard
// errors), and how far users differ: all but two by at most twice the squares of random IDs, or twice the binomial's.
func checkShapes(s Subject, e effort) error {
	const queries = 150
	users, reads := e.times(300), s.reads()
	read := reads[len(reads)-1]
	theory := s.Theory.FPR(read)
	asked := float64(users * queries)
	spread := asked * theory * (1 - theory)
	secret, err := strategies.NewSecret([]byte("a secret of the kit's"))
	ids, seen := make([]strategies.ID, read+queries), make([]bool, queries)
	var history []byte
	for i, shape := range keyShapes {
		for _, salted := range []bool{false, true} {
			sum, squares, all := 0., make([]float64, users), 0.
			for n := range users {
				user := e.seed()<<9 + uint64(n)
				for i := range ids {
					ids[i] = shape.id(user, uint64(i))
				}
				if salted {
					ids = secret.Salt(user).Append(ids[:0], ids)
				}
				history = s.Strategy.Record(history[:0], ids[:read])
				s.Strategy.Seen(history, ids[read:], seen)
				hits := float64(Count(seen))
				squares[n] = (hits - queries*theory) * (hits - queries*theory)
				sum, all = sum+hits, all+squares[n]
			}
			if i == 0 && !salted {
				spread = max(spread, all)
			}
			slices.Sort(squares)
			most := all - squares[users-1] - squares[users-2]
			if off := sum - asked*theory; math.Abs(off) > 5*math.Sqrt(max(spread, all))+3 || most > 2*spread+12 {
				return offTheory(fmt.Sprintf("after %d articles with %s IDs, salted %v, %.4g of the unseen are reported as seen; "+
					"theory says %.4g (squares of %.4g over the users, want %.4g)",
					read, shape.name, salted, sum/asked, theory, all, spread))
			}
		}
	}
	return err
}

// checkSizes checks that Sizes is ascending and positive, and the same at every call.
func checkSizes(s Subject, _ effort) error {
	sizes := s.Strategy.Sizes()
	if len(sizes) == 0 {
		return errors.New("no Sizes: no history could ever be recorded")
	}
	last := 0
	for _, size := range sizes {
		if size <= last {
			return fmt.Errorf("the list of Sizes is not ascending: %d follows %d", size, last)
		}
		last = size
	}
	before := slices.Clone(sizes)
	live(s)
	again := s.Strategy.Sizes()
	if !slices.Equal(again, before) || !slices.Equal(sizes, before) {
		return errors.New("the list of Sizes changed over a life")
	}
	if unsafe.SliceData(again) != unsafe.SliceData(sizes) {
		return errors.New("every call of Sizes makes a new list: keep one")
	}
	return nil
}

func live(s Subject) []byte { return s.Strategy.Record(nil, IDs(1, s.life())) }

// checkTheory checks that predictions are possible; other checks compare them with the truth.
func checkTheory(s Subject, _ effort) error {
	const rates = 100 // a rate may be costly to compute
	life := s.life()
	for read := range life + 1 {
		length := s.Theory.Bytes(read)
		if read == 0 && length != 0 {
			return fmt.Errorf("Theory.Bytes(0) is %d: a newcomer's history is empty", length)
		}
		if read > 0 && !slices.Contains(s.Strategy.Sizes(), length) {
			return fmt.Errorf("Theory.Bytes(%d) is %d, which is not one of Sizes", read, length)
		}
		if window := s.Theory.Window(read); window < 0 || window > read {
			return fmt.Errorf("Theory.Window(%d) is %d, want 0 to %d", read, window, read)
		}
		if read%(1+life/rates) == 0 {
			rate := s.Theory.FPR(read)
			if math.IsNaN(rate) || rate < 0 || rate > 1 {
				return fmt.Errorf("Theory.FPR(%d) is %v, want a probability", read, rate)
			}
			if read == 0 && rate != 0 {
				return fmt.Errorf("Theory.FPR(0) is %v: an empty history reports nothing as seen", rate)
			}
		}
	}
	for _, read := range []int{-1, -7, math.MinInt32} {
		if b, rate, n := s.Theory.Bytes(read), s.Theory.FPR(read), s.Theory.Window(read); b != 0 || rate != 0 || n != 0 {
			return fmt.Errorf("after %d articles Theory has %d bytes, a rate of %v, a window of %d: treat negative as 0",
				read, b, rate, n)
		}
	}
	return nil
}

// checkNewcomer checks what needs no model: an empty history, and requests that show nothing.
func checkNewcomer(s Subject, _ effort) error {
	candidates := append(IDs(2, 100), peculiar...)
	spare := bytes.Repeat([]byte{0xff}, slices.Max(s.Strategy.Sizes()))
	for _, newcomer := range [][]byte{nil, {}, spare[:0]} {
		seen := slices.Repeat([]bool{true}, len(candidates)) // as a previous request may have left it
		s.Strategy.Seen(newcomer, candidates, seen)
		if i := slices.Index(seen, true); i >= 0 {
			return fmt.Errorf("an empty history remembers candidate %d, ID %#x", i, candidates[i])
		}
		s.Strategy.Seen(newcomer, nil, nil)
		for _, nothing := range [][]strategies.ID{nil, {}} {
			if h := s.Strategy.Record(newcomer, nothing); len(h) != 0 {
				return fmt.Errorf("a newcomer who is shown no articles gets a history of %d bytes", len(h))
			}
		}
	}

	// Two users' histories must not share memory, with each other or with the strategy.
	shown := IDs(3, 10)
	first := s.Strategy.Record(nil, shown)
	second := s.Strategy.Record(nil, shown)
	want := bytes.Clone(second)
	if !bytes.Equal(first, second) {
		return errors.New("two newcomers who are shown the same articles get different histories")
	}
	for i := range first {
		first[i] ^= 0xff
	}
	if !bytes.Equal(second, want) {
		return errors.New("the histories of two users share memory")
	}
	if third := s.Strategy.Record(nil, shown); !bytes.Equal(third, want) {
		return errors.New("overwriting one user's history changes what the next newcomer gets")
	}
	return nil
}
