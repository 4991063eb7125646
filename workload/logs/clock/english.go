package clock

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// englishWords are those that may be there, or begin with as much, in small letters: months as numbers, and others.
var englishWords = func() map[string]string {
	words := map[string]string{"utc": "", "gmt": "", "z": "", "at": "", "t": "", "sept": "09"}
	add := func(word, means string) {
		for n := 3; n <= len(word); n++ {
			words[strings.ToLower(word[:n])] = means
		}
	}
	for i := range 7 {
		add(time.Weekday(i).String(), "")
	}
	for month := time.January; month <= time.December; month++ {
		add(month.String(), fmt.Sprintf("%02d", int(month)))
	}
	return words
}()

const (
	decimals = "0123456789"
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// span is how many bytes of these a text begins with.
func span(s, of string) int { return len(s) - len(strings.TrimLeft(s, of)) }

// english reads a date with an English month, whole or its first letters, in any order and with blanks, commas, points,
// /, : or - between the parts: 15 Nov 2019, 15-NOV-2019, 15-Nov-19, November 15, 2019, 15/Nov/2019:08:55:22 +0000 or
// Fri Nov 15 08:55:22 +0000 2019. There may be a time of the day, with or without seconds, a fraction of them, AM or
// PM, and a zone. The day of the week is not compared. It is read as iso reads what the parts are together.
func english(text []byte) (seconds int64, nanos uint32, ok bool) {
	if len(text) < 8 || len(text) > 64 || !bytes.ContainsAny(text, "aeouAEOU") { // as a month has
		return 0, 0, false
	}
	var year, month, day, clock, half, zone string
	for rest, part := string(text), ""; rest != ""; {
		n, isZone := span(rest, decimals), clock != "" && zone == "" && strings.ContainsAny(rest[:1], "+-")
		switch {
		case n > 0 && n < 3 && clock == "" && strings.HasPrefix(rest[n:], ":"):
			n = span(rest, decimals+":.")
		case n == 0 && isZone:
			n = 1 + span(rest[1:], decimals+":")
		case n == 0:
			n = max(1, span(rest, letters))
		}
		part, rest = rest[:n], rest[n:]
		switch {
		case strings.Contains(" ,./:-", part):
		case isZone:
			zone = part
		case part[0]-'0' > 9:
			word := strings.ToLower(part)
			means, known := englishWords[word]
			switch {
			case word == "am" || word == "pm":
				half = word
			case !known || means != "" && month != "":
				return 0, 0, false
			case means != "":
				month = means
			}
		case strings.Contains(part, ":"):
			clock = part
		case n == 4 && year == "":
			year = part
		case n <= 2 && day == "":
			day = strings.Repeat("0", 2-n) + part
		case n == 2 && year == "" && month != "" && part < "70": // as databases have it
			year = "20" + part
		case n == 2 && year == "" && month != "":
			year = "19" + part
		default:
			return 0, 0, false
		}
	}
	date := year + "-" + month + "-" + day
	if clock == "" && half == "" {
		return iso([]byte(date))
	}
	hour, rest, _ := strings.Cut(clock, ":")
	h, _ := strconv.Atoi(hour)
	switch {
	case half != "" && (h < 1 || h > 12):
		return 0, 0, false
	case half == "am":
		h %= 12
	case half == "pm":
		h = h%12 + 12
	}
	return iso(fmt.Appendf(nil, "%s %02d:%s%s", date, h, rest, zone))
}
