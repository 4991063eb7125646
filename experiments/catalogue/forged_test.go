package catalogue_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/apbf"
	"dejavu/beyond/blocked"
	"dejavu/beyond/classes"
	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/beyond/matrix"
	"dejavu/beyond/quotient"
	"dejavu/beyond/ring"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var forged = flag.String("forged", "", "TestForgedHistories: only of strategies whose type has this in its name")

// Histories that are forged, of every length that there can be, between pages that must not be touched: no
// strategy reads or writes beyond them, none panics, Seen changes nothing, and what Record and Delete return
// is of a length of Sizes. Those of the catalogue, and all strategies with parameters drawn at random for 500
// geometries. The whole of it, with the compiler's checks of pointers:
//
//	TRIES=1000000 go test -gcflags=all=-d=checkptr -run Forged ./experiments/catalogue
//
// and -forged matrix spends all the tries on one.
func TestForgedHistories(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const geometries = 500
	tries := strategytest.Tries(t, 40_000)
	memory := strategytest.Guarded(t, 1<<18)
	others := func(s strategies.Strategy) bool { return !strings.Contains(fmt.Sprintf("%T", s), *forged) }
	for i, e := range catalogue.All() {
		s := strategytest.Value(e.Make())
		if others(s) {
			continue
		}
		forge(t, e.Name, s, memory, max(tries/100, 4*len(s.Sizes())), rand.New(rand.NewPCG(1, uint64(i))))
	}
	some := false
	for i := range geometries {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		drawn := slices.DeleteFunc(draw(t, r), others)
		for _, s := range drawn {
			some = true
			forge(t, fmt.Sprintf("geometry %d: %T", i, s), s, memory, max(1, tries/geometries/len(drawn)), r)
		}
	}
	if !some {
		t.Errorf("no type has %q in its name", *forged)
	}
}

// draw makes every strategy, with parameters of one geometry and else at random.
func draw(t *testing.T, r *rand.Rand) []strategies.Strategy {
	g := bloom.Geometry{Bits: bloom.MinLaneBits + r.IntN(1<<(6+r.IntN(6))), Hashes: 1 + r.IntN(12)}
	if r.IntN(2) == 0 {
		g.Hashes = 6
	}
	capacity := 1 + r.IntN(100)
	var made []strategies.Strategy
	add := func(s strategies.Strategy, err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		made = append(made, s)
	}
	few := bloom.Geometry{Bits: 1 + r.IntN(g.Bits), Hashes: g.Hashes}
	links, err := chain.New(chain.Config{
		Links: 2 + r.IntN(56), Capacity: capacity, Geometry: g,
		HeadSilent: r.IntN(4) == 0,
	})
	add(links, err)
	add(chain.New(chain.Config{Links: 5, Capacity: capacity, Geometry: g}))
	add(dual.New(dual.Config{
		Capacity: 2 * capacity, Threshold: capacity + r.IntN(capacity), Geometry: g,
		Blanked: r.IntN(2) == 0,
	}))
	add(single.New(single.Config{Capacity: capacity, Geometry: few}))
	add(queue.New(queue.Config{Window: 1 + r.IntN(300)}))
	add(ring.New(ring.Config{Window: 1 + r.IntN(300), Range: 16 + r.IntN(1<<(4+r.IntN(26)))}))
	add(quotient.New(quotient.Config{
		Generations: 2 + r.IntN(16), Generation: capacity,
		Range: 64 + r.IntN(1<<(6+r.IntN(24))),
	}))
	add(daily.New(daily.Config{Days: 2 + r.IntN(31), Geometry: g}))
	add(layered.New(layered.Config{Day: few, Week: g, All: g}))
	add(layered.New(layered.Config{Day: g, Week: g, All: g, Moved: true}))
	add(blocked.New(blocked.Config{Blocks: 1 + r.IntN(9), Hashes: g.Hashes}))
	add(counting.New(counting.Config{Capacity: capacity, Geometry: few}))
	k := 1 + r.IntN(12)
	add(apbf.New(apbf.Config{Hashes: k, Shifts: k * (1 + r.IntN(6)), Generation: capacity, Bits: 2 + r.IntN(300)}))
	add(apbf.New(apbf.Config{Hashes: k, Shifts: 1 + r.IntN(60), Generation: capacity, Bits: 2 + r.IntN(300)}))
	family, err := classes.New(classes.Config{Classes: []classes.Class{
		{Capacity: 1, Geometry: few},
		{Capacity: 2, Geometry: g},
		{Capacity: 3, Geometry: few},
	}})
	strategytest.Must(t, err)
	add(family.Class(r.IntN(3)), nil)
	add(confirmed.New(confirmed.Config{
		Inner: links, Last: 1 + r.IntN(100),
		Rule: confirmed.Both + confirmed.Rule(r.IntN(3)),
	}))
	columns := 1 + r.IntN(32)
	add(matrix.New(matrix.Config{
		Links: 2 + r.IntN(20), Articles: max(4, capacity<<(r.IntN(6)/4)), Columns: columns,
		Short: min(columns-1, r.IntN(3)), KeyBits: 12 + r.IntN(21),
	}))
	return made
}

// forge tries a strategy with forged histories.
func forge(t *testing.T, name string, s strategies.Strategy, memory []byte, tries int, r *rand.Rand) {
	t.Helper()
	sizes := s.Sizes()
	longest := slices.Max(sizes)
	for i := range tries {
		size := sizes[r.IntN(len(sizes))]
		if i < len(sizes) {
			size = sizes[i]
		}
		room := memory[len(memory)-size:]
		switch r.IntN(4) {
		case 0:
			room = memory[len(memory)-longest:] // to grow in
		case 1:
			room = memory[:size:size]
		}
		if before := memory[len(memory)-cap(room)-64 : len(memory)-cap(room)]; &room[0] != &memory[0] {
			for i := range before {
				before[i] = 0xa5 // another user's
			}
		}
		history := room[:size]
		scrawl(s, history, r)
		if err := use(s, history, r); err != nil {
			t.Fatalf("%s, try %d, %d bytes: %v", name, i, size, err)
		}
		if before := memory[len(memory)-cap(room)-64 : len(memory)-cap(room)]; &room[0] != &memory[0] &&
			!bytes.Equal(before, bytes.Repeat([]byte{0xa5}, 64)) {
			t.Fatalf("%s, try %d, %d bytes: the history before it is changed", name, i, size)
		}
	}
}

// scrawl fills a history with what nobody recorded, or with a header that does not belong to what was.
func scrawl(s strategies.Strategy, history []byte, r *rand.Rand) {
	switch r.IntN(4) {
	case 0:
		for i := range history {
			history[i] = byte(r.Uint32())
		}
	case 1:
		for i := range history {
			history[i] = 0xff
		}
	case 2:
		clear(history)
	default:
		for some := []byte(nil); len(some) <= len(history); {
			some = s.Record(some, strategytest.IDs(r.Uint64(), 1+r.IntN(100)))
			if copy(history, some); len(some) == len(history) || r.IntN(20) == 0 {
				break
			}
		}
	}
	for range r.IntN(12) { // the header is at the end, or where it begins
		at := r.IntN(min(8, len(history)))
		if r.IntN(2) == 0 {
			at = len(history) - 1 - at
		}
		history[at] = byte(r.Uint32()) >> r.IntN(8)
	}
}

// use asks for what can be asked of a history.
func use(s strategies.Strategy, history []byte, r *rand.Rand) (err error) {
	call := "Validate"
	forged := bytes.Clone(history)
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%s of %x: %v\n%s", call, forged, fault, debug.Stack())
		}
	}()
	ids := strategytest.IDs(r.Uint64(), 50)
	seen := make([]bool, 1+r.IntN(40))
	dated, hasDays := s.(strategies.Dated)
	_ = s.Validate(history) // whatever it says
	if f, ok := s.(interface{ Fill([]byte) (int, int) }); ok {
		call = "Fill"
		f.Fill(history)
	}
	if hasDays && r.IntN(2) == 0 {
		s = dated.On(r.IntN(1 << r.IntN(17)))
	}
	call = "Seen"
	s.Seen(history, ids[:len(seen)], seen)
	if !bytes.Equal(history, forged) {
		return fmt.Errorf("Seen changes %x to %x", forged, history)
	}
	for range 1 + r.IntN(3) {
		if d, ok := s.(strategies.Deleter); ok && r.IntN(2) == 0 {
			call = "Delete"
			history = d.Delete(history, ids[:r.IntN(10)])
		} else {
			call = "Record"
			more := 1 + r.IntN(12)
			if r.IntN(8) == 0 {
				more += r.IntN(500)
			}
			history = s.Record(history, strategytest.IDs(r.Uint64(), more))
		}
		if _, ok := slices.BinarySearch(s.Sizes(), len(history)); !ok && len(history) != 0 {
			return fmt.Errorf("%s of %x makes a history of %d bytes, want one of %d", call, forged, len(history), s.Sizes())
		}
	}
	return nil
}
