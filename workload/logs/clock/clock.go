// Package clock reads times as logs write them, and finds out how a log does.
//
// A Clock is one way of writing times. Of tells it from a sample, by how many of the
// sample's times each clock can read; what may be several ways is not guessed. A time
// without a zone is taken for UTC, and none is before 1970 or after 9999.
package clock

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"dejavu/workload/logs/shown"
)

// Clock is how a log writes times, by the name that a command line has for it.
type Clock string

// The clocks. Those that count since 1970 may have fractions.
const (
	Seconds Clock = "s"
	Millis  Clock = "ms"
	Micros  Clock = "us"
	Nanos   Clock = "ns"
	RFC3339 Clock = "rfc3339" // 2019-11-15T08:55:22Z, or as SQL and others have it: see iso
	Date    Clock = "date"    // 20191115, 201911150855 or 20191115085522
	MDY     Clock = "mdy"     // 11/15/2019, with a time or without
	DMY     Clock = "dmy"     // 15/11/2019 or 15.11.2019, with a time or without
	English Clock = "english" // Fri Nov 15 08:55:22 +0000 2019, and others with English months
)

// A way is a clock, and how it is read.
type way struct {
	clock Clock
	about string
	// read is false for what is no time of its kind.
	read func(text []byte) (seconds int64, nanos uint32, ok bool)
	// usual is whether a time that it reads may be meant; nil is always.
	usual func(seconds int64) bool
}

// ways are all clocks there are.
var ways = []way{
	{Seconds, "seconds since 1970", since(1), func(s int64) bool { return s < 1e11 }},
	{Millis, "milliseconds since 1970", since(1e3), around},
	{Micros, "microseconds since 1970", since(1e6), around},
	{Nanos, "nanoseconds since 1970", since(1e9), around},
	{RFC3339, "like 2019-11-15T08:55:22Z (RFC 3339) or 2019-11-15 08:55", iso, nil},
	{Date, "like 20191115 or 20191115085522", digits, nil},
	{
		MDY, "like 11/15/2019 8:55:22 AM",
		layouts("/.", "1/2/2006", " 3:04:05 PM", " 3:04 PM", " 15:04:05", " 15:04", ""), nil,
	},
	{DMY, "like 15/11/2019 08:55:22", layouts("/.", "2/1/2006", " 15:04:05", " 15:04", ""), nil},
	{English, "like Fri Nov 15 08:55:22 +0000 2019", layouts("aeiou", "", english...), nil},
}

// english are layouts with names of months: Ruby's and Twitter's, git's, that of C without
// a zone, those of mail, and that of web servers.
var english = []string{
	"Mon Jan _2 15:04:05 -0700 2006", "Mon Jan _2 15:04:05 2006 -0700", "Mon Jan _2 15:04:05 2006",
	"Mon, _2 Jan 2006 15:04:05 -0700", "Mon, _2 Jan 2006 15:04:05 GMT", "_2/Jan/2006:15:04:05 -0700",
	"Jan _2, 2006", "_2 Jan 2006",
}

// last is the end of the year 9999.
const last = 253402300799

// around is whether a time is in the years 1973 to 5138: a count that is larger has a
// finer unit, and one that is smaller a coarser one.
func around(seconds int64) bool { return seconds >= 1e8 && seconds < 1e11 }

// Clocks lists all there are.
func Clocks() (all []Clock) {
	for _, w := range ways {
		all = append(all, w.clock)
	}
	return all
}

// way is the clock's, that of Seconds for "".
func (c Clock) way() *way {
	return &ways[max(0, slices.IndexFunc(ways, func(w way) bool { return w.clock == c }))]
}

// Read is a time as seconds since 1970 and billionths of one, or says why it cannot be read.
func (c Clock) Read(text []byte) (seconds int64, nanos uint32, reason string) {
	w := c.way()
	text = bytes.TrimSpace(text)
	seconds, nanos, ok := w.read(text)
	if ok && seconds >= 0 && seconds <= last {
		return seconds, nanos, ""
	}
	switch {
	case len(text) == 0:
		return 0, 0, "no time"
	case ok:
		reason = "time " + shown.Value(text) + " is not within the years 1970 to 9999"
		if strings.HasSuffix(w.about, "since 1970") {
			reason += ", in " + w.about
		}
	default:
		reason = "time " + shown.Value(text) + " is not " + w.about
	}
	for _, other := range ways {
		if other.means(text) {
			return 0, 0, reason + ": --clock " + string(other.clock) + " would read it"
		}
	}
	return 0, 0, reason
}

// means is whether the text can be meant as a time of this clock.
func (w *way) means(text []byte) bool {
	seconds, _, ok := w.read(text)
	return ok && seconds >= 0 && seconds <= last && (w.usual == nil || w.usual(seconds))
}

// Of is the clock of which these are times, "" where all are empty. One time in ten may be of
// no clock or another: it is a fault when it is read. An error says what would tell, for
// nobody guesses where two clocks read the times.
func Of(times [][]byte) (Clock, error) {
	read := make([]int, len(ways))
	like := make([][]byte, len(ways)) // the first that each reads
	var first []byte
	given, known := 0, 0
	for _, text := range times {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if given++; given == 1 {
			first = text
		}
		some := false
		for i := range ways {
			if ways[i].means(text) {
				some = true
				if read[i]++; read[i] == 1 {
					like[i] = text
				}
			}
		}
		if some {
			known++
		}
	}
	if given == 0 {
		return "", nil
	}
	best := 0
	for i, n := range read {
		// Where all are dates of eight digits, that is what they are.
		if n > read[best] || n == read[best] && ways[i].clock == Date {
			best = i
		}
	}
	if read[best] == 0 {
		var forms []string
		for _, w := range ways {
			forms = append(forms, string(w.clock)+" is "+w.about)
		}
		return "", fmt.Errorf("time %s is in no known notation (--clock): %s", shown.Value(first), strings.Join(forms, "; "))
	}
	for i, n := range read {
		rival := n == read[best] && ways[best].clock != Date ||
			10*read[best] < 9*known && n > 0 && !bytes.Equal(like[i], like[best]) ||
			ways[i].clock == Date && 2*n > known // some of the days are none
		if i != best && rival {
			return "", fmt.Errorf("time %s may be %s (--clock %s), and time %s %s (--clock %s): name the clock",
				shown.Value(like[best]), ways[best].about, ways[best].clock, shown.Value(like[i]), ways[i].about, ways[i].clock)
		}
	}
	return ways[best].clock, nil
}
