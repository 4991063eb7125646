package confirmed_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/internal/mix"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// must is the value that a constructor returns.
func must[T any](t testing.TB) func(s T, err error) T {
	return func(s T, err error) T {
		t.Helper()
		strategytest.Must(t, err)
		return s
	}
}

func inChain(t testing.TB, c chain.Config) confirmed.Inner {
	return must[*chain.Chain](t)(chain.New(c))
}

func inSingle(t testing.TB) confirmed.Inner { return must[*single.Filter](t)(single.New(single.Paper)) }

func build(t testing.TB, inner confirmed.Inner, last int, rule confirmed.Rule) *confirmed.Strategy {
	t.Helper()
	return must[*confirmed.Strategy](t)(confirmed.New(confirmed.Config{Inner: inner, Last: last, Rule: rule}))
}

// drawInner draws an inner strategy whose histories grow, stay as they are, or shrink again.
func drawInner(r strategytest.Random) (confirmed.Inner, error) {
	g := bloom.Geometry{Bits: r.Log(bloom.MinLaneBits, 5000), Hashes: r.Log(1, 12)}
	capacity := r.Log(2, 300)
	switch r.IntN(4) {
	case 0:
		return single.New(single.Config{Capacity: capacity, Geometry: g})
	case 1:
		return dual.New(dual.Config{
			Capacity: capacity, Threshold: (capacity + 1) / 2, Geometry: g, Blanked: r.IntN(2) == 0,
		})
	case 2:
		return queue.New(queue.Config{Window: capacity})
	}
	return chain.New(chain.Config{
		Links: r.Log(2, 10), Capacity: r.Log(1, 100), Geometry: g, HeadSilent: r.IntN(2) == 0, ClearAhead: r.IntN(2) == 0,
	})
}

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[confirmed.Config, *confirmed.Strategy]{
		New: confirmed.New,
		Sized: func(window int, fpr float64) (confirmed.Config, error) {
			return confirmed.Sized(window, fpr, 1+window/4, sizedChain)
		},
		Digest: "bb198a157b4cf866",
		Config: func(r strategytest.Random) confirmed.Config {
			inner, err := drawInner(r)
			strategytest.Must(t, err)
			return confirmed.Config{Inner: inner, Last: r.Log(1, 400), Rule: confirmed.Rule(1 + r.IntN(3))}
		},
		Subject: func(r strategytest.Random, s *confirmed.Strategy) strategytest.Subject {
			life := min(10_000, 100+r.IntN(3*(s.Last+s.Inner.Window(3000))))
			return strategytest.Subject{
				Strategy: s, Theory: tabled(s, life+1), Life: life, Remembers: s.Remembers, Nested: true,
				// An article in the list that the filter has not left a trace in the list: it counts as seen where the
				// filter takes it for seen by mistake.
				Forgets: func(read, age int) bool { return age > s.Last && !s.Remembers(read, age) },
			}
		},
	})
}

// windows is a theory that has its windows in a table: the kit asks for them a million times.
type windows struct {
	strategies.Theory
	table []int
}

func tabled(s *confirmed.Strategy, life int) windows {
	w := windows{Theory: s}
	for read := range life + 1 {
		w.table = append(w.table, s.Window(read))
	}
	return w
}

func (w windows) Window(read int) int { return w.table[min(max(read, 0), len(w.table)-1)] }

func FuzzKitBeside(f *testing.F) {
	strategytest.Fuzz(f, build(f, inChain(f, chain.Literal), 100, confirmed.Beside))
}

func FuzzKitAhead(f *testing.F) {
	strategytest.Fuzz(f, build(f, inChain(f, chain.Paper), 100, confirmed.Ahead))
}

func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		rule confirmed.Rule
		want string
	}{
		{confirmed.Both, "9839885db3ee2ea0"},
		{confirmed.Beside, "9839885db3ee2ea0"},
		{confirmed.Ahead, "983bde40b51411df"},
	} {
		strategytest.Equal(t, strategytest.Digest(build(t, inChain(t, chain.Paper), 100, tt.rule)), tt.want,
			"layout digest of %v", tt.rule)
	}
}

// A history is the header, the ring of IDs and the inner history, to the byte:
// four slots, six articles, of which the fifth and sixth lie over the first two.
func TestBytesByHand(t *testing.T) {
	ids := strategytest.IDs(1, 6)
	inner := inSingle(t)
	for _, tt := range []struct {
		rule   confirmed.Rule
		filter []strategies.ID
	}{{confirmed.Both, ids}, {confirmed.Beside, ids}, {confirmed.Ahead, ids[:2]}} {
		want := []byte{4, 0, 2, 0}
		for _, i := range []int{4, 5, 2, 3} {
			want = binary.LittleEndian.AppendUint64(want, mix.Mix(uint64(ids[i])))
		}
		want = append(want, inner.Record(nil, tt.filter)...)
		strategytest.EqualSlices(t, build(t, inner, 4, tt.rule).Record(nil, ids), want, "%v: history", tt.rule)
	}
}

func TestNewErrors(t *testing.T) {
	inner := inSingle(t)
	strategytest.Refuses(t, confirmed.New, map[string]confirmed.Config{
		"Inner is nil":                   {Last: 100, Rule: confirmed.Both},
		"Last is 0, want 1 to 65535":     {Inner: inner, Rule: confirmed.Both},
		"Last is 65536, want 1 to 65535": {Inner: inner, Last: 65536, Rule: confirmed.Both},
		"Rule is 0, want 1 to 3":         {Inner: inner, Last: 100},
		"Rule is 4":                      {Inner: inner, Last: 100, Rule: 4},
	})
	rules := fmt.Sprint(confirmed.Both, confirmed.Beside, confirmed.Ahead, confirmed.Rule(9))
	strategytest.Equal(t, rules, "Both Beside Ahead Rule(9)", "the rules print as")
}

// Histories damaged by hand: 30 articles listed in 50 slots of 100.
func TestValidate(t *testing.T) {
	paper := inChain(t, chain.Paper)
	beside, ahead := build(t, paper, 100, confirmed.Beside), build(t, paper, 100, confirmed.Ahead)
	const listed = 4 + 50*8
	says := func(name string, s *confirmed.Strategy, read int, damage func(history []byte) []byte, want string) {
		t.Helper()
		history := damage(s.Record(nil, strategytest.IDs(4, read)))
		strategytest.ErrorSays(t, name, s.Validate(history), want)
	}
	says("as recorded", beside, 30, func(h []byte) []byte { return h }, "")
	says("as recorded, ahead", ahead, 30, func(h []byte) []byte { return h }, "")
	says("gone round", ahead, 130, func(h []byte) []byte { return h }, "")
	says("a newcomer's", beside, 30, func([]byte) []byte { return nil }, "")
	says("cut short", beside, 30, func(h []byte) []byte { return h[:len(h)-1] }, "history of 509 bytes")
	says("no article", beside, 30, func(h []byte) []byte { h[0] = 0; return h }, "0 articles are listed, want 1 to 100")
	says("too many", beside, 30, func(h []byte) []byte { h[0] = 101; return h }, "101 articles are listed, want 1")
	says("one left out", beside, 30, func(h []byte) []byte { h[2] = 31; return h }, "next slot is 31 after 30 articles")
	says("behind the last slot", ahead, 130, func(h []byte) []byte { h[2] = 100; return h }, "next slot is 100")
	says("a slot not blank", beside, 30, func(h []byte) []byte { h[listed-1] = 1; return h }, "a slot beyond the 30")
	says("no filter", beside, 30, func(h []byte) []byte { return h[:listed] }, "history of 404 bytes")
	says("a damaged filter", beside, 30, func(h []byte) []byte { h[len(h)-1] = 9; return h }, "behind the list: chain:")
	says("longer", ahead, 30, func(h []byte) []byte { h[0], h[2] = 100, 0; return h }, "100 articles are listed in")
	says("early", ahead, 130, func(h []byte) []byte { h[0], h[2] = 99, 99; clear(h[796:804]); return h }, "106 bytes")
}

// plain is an inner strategy without what is optional.
type plain struct{ confirmed.Inner }

// An inner strategy may say nothing of headers or the textbook rate.
func TestPlainInner(t *testing.T) {
	inner := inChain(t, chain.Paper)
	known, unknown := build(t, inner, 30, confirmed.Ahead), build(t, plain{inner}, 30, confirmed.Ahead)
	if known.HeaderBytes() != 8 || unknown.HeaderBytes() != 4 {
		t.Errorf("headers of %d and %d bytes, want 8 and 4", known.HeaderBytes(), unknown.HeaderBytes())
	}
	if known.Asymptotic(300) >= known.FPR(300) || unknown.Asymptotic(300) != unknown.FPR(300) {
		t.Errorf("by the textbook %v and %v, exactly %v", known.Asymptotic(300), unknown.Asymptotic(300), known.FPR(300))
	}
}

// A slot can be as long as an inner history: what is all slots has none.
func TestValidateWithoutInner(t *testing.T) {
	// 4 slots by steps of 1, and a filter as long as a slot.
	c := single.Config{Capacity: 9, Geometry: bloom.Geometry{Bits: 64, Hashes: 2}}
	s := build(t, must[*single.Filter](t)(single.New(c)), 4, confirmed.Beside)
	history := s.Record(nil, strategytest.IDs(4, 2))
	strategytest.Must(t, s.Validate(history))
	history[0], history[2] = 3, 3 // the filter's eight bytes are the third ID
	strategytest.ErrorSays(t, "it", s.Validate(history), "no inner history behind a list of 3")
}
