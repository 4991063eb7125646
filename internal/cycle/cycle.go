// Package cycle is what strategies have in common that keep the last articles in slots written round and round:
// lengths of histories, window, and a header that says where the newest article is, and whether every slot holds one.
package cycle

import (
	"fmt"

	"dejavu/strategies"
)

// A Layout is that of histories of step slots, twice as many and so on, and window at last. Embedded, it is also
// Bytes and Window.
//
// The header is a little-endian number of three or four bytes: the slot behind the newest article, and if all hold one.
type Layout struct {
	strategies.Layout
	name         string
	window, step int
}

// NewLayout returns the layout of slots that take so many bytes, with a header of four, or of three up to 2^23-1 slots.
func NewLayout(name string, config any, header, window, step int, bytes func(slots int) int) Layout {
	var arrays []int
	for slots := step; slots < window; slots += step {
		arrays = append(arrays, bytes(slots))
	}
	return Layout{strategies.NewLayout(name, config, header, append(arrays, bytes(window))...), name, window, step}
}

// Bytes is the slots, in whole steps, and the header.
func (l *Layout) Bytes(read int) int { return l.SizeAt(read, (l.Window(read)-1)/l.step) }

// Window returns exactly the number of articles read, or of slots if that is lower.
func (l *Layout) Window(read int) int { return min(max(read, 0), l.window) }

// slots is how many a history has of which Sizes has the i-th.
func (l *Layout) slots(i int) int { return min((i+1)*l.step, l.window) }

// SlotsFor is how many a history of so many articles has.
func SlotsFor(l *Layout, articles int) int { return l.slots((l.Window(articles) - 1) / l.step) }

// A Cycle says which of the slots hold articles. That of no history is the zero value.
type Cycle struct {
	Slots int  // there are, as the history's length says
	Next  int  // the slot behind the newest article, 1 to Slots
	Round bool // whether every slot holds an article, the oldest in slot Next mod Slots
}

// Of is the cycle of a history, the zero value for a newcomer's, and one that a history can have where it was forged.
func Of(l *Layout, history []byte) Cycle {
	if len(history) == 0 {
		return Cycle{}
	}
	c := header(l, history)
	c.Next = min(c.Next, c.Slots)
	return c
}

func header(l *Layout, history []byte) Cycle {
	h := history[len(history)-l.HeaderBytes():]
	word := uint(h[0]) | uint(h[1])<<8 | uint(h[2])<<16
	if len(h) == 4 {
		word |= uint(h[3]) << 24
	}
	wrapped := uint(1) << (8*len(h) - 1)
	return Cycle{l.slots(l.Index(history)), int(word &^ wrapped), word&wrapped != 0}
}

// Store writes the header.
func (c Cycle) Store(l *Layout, history []byte) {
	h := history[len(history)-l.HeaderBytes():]
	word := uint(c.Next)
	if c.Round {
		word |= 1 << (8*len(h) - 1)
	}
	h[0], h[1], h[2] = byte(word), byte(word>>8), byte(word>>16)
	if len(h) == 4 {
		h[3] = byte(word >> 24)
	}
}

// Held is how many articles are: the slots before Next, or all.
func (c Cycle) Held() int {
	if c.Round {
		return c.Slots
	}
	return c.Next
}

// Turn goes back to the first slot where the last one is behind.
func (c *Cycle) Turn() {
	if c.Next == c.Slots {
		c.Next, c.Round = 0, true
	}
}

// Check is Of for a history that may be damaged, and an error where the header does not fit the length, the least for
// its articles.
func Check(l *Layout, history []byte) (Cycle, error) {
	if err := l.CheckLength(history); err != nil || len(history) == 0 {
		return Cycle{}, err
	}
	c := header(l, history)
	least := 1
	if !c.Round {
		least = (c.Slots-1)/l.step*l.step + 1
	}
	if c.Next < least || c.Next > c.Slots {
		return c, fmt.Errorf("%s: next slot is %d of %d, want %d to %d", l.name, c.Next, c.Slots, least, c.Slots)
	}
	return c, nil
}

// Generations is what a cycle of generations holds after read articles, at most so many of a number of articles each:
// those of the newest one, which begins with the article that finds the one before full, and full ones behind it.
func Generations(read, each, most int) (newest, full int) {
	if read <= 0 {
		return 0, 0
	}
	return (read-1)%each + 1, min((read-1)/each, most-1)
}
