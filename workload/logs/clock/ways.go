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

// A cursor reads numbers of fixed lengths from a text.
type cursor struct {
	text []byte
	bad  bool
}

// number is that of the next n digits.
func (c *cursor) number(n int) (value int) {
	if len(c.text) < n {
		c.bad = true
		return 0
	}
	for _, digit := range c.text[:n] {
		c.bad = c.bad || digit-'0' > 9
		value = value*10 + int(digit-'0')
	}
	c.text = c.text[n:]
	return value
}

// one is whether the next byte is one of these, and passes over it.
func (c *cursor) one(of string) bool {
	if len(c.text) == 0 || bytes.IndexByte([]byte(of), c.text[0]) < 0 {
		return false
	}
	c.text = c.text[1:]
	return true
}

// unix is the second of a date and a time, and false where there is none. From hour 24 on, it
// would be another day.
func unix(year, month, day, hour, minute, second int) (int64, bool) {
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t.Unix(), t.Day() == day && int(t.Month()) == month && minute < 60 && second < 60
}

// iso reads a date of year, month and day, with - or / between them, alone or followed by T
// or a blank and a time: hours and minutes, perhaps seconds, perhaps a fraction of them, and
// perhaps a zone, as Z, UTC, GMT, +01, +0100 or +01:00, after a blank or none.
func iso(text []byte) (seconds int64, nanos uint32, ok bool) {
	c := cursor{text: text}
	year := c.number(4)
	if len(c.text) == 0 || c.text[0] != '-' && c.text[0] != '/' {
		return 0, 0, false
	}
	between := string(c.text[:1])
	c.one(between)
	month := c.number(2)
	if !c.one(between) {
		return 0, 0, false
	}
	day := c.number(2)
	hour, minute, second, east := 0, 0, 0, 0
	if c.one("Tt ") {
		hour = c.number(2)
		if !c.one(":") {
			return 0, 0, false
		}
		if minute = c.number(2); c.one(":") {
			if second = c.number(2); c.one(".,") {
				n := 0
				for n < len(c.text) && c.text[n]-'0' <= 9 {
					n++
				}
				if nanos, ok = billionths(c.text[:n]); !ok {
					return 0, 0, false
				}
				c.text = c.text[n:]
			}
		}
		if east, ok = c.zone(); !ok {
			return 0, 0, false
		}
	}
	if c.bad || len(c.text) > 0 {
		return 0, 0, false
	}
	seconds, ok = unix(year, month, day, hour, minute, second)
	return seconds - int64(east), nanos, ok
}

// zone reads what follows a time, as seconds east of UTC.
func (c *cursor) zone() (east int, ok bool) {
	c.one(" ")
	switch string(c.text) {
	case "", "Z", "z", "UTC", "GMT":
		c.text = nil
		return 0, true
	}
	sign := 1
	if c.text[0] == '-' {
		sign = -1
	}
	if !c.one("+-") {
		return 0, false
	}
	hours, minutes := c.number(2), 0
	if c.one(":") || len(c.text) > 0 {
		minutes = c.number(2)
	}
	return sign * (hours*60 + minutes) * 60, hours < 24 && minutes < 60
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
