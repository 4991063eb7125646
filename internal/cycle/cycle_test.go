package cycle_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/internal/cycle"
)

// layout returns slots of a byte behind a header of header bytes.
func layout(header, slots, step int) *cycle.Layout {
	l := cycle.NewLayout("x", nil, header, slots, step, func(slots int) int { return slots })
	return &l
}

// A header comes back as it was stored, and holds what it should. What is on disk: the next slot, little-endian, and in
// the highest bit of three or four bytes whether all slots hold an article.
func TestHeader(t *testing.T) {
	for bytes := 3; bytes <= 4; bytes++ {
		for _, next := range []int{1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, 1<<23 - 1, 1 << 23, 1 << 24} {
			if next > 1<<23-1 && bytes == 3 {
				continue
			}
			for round, held := range map[bool]int{false: next, true: next + next/2} {
				slots := next + next/2
				if slots > 1<<23-1 && bytes == 3 {
					slots, held = next, next
				}
				l, history := layout(bytes, slots, slots), make([]byte, slots+bytes)
				for i := range history {
					history[i] = 0xff
				}
				c := cycle.Cycle{Slots: slots, Next: next, Round: round}
				c.Store(l, history)
				word := uint32(next)
				if round {
					word |= 1 << (8*bytes - 1)
				}
				var want [4]byte
				binary.LittleEndian.PutUint32(want[:], word)
				strategytest.EqualSlices(t, history[slots-1:], append([]byte{0xff}, want[:bytes]...), "%+v: header", c)
				strategytest.Equal(t, cycle.Of(l, history), c, "read again")
				strategytest.Equal(t, strategytest.Value(cycle.Check(l, history)), c, "checked")
				strategytest.Equal(t, c.Held(), held, "%+v holds", c)
			}
		}
	}
}

// Steps of 40 slots: a history has the fewest that hold its articles. Generations of 10, at most 3: the newest is full
// until the next article comes.
func TestLengths(t *testing.T) {
	l := layout(3, 100, 40)
	for articles, want := range map[int]int{1: 40, 40: 40, 41: 80, 80: 80, 81: 100, 100: 100, 70_000: 100} {
		strategytest.Equal(t, cycle.SlotsFor(l, articles), want, "slots for %d articles", articles)
		strategytest.Equal(t, l.Bytes(articles), want+3, "bytes for %d articles", articles)
	}
	for read, want := range map[int][2]int{
		-1: {0, 0}, 0: {0, 0}, 1: {1, 0}, 10: {10, 0}, 11: {1, 1}, 30: {10, 2}, 31: {1, 2}, 65_536: {6, 2},
	} {
		newest, full := cycle.Generations(read, 10, 3)
		strategytest.Equal(t, [2]int{newest, full}, want, "after %d articles: generations", read)
	}
}

func TestNewcomer(t *testing.T) {
	strategytest.Equal(t, cycle.Of(layout(3, 40, 40), nil), (cycle.Cycle{}), "a newcomer's cycle is")
}

// The last slot is followed by the first, and from then on every slot holds one.
func TestTurn(t *testing.T) {
	for c, want := range map[cycle.Cycle]cycle.Cycle{
		{Slots: 3, Next: 2}:              {Slots: 3, Next: 2},
		{Slots: 3, Next: 3}:              {Slots: 3, Round: true},
		{Slots: 3, Next: 1, Round: true}: {Slots: 3, Next: 1, Round: true},
		{}:                               {Round: true},
	} {
		got := c
		got.Turn()
		strategytest.Equal(t, got, want, "%+v turns to", c)
	}
}

// A length or a header that no history has is refused, and the header read as one that it can have.
func TestForged(t *testing.T) {
	_, err := cycle.Check(layout(3, 80, 40), make([]byte, 82))
	strategytest.ErrorSays(t, "a length between two", err, "x: ")
	for header, want := range map[[3]byte]string{
		{}:                 "x: next slot is 0 of 80, want 41 to 80",
		{40}:               "x: next slot is 40 of 80, want 41 to 80",
		{81}:               "x: next slot is 81 of 80, want 41 to 80",
		{0, 0, 0x80}:       "x: next slot is 0 of 80, want 1 to 80",
		{81, 0, 0x80}:      "x: next slot is 81 of 80, want 1 to 80",
		{0xff, 0xff, 0xff}: "x: next slot is 8388607 of 80, want 1 to 80",
		{41}:               "",
		{80}:               "",
		{1, 0, 0x80}:       "",
		{80, 0, 0x80}:      "",
	} {
		l, history := layout(3, 80, 40), append(make([]byte, 80), header[:]...)
		switch _, err := cycle.Check(l, history); {
		case want == "" && err != nil:
			t.Errorf("%x: %v", header, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%x: error %v, want %q", header, err, want)
		}
		if got := cycle.Of(l, history); got.Next > 80 || got.Held() > 80 {
			t.Errorf("%x is read as %+v", header, got)
		}
	}
}

// Parts come back as they were stored, and count those in use beside the one that takes articles.
func TestParts(t *testing.T) {
	strategytest.Equal(t, cycle.PartsOf(nil), cycle.Parts{}, "a newcomer's parts")
	for _, count := range []int{0, 1, 255, 256, 65_535} {
		for _, next := range []int{0, 1, 2, 126, 127} {
			for full, others := range map[bool]int{false: next, true: 200} {
				p, history := cycle.Parts{Count: count, Next: next, Full: full}, bytes.Repeat([]byte{0xff}, 5)
				p.Store(history)
				strategytest.Equal(t, cycle.PartsOf(history), p, "read again")
				strategytest.Equal(t, p.Others(200), others, "%+v: others", p)
				word := uint32(count | next<<16)
				if full {
					word |= 1 << 23
				}
				strategytest.Equal(t, binary.LittleEndian.Uint32(history[1:])>>8, word, "%+v on disk", p)
			}
		}
	}
}
