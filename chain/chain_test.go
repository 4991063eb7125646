package chain_test

import (
	"encoding/binary"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var build = strategytest.Builder(chain.New)

func TestDraw(t *testing.T) {
	strategytest.Draw(t, strategytest.Draws[chain.Config, *chain.Chain]{
		New: chain.New, Presets: []chain.Config{chain.Paper, chain.Literal, chain.Eager},
		Sized: func(window int, fpr float64) (chain.Config, error) {
			if window%2 == 0 {
				return chain.Best(window, fpr)
			}
			return chain.Sized(window, fpr)
		},
		Digest: "a1ae61f86ac34a88",
		Config: func(r strategytest.Random) chain.Config {
			links := r.Log(2, chain.MaxLinks)
			return chain.Config{
				Links: links, Capacity: r.Log(1, min(65535, 200_000/links)),
				Geometry:   strategytest.Geometry[bloom.Geometry](r, bloom.MinLaneBits),
				ClearAhead: r.IntN(2) == 0, HeadSilent: r.IntN(4) == 0,
			}
		},
		Subject: func(_ strategytest.Random, c *chain.Chain) strategytest.Subject {
			// An article in no link that answers left no trace, even if the silent active link holds it.
			return strategytest.Subject{
				Strategy: c, Theory: c, Remembers: c.Remembers,
				Forgets: func(read, age int) bool { return !c.Remembers(read, age) },
			}
		},
	})
}

func FuzzKit(f *testing.F)        { strategytest.Fuzz(f, build(f, chain.Paper)) }
func FuzzKitEager(f *testing.F)   { strategytest.Fuzz(f, build(f, chain.Eager)) }
func FuzzKitLiteral(f *testing.F) { strategytest.Fuzz(f, build(f, chain.Literal)) }

func TestLayout(t *testing.T) {
	sized, _ := chain.Sized(400, 0.02)
	strategytest.Layouts(t, map[string]strategies.Strategy{
		"afc8c2fa91edb8c1": build(t, chain.Paper),
		"6ddab702b77a8414": build(t, sized),
	})
}

// §7, article by article: the 101st begins a second link, the 301st a fourth; the 500th fills the fifth, in
// 512 bytes; the 501st clears the oldest link and leaves 401.
func TestThePapersCases(t *testing.T) {
	strategytest.RunCases(t, build(t, chain.Paper), []strategytest.Case{
		{1, 106, 1},
		{100, 106, 100},
		{101, 207, 101},
		{200, 207, 200},
		{300, 309, 300},
		{301, 410, 301},
		{499, 512, 499},
		{500, 512, 500},
		{501, 512, 401},
		{600, 512, 500},
		{601, 512, 401},
		{1100, 512, 500},
		{1101, 512, 401},
	})
}

func TestNewErrors(t *testing.T) {
	paper := chain.Paper.Geometry
	strategytest.Refuses(t, chain.New, map[string]chain.Config{
		"Links is 1, want 2 to 57":           {Links: 1, Capacity: 100, Geometry: paper},
		"Links is 58, want 2 to 57":          {Links: 58, Capacity: 100, Geometry: paper},
		"Capacity is 0, want 1 to 65535":     {Links: 5, Geometry: paper},
		"Capacity is 65536, want 1 to 65535": {Links: 5, Capacity: 65536, Geometry: paper},
		"Bits is 0, want 1 to 16777216":      {Links: 5, Capacity: 100},
		"Hashes is -1, want 1 to 64":         {Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 812, Hashes: -1}},
		"Bits is 63, want at least 64":       {Links: 5, Capacity: 100, Geometry: bloom.Geometry{Bits: 63, Hashes: 6}},
	})
}

// Headers damaged by hand: the active link's count in 16 bits, its lane and the number of lanes, a byte each.
func TestValidate(t *testing.T) {
	s := build(t, chain.Paper)
	header := func(count, head, links uint32) uint32 { return count | head<<16 | links<<24 }
	says := func(name string, read int, header uint32, want string) {
		t.Helper()
		history := s.Record(nil, strategytest.IDs(4, read))
		binary.LittleEndian.PutUint32(history[len(history)-4:], header)
		strategytest.ErrorSays(t, name, s.Validate(history), want)
	}
	says("three links", 250, header(50, 2, 3), "")
	says("a full head", 300, header(100, 2, 3), "")
	says("an empty head", 250, header(0, 2, 3), "head's number of articles is 0, want 1 to 100")
	says("an overfull head", 250, header(101, 2, 3), "head's number of articles is 101, want 1 to 100")
	says("a head beyond the links", 250, header(50, 3, 3), "head is link 3 of 3")
	says("no links", 250, header(50, 0, 0), "header says 0 links in a history of 309 bytes")
	says("more links than lanes", 250, header(50, 2, 4), "header says 4 links in a history of 309 bytes")
	says("more links than the chain", 250, header(50, 2, 255), "header says 255 links")
	says("too few articles for the head's bits", 250, header(9, 2, 3), "bits set in lane 2 by 9 articles of 6 hashes")
	history := s.Record(nil, strategytest.IDs(4, 250)) // 2436 bits: four of the last byte's are no position
	history[len(history)-5] |= 0x80
	strategytest.ErrorSays(t, "a bit behind the last", s.Validate(history), "beyond the last of the 812 positions")
	history = s.Record(nil, strategytest.IDs(4, 250))
	lanes := strategytest.Value(bloom.NewLanes(chain.Paper.Geometry, 3))
	lanes.Clear(history, 1<<1)
	strategytest.ErrorSays(t, "an empty link", s.Validate(history), "no bit is set in lane 1")
	strategytest.ErrorSays(t, "511 bytes", s.Validate(make([]byte, 511)), "history of 511 bytes")
	ten := build(t, chain.Config{Links: 10, Capacity: 100, Geometry: chain.Paper.Geometry})
	strategytest.ErrorSays(t, "six links", s.Validate(ten.Record(nil, strategytest.IDs(4, 501))), "history of 613 bytes")
}
