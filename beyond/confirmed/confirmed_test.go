package confirmed_test

import (
	"testing"

	"dejavu/beyond/confirmed"
	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func inChain(c chain.Config) confirmed.Inner { return strategytest.Value(chain.New(c)) }

func build(inner confirmed.Inner, last int, rule confirmed.Rule) *confirmed.Strategy {
	return strategytest.Value(confirmed.New(confirmed.Config{Inner: inner, Last: last, Rule: rule}))
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

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(inChain(chain.Paper), 100, confirmed.Ahead)) }

func TestLayout(t *testing.T) {
	for rule, want := range map[confirmed.Rule]string{
		confirmed.Both: "9839885db3ee2ea0", confirmed.Beside: "9839885db3ee2ea0", confirmed.Ahead: "983bde40b51411df",
	} {
		strategytest.Equal(t, strategytest.Digest(build(inChain(chain.Paper), 100, rule)), want, "digest of %v", rule)
	}
}

// The rates by hand, over a single filter for 500 with its golden rates (Bose et al., 2008): Beside leaves them as they
// are, Ahead has the rate of a hundred articles fewer, and Both is no more than a hundred IDs in 2^64.
func TestFPR(t *testing.T) {
	inner := strategytest.Value(single.New(single.Paper))
	for rule, want := range map[confirmed.Rule][3]float64{
		confirmed.Both: {0, 0, 0}, confirmed.Beside: {0.002104, 0.020268, 0.211128}, confirmed.Ahead: {0.000280, 0, 0.020268},
	} {
		s := build(inner, 100, rule)
		for i, read := range []int{300, 500, 1000} {
			if rule == confirmed.Ahead && i > 0 {
				read = []int{300, 100, 600}[i]
			}
			strategytest.Near(t, s.FPR(read), want[i], 0.5e-6, "%v: FPR(%d)", rule, read)
		}
	}
	both := build(inner, 100, confirmed.Both)
	strategytest.Near(t, both.FPR(50)*(1<<64), 50, 1e-9, "IDs of 2^64")
	strategytest.Near(t, build(inner, 100, confirmed.Ahead).Asymptotic(600), 0.020236, 0.5e-6, "Asymptotic(600)")
}

// The chain by literal reading misses its newest 1 to 100 articles, which a list of a hundred makes good. One of sixty
// leaves a gap.
func TestWindow(t *testing.T) {
	literal := inChain(chain.Literal)
	short := build(literal, 60, confirmed.Beside)
	for s, want := range map[*confirmed.Strategy][3]int{
		build(inChain(chain.Paper), 100, confirmed.Both):  {50, 100, 100},
		build(inChain(chain.Paper), 100, confirmed.Ahead): {50, 500 + 80, 500 + 40},
		build(literal, 100, confirmed.Beside):             {50, 480, 440},
		short:                                             {50, 60, 440},
		build(literal, 100, confirmed.Both):               {0, 0, 0},
	} {
		for i, read := range []int{50, 580, 640} {
			strategytest.Equal(t, s.Window(read), want[i], "%v: Window(%d)", s.Rule, read)
		}
	}
	if !short.Remembers(580, 81) || short.Remembers(580, 80) || short.Remembers(580, 61) || !short.Remembers(580, 60) {
		t.Error("sixty beside the chain read literally after 580: want all but 61 to 80 ago")
	}
}

func TestErrors(t *testing.T) {
	inner := inChain(chain.Paper)
	strategytest.Refuses(t, confirmed.New, map[string]confirmed.Config{
		"Inner is nil":                   {Last: 100, Rule: confirmed.Both},
		"Last is 0, want 1 to 65535":     {Inner: inner, Rule: confirmed.Both},
		"Last is 65536, want 1 to 65535": {Inner: inner, Last: 65536, Rule: confirmed.Both},
		"Rule is 0, want 1 to 3":         {Inner: inner, Last: 100},
		"Rule is 4":                      {Inner: inner, Last: 100, Rule: 4},
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

// Histories damaged by hand: 30 articles listed in 50 slots of 100. The header is two numbers of 16 bits.
func TestValidate(t *testing.T) {
	paper := inChain(chain.Paper)
	beside, ahead := build(paper, 100, confirmed.Beside), build(paper, 100, confirmed.Ahead)
	says := func(name string, s *confirmed.Strategy, read int, damage func(history []byte) []byte, want string) {
		t.Helper()
		history := damage(s.Record(nil, strategytest.IDs(4, read)))
		strategytest.ErrorSays(t, name, s.Validate(history), want)
	}
	says("as recorded", ahead, 130, func(h []byte) []byte { return h }, "")
	says("cut short", beside, 30, func(h []byte) []byte { return h[:len(h)-1] }, "history of 509 bytes")
	says("no article", beside, 30, func(h []byte) []byte { h[0] = 0; return h }, "0 articles listed, next slot 30, in 510")
	says("too many", beside, 30, func(h []byte) []byte { h[0] = 101; return h }, "101 articles listed")
	says("one left out", beside, 30, func(h []byte) []byte { h[2] = 31; return h }, "30 articles listed, next slot 31")
	says("behind the last slot", ahead, 130, func(h []byte) []byte { h[2] = 100; return h }, "next slot 100")
	says("a slot not blank", beside, 30, func(h []byte) []byte { h[403] = 1; return h }, "a slot beyond the 30")
	says("no filter", beside, 30, func(h []byte) []byte { return h[:404] }, "history of 404 bytes")
	says("a damaged filter", beside, 30, func(h []byte) []byte { h[len(h)-1] = 9; return h }, "behind the list: chain:")
	says("longer", ahead, 30, func(h []byte) []byte { h[0], h[2] = 100, 0; return h }, "100 articles listed")
	says("early", ahead, 130, func(h []byte) []byte { h[0], h[2] = 99, 99; clear(h[796:804]); return h }, "106 bytes")

	for _, last := range []int{127, 128, 255, 256, 32_767, 32_768, 65_535} {
		s, ids := build(paper, last, confirmed.Ahead), strategytest.IDs(1, 65_535)
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
