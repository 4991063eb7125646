package store

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// At is a time as a Timestamp: whole seconds since 1970 in UTC, so that a service that starts again goes on with the
// same clock. It is 0 before 1970, and the last of the 32 bits from February 2106 on.
func At(t time.Time) Timestamp { return Timestamp(min(max(t.Unix(), 0), math.MaxUint32)) }

const (
	moves = 8 // odd readings in a row after which the clock is believed to have been moved
	sure  = 4 // readings, more than odd ones, after which a clock is right about all users
)

// A clock knows the time from the readings of all callers, so that a wrong one does little harm. It believes the
// latest that is no more than skew ahead of what it believed; an odd one, further ahead or further behind, counts as
// skew ahead or behind. After moves odd readings, all ahead or all behind, each no more than skew before the one before
// it, and no other between them, it believes the first. They need not be alike: if requests are rare, each is later.
//
// The first readings after a pause are odd and right, and one from a wrong clock looks the same until others follow. So
// what an odd request ahead records carries its own time. Once moves readings, more than odd ones, say that it was
// wrong, bound corrects it. Until then it can only make a history expire late.
type clock struct {
	skew     Timestamp     // 0: all readings are believed
	believed atomic.Uint64 // and 1; 0 before the first reading
	steady   atomic.Int32  // readings that were not odd, up to moves, less the odd ones; changes under mu

	mu          sync.Mutex // guards all below
	row         int        // odd readings so far
	first, last Timestamp  // of them
	skewed      int64      // odd readings since New
}

func (c *clock) set(now Timestamp) { c.believed.Store(uint64(now) + 1) }

// A moment is what a reading counts as: now decides which histories have expired, and mark is the time that a history
// carries if something is recorded then. They differ only for an odd reading ahead.
type moment struct{ now, mark Timestamp }

// read returns what a reading counts as.
func (c *clock) read(now Timestamp) moment {
	read := now
	if c.skew != 0 {
		read = c.judge(now)
	}
	return moment{read, max(read, now)}
}

// judge returns what a reading counts as.
func (c *clock) judge(now Timestamp) Timestamp {
	for {
		was := c.believed.Load()
		switch {
		case was != 0 && !c.near(now, Timestamp(was-1)):
			return c.odd(now)
		case was > uint64(now) || c.believed.CompareAndSwap(was, uint64(now)+1):
			if c.steady.Load() < moves {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.row = 0
				c.steady.Store(min(c.steady.Load()+1, moves))
			}
			return now
		}
	}
}

// readAll returns what a reading counts as, and the time until which all users may expire: neither one wrong reading
// nor a clock that began wrong makes them expire together.
func (c *clock) readAll(now Timestamp) (read, until Timestamp) {
	read = c.read(now).now
	switch {
	case c.skew == 0:
		return read, read
	case c.steady.Load() < sure:
		return read, 0
	}
	return read, min(read, Timestamp(c.believed.Load()-1))
}

func (c *clock) near(a, b Timestamp) bool { return max(a, b)-min(a, b) <= c.skew }

func (c *clock) odd(now Timestamp) Timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skewed++
	c.steady.Store(max(c.steady.Load()-1, 0))
	believed := Timestamp(c.believed.Load() - 1)
	if c.row == 0 || now > believed != (c.last > believed) || now < c.last && !c.near(now, c.last) {
		c.row, c.first = 0, now
	}
	c.last = now
	if c.row++; c.row == moves {
		c.row, believed = 0, c.first
		c.set(believed)
		c.steady.Store(0)
	}
	low, high := believed-min(believed, c.skew), believed+min(math.MaxUint32-believed, c.skew)
	return min(max(now, low), high)
}

// bound returns the time of a user's last Record, or the latest that it can have been at.
func (c *clock) bound(last Timestamp) Timestamp {
	if c.skew == 0 || c.steady.Load() < moves {
		return last
	}
	return Timestamp(min(uint64(last), c.believed.Load()-1+uint64(c.skew)))
}
