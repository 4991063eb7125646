package strategytest

import (
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/strategies"
)

// A traced passes calls on and sums up what they are, in any order: the goroutines of
// a check take turns as they like.
type traced struct {
	strategies.Strategy
	strategies.Theory

	mu    sync.Mutex
	calls int
	sum   uint64
}

func (c *traced) call(name string, parts ...any) {
	h := fnv.New64a()
	fmt.Fprint(h, name)
	for _, part := range parts {
		switch part := part.(type) {
		case []byte:
			fmt.Fprintf(h, " %d %x", len(part), part)
		default:
			fmt.Fprint(h, " ", part)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	c.sum += h.Sum64()
}

func (c *traced) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	c.call("Seen", history, candidates, len(seen))
	c.Strategy.Seen(history, candidates, seen)
}

func (c *traced) Record(history []byte, shown []strategies.ID) []byte {
	c.call("Record", history, shown)
	return c.Strategy.Record(history, shown)
}

func (c *traced) Validate(history []byte) error {
	c.call("Validate", history)
	return c.Strategy.Validate(history)
}

func (c *traced) Bytes(read int) int   { c.call("Bytes", read); return c.Theory.Bytes(read) }
func (c *traced) FPR(read int) float64 { c.call("FPR", read); return c.Theory.FPR(read) }
func (c *traced) Window(read int) int  { c.call("Window", read); return c.Theory.Window(read) }

// What the kit asks of a strategy is as it was: fewer articles, other moments, or
// bytes that are not damaged any more find fewer faults, and no strategy would tell.
// Allocations are counted until they are none, in so many turns as that takes.
func TestGoldenCalls(t *testing.T) {
	var b strings.Builder
	small, tiny := newList(9), newFilter(independent)
	for _, toy := range []struct {
		name string
		s    Subject
	}{
		{"list", Subject{Strategy: small, Theory: small, Reads: []int{5, 30}}},
		{"list by age", Subject{
			Strategy: small, Theory: small, Reads: []int{12, 30}, Life: 50,
			Remembers: func(read, age int) bool { return age <= min(read, 9) }, Forgets: func(_,
				age int,
			) bool {
				return age > 9
			},
		}},
		{"filter", Subject{Strategy: tiny, Theory: tiny, Reads: []int{50}, Life: 130}},
	} {
		for _, c := range checks {
			if c.name == "Allocations" || c.name == "Forgets" && toy.s.Forgets == nil {
				continue
			}
			trace := traced{Strategy: toy.s.Strategy, Theory: toy.s.Theory}
			s := toy.s
			s.Strategy, s.Theory = &trace, &trace
			err := c.guarded(s, effort{lives: 2, asked: 1000, users: 200, queries: 20, corruptions: 16})
			fmt.Fprintf(&b, "%s %s: %d calls, %016x, %v\n", toy.name, c.name, trace.calls, trace.sum, err)
		}
	}
	golden.File(t, "calls.golden", b.String())
}

// What IDs are drawn, and which edges every check takes.
func TestGoldenMoments(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "IDs %x\n", IDs(1, 3))
	for _, repeats := range []bool{false, true} {
		fmt.Fprintf(&b, "life %x\n", shownLife(generator(3, 4), 40, repeats))
	}
	fmt.Fprintf(&b, "lengths %d\n", wrongLengths(1000, 1100))
	fmt.Fprintf(&b, "lengths %d\n", wrongLengths(3, 900))
	for _, window := range []int{1, 3, 1300, 2000} {
		l := newList(window)
		s := Subject{Strategy: l, Theory: l}
		fmt.Fprintf(&b, "window %d: life %d, boundaries %d\n", window, s.life(), s.boundaries()[:min(4, len(s.boundaries()))])
	}
	f := newFilter(independent)
	fmt.Fprintf(&b, "no end: life %d\n", Subject{Strategy: f, Theory: f}.life())
	none := faulty{list: newList(1), window: func(*list, int) int { return 0 }}
	fmt.Fprintf(&b, "no window: life %d\n", Subject{Strategy: none, Theory: none}.life())
	late := faulty{list: newList(1), window: func(_ *list, read int) int { return 1 + 4*(read/(1<<20+1023)) }}
	fmt.Fprintf(&b, "the widest last: life %d\n", Subject{Strategy: late, Theory: late}.life())
	most := faulty{list: newList(1), window: func(*list, int) int { return math.MaxInt32 }}
	fmt.Fprintf(&b, "all: life %d\n", Subject{Strategy: most, Theory: most}.life())
	fmt.Fprintf(&b, "short %+v\nlong %+v\n", currentEffort(true),
		map[bool]effort{true: {}, false: currentEffort(false)}[raceEnabled])
	if !raceEnabled {
		golden.File(t, "moments.golden", b.String())
	}
}
