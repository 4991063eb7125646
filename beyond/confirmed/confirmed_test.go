package confirmed_test

import (
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies/strategytest"
)

func inChain(c chain.Config) confirmed.Inner { return strategytest.Value(chain.New(c)) }

func build(inner confirmed.Inner, last int) *confirmed.Strategy {
	return strategytest.Value(confirmed.New(confirmed.Config{Inner: inner, Last: last}))
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
		Digest: "8d02b4da6d4cf85c",
		Config: func(r strategytest.Random) confirmed.Config {
			inner, err := drawInner(r)
			strategytest.Must(t, err)
			return confirmed.Config{Inner: inner, Last: r.Log(1, 400)}
		},
		Subject: func(r strategytest.Random, s *confirmed.Strategy) strategytest.Subject {
			life := min(10_000, 100+r.IntN(3*(s.Last+s.Inner.Window(3000))))
			return strategytest.Subject{
				Strategy: s, Theory: s, Life: life, Nested: true,
			}
		},
	})
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(inChain(chain.Paper), 100)) }

func TestLayout(t *testing.T) {
	strategytest.Equal(t, strategytest.Digest(build(inChain(chain.Paper), 100)), "983bde40b51411df", "digest")
}

// The rates by hand, over a single filter for 500 with its golden rates (Bose et al., 2008), which is shown a hundred
// articles fewer; and the window, which is longer by the list.
func TestTheory(t *testing.T) {
	s := build(strategytest.Value(single.New(single.Paper)), 100)
	for read, want := range map[int]float64{100: 0, 300: 0.000280, 600: 0.020268} {
		strategytest.Near(t, s.FPR(read), want, 0.5e-6, "FPR(%d)", read)
	}
	strategytest.Near(t, s.FPR(50)*(1<<64), 50, 1e-9, "IDs of 2^64")
	strategytest.Near(t, s.Asymptotic(600), 0.020236, 0.5e-6, "Asymptotic(600)")
	ahead := build(inChain(chain.Paper), 100)
	for read, want := range map[int]int{50: 50, 580: 500 + 80, 640: 500 + 40} {
		strategytest.Equal(t, ahead.Window(read), want, "Window(%d)", read)
	}
}

func TestErrors(t *testing.T) {
	inner := inChain(chain.Paper)
	strategytest.Refuses(t, confirmed.New, map[string]confirmed.Config{
		"Inner is nil":                   {Last: 100},
		"Last is 0, want 1 to 65535":     {Inner: inner},
		"Last is 65536, want 1 to 65535": {Inner: inner, Last: 65536},
	})
	sized := func(last int) func(int, float64) (confirmed.Config, error) {
		return func(window int, fpr float64) (confirmed.Config, error) {
			return confirmed.Sized(window, fpr, last, sizedChain)
		}
	}
	strategytest.ErrorSays(t, "no list", strategytest.ErrorOf(sized(0)(400, 0.02)), "last is 0, want 1 to 65535")
	strategytest.ErrorSays(t, "no window", strategytest.ErrorOf(sized(100)(0, 0.02)), "window is 0, want at least 1")
	strategytest.ErrorSays(t, "no chain", strategytest.ErrorOf(sized(1)(1<<20, 0.02)), "behind a list of 1: chain: window")
}

// Histories damaged by hand: 30 articles listed in 50 slots of 100, or 100 before a chain. The header is two numbers of
// 16 bits.
func TestValidate(t *testing.T) {
	paper := inChain(chain.Paper)
	s := build(paper, 100)
	says := func(name string, read int, damage func(history []byte) []byte, want string) {
		t.Helper()
		history := damage(s.Record(nil, strategytest.IDs(4, read)))
		strategytest.ErrorSays(t, name, s.Validate(history), want)
	}
	says("as recorded", 130, func(h []byte) []byte { return h }, "")
	says("cut short", 30, func(h []byte) []byte { return h[:len(h)-1] }, "history of 403 bytes")
	says("no article", 30, func(h []byte) []byte { h[0] = 0; return h }, "0 articles listed, next slot 30, in 404")
	says("too many", 30, func(h []byte) []byte { h[0] = 101; return h }, "101 articles listed")
	says("one left out", 30, func(h []byte) []byte { h[2] = 31; return h }, "30 articles listed, next slot 31")
	says("behind the last slot", 130, func(h []byte) []byte { h[2] = 100; return h }, "next slot 100")
	says("a slot not blank", 30, func(h []byte) []byte { h[403] = 1; return h }, "a slot beyond the 30")
	says("a damaged filter", 130, func(h []byte) []byte { h[len(h)-1] = 9; return h }, "behind the list: chain:")
	says("longer", 30, func(h []byte) []byte { h[0], h[2] = 100, 0; return h }, "100 articles listed")
	says("early", 130, func(h []byte) []byte { h[0], h[2] = 99, 99; clear(h[796:804]); return h }, "106 bytes")

	for _, last := range []int{127, 128, 255, 256, 32_767, 32_768, 65_535} {
		s, ids := build(paper, last), strategytest.IDs(1, 65_535)
		h := s.Record(nil, ids[:last])
		strategytest.EqualSlices(t, h[:4], []byte{byte(last), byte(last >> 8), 0, 0}, "header of %d listed", last)
		strategytest.Equal(t, strategytest.Count(strategytest.Ask(s, h, ids[:last])), last, "listed")
	}
}

func sizedChain(window int, fpr float64) (*chain.Chain, error) {
	c, err := chain.Sized(window, fpr)
	if err != nil {
		return nil, err
	}
	return chain.New(c)
}
