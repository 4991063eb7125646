package cycle_test

import (
	"strings"
	"testing"

	"dejavu/internal/cycle"
)

// Every cycle there is comes back from its header, and holds what it should.
func TestHeader(t *testing.T) {
	for _, slots := range []int{1, 40, 256, 70000, cycle.MostSlots} {
		for _, next := range []int{1, (slots + 1) / 2, slots} {
			for _, round := range []bool{false, true} {
				history := []byte{9, 0xff, 0xff, 0xff}
				c := cycle.Cycle{Slots: slots, Next: next, Round: round}
				c.Store(history)
				if got := cycle.Of(history, slots); got != c || history[0] != 9 {
					t.Errorf("%+v comes back as %+v", c, got)
				}
				if got, err := cycle.Check("x", history, slots, slots); got != c || err != nil {
					t.Errorf("%+v is checked as %+v, %v", c, got, err)
				}
				held := map[bool]int{false: next, true: slots}[round]
				if got := c.Held(); got != held {
					t.Errorf("%+v holds %d, want %d", c, got, held)
				}
			}
		}
	}
}

func TestNewcomer(t *testing.T) {
	if got := cycle.Of(nil, 40); got != (cycle.Cycle{}) {
		t.Errorf("a newcomer's cycle is %+v, want the zero value", got)
	}
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
		if got.Turn(); got != want {
			t.Errorf("%+v turns to %+v, want %+v", c, got, want)
		}
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
		switch _, err := cycle.Check("x", header[:], 80, 40); {
		case want == "" && err != nil:
			t.Errorf("%x: %v", header, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%x: error %v, want %q", header, err, want)
		}
		if got := cycle.Of(header[:], 80); got.Next > 80 || got.Held() > 80 {
			t.Errorf("%x is read as %+v", header, got)
		}
	}
}
