package apbf_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dejavu/beyond/apbf"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(apbf.New)

func sized(t testing.TB, window int, fpr float64) apbf.Config {
	t.Helper()
	return strategytest.Value(apbf.Sized(window, fpr))
}

// A published pair (k, l) for 1 %. It meets the rate when a generation begins, and exceeds it at its end, by 0.1 %.
var percent = paper(8, 8, 50)

// paper returns the configuration with the paper's slices of k*g/ln 2 bits, rounded up, of which half are set in a
// full slice.
func paper(hashes, shifts, generation int) apbf.Config {
	bits := math.Ceil(float64(hashes) * float64(generation) / math.Ln2)
	return apbf.Config{Hashes: hashes, Shifts: shifts, Generation: generation, Bits: int(bits)}
}

// Filters of two lanes and more, and the extremes: a generation of one article, an article that sets one bit.
var arrangements = map[string]apbf.Config{
	"three lanes":  {Hashes: 4, Shifts: 8, Generation: 7, Bits: 43},
	"odd hashes":   {Hashes: 5, Shifts: 5, Generation: 3, Bits: 29},
	"one article":  {Hashes: 6, Shifts: 24, Generation: 1, Bits: 13},
	"one hash":     {Hashes: 1, Shifts: 12, Generation: 4, Bits: 97},
	"most slices":  {Hashes: 10, Shifts: 240, Generation: 1, Bits: 17},
	"most lanes":   {Hashes: 2, Shifts: 48, Generation: 2, Bits: 37},
	"percent":      percent,
	"400 at 0.02":  {Hashes: 10, Shifts: 40, Generation: 10, Bits: 142},
	"400 in 512 B": {Hashes: 4, Shifts: 8, Generation: 50, Bits: 339},
}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[apbf.Config, *apbf.Filter]{
		New: apbf.New, Sized: apbf.Sized, Presets: []apbf.Config{percent},
		Digest: "bf432dc8f303518e",
		Config: func(r strategytest.Random) apbf.Config {
			hashes := r.Log(1, 64)
			shifts := hashes * r.Log(1, min(25, 255/hashes)-1)
			return apbf.Config{
				Hashes: hashes, Shifts: shifts, Bits: r.Log(max(2, (64+hashes-1)/hashes), 6000),
				Generation: r.Log(1, min(65535, 200_000/(hashes+shifts))),
			}
		},
		Subject: func(_ strategytest.Random, f *apbf.Filter) strategytest.Subject {
			return strategytest.Subject{
				Strategy: f, Theory: f,
				// An article leaves no trace when its last slice is cleared.
				Forgets: func(read, age int) bool {
					return (read-1)/f.Generation-(read-age)/f.Generation >= f.Hashes+f.Shifts
				},
			}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, sized(f, 400, 0.02))) }

func TestLayout(t *testing.T) {
	for name, want := range map[string]string{"400 at 0.02": "15935738a26c2589", "percent": "2ac1ef918d949c2a"} {
		strategytest.Equal(t, strategytest.Digest(build(t, arrangements[name])), want, "layout digest of %s", name)
	}
}

// k = 2, l = 2, g = 3, article by article: the 4th shifts for the first time, the 7th for the second; the 10th clears
// the younger slice of the first three, and breaks their run: 7 of 9 are left.
func TestByHand(t *testing.T) {
	strategytest.RunCases(t, build(t, apbf.Config{Hashes: 2, Shifts: 2, Generation: 3, Bits: 4096}), []strategytest.Case{
		{1, 2*512 + 3, 1},
		{3, 2*512 + 3, 3},
		{4, 4*512 + 3, 4},
		{7, 4*512 + 3, 7},
		{9, 4*512 + 3, 9},
		{10, 4*512 + 3, 7},
		{12, 4*512 + 3, 9},
		{13, 4*512 + 3, 7},
		{40, 4*512 + 3, 7},
	})
}

// A wheel is the filter as the paper describes it: a list of slices, the youngest first, each a set of bits with its
// own hash. Positions are the filter's, by the slice's place in the ring.
type wheel struct {
	apbf.Config
	slices [][]bool
	places []int
	next   int // the place of the next slice
	young  int // articles of the youngest generation
}

func newWheel(c apbf.Config) *wheel {
	w := &wheel{Config: c}
	for range c.Hashes {
		w.shift()
	}
	return w
}

func (w *wheel) shift() {
	w.slices = append([][]bool{make([]bool, w.Bits)}, w.slices...)
	w.places = append([]int{w.next}, w.places...)
	if all := w.Hashes + w.Shifts; len(w.slices) > all {
		w.slices, w.places = w.slices[:all], w.places[:all]
	}
	w.next = (w.next + 1) % (w.Hashes + w.Shifts)
	w.young = 0
}

func (w *wheel) record(f *apbf.Filter, id strategies.ID) {
	if w.young == w.Generation {
		w.shift()
	}
	w.young++
	for i := range w.Hashes {
		w.slices[i][apbf.Position(f, uint64(id), w.places[i])] = true
	}
}

func (w *wheel) seen(f *apbf.Filter, id strategies.ID) bool {
	run := 0
	for i, slice := range w.slices {
		if !slice[apbf.Position(f, uint64(id), w.places[i])] {
			run = 0
		} else if run++; run == w.Hashes {
			return true
		}
	}
	return false
}

// Every arrangement answers as the wheel does: at every offset of three turns, for articles shown and fresh ones, with
// slices so full that fresh ones often match.
func TestAnswersAsTheWheel(t *testing.T) {
	for name, c := range arrangements {
		if c.Generation > 10 {
			continue
		}
		c.Bits = max(2, (64+c.Hashes-1)/c.Hashes, c.Bits/3)
		t.Run(name, func(t *testing.T) {
			f, w := build(t, c), newWheel(c)
			turn := (c.Hashes + c.Shifts) * c.Generation
			shown, fresh := strategytest.IDs(2, min(3*turn, 600)), strategytest.IDs(3, 100)
			var history []byte
			for read, id := range shown {
				history = f.Record(history, shown[read:read+1])
				w.record(f, id)
				candidates := slices.Concat(fresh, shown[max(0, read-turn-10):read+1])
				for i, seen := range strategytest.Ask(f, history, candidates) {
					if want := w.seen(f, candidates[i]); seen != want {
						t.Fatalf("after %d articles candidate %d: seen is %v, want %v", read+1, i, seen, want)
					}
				}
			}
		})
	}
}

func TestNewErrors(t *testing.T) {
	good := apbf.Config{Hashes: 5, Shifts: 10, Generation: 40, Bits: 331}
	for want, change := range map[string]func(c *apbf.Config){
		"Hashes is 0, want 1 to 64":                      func(c *apbf.Config) { c.Hashes = 0 },
		"Hashes is 65, want 1 to 64":                     func(c *apbf.Config) { c.Hashes = 65 },
		"Shifts is 4, want 5 to 120":                     func(c *apbf.Config) { c.Shifts = 4 },
		"Shifts is 125, want 5 to 120":                   func(c *apbf.Config) { c.Shifts = 125 },
		"Shifts is 13, want a multiple of Hashes, as 10": func(c *apbf.Config) { c.Shifts = 13 },
		"Generation is 0, want 1 to 65535":               func(c *apbf.Config) { c.Generation = 0 },
		"Generation is 65536, want 1 to 65535":           func(c *apbf.Config) { c.Generation = 65536 },
		"Bits is 12, want 13 to 1118481":                 func(c *apbf.Config) { c.Bits = 12 },
		"Bits is 1118482, want 13 to 1118481":            func(c *apbf.Config) { c.Bits = 1118482 },
		fmt.Sprintf("Shifts is %d, want 5", math.MaxInt): func(c *apbf.Config) { c.Shifts = math.MaxInt },
	} {
		c := good
		change(&c)
		strategytest.ErrorSays(t, fmt.Sprintf("New(%+v)", c), strategytest.ErrorOf(apbf.New(c)), want)
	}
}

// Histories damaged by hand: three lanes of four slices, 43 bits each.
func TestValidate(t *testing.T) {
	f, ids := build(t, arrangements["three lanes"]), strategytest.IDs(5, 200)
	says := func(name string, read int, damage func(h []byte), want string) {
		t.Helper()
		history := f.Record(nil, ids[:read])
		damage(history)
		strategytest.ErrorSays(t, name, f.Validate(history), want)
	}
	says("as recorded", 50, func([]byte) {}, "")
	says("no article", 50, func(h []byte) { h[len(h)-3] = 0 }, "number of articles is 0")
	says("too many articles", 50, func(h []byte) { h[len(h)-3] = 8 }, "number of articles is 8, want 1 to 7")
	says("a slice beyond the wheel", 50, func(h []byte) { h[len(h)-1] = 12 }, "youngest slice is 12")
	says("fewer slices than articles enter", 5, func(h []byte) { h[len(h)-1] = 2 }, "youngest slice is 2, want")
	says("a lane too many", 10, func(h []byte) { h[len(h)-1] = 3 }, "youngest slice is 3, want 4")
	says("a bit beyond the last", 50, func(h []byte) { h[len(h)-4] |= 0x80 }, "beyond the last of the 172 positions")
	says("a slice without a bit", 80, func(h []byte) { clear(h[:16]) }, "0 bits set in slice")
	says("an article without a bit", 1, func(h []byte) { clear(h[:len(h)-3]) }, "0 bits set in slice")
	says("a bit too many", 1, func(h []byte) { h[0] = h[0]<<1 | h[0] | 1 }, "bits set in slice 0 by 1 articles")
	says("too many bits", 80, func(h []byte) { h[len(h)-3] = 1 }, "by 1 articles")
	says("younger than the youngest", 10, func(h []byte) { h[0] |= 0xaa; h[20] |= 0xaa; h[40] |= 0xaa }, "not blank")
	strategytest.ErrorSays(t, "30 bytes", f.Validate(make([]byte, 30)), "history of 30 bytes")
}
