package strategytest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"dejavu/internal/mix"
	"dejavu/strategies"
)

// checkConcurrency leads several lives at once on one strategy value and compares each with the same life led
// alone; between them all ask one history. Run with -race it finds scratch memory that calls share.
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

// lifeAlone leads the life of one user: requests of 7 articles, each asked for before and after it is shown,
// with the articles around it. It returns what the life comes to, every answer as text and then the history.
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
// articles each. A test that pins it notices every change of layout or probes, and so of what stored histories mean.
// The articles' mixes are uniform, not their IDs: so the digests have been the same since before IDs were mixed.
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
			// The length goes first, so that no two sequences of histories look alike when joined.
			sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(history))))
			sum.Write(history)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
