package strategytest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"

	"dejavu/strategies"
)

// checkConcurrency leads several lives at once on one strategy value and
// compares each with the same life led alone; then it lets several goroutines
// ask one history. Run with -race it finds scratch memory that calls share.
func checkConcurrency(s Subject, e effort) error {
	const readers = 8
	var alone, together [readers]outcome
	for i := range readers {
		alone[i] = lifeAlone(s, uint64(i))
	}
	var wg sync.WaitGroup
	var errs [readers]error
	for i := range readers {
		wg.Go(func() {
			defer recovered(&errs[i]) // a panic elsewhere would end the process
			together[i] = lifeAlone(s, uint64(i))
		})
	}
	wg.Wait()
	for i := range readers {
		if errs[i] != nil {
			return fmt.Errorf("with %d goroutines: %w", readers, errs[i])
		}
		if err := together[i].differs(alone[i]); err != nil {
			return fmt.Errorf("with %d goroutines on one strategy, each on its own history: %w", readers, err)
		}
	}

	shared := live(s)
	candidates := IDs(0xc0c0, 200)
	want := make([]bool, len(candidates))
	s.Strategy.Seen(shared, candidates, want)
	for i := range readers {
		wg.Go(func() {
			defer recovered(&errs[i])
			got := make([]bool, len(candidates))
			for range 20 {
				s.Strategy.Seen(shared, candidates, got)
				for j := range got {
					if got[j] != want[j] && errs[i] == nil {
						errs[i] = fmt.Errorf("candidate %d: Seen says %v, and %v when nobody else asks", j, got[j], want[j])
					}
				}
			}
		})
	}
	wg.Wait()
	for i := range readers {
		if errs[i] != nil {
			return fmt.Errorf("with %d goroutines asking one history: %w", readers, errs[i])
		}
	}
	return nil
}

// An outcome is what one life comes to.
type outcome struct {
	history []byte
	answers []bool // every request's, in order
}

// lifeAlone leads the life of one reader: requests of 7 articles, each asked
// for before and after it is shown, with the articles around it.
func lifeAlone(s Subject, reader uint64) outcome {
	const size = 7
	var o outcome
	shown := make([]strategies.ID, s.life())
	fill(generator(0xc0, reader), shown)
	for at := 0; at+size <= len(shown); at += size {
		around := shown[max(0, at-3*size):min(len(shown), at+2*size)]
		seen := make([]bool, len(around))
		s.Strategy.Seen(o.history, around, seen)
		o.answers = append(o.answers, seen...)
		o.history = s.Strategy.Record(o.history, shown[at:at+size])
		s.Strategy.Seen(o.history, around, seen)
		o.answers = append(o.answers, seen...)
	}
	return o
}

// differs reports where two outcomes of one life do.
func (o outcome) differs(want outcome) error {
	if !bytes.Equal(o.history, want.history) {
		return difference(o.history, want.history)
	}
	for i := range o.answers {
		if o.answers[i] != want.answers[i] {
			return fmt.Errorf("answer %d of the life is %v, and %v when led alone", i, o.answers[i], want.answers[i])
		}
	}
	return nil
}

// Digest returns 16 hexadecimal digits of the SHA-256 of the histories that s
// makes of fixed lives, up to 2100 articles each. A test that pins it notices
// every change of layout or probes, after which stored histories would be read
// wrongly.
func Digest(s strategies.Strategy) string {
	sum := sha256.New()
	for reader := range uint64(4) {
		shown := IDs(0xd16e57+reader, 2100)
		var history []byte
		for read, size := 0, 1; read < len(shown); size = size%37 + 1 {
			next := min(read+size, len(shown))
			history = s.Record(history, shown[read:next])
			read = next
			// The length goes first, so that no two sequences of histories
			// look alike when joined.
			sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(history))))
			sum.Write(history)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
