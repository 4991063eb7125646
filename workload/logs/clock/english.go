package clock

import (
	"bytes"
	"strings"
	"time"
)

// A moment is what is known of a time; -1 is nothing yet.
type moment struct {
	year, month, day, hour, minute, second int

	nanos     uint32
	afternoon int // hours that PM adds: 12, and 0 with AM
	east      int // seconds of the zone
}

// english reads a date with an English month, whole or its first letters, in any order and with blanks, commas, /, :
// or - between the parts: 15 Nov 2019, 15-NOV-2019, 15-Nov-19, November 15, 2019, 15/Nov/2019:08:55:22 +0000 or
// Fri Nov 15 08:55:22 +0000 2019. There may be a time of the day, with or without seconds, a fraction of them, AM or
// PM, and a zone. The day of the week is not compared.
func english(text []byte) (seconds int64, nanos uint32, ok bool) {
	if len(text) < 8 || len(text) > 64 || !bytes.ContainsFunc(text, isLetter) {
		return 0, 0, false
	}
	m := moment{year: -1, month: -1, day: -1, hour: -1, afternoon: -1}
	for rest := string(text); rest != ""; {
		switch c := rest[0]; {
		case isLetter(rune(c)):
			word := rest[:span(rest, isLetter)]
			rest, ok = rest[len(word):], m.word(strings.ToLower(word))
		case isDigit(rune(c)):
			rest, ok = m.number(rest)
		case m.hour >= 0 && (c == '+' || c == '-') && span(rest[1:], isDigit) >= 2:
			rest, ok = m.zone(rest)
		default:
			rest, ok = rest[1:], strings.IndexByte(" ,/:-", c) >= 0
		}
		if !ok {
			return 0, 0, false
		}
	}
	return m.since1970()
}

func isLetter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c rune) bool  { return c >= '0' && c <= '9' }

// span is how many bytes of a text are such, from its first on.
func span(s string, such func(rune) bool) int {
	if n := strings.IndexFunc(s, func(c rune) bool { return !such(c) }); n >= 0 {
		return n
	}
	return len(s)
}

// word takes a month, a half of the day, a zone, or what says nothing.
func (m *moment) word(word string) bool {
	switch word {
	case "am":
		m.afternoon = 0
		return true
	case "pm":
		m.afternoon = 12
		return true
	case "utc", "gmt", "z", "at", "t":
		return true
	case "sept":
		word = "sep"
	}
	if len(word) < 3 {
		return false
	}
	for day := range 7 {
		if strings.HasPrefix(strings.ToLower(time.Weekday(day).String()), word) {
			return true
		}
	}
	for month := time.January; month <= time.December; month++ {
		if strings.HasPrefix(strings.ToLower(month.String()), word) {
			known := m.month >= 0
			m.month = int(month)
			return !known
		}
	}
	return false
}

// number takes a time of the day, a day or a year from the beginning of a text, and returns the rest.
func (m *moment) number(s string) (rest string, ok bool) {
	n := span(s, isDigit)
	if n > 4 {
		return s, false
	}
	value, rest := number2(s[:n]), s[n:]
	switch {
	case n <= 2 && m.hour < 0 && len(rest) > 2 && rest[0] == ':' && span(rest[1:], isDigit) == 2:
		m.hour, m.minute, rest = value, number2(rest[1:3]), rest[3:]
		if len(rest) > 2 && rest[0] == ':' && span(rest[1:], isDigit) == 2 {
			m.second, rest = number2(rest[1:3]), rest[3:]
		}
		if len(rest) > 1 && rest[0] == '.' {
			digits := span(rest[1:], isDigit)
			m.nanos, ok = billionths([]byte(rest[1 : 1+digits]))
			return rest[1+digits:], ok
		}
		return rest, true
	case n == 4 && m.year < 0:
		m.year = value
		return rest, true
	case n <= 2 && m.day < 0:
		m.day = value
		return rest, true
	case n == 2 && m.year < 0 && m.month >= 0: // as databases have it: 70 to 99 are of the last century
		m.year = 1900 + value
		if value < 70 {
			m.year += 100
		}
		return rest, true
	default:
		return rest, false
	}
}

// number2 is the value of a few digits.
func number2(digits string) (value int) {
	for _, c := range digits {
		value = 10*value + int(c-'0')
	}
	return value
}

// zone takes +01, +0100 or +01:00.
func (m *moment) zone(s string) (rest string, ok bool) {
	n := 1 + span(s[1:], func(c rune) bool { return isDigit(c) || c == ':' })
	t, err := time.Parse(time.RFC3339, string(appendZone([]byte("2000-01-01T00:00:00"), []byte(s[:n]))))
	_, m.east = t.Zone()
	return s[n:], err == nil
}

// since1970 is what the parts are together, if there is such a time.
func (m *moment) since1970() (seconds int64, nanos uint32, ok bool) {
	if m.year < 0 || m.month < 0 || m.day < 0 || m.hour > 23 || m.minute > 59 || m.second > 59 {
		return 0, 0, false
	}
	if m.afternoon >= 0 {
		if m.hour < 1 || m.hour > 12 {
			return 0, 0, false
		}
		m.hour = m.hour%12 + m.afternoon
	}
	t := time.Date(m.year, time.Month(m.month), m.day, max(0, m.hour), m.minute, m.second, 0, time.UTC)
	return t.Unix() - int64(m.east), m.nanos, t.Day() == m.day
}
