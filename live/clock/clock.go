// Package clock tells the service's time: the machine's, as long as it agrees with the time that has passed.
//
// A clock that is ahead once would forget users who have not been away. So a jump of the clock is reported, and time
// follows the monotonic clock until the jump has lasted. A start compares the clock with the last time in the
// histories: it cannot tell a long stop from a jump.
package clock

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"dejavu/store"
)

// A Clock is such a clock, safe for concurrent use.
type Clock struct {
	jump, hold time.Duration
	logger     *slog.Logger
	read       func() (wall time.Time, passed time.Duration)

	mu      sync.Mutex // guards all below
	started bool
	base    time.Time     // when no time had passed
	off     time.Duration // of the machine's clock if it is not believed; otherwise 0
	since   time.Duration // it is so
}

// New returns a clock that believes the machine's now, and a jump by more than jump only after hold.
func New(jump, hold time.Duration, logger *slog.Logger) *Clock {
	began := time.Now()
	c := &Clock{jump: jump, hold: hold, logger: logger, base: began.Round(0)}
	c.read = func() (time.Time, time.Duration) {
		now := time.Now()
		return now.Round(0), now.Sub(began) // of which one is the wall clock's, one the monotonic clock's
	}
	return c
}

// Follow adds the seconds in a file to the machine's clock. A proof writes the file.
func (c *Clock) Follow(path string) {
	read := c.read
	c.read = func() (time.Time, time.Duration) {
		wall, passed := read()
		b, _ := os.ReadFile(path) // none says 0
		ahead, _ := strconv.Atoi(string(b))
		return wall.Add(time.Duration(ahead) * time.Second), passed
	}
	wall, passed := c.read()
	c.base = wall.Add(-passed)
}

// Start continues from the histories' last time; later calls, and 0, change nothing.
func (c *Clock) Start(last store.Timestamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started || last == 0 {
		return
	}
	c.started = true
	wall, passed := c.read()
	if at := time.Unix(int64(last), 0); wall.Sub(at).Abs() > c.jump {
		c.base = at.Add(-passed)
	}
}

// Now returns the time in seconds.
func (c *Clock) Now() store.Timestamp {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, passed := c.read()
	expected := c.base.Add(passed)
	off := wall.Sub(expected)
	switch {
	case off.Abs() <= c.jump:
		if c.off != 0 {
			c.logger.Info("the clock agrees with the time that has passed again")
		}
		c.off = 0
		return store.Timestamp(wall.Unix())
	case (off - c.off).Abs() > c.jump: // for the first time, too
		c.off, c.since = off, passed
		c.logger.Error("the clock jumped, or the service was down: nobody is forgotten by it",
			"by", off, "believed in", c.hold)
	case passed-c.since >= c.hold:
		c.logger.Warn("the clock is believed: its jump has lasted", "by", off)
		c.base, c.off = c.base.Add(off), 0
		return store.Timestamp(wall.Unix())
	}
	return store.Timestamp(expected.Unix())
}

// Off returns how far the machine's clock differs from this one, or 0 if it is believed.
func (c *Clock) Off() time.Duration {
	c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off
}

// Warning returns an error if the machine's clock is not believed.
func (c *Clock) Warning() error {
	if off := c.Off(); off != 0 {
		return fmt.Errorf("the machine's clock differs by %v from the time that has passed, and is not believed; "+
			"if it is right, start with --trust-clock, or wait", off.Round(time.Second))
	}
	return nil
}
