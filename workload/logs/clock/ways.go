package clock

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

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

// iso reads a date of year, month and day, with - or / between them, alone or followed by T or a blank and a time: hours
// and minutes, perhaps seconds, perhaps a fraction of them, and perhaps a zone, as Z, UTC, GMT, +01, +0100 or +01:00,
// after a blank or none. It is read as RFC 3339 has it, which package time reads fast.
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
	if len(text) != 8 && len(text) != 12 && len(text) != 14 {
		return 0, 0, false
	}
	t, err := time.Parse("20060102150405"[:len(text)], string(text))
	return t.Unix(), 0, err == nil && t.Year() >= 1970 && t.Year() < 2100
}

// layouts reads what one of these describes, as package time has it, behind a common beginning. What has none
// of these letters among its first six is told at once: a failure of package time is slow.
func layouts(letters, begin string, ends ...string) func(text []byte) (int64, uint32, bool) {
	return func(text []byte) (int64, uint32, bool) {
		if len(text) < 8 || !bytes.ContainsAny(text[:6], letters) {
			return 0, 0, false
		}
		s := string(text)
		if begin != "" && !strings.Contains(s, "/") {
			s = strings.Replace(s, ".", "/", 2)
		}
		for _, end := range ends {
			if t, err := time.Parse(begin+end, s); err == nil {
				return t.Unix(), uint32(t.Nanosecond()), true
			}
		}
		return 0, 0, false
	}
}
