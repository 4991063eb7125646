// Package clock reads times as logs write them, and finds out how a log does.
//
// A Clock is one way of writing times. Of tells it from a sample, by how many of the
// sample's times each clock can read; what may be several ways is not guessed. A time
// without a zone is taken for UTC, and none is before 1970 or after 9999.
package clock

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	MDY     Clock = "mdy"     // 11/15/2019 or 11-15-2019, with a time or without
	DMY     Clock = "dmy"     // 15/11/2019, 15.11.2019 or 15-11-2019, with a time or without
	English Clock = "english" // Fri Nov 15 08:55:22 +0000 2019, and others with an English month: see english
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

var ways = []way{
	{Seconds, "seconds since 1970", since(1), func(s int64) bool { return s < 1e11 }},
	{Millis, "milliseconds since 1970", since(1e3), around},
	{Micros, "microseconds since 1970", since(1e6), around},
	{Nanos, "nanoseconds since 1970", since(1e9), around},
	{RFC3339, "like 2019-11-15T08:55:22Z (RFC 3339) or 2019-11-15 08:55", iso, nil},
	{Date, "like 20191115 or 20191115085522", digits, nil},
	{MDY, "like 11/15/2019 8:55:22 AM", numeric("1/2/2006"), nil},
	{DMY, "like 15/11/2019 08:55:22", numeric("2/1/2006"), nil},
	{English, "like Fri Nov 15 08:55:22 +0000 2019", english, nil},
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

// Read is a time as seconds since 1970 and billionths of one, or says why it cannot be read; "" is Seconds.
func (c Clock) Read(text []byte) (seconds int64, nanos uint32, reason string) {
	w := &ways[max(0, slices.IndexFunc(ways, func(w way) bool { return w.clock == c }))]
	text = bytes.TrimSpace(text)
	seconds, nanos, ok := w.read(text)
	if ok && seconds >= 0 && seconds <= last {
		return seconds, nanos, ""
	}
	if len(text) == 0 {
		return 0, 0, "no time"
	}
	reason = "time " + shown.Value(text) + " is not " + w.about
	if ok {
		reason = "time " + shown.Value(text) + " is not within the years 1970 to 9999"
		if strings.HasSuffix(w.about, "since 1970") {
			reason += ", in " + w.about
		}
	}
	for _, other := range ways {
		if other.means(text) {
			return 0, 0, reason + ": --clock " + string(other.clock) + " would read it"
		}
	}
	return 0, 0, reason
}

// Hour is the hour of the day that a time names, and whether it names one, and neither AM nor PM.
func (c Clock) Hour(text []byte) (hour int, ok bool) {
	if text = bytes.TrimSpace(text); c == Date && len(text) > 8 && text[8] != ' ' {
		text = append(bytes.Clone(text[8:10]), ':')
	}
	for before, rest, found := bytes.Cut(text, []byte{':'}); found; before, rest, found = bytes.Cut(rest, []byte{':'}) {
		digits := before[len(bytes.TrimRight(before, decimals)):]
		if hour, err := strconv.Atoi(string(digits)); err == nil && hour < 24 { // and no year
			upper := strings.ToUpper(string(text))
			return hour, !strings.Contains(upper, "AM") && !strings.Contains(upper, "PM")
		}
	}
	return 0, false
}

// means is whether the text can be meant as a time of this clock.
func (w *way) means(text []byte) bool {
	seconds, _, ok := w.read(text)
	return ok && seconds >= 0 && seconds <= last && (w.usual == nil || w.usual(seconds))
}

// Of is the clock of which these are times, "" where all are empty. One time in ten may be of no clock or another: it
// is a fault when it is read. An error says what would tell, for nobody guesses where two clocks read the times.
func Of(times [][]byte) (Clock, error) {
	read := make([]int, len(ways))
	like := make([][]byte, len(ways)) // the first that each reads
	var first []byte
	known := 0
	for _, text := range times {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if first == nil {
			first = text
		}
		some := 0
		for i := range ways {
			if ways[i].means(text) {
				some = 1
				if read[i]++; read[i] == 1 {
					like[i] = text
				}
			}
		}
		known += some
	}
	if first == nil {
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

// since reads a count since 1970, so many in a second.
func since(perSecond int64) func(text []byte) (int64, uint32, bool) {
	return func(text []byte) (int64, uint32, bool) {
		n, nanos, ok := number(text)
		if !ok || n < 0 { // -1 is no part of second 0
			return -1, 0, ok
		}
		return n / perSecond, uint32(n%perSecond*(1e9/perSecond)) + uint32(int64(nanos)/perSecond), true
	}
}

// number is the whole part of a number that is not below 0, and billionths of what
// follows the point; below 0, and where it is too large, it is -1.
func number(text []byte) (n int64, nanos uint32, ok bool) {
	for i, c := range text {
		d := c - '0'
		if c == '.' {
			if nanos, ok := billionths(text[i+1:]); ok {
				return n, nanos, true
			}
		}
		if d > 9 || n > (math.MaxInt64-int64(d))/10 {
			f, err := strconv.ParseFloat(string(text), 64)
			if err != nil || math.IsNaN(f) {
				return 0, 0, false
			}
			if f < 0 || f >= 1<<63 { // the second is in no unit a time
				return -1, 0, true
			}
			whole := math.Floor(f)
			return int64(whole), uint32((f - whole) * 1e9), true
		}
		n = n*10 + int64(d)
	}
	return n, 0, len(text) > 0
}

// billionths are those of digits behind a point.
func billionths(digits []byte) (nanos uint32, ok bool) {
	for i, c := range digits {
		if c-'0' > 9 {
			return 0, false
		}
		if i < 9 {
			nanos = nanos*10 + uint32(c-'0')
		}
	}
	for i := len(digits); i < 9; i++ {
		nanos *= 10
	}
	return nanos, len(digits) > 0
}

// iso reads a date of year, month and day, with - or / between them, alone or followed by T or a blank and a
// time: hours and minutes, perhaps seconds, perhaps a fraction of them, and perhaps a zone, as Z, UTC, GMT,
// +01, +0100 or +01:00, after a blank or none. It is read as RFC 3339 has it, which package time reads fast.
func iso(text []byte) (seconds int64, nanos uint32, ok bool) {
	if len(text) < 10 || text[4] != '-' && text[4] != '/' || text[7] != text[4] {
		return 0, 0, false
	}
	var room [64]byte
	b := append(room[:0], text[:10]...)
	b[4], b[7] = '-', '-'
	if len(text) == 10 {
		b = append(b, "T00:00:00Z"...)
	} else {
		clock := text[11:]
		zone := bytes.IndexAny(clock, " ZzUG+-")
		if zone < 0 {
			zone = len(clock)
		}
		if text[10]|0x20 != 't' && text[10] != ' ' || zone < 5 || zone > 40 || zone > 5 && zone < 8 {
			return 0, 0, false
		}
		b = append(append(b, 'T'), clock[:zone]...)
		if zone == 5 {
			b = append(b, ":00"...)
		}
		if b = appendZone(b, bytes.TrimPrefix(clock[zone:], []byte{' '})); b == nil {
			return 0, 0, false
		}
	}
	if len(b) > 19 && b[19] == ',' {
		b[19] = '.'
	}
	var t time.Time
	err := t.UnmarshalText(b)
	return t.Unix(), uint32(t.Nanosecond()), err == nil
}

// appendZone appends a zone as RFC 3339 has it; nil is none.
func appendZone(b, zone []byte) []byte {
	switch string(zone) {
	case "", "Z", "z", "UTC", "GMT":
		return append(b, 'Z')
	}
	switch len(zone) {
	case len("+01"):
		b = append(append(b, zone...), ":00"...)
	case len("+0100"):
		b = append(append(append(b, zone[:3]...), ':'), zone[3:]...)
	default:
		b = append(b, zone...)
	}
	if end := b[len(b)-5:]; string(end[:2]) >= "24" || string(end[3:]) >= "60" { // which package time has
		return nil
	}
	return b
}

// digits reads a date without anything between its parts, alone or with hours and minutes, or
// these and seconds, in the years 1970 to 2099.
func digits(text []byte) (seconds int64, nanos uint32, ok bool) {
	if len(text) > 8 && text[8] == ' ' { // 20191115 08:55
		text = append(bytes.Clone(text[:8]), bytes.ReplaceAll(text[9:], []byte{':'}, nil)...)
	}
	if len(text) != 8 && len(text) != 12 && len(text) != 14 {
		return 0, 0, false
	}
	t, err := time.Parse("20060102150405"[:len(text)], string(text))
	return t.Unix(), 0, err == nil && t.Year() >= 1970 && t.Year() < 2100
}

// numeric reads a date with / . or - between its parts, as package time describes it with /, and perhaps a time behind
// it. What has no such mark among its first six bytes is told at once: a failure of package time is slow.
func numeric(date string) func(text []byte) (int64, uint32, bool) {
	return func(text []byte) (int64, uint32, bool) {
		if len(text) < 8 || !bytes.ContainsAny(text[:6], "/.-") {
			return 0, 0, false
		}
		s := string(text)
		if mark := s[strings.IndexAny(s, "/.-")]; mark != '/' {
			s = strings.Replace(s, string(mark), "/", 2)
		}
		ends := []string{" 15:04:05", " 15:04", ""}
		if s[len(s)-1]|0x20 == 'm' {
			ends = []string{" 3:04:05 PM", " 3:04 PM", " 3:04:05 pm", " 3:04 pm"}
		}
		for _, end := range ends {
			if t, err := time.Parse(date+end, s); err == nil {
				return t.Unix(), uint32(t.Nanosecond()), true
			}
		}
		return 0, 0, false
	}
}
