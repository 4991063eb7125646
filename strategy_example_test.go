package dejavu_test

// strategy example
import (
	"encoding/binary"
	"fmt"
	"math"

	"dejavu/strategies"
)

const maxWindow = 10_000

// Config is the window, in articles.
type Config struct{ Window int }

// Tags remembers the last articles by a tag of 32 bits each.
type Tags struct {
	window int
	sizes  []int
}

// New fails for a window that a history cannot have.
func New(c Config) (*Tags, error) {
	if c.Window < 1 || c.Window > maxWindow {
		return nil, fmt.Errorf("tags: Window is %d, want 1 to %d", c.Window, maxWindow)
	}
	t := &Tags{window: c.Window}
	for n := 1; n <= c.Window; n++ {
		t.sizes = append(t.sizes, 4*n)
	}
	return t, nil
}

// Sized returns the configuration for a window and a false positive rate.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("tags", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	if least := (&Tags{window: window}).FPR(window); least > fpr {
		return Config{}, strategies.Unmet("tags", window, fpr, least)
	}
	return Config{Window: window}, nil
}

// tag mixes the ID, as IDs may be consecutive numbers.
func tag(id strategies.ID) uint32 { return uint32(strategies.Number(uint64(id))) }

// Seen looks for the tag of each candidate.
func (t *Tags) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = false
		for h := history; len(h) > 0; h = h[4:] {
			seen[i] = seen[i] || binary.LittleEndian.Uint32(h) == tag(id)
		}
	}
}

// Record appends tags, and forgets the oldest when the history is full.
func (t *Tags) Record(history []byte, shown []strategies.ID) []byte {
	for _, id := range shown {
		if len(history) == 4*t.window {
			history = history[:copy(history, history[4:])]
		}
		history = binary.LittleEndian.AppendUint32(history, tag(id))
	}
	return history
}

// Validate refuses a length that no history has.
func (t *Tags) Validate(history []byte) error {
	if len(history)%4 != 0 || len(history) > 4*t.window {
		return fmt.Errorf("tags: history of %d bytes, want a multiple of 4 up to %d", len(history), 4*t.window)
	}
	return nil
}

// Fingerprint names the configuration, so that a snapshot of one window is not read with another.
func (t *Tags) Fingerprint() string { return fmt.Sprintf("tags{Window:%d}", t.window) }

// Sizes returns the lengths of a history. The others return theory after read articles.
func (t *Tags) Sizes() []int         { return t.sizes }
func (t *Tags) Bytes(read int) int   { return 4 * t.Window(read) }
func (t *Tags) Window(read int) int  { return min(max(read, 0), t.window) }
func (t *Tags) FPR(read int) float64 { return 1 - math.Pow(1-1./(1<<32), float64(t.Window(read))) }

// end of the strategy example
