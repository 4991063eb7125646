package queue_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/queue"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func build(t testing.TB, window int) *queue.Queue {
	t.Helper()
	return strategytest.Value(queue.New(queue.Config{Window: window}))
}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[queue.Config, *queue.Queue]{
		New: queue.New, Sized: queue.Sized, Presets: []queue.Config{queue.Paper},
		Digest: "84b092eb056e4c95",
		Config: func(r strategytest.Random) queue.Config { return queue.Config{Window: r.Log(1, 30_000)} },
		Subject: func(r strategytest.Random, q *queue.Queue) strategytest.Subject {
			forgets := func(read, age int) bool { return age > q.Window(read) }
			if r.IntN(4) == 0 {
				return strategytest.Subject{Strategy: queue.Decoder{Queue: q}, Theory: q, Forgets: forgets, Allocates: true}
			}
			return strategytest.Subject{Strategy: q, Theory: q, Forgets: forgets}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, 500)) }

func TestLayout(t *testing.T) {
	strategytest.Layouts(t, map[string]strategies.Strategy{"fd336ea0c1695237": build(t, 500)})
}

// Theory: nothing is approximate but the digest itself, 500 in 2^64 (§3).
func TestTheory(t *testing.T) {
	q := build(t, 500)
	if got := q.FPR(500); got != 500/18446744073709551616. || q.FPR(501) != got || q.FPR(0) != 0 {
		t.Errorf("FPR(500) = %v, want 500/2^64", got)
	}
	for read, want := range map[int]int{0: 0, 1: 1, 499: 499, 500: 500, 501: 500, 9999: 500} {
		strategytest.Equal(t, q.Window(read), want, "Window(%d)", read)
	}
	strategytest.Equal(t, q.Bytes(0), 0, "Bytes(0)")
}

// From 500 to 1000 (§7 asks it of the chain; here a longer queue takes over a shorter one's histories): at every
// length and turn of the ring, no article held is lost until the longer one is full, and then only the oldest goes.
func TestLiveExtension(t *testing.T) {
	extend := func(before, after, read int) error {
		short, long := build(t, before), build(t, after)
		ids := strategytest.IDs(uint64(read), read+2*after)
		history := short.Record(nil, ids[:read])
		held := min(read, before)
		for shown := read; shown < len(ids); {
			if err := long.Validate(history); err != nil {
				return err
			}
			seen := strategytest.Ask(long, history, ids)
			for i, s := range seen {
				if want := shown-held <= i && i < shown; s != want {
					return fmt.Errorf("article %d of %d shown: seen is %v, want %v with %d held", i, shown, s, want, held)
				}
			}
			n := min(1+shown*7%23, len(ids)-shown)
			history = long.Record(history, ids[shown:shown+n])
			shown, held = shown+n, min(held+n, after)
		}
		return nil
	}
	for read := 1; read <= 230; read++ {
		if err := extend(100, 200, read); err != nil {
			t.Fatalf("100 to 200 after %d articles: %v", read, err)
		}
	}
	for _, read := range []int{1, 499, 500, 501, 733, 1000} {
		if err := extend(500, 1000, read); err != nil {
			t.Fatalf("500 to 1000 after %d articles: %v", read, err)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, window := range []int{-1, 0, 1<<24 + 1} {
		_, err := queue.New(queue.Config{Window: window})
		_, err2 := queue.NewDecoder(queue.Config{Window: window})
		for _, err := range []error{err, err2} {
			if want := fmt.Sprintf("Window is %d, want 1 to 16777216", window); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("Window %d: error %v, want %q in it", window, err, want)
			}
		}
	}
}

// Headers damaged by hand, on a ring of 150 slots that holds 120 articles.
func TestValidate(t *testing.T) {
	q := build(t, 500)
	good := q.Record(nil, strategytest.IDs(3, 120))
	const wrapped = 1 << 31
	says := func(name string, header uint32, want string) {
		t.Helper()
		history := slices.Clone(good)
		binary.LittleEndian.PutUint32(history[len(history)-4:], header)
		strategytest.ErrorSays(t, name, q.Validate(history), want)
	}
	says("as recorded", 120, "")
	says("a ring of a shorter queue", 120|wrapped, "")
	says("fewer articles than the ring before would hold", 100, "next slot is 100 of 150, want 101 to 150")
	says("no article", 0, "next slot is 0")
	says("gone round to nowhere", wrapped, "next slot is 0 of 150, want 1 to 150")
	says("behind the end", 151, "next slot is 151")
	says("far behind the end", 1<<31-1, "next slot is 2147483647")
	says("a slot that is not blank", 119, "not blank")
	for _, length := range []int{1, 4, len(good) - 1, len(good) + 8, 4005} {
		strategytest.ErrorSays(t, fmt.Sprint(length), q.Validate(make([]byte, length)),
			fmt.Sprintf("history of %d bytes", length))
	}
}

// A queue's rate follows from its window: Sized takes no other.
func TestSized(t *testing.T) {
	if c, err := queue.Sized(400, 1e-9); err != nil || c != (queue.Config{Window: 400}) {
		t.Errorf("%+v, %v", c, err)
	}
	rate := math.Ldexp(400, -64)
	strategytest.ErrorSays(t, "at the rate that it has", strategytest.ErrorOf(queue.Sized(400, rate)), "")
	strategytest.RefusesTargets(t, queue.Sized, map[string]strategytest.Target{
		"queue: fpr is 1.0842021724855044e-17, want at least 2.3e-17 for 400 articles": {400, rate / 2},
		"queue: window is 0, want 1 to":            {0, 0.5},
		"queue: fpr is 1, want it between 0 and 1": {400, 1},
	})
}
