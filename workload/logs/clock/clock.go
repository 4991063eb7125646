// Package clock reads the times of a log, and detects their notation.
//
// A count since 1970 is told by its magnitude: seconds below 10^11, then milliseconds, microseconds and nanoseconds, a
// thousand times as large each. RFC 3339 and its relatives, and the times of access logs, are told by their shape.
// Other notations need a strftime layout. A time without a zone is in UTC. A time before 1970 or after 9999 cannot be
// read.
package clock

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/timefmt-go"
)

// Clock names a notation of times, as on the command line: one of the constants, or a strftime layout.
type Clock string

// Named clocks. Counts may have fractions, which are read to microseconds.
const (
	Seconds Clock = "s"
	Millis  Clock = "ms"
	Micros  Clock = "us"
	Nanos   Clock = "ns"
	RFC3339 Clock = "rfc3339" // 2019-11-15T08:55:22Z and its relatives: see iso
	Access  Clock = "access"  // 15/Nov/2019:08:55:22 +0000
)

// counts lists the clocks that count since 1970, by how many of their units make a second.
var counts = []struct {
	Clock
	perSecond int64
}{{Seconds, 1}, {Millis, 1e3}, {Micros, 1e6}, {Nanos, 1e9}}

// Wanted says what a Clock may be.
const Wanted = "s, ms, us, ns, rfc3339, access or a strftime layout such as %Y%m%d or '%d.%m.%Y %H:%M:%S'"

// last is the end of the year 9999, in seconds since 1970.
const last = 253402300799

// Check returns an error if the clock can read no time.
func (c Clock) Check() error {
	layout := string(c)
	if slices.Contains([]Clock{Seconds, Millis, Micros, Nanos, RFC3339, Access}, c) {
		return nil
	}
	if !strings.Contains(layout, "%") {
		return fmt.Errorf("%q, want %s", layout, Wanted)
	}
	if strings.Contains(layout, "%Z") || strings.Contains(layout, "%+") {
		return fmt.Errorf("%q reads zones by name, which are ambiguous: write UTC as it is, or %%z for an offset", layout)
	}
	evening := time.Date(2019, 11, 15, 20, 55, 22, 0, time.UTC)
	back, err := timefmt.Parse(timefmt.Format(evening, layout), layout)
	switch {
	case err != nil:
		return fmt.Errorf("%q: %w", layout, err)
	case back.Format(time.DateOnly) != evening.Format(time.DateOnly):
		return fmt.Errorf("%q reads no year, month and day, as in '%%Y-%%m-%%d'", layout)
	case back.Hour() != 0 && back.Hour() != evening.Hour():
		return fmt.Errorf("%q reads hours of 1 to 12 and neither AM nor PM (%%p)", layout)
	}
	return nil
}

// A Time is a time read from a log.
type Time struct {
	Seconds     int64 // since 1970
	Nanos       uint32
	Zoned, Bare bool // if by RFC3339: whether it names its zone, or does not
}

// Read reads a time, or returns the reason why it cannot be read.
func (c Clock) Read(text []byte) (t Time, reason string) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return t, "no time"
	}
	t, ok := c.read(text)
	if ok && t.Seconds >= 0 && t.Seconds <= last {
		return t, ""
	}
	what := "of"
	if ok {
		what = "within the years 1970 to 9999, by"
	}
	reason = fmt.Sprintf("time %.40q is not %s the clock %s", text, what, c)
	if told := kind(text); told != "" && told != c {
		reason += fmt.Sprintf(": --clock %s would read it", told)
	}
	return t, reason
}

func (c Clock) read(text []byte) (t Time, ok bool) {
	switch c {
	case RFC3339:
		return iso(text)
	case Access:
		at, err := time.Parse("02/Jan/2006:15:04:05 -0700", string(text))
		return Time{Seconds: at.Unix()}, err == nil
	}
	for _, unit := range counts {
		if c == unit.Clock {
			n, rest, ok := number(text)
			if n < 0 { // -1 is not part of second 0
				return Time{Seconds: -1}, ok
			}
			per := unit.perSecond
			return Time{Seconds: n / per, Nanos: uint32(n%per*(1e9/per)) + rest/uint32(per)}, ok
		}
	}
	at, err := timefmt.Parse(string(text), string(c))
	return Time{Seconds: at.Unix(), Nanos: uint32(at.Nanosecond())}, err == nil
}

// kind returns the named clock that reads the text by its magnitude or shape, or "".
func kind(text []byte) Clock {
	if n, _, ok := number(text); ok {
		for _, unit := range counts {
			if n >= 0 && n/unit.perSecond < 1e11 {
				return unit.Clock
			}
		}
		return ""
	}
	for _, c := range []Clock{RFC3339, Access} {
		if _, ok := c.read(text); ok {
			return c
		}
	}
	return ""
}

// Detect returns the clock that fits nine in ten of the times, or "" if all are empty. Other times are faults when
// they are read. An error names the flag that resolves the ambiguity.
func Detect(times [][]byte) (best Clock, err error) {
	examples, votes, all := map[Clock][]byte{}, map[Clock]int{}, 0
	for _, text := range times {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		c := kind(text)
		if all++; examples[c] == nil {
			examples[c] = text
		}
		if votes[c]++; votes[c] > votes[best] {
			best = c
		}
	}
	if example := examples[""]; 10*votes[""] > all {
		return "", fmt.Errorf("time %.40q is in no known notation: %s", example, layoutsOf(example))
	}
	for c, example := range examples {
		if c != best && 10*votes[best] < 9*all {
			return "", fmt.Errorf("time %.40q is of the clock %s and time %.40q of the clock %s: --clock names one of them",
				examples[best], best, example, c)
		}
	}
	return best, nil
}

// layoutsOf says which layouts read a time.
func layoutsOf(text []byte) string {
	dates := strings.Split("%m/%d/%Y|%d/%m/%Y|%m/%d/%y|%d/%m/%y|%d.%m.%Y|%d.%m.%y|%d-%m-%Y|%m-%d-%Y|%d-%b-%y|%d-%b-%Y|"+
		"%d %b %Y|%b %d, %Y|%B %d, %Y|%Y%m%d|%Y.%m.%d|%d/%b/%Y|%a %b %d|%a, %d %b %Y", "|")
	ends := strings.Split("| %H:%M:%S| %H:%M| %I:%M:%S %p| %I:%M %p|T%H%M%SZ|T%H%M%S|:%H:%M:%S| %H:%M:%S %z %Y|"+
		" %H:%M:%S %Y| %H:%M:%S %z| %H:%M:%S GMT| %H:%M:%S.%f|, %I:%M %p|, %H:%M:%S", "|")
	var fit []string
	for _, date := range dates {
		for _, end := range ends {
			layout := Clock(date + end)
			if t, ok := layout.read(text); ok && t.Seconds >= 0 && layout.Check() == nil {
				fit = append(fit, "--clock '"+string(layout)+"'")
			}
		}
	}
	if fit == nil {
		return "--clock names " + Wanted + ", or a DuckDB query of docs/logs.md writes other times"
	}
	return strings.Join(fit, " or ") + " reads it"
}

// number returns the whole part of a number and the rest in billionths, to a millionth. The whole part is -1 if the
// number is negative or 2^63 or more.
func number(text []byte) (n int64, billionths uint32, ok bool) {
	for _, c := range text {
		if d := c - '0'; d <= 9 && n <= (math.MaxInt64-int64(d))/10 {
			n = n*10 + int64(d)
			continue
		}
		f, err := strconv.ParseFloat(string(text), 64)
		switch {
		case err != nil || len(bytes.Trim(text, "0123456789.eE+-")) > 0: // neither hexadecimal nor infinite
			return 0, 0, false
		case f < 0 || f >= 1<<63:
			return -1, 0, true
		}
		whole, rest := math.Modf(f)
		return int64(whole), uint32(min(math.Round(rest*1e6)*1e3, 999_999_000)), true
	}
	return n, 0, len(text) > 0
}

// iso reads year, month and day with - or / between them, alone or followed by T or a blank and hours and minutes.
// Seconds, a fraction of them and a zone may follow: Z, UTC, GMT, +01, +0100 or +01:00, after a blank or none.
func iso(text []byte) (t Time, ok bool) {
	if len(text) < 10 || len(text) > 45 || text[4] != '-' && text[4] != '/' || text[7] != text[4] {
		return t, false
	}
	hours, zone := []byte("00:00"), []byte(nil)
	if len(text) > 10 {
		if hours = text[11:]; text[10]|0x20 != 't' && text[10] != ' ' {
			return t, false
		}
		if end := bytes.IndexAny(hours, " ZzUG+-"); end >= 0 {
			hours, zone, t.Zoned = hours[:end], bytes.TrimPrefix(hours[end:], []byte{' '}), true
		}
	}
	t.Bare = !t.Zoned
	var room [64]byte
	b := append(room[:0], text[:10]...) // in the form of RFC 3339, which package time reads fast
	b[4], b[7] = '-', '-'
	b = append(append(b, 'T'), hours...)
	if len(hours) == 5 {
		b = append(b, ":00"...)
	} else if len(b) > 19 && b[19] == ',' {
		b[19] = '.'
	}
	switch string(zone) {
	case "", "Z", "z", "UTC", "GMT":
		b = append(b, 'Z')
	default:
		b = append(b, zone...)
		if len(zone) == len("+01") {
			b = append(b, ":00"...)
		} else if len(zone) == len("+0100") {
			b = append(b[:len(b)-2], ':', zone[3], zone[4])
		}
	}
	var at time.Time
	err := at.UnmarshalText(b)
	t.Seconds, t.Nanos = at.Unix(), uint32(at.Nanosecond())
	return t, err == nil
}

// Doubts collects what makes the times of a log doubtful. The zero value has seen no time.
type Doubts struct {
	first, last int64
	unit        int64  // the greatest common divisor of the times, in seconds
	zoned, bare int64  // times that name their zone, or do not
	hours       uint32 // of the day, a bit each
	seen        int64
}

// Take takes a time in.
func (d *Doubts) Take(t Time) {
	seconds := t.Seconds
	if d.seen++; d.seen == 1 {
		d.first = seconds
	}
	d.first, d.last = min(d.first, seconds), max(d.last, seconds)
	d.hours |= 1 << (seconds / 3600 % 24)
	if t.Nanos > 0 {
		d.unit = 1
	}
	if t.Zoned {
		d.zoned++
	} else if t.Bare {
		d.bare++
	}
	for a := seconds; a != 0; {
		d.unit, a = a, d.unit%a
	}
}

// Reason returns why the times are doubtful, or "". Times are rounded if all are multiples of a day, of an hour or
// more, or, from ten times on, of more than a minute. Times without a zone are doubted if their hours are 1 to 12, or
// 0 to 11, for 200 times or more in at least eight of these hours, over more than a day. If one time in twenty is in
// another hour, 200 independent times raise this doubt with a chance of 4 in 100,000.
func (d *Doubts) Reason(now time.Time) string {
	unit := d.unit
	if d.first == d.last && unit%86400 == 0 {
		unit = 86400
	}
	rounded := d.unit > 0 && d.unit%86400 == 0 || // one time is a multiple of itself
		d.last > d.first && (d.unit >= 3600 || d.unit > 60 && d.seen >= 10)
	half := d.bare >= 200 && d.bare == d.seen && d.last-d.first > 24*3600 && bits.OnesCount32(d.hours) >= 8 &&
		(d.hours&^0x1ffe == 0 || d.hours&^0xfff == 0)
	why := ""
	switch {
	case d.seen == 0:
		return ""
	case d.first < 788918400:
		why = "some are before 1995"
	case d.last > now.Add(24*time.Hour).Unix():
		why = "some are after tomorrow"
	case d.zoned > 0 && d.bare > 0:
		why = fmt.Sprintf("%d name their zone and %d do not, and are taken for UTC", d.zoned, d.bare)
	case rounded:
		why = fmt.Sprintf("all are multiples of %v", time.Duration(unit)*time.Second)
	case d.seen >= 100 && d.last-d.first < 60:
		why = "all are within a minute"
	case half:
		why = "none has an hour after 12, AM or PM"
	default:
		return ""
	}
	say := func(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }
	return fmt.Sprintf("the times, from %s to %s, are doubtful: %s", say(d.first), say(d.last), why)
}
