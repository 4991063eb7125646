package clock

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies/strategytest"
)

const began = 1_000_000

// fake returns a clock whose readings the test sets, in seconds.
func fake() (c *Clock, set func(wall, passed int)) {
	c = New(10*time.Minute, time.Hour, slog.New(slog.DiscardHandler))
	c.base = time.Unix(began, 0)
	var wall, passed int
	c.read = func() (time.Time, time.Duration) {
		return time.Unix(int64(began+wall), 0), time.Duration(passed) * time.Second
	}
	return c, func(w, p int) { wall, passed = w, p }
}

// A file moves the machine's clock against the time that has passed; if it moved before, it is believed.
func TestFollow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clock")
	ahead := func(seconds string) { strategytest.Must(t, os.WriteFile(file, []byte(seconds), 0o600)) }
	for i, before := range []string{"", "864000", "-864000"} {
		want := time.Now().Unix() + []int64{0, 864000, -864000}[i]
		ahead(before)
		c := New(10*time.Minute, time.Hour, slog.New(slog.DiscardHandler))
		c.Follow(file)
		for _, moved := range []string{before, "90000", "-90000"} {
			ahead(moved)
			if got := int64(c.Now()); got < want || got > want+60 || (c.Off() == 0) != (moved == before) {
				t.Errorf("%q at the start, then %q: %d, off by %v, want %d", before, moved, got, c.Off(), want)
			}
		}
	}
}

// A clock that jumps is followed only after the jump has lasted an hour, which is logged; another jump waits again.
func TestJumps(t *testing.T) {
	const hour, day = 3600, 86400
	var said strings.Builder
	for _, c := range []struct {
		name  string
		steps [][3]int // wall, passed, and the service's time
	}{
		{"none", [][3]int{{5, 5, 5}, {10, 10, 10}}},
		{"small", [][3]int{{600, 0, 600}, {-595, 5, -595}, {604, 4, 604}}},
		{"ahead", [][3]int{{day, 1, 1}, {day + 3599, hour, hour}, {day + hour, 3601, day + hour}}},
		{"ahead, and a little", [][3]int{{day, 1, 1}, {day + 601, 2, 2}, {day + 4200, 3601, day + 4200}}},
		{"and on", [][3]int{{day, 1, 1}, {day + hour, 3601, day + hour}, {0, 3702, day + 3701}}},
		{"and back", [][3]int{{day, 1, 1}, {100, 100, 100}, {day, 200, 200}, {day + 3500, 3700, 3700}}},
		{"behind", [][3]int{{-day, 1, 1}, {-day + 99, 100, 100}, {-day + 3600, 3601, -day + 3600}}},
		{"twice", [][3]int{
			{day, 1, 1}, {2 * day, 1801, 1801}, {2*day + 1800, 3602, 3602}, {2*day + hour, 5401, 2*day + hour},
		}},
	} {
		clock, set := fake()
		clock.logger = slog.New(slog.NewTextHandler(&said, nil))
		for i, s := range c.steps {
			set(s[0], s[1])
			strategytest.Equal(t, int(clock.Now())-began, s[2], "%s, %d", c.name, i)
			believed := [2]bool{clock.Off() == 0, clock.Warning() == nil}
			strategytest.Equal(t, believed, [2]bool{s[0] == s[2], s[0] == s[2]}, "%s, %d: the clock is believed", c.name, i)
		}
	}
	for level, want := range map[string]int{"ERROR": 9, "WARN": 5, "INFO": 1} {
		strategytest.Equal(t, strings.Count(said.String(), "level="+level), want, "%s in the log", level)
	}
}

// A start continues where the histories end, if the clock says otherwise, however long they took to load.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		last store.Timestamp
		want int
	}{{0, 0}, {began - 600, 0}, {began - 601, -601}, {began + 601, 601}} {
		clock, set := fake()
		set(0, 50)
		clock.Start(c.last)
		if c.last > 0 {
			clock.Start(1)
		}
		strategytest.Equal(t, int(clock.Now())-began, c.want, "after %d", c.last)
		set(3600, 3600)
		clock.Now()
		set(7200, 7200)
		strategytest.Equal(t, int(clock.Now())-began, 7200, "after %d, and hours", c.last)
	}
}
