package cycle_test

import (
	"bytes"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/internal/cycle"
)

// layout is of slots of a byte, with a header of so many.
func layout(header, slots, step int) *cycle.Layout {
	l := cycle.NewLayout("x", nil, header, slots, step, func(slots int) int { return slots })
	return &l
}

// Every cycle there is comes back from its header, and holds what it should.
func TestHeader(t *testing.T) {
	for _, slots := range []int{1, 40, 256, 70000, 1<<23 - 1} {
		for _, next := range []int{1, (slots + 1) / 2, slots} {
			for i, round := range []bool{false, true, false, true} {
				l := layout(3+i/2, slots, slots)
				history := bytes.Repeat([]byte{0xff}, slots+3+i/2)
				c := cycle.Cycle{Slots: slots, Next: next, Round: round}
				c.Store(l, history)
				if got := cycle.Of(l, history); got != c || history[slots-1] != 0xff {
					t.Errorf("%+v comes back as %+v", c, got)
				}
				strategytest.Equal(t, strategytest.Value(cycle.Check(l, history)), c, "checked")
				held := map[bool]int{false: next, true: slots}[round]
				strategytest.Equal(t, c.Held(), held, "%+v holds", c)
			}
		}
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

// A header that no history has is refused, and read as one that it can have.
func TestForged(t *testing.T) {
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
