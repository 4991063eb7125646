package strategytest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"dejavu/internal/mix"
	"dejavu/strategies"
)

// checkConcurrency runs several lives at once on one strategy value and compares each with the same life run alone;
// all also ask one shared history. With -race it finds scratch memory that calls share.
func checkConcurrency(s Subject, _ effort) error {
	const readers = 8
	var alone [readers][]byte
	for i := range readers {
		alone[i] = lifeAlone(s, uint64(i))
	}
	shared, candidates := live(s), IDs(0xc0c0, 200)
	want := Ask(s.Strategy, shared, candidates)
	var wg sync.WaitGroup
	var errs [readers]error
	for i := range readers {
		wg.Go(func() {
			defer recovered(&errs[i]) // a panic elsewhere would end the process
			if err := difference(lifeAlone(s, uint64(i)), alone[i]); err != nil {
				errs[i] = fmt.Errorf("a life on its own history differs from one alone: %w", err)
			}
			for range 20 {
				if !slices.Equal(Ask(s.Strategy, shared, candidates), want) {
					errs[i] = errors.New("Seen answers differently from when nobody else asks")
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("with %d goroutines on one strategy: %w", readers, err)
	}
	return nil
}

// lifeAlone runs the life of one user, asking before and after each request, and returns all answers and the history.
func lifeAlone(s Subject, reader uint64) []byte {
	const size = 7
	var history, answers []byte
	shown := make([]strategies.ID, s.life())
	fill(generator(0xc0, reader), shown)
	for at := 0; at+size <= len(shown); at += size {
		around := shown[max(0, at-3*size):min(len(shown), at+2*size)]
		answers = fmt.Append(answers, Ask(s.Strategy, history, around))
		history = s.Strategy.Record(history, shown[at:at+size])
		answers = fmt.Append(answers, Ask(s.Strategy, history, around))
	}
	return append(answers, history...)
}

// Digest returns 16 hexadecimal digits of the SHA-256 of the histories that s makes of fixed lives, up to 2100
// articles each. A test that pins it notices every change of layout or probes, and so of the meaning of stored
// histories. The articles' mixes are uniform, not their IDs, so digests did not change when IDs began to be mixed.
func Digest(s strategies.Strategy) string {
	sum := sha256.New()
	for reader := range uint64(4) {
		shown := IDs(0xd16e57+reader, 2100)
		for i, id := range shown {
			shown[i] = strategies.ID(mix.Unmix(uint64(id)))
		}
		var history []byte
		for read, size := 0, 1; read < len(shown); size = size%37 + 1 {
			next := min(read+size, len(shown))
			history = s.Record(history, shown[read:next])
			read = next
			// The length goes first, so that joined histories stay distinct.
			sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(history))))
			sum.Write(history)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// checkAllocations checks that Seen allocates nothing, and Record once (twice if nested) if there is no room to grow.
func checkAllocations(s Subject, _ effort) error {
	if raceEnabled {
		return nil // the race detector drops items from pools, which some strategies use
	}
	shown := IDs(0xa110c, s.life())
	full := slices.Max(s.Strategy.Sizes())
	buffer := make([]byte, 0, full)
	candidates := slices.Concat(IDs(0xa110d, 20), shown[:min(20, len(shown))])
	seen := make([]bool, len(candidates))
	most := 1.
	if s.Nested {
		most = 2
	}

	limit := func(most float64, f func(), what string, args ...any) error {
		if n := allocations(f); n > most {
			return fmt.Errorf(what+" allocates %.0f times, want %.0f at most", append(args, n, most)...)
		}
		return nil
	}
	err := cmp.Or(limit(0, func() {
		h := buffer
		for i := range shown {
			h = s.Strategy.Record(h, shown[i:i+1])
		}
	}, "recording %d single articles with room for the longest history", len(shown)),
		limit(0, func() { s.Strategy.Record(buffer, shown) },
			"recording %d articles in one request with room for the longest history", len(shown)))
	if deleter, ok := s.Strategy.(strategies.Deleter); ok && err == nil {
		h, half := s.Strategy.Record(buffer, shown), shown[len(shown)/2:]
		err = limit(0, func() { h = s.Strategy.Record(deleter.Delete(h, half), half) },
			"deleting and recording %d articles", len(half))
	}

	var history []byte
	old := make([]byte, full)
	for i := 0; i < len(shown) && err == nil; i++ {
		length := copy(old, history)
		history = s.Strategy.Record(history, shown[i:i+1])
		grows := len(history) > length
		if grows {
			err = limit(most, func() {
				// A copy each time: Record may write to what it is given.
				s.Strategy.Record(append(buffer, old[:length]...)[:length:length], shown[i:i+1])
			}, "growing from %d to %d bytes", length, len(history))
		}
		if !s.Allocates && (grows || i%(1+len(shown)/50) == 0) {
			err = cmp.Or(err, limit(0, func() { s.Strategy.Seen(history, candidates, seen) },
				"asking for %d candidates after %d articles (or set Subject.Allocates)", len(candidates), i+1))
		}
	}
	return err
}

// allocations counts the heap allocations of a call: the least of a few counts, which include the whole process's.
func allocations(f func()) float64 {
	least := testing.AllocsPerRun(2, f)
	for range 3 {
		if least == 0 {
			break
		}
		least = min(least, testing.AllocsPerRun(2, f))
	}
	return least
}
