package dejavu_test

// strategy example
import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// tags remembers the last 100 articles by a tag of 16 bits each.
type tags struct{ sizes []int }

const window = 100 // articles

func newTags() (t tags) {
	for n := 1; n <= window; n++ {
		t.sizes = append(t.sizes, 2*n)
	}
	return t
}

// tag mixes the ID, as IDs may be numbers in a row.
func tag(id strategies.ID) uint16 { return uint16(strategies.Number(uint64(id))) }

func (tags) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = false
		for h := history; len(h) > 0; h = h[2:] {
			seen[i] = seen[i] || binary.LittleEndian.Uint16(h) == tag(id)
		}
	}
}

func (tags) Record(history []byte, shown []strategies.ID) []byte {
	for _, id := range shown {
		if len(history) == 2*window { // full: the oldest goes
			history = history[:copy(history, history[2:])]
		}
		history = binary.LittleEndian.AppendUint16(history, tag(id))
	}
	return history
}

func (tags) Validate(history []byte) error {
	if len(history)%2 != 0 || len(history) > 2*window {
		return fmt.Errorf("tags: history of %d bytes, want an even number up to %d", len(history), 2*window)
	}
	return nil
}

func (t tags) Sizes() []int { return t.sizes }

// Theory, after read articles.
func (tags) Bytes(read int) int   { return 2 * min(read, window) }
func (tags) Window(read int) int  { return min(read, window) }
func (tags) FPR(read int) float64 { return 1 - math.Pow(1-1./(1<<16), float64(min(read, window))) }

func TestTags(t *testing.T) {
	strategytest.Run(t, strategytest.Subject{Strategy: newTags(), Theory: newTags()})
}

// end of the strategy example
