// Package cycle is the header of a history that keeps the last articles in slots written round and round, and
// what it says: where the newest article is, and whether every slot holds one.
package cycle

import "fmt"

const (
	// HeaderBytes end a history: a little-endian number, the slot behind the newest article, and wrapped.
	HeaderBytes = 3
	wrapped     = 1 << 23

	// MostSlots is how many a header can tell apart.
	MostSlots = wrapped - 1
)

// A Cycle says which of the slots hold articles. That of no history is the zero value.
type Cycle struct {
	Slots int  // there are, as the history's length says
	Next  int  // the slot behind the newest article, 1 to Slots
	Round bool // whether every slot holds an article, the oldest in slot Next mod Slots
}

// Of is the cycle of a history of so many slots, and the zero value for a newcomer's. Where its header was
// forged it is one that a history can have.
func Of(history []byte, slots int) Cycle {
	if len(history) == 0 {
		return Cycle{}
	}
	c := header(history, slots)
	c.Next = min(c.Next, slots)
	return c
}

func header(history []byte, slots int) Cycle {
	end := len(history) - HeaderBytes
	word := int(history[end]) | int(history[end+1])<<8 | int(history[end+2])<<16
	return Cycle{Slots: slots, Next: word &^ wrapped, Round: word&wrapped != 0}
}

// Store writes the header.
func (c Cycle) Store(history []byte) {
	word := c.Next
	if c.Round {
		word |= wrapped
	}
	end := len(history) - HeaderBytes
	history[end], history[end+1], history[end+2] = byte(word), byte(word>>8), byte(word>>16)
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

// Check is Of for a history that may be damaged, and an error in the name of a strategy where the header does
// not fit its length: a history grows by so many slots at a time, and is as short as its articles allow.
func Check(name string, history []byte, slots, step int) (Cycle, error) {
	c := header(history, slots)
	least := 1
	if !c.Round {
		least = (slots-1)/step*step + 1
	}
	if c.Next < least || c.Next > slots {
		return c, fmt.Errorf("%s: next slot is %d of %d, want %d to %d", name, c.Next, slots, least, slots)
	}
	return c, nil
}
