// Package cycle keeps the last articles in slots that are overwritten in turn. It computes the lengths of histories and
// the window. A header says which article is newest, and whether every slot is full.
package cycle

import (
	"fmt"

	"dejavu/strategies"
)

// A Layout describes histories that grow by step slots until they have window slots. It is embedded for the methods
// Bytes and Window.
//
// The header is a little-endian number of three or four bytes: the slot after the newest article and, in the highest
// bit, whether all slots hold one.
type Layout struct {
	strategies.Layout
	name         string
	window, step int
}

// NewLayout returns a layout. Bytes returns the length of an array of slots; three bytes of header suffice for 2^23-1.
func NewLayout(name string, config any, header, window, step int, bytes func(slots int) int) Layout {
	var arrays []int
	for slots := step; slots < window; slots += step {
		arrays = append(arrays, bytes(slots))
	}
	return Layout{strategies.NewLayout(name, config, header, append(arrays, bytes(window))...), name, window, step}
}

// Bytes returns the length of the slots, in whole steps, and the header.
func (l *Layout) Bytes(read int) int { return l.SizeAt(read, (l.Window(read)-1)/l.step) }

// Window returns exactly the number of articles read, or of slots if that is lower.
func (l *Layout) Window(read int) int { return min(max(read, 0), l.window) }

// slots returns the number of slots of a history of the i-th of Sizes.
func (l *Layout) slots(i int) int { return min((i+1)*l.step, l.window) }

// SlotsFor returns the number of slots of a history of the given number of articles.
func SlotsFor(l *Layout, articles int) int { return l.slots((l.Window(articles) - 1) / l.step) }

// A Cycle tells which slots hold articles. The zero value is a newcomer's.
type Cycle struct {
	Slots int  // there are, as the history's length says
	Next  int  // the slot behind the newest article, 1 to Slots
	Round bool // whether every slot holds an article, the oldest in slot Next mod Slots
}

// Of returns a history's cycle, or zero for a newcomer. A forged header is read as a possible one.
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

// Held returns the number of articles held: the slots before Next, or all.
func (c Cycle) Held() int {
	if c.Round {
		return c.Slots
	}
	return c.Next
}

// Turn goes back to the first slot after the last one.
func (c *Cycle) Turn() {
	if c.Next == c.Slots {
		c.Next, c.Round = 0, true
	}
}

// Check is Of for a history that may be damaged. It returns an error if the header does not fit the length, which must
// be the shortest for its articles.
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

// Parts says which of a history's parts, used in turn, takes the next article. Its header has PartsBytes: the articles
// of that part in 16 bits, little-endian, its number, and in the highest bit whether all parts are in use.
type Parts struct {
	Count int  // articles of the part
	Next  int  // its number
	Full  bool // whether all parts are in use, and else those before it
}

// PartsBytes is the length of the header of Parts.
const PartsBytes = 3

// PartsOf returns what the header at the end of a history says, and the zero value for a newcomer.
func PartsOf(history []byte) Parts {
	if len(history) == 0 {
		return Parts{}
	}
	h := history[len(history)-PartsBytes:]
	return Parts{int(h[0]) | int(h[1])<<8, int(h[2] & 0x7f), h[2] > 0x7f}
}

// Store writes the header.
func (p Parts) Store(history []byte) {
	h := history[len(history)-PartsBytes:]
	h[0], h[1], h[2] = byte(p.Count), byte(p.Count>>8), byte(p.Next)
	if p.Full {
		h[2] |= 0x80
	}
}

// Others returns the number of other parts in use, of all there can be.
func (p Parts) Others(all int) int {
	if p.Full {
		return all
	}
	return p.Next
}

// Generations returns what is held after read articles if at most most generations of each articles are kept: the
// articles of the newest, which begins when the one before is full, and the number of full ones before it.
func Generations(read, each, most int) (newest, full int) {
	if read <= 0 {
		return 0, 0
	}
	return (read-1)%each + 1, min((read-1)/each, most-1)
}
