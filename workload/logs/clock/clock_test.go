package clock_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dejavu/strategies/strategytest"
	"dejavu/workload/logs/clock"
)

// Times as logs have them, and the seconds of date -u -d.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		clock clock.Clock
		text  string
		want  string
	}{
		{clock.Seconds, "1573808122", "1573808122.000000000"},
		{"", " 1573808122.25 ", "1573808122.250000000"},
		{clock.Seconds, "1.573808122e9", "1573808122.000000000"},
		{clock.Seconds, "1.5738081225e9", "1573808122.500000000"},
		{clock.Seconds, "1573808122.123456789", "1573808122.123456789"}, // digits for which a float64 has no room
		{clock.Seconds, "1573808122.1234567891", "1573808122.123456789"},
		{clock.Seconds, "1573808122.5e0", "1573808122.500000000"},
		{clock.Seconds, "0.", "0.000000000"},
		{clock.Seconds, ".5", "0.500000000"},
		{clock.Millis, "1573808122250", "1573808122.250000000"},
		{clock.Millis, "1573808122250.5", "1573808122.250500000"},
		{clock.Micros, "1573808122250001", "1573808122.250001000"},
		{clock.Nanos, "1573808122250000001", "1573808122.250000001"},
		{clock.Nanos, "9223372036854775807", "9223372036.854775807"},
		{clock.RFC3339, "2019-11-15T08:55:22Z", "1573808122.000000000"},
		{clock.RFC3339, "2019-11-15T10:55:22.25+02:00", "1573808122.250000000"},
		{clock.RFC3339, "2019-11-15 08:55:22", "1573808122.000000000"},
		{clock.RFC3339, "2019-11-15 08:55:22+00", "1573808122.000000000"},
		{clock.RFC3339, "2019-11-15 08:55:22.123456 UTC", "1573808122.123456000"},
		{clock.RFC3339, "2019-11-15 08:55:22.1234567899 UTC", "1573808122.123456789"},
		{clock.RFC3339, "2019-11-15 03:25:22 -0530", "1573808122.000000000"},
		{clock.RFC3339, "2019-11-15 08:55", "1573808100.000000000"},
		{clock.RFC3339, "2019-11-15 23:59:59 -2359", "1573948739.000000000"},
		{clock.RFC3339, "2019/11/15 08:55", "1573808100.000000000"},
		{clock.RFC3339, "2019-11-15", "1573776000.000000000"},
		{clock.Date, "20191115", "1573776000.000000000"},
		{clock.Date, "201911150855", "1573808100.000000000"},
		{clock.Date, "20191115085522", "1573808122.000000000"},
		{clock.MDY, "11/15/2019 8:55:22 AM", "1573808122.000000000"},
		{clock.MDY, "11/15/2019 08:55", "1573808100.000000000"},
		{clock.DMY, "15/11/2019", "1573776000.000000000"},
		{clock.DMY, "15.11.2019 08:55:22", "1573808122.000000000"},
		{clock.DMY, "15.11.2019 08:55:22.25", "1573808122.250000000"},
		{clock.DMY, "15/11/2019 08:55:22.25", "1573808122.250000000"},
		{clock.DMY, "15.11.2019 08:55:22 PM", "1573851322.000000000"},
		{clock.MDY, "11/15/2019 8:55 am", "1573808100.000000000"},
		{clock.Date, "20191115 08:55:22", "1573808122.000000000"},
		{clock.Date, "20191115 8:55:22", "is not like"},
		{clock.English, "Fri Nov 15 08:55:22 +0000 2019", "1573808122.000000000"},
		{clock.English, "Fri Nov 15 10:55:22 2019 +0200", "1573808122.000000000"},
		{clock.English, "Fri Nov 15 08:55:22.25 +0000 2019", "1573808122.250000000"},
		{clock.English, "15/Nov/2019:08:55:22 +0000", "1573808122.000000000"},
		{clock.English, "Fri, 15 Nov 2019 08:55:22 GMT", "1573808122.000000000"},

		{clock.English, "15-NOV-19 08.55.22", "is not like"},
		{clock.English, "Nov. 15, 2019", "1573776000.000000000"},
		{clock.English, "15-NOV-69", "3151699200.000000000"},
		{clock.English, "15-NOV-70", "27475200.000000000"},
		{clock.English, "Friday, November 15, 2019 at 8:55:22 PM", "1573851322.000000000"},
		{clock.English, "15 Nov 2019 12:55 AM", "1573779300.000000000"},
		{clock.English, "15 Nov 2019 08:55:22 +05:30", "1573788322.000000000"},
		{clock.English, "08:55:22 15 Sept 2019 -01", "1568541322.000000000"},
		{clock.English, "31 Apr 2019", "is not like"},
		{clock.English, "15 Nov 2019 13:55 PM", "is not like"},
		{clock.English, "15 Nov 2019 08:60", "is not like"},
		{clock.English, "15 Nov 2019 24:00", "is not like"},
		{clock.English, "15 Nov 2019 08:55 +24:00", "is not like"},
		{clock.English, "15 Nov 2019 08:55 +0160", "is not like"},
		{clock.English, "15 Nov 2019 08:55 +01000", "is not like"},
		{clock.English, "15 Nov 2019 CET", "is not like"},
		{clock.English, "15 Nov 2019 Dec", "is not like"},
		{clock.English, "15 Nov 20191", "is not like"},
		{clock.English, "15 16 Nov 2019", "is not like"},
		{clock.English, "Nov 2019 Fri", "is not like"},
		{clock.English, "15 Nox 2019", "is not like"},
		{clock.DMY, "15-11-2019 08:55", "1573808100.000000000"},
		{clock.MDY, "11-15-2019 08:55", "1573808100.000000000"},

		{clock.Seconds, "", "no time"},
		{clock.Seconds, "soon", `time "soon" is not seconds since 1970`},
		{clock.Seconds, "-1", `time "-1" is not within the years 1970 to 9999, in seconds since 1970`},
		{clock.Nanos, "9223372036854775808", "is not within the years 1970 to 9999, in nanoseconds since 1970"},
		{clock.Seconds, "1e300", "is not within the years 1970 to 9999"},
		{clock.Seconds, "NaN", "is not seconds since 1970"},
		{clock.Seconds, "1649408076860", `time "1649408076860" is not within the years 1970 to 9999, in seconds since ` +
			`1970: --clock ms would read it`},
		{clock.Seconds, "2019-11-15", `time "2019-11-15" is not seconds since 1970: --clock rfc3339 would read it`},
		{clock.RFC3339, "1573808122", `time "1573808122" is not like 2019-11-15T08:55:22Z (RFC 3339) or 2019-11-15 ` +
			`08:55: --clock s would read it`},
		{clock.RFC3339, "1969-12-31", "is not within the years 1970 to 9999"},
		{clock.RFC3339, "2019-02-29", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:60Z", "is not like"},
		{clock.RFC3339, "2019-11-15T08:60:22Z", "is not like"},
		{clock.RFC3339, "2019-11-15T24:00:00Z", "is not like"},
		{clock.RFC3339, "2019-11-30T99:00:00Z", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22.Z", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22.", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22+1", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22+", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22+24:00", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22+01:60", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22+01:30:00", "is not like"},
		{clock.RFC3339, "2019-11-15T08:", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:", "is not like"},
		{clock.RFC3339, "2019-11-15T0::55", "is not like"}, // : follows 9
		{clock.RFC3339, "201:-11-15", "is not like"},
		{clock.RFC3339, "2019-11-15x", "is not like"},
		{clock.RFC3339, "2019-11-15T08:55:22 CET", "is not like"},
		{clock.RFC3339, "2019-11/15", "is not like"},
		{clock.RFC3339, "2019-11-15T", "is not like"},
		{clock.RFC3339, "2019-11-15 08", "is not like"},
		{clock.Date, "20191315", "is not like"},
		{clock.Date, "2019111:", "is not like"},
		{clock.Date, "19691231", "is not like"},
		{clock.Date, "21000101", "is not like"},
		{clock.Date, "20991231", "4102358400.000000000"},
		{clock.Date, "2019111508", "is not like"},
		{clock.DMY, "11/15/2019", "is not like 15/11/2019 08:55:22: --clock mdy would read it"},
		{clock.MDY, strings.Repeat("1", 100), "is not like"},
	} {
		seconds, nanos, reason := c.clock.Read([]byte(c.text))
		got := fmt.Sprintf("%d.%09d", seconds, nanos)
		if reason != "" {
			got = reason
		}
		if got != c.want && (reason == "" || !strings.Contains(reason, c.want)) {
			t.Errorf("%s %q: %s, want %s", c.clock, c.text, got, c.want)
		}
	}
}

// What a log's times are, by a sample of them; and what is not guessed.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		times string
		want  string
	}{
		{"1573808122|1573808123", "s"},
		{"20|40|60|0", "s"},
		{"1.5", "s"},
		{"1573808122250|1573808122251", "ms"},
		{"1573808122250000", "us"},
		{"1573808122250000001", "ns"},
		{"1.573808122e18", "ns"},
		{"2019-11-15T08:55:22Z|2019-11-15T08:55:22.5Z", "rfc3339"},
		{"2019-11-15", "rfc3339"},
		{"20220408|20220409", "date"},
		{"20220408", "date"},
		{"202204081530", "date"},
		{"20220408153059", "date"},
		{"20220408|20220432|20220467|20220499", "s"}, // seconds that begin in August 1970
		{"11/15/2019|1/2/2019", "mdy"},
		{"15/11/2019|1/2/2019", "dmy"},
		{"Sun Jul 30 07:44:10 -0700 2017", "english"},
		{"1573808122|" + strings.Repeat("1573808122250|", 20), "ms"},
		{"soon|" + strings.Repeat("1573808122250|", 20), "ms"},
		{"||", ""},

		{"soon", `time "soon" is in no known notation (--clock): s is seconds since 1970; ms is`},
		{"1573808122|1573808122250", `time "1573808122" may be seconds since 1970 (--clock s), and time ` +
			`"1573808122250" milliseconds since 1970 (--clock ms): name the clock`},
		{"1/2/2019", `time "1/2/2019" may be like 11/15/2019 8:55:22 AM (--clock mdy), and time "1/2/2019" like ` +
			`15/11/2019 08:55:22 (--clock dmy): name the clock`},
		{"1/2/2019 8:55 PM", "--clock dmy): name the clock"},
		{"20220408|20220409|20220410|0", "--clock date): name the clock"},
		{"2019-11-15|1573808122", "--clock rfc3339): name the clock"},
	} {
		var times [][]byte
		for text := range strings.SplitSeq(c.times, "|") {
			times = append(times, []byte(text))
		}
		got, err := clock.Of(times)
		if err == nil && string(got) != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %q, %v, want %s", c.times, got, err, c.want)
		}
	}
}

// The hour of the day is known of what names one, and says nothing of AM or PM.
func TestHour(t *testing.T) {
	for text, want := range map[string]int{
		"2019-11-15 03:15:00": 3, "15/Nov/2019:23:15:00 +0100": 23, " 2019-11-15T00:15Z": 0, "15.11.2019 8:55": 8,
		"11/15/2019 8:55:22 AM": -1, "8:55 pm, 15 Nov 2019": -1, "2019-11-15": -1, "1573808122": -1,
		"20191115030000": 3, "20191115": -1, "20191115 21:00": 21,
	} {
		c := strategytest.Value(clock.Of([][]byte{[]byte(text)}))
		if hour, ok := c.Hour([]byte(text)); ok != (want >= 0) || ok && hour != want {
			t.Errorf("%s %q: %d, %v, want %d", c, text, hour, ok, want)
		}
	}
}

// What package time writes is read as it was, and its clock is told by it.
func TestModel(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 5))
	for _, c := range []struct {
		clock  clock.Clock
		layout string
		unit   time.Duration // of which times are whole
		east   int           // seconds of the zone
	}{
		{clock.RFC3339, time.RFC3339Nano, 1, 0},
		{clock.RFC3339, time.RFC3339, time.Second, -12600},
		{clock.RFC3339, "2006-01-02 15:04:05.999999999-07", 1, 7200},
		{clock.RFC3339, "2006-01-02 15:04:05 -0700", time.Second, 20700},
		{clock.RFC3339, "2006-01-02 15:04:05.000 UTC", time.Millisecond, 0},
		{clock.RFC3339, "2006-01-02T15:04", time.Minute, 0},
		{clock.RFC3339, "2006/01/02", 24 * time.Hour, 0},
		{clock.Date, "20060102", 24 * time.Hour, 0},
		{clock.Date, "200601021504", time.Minute, 0},
		{clock.Date, "20060102150405", time.Second, 0},
		{clock.English, time.RubyDate, time.Second, 3600},
		{clock.English, time.RFC1123Z, time.Second, -3600},
		{clock.English, time.ANSIC, time.Second, 0},
	} {
		var times [][]byte
		for range 500 {
			at := time.Unix(random.Int64N(4e9), random.Int64N(1e9)).UTC().Truncate(c.unit).In(time.FixedZone("", c.east))
			text := at.Format(c.layout)
			times = append(times, []byte(text))
			if seconds, nanos, reason := c.clock.Read([]byte(text)); seconds != at.Unix() || int(nanos) != at.Nanosecond() {
				t.Fatalf("%q: %d.%09d %s, want %v", text, seconds, nanos, reason, at)
			}
		}
		if got, err := clock.Of(times); got != c.clock {
			t.Errorf("%s: %q, %v", c.layout, got, err)
		}
	}
}

// Every month is read in every notation, and a log of all twelve tells its clock.
func TestMonths(t *testing.T) {
	for layout, want := range map[string]clock.Clock{
		time.RFC3339: clock.RFC3339, time.DateTime: clock.RFC3339, "2006-01-02": clock.RFC3339,
		"2006/01/02 15:04": clock.RFC3339, "20060102": clock.Date, "20060102150405": clock.Date,
		"1/2/2006 3:04:05 PM": clock.MDY, "01-02-2006": clock.MDY,
		"2/1/2006 15:04": clock.DMY, "02.01.2006 15:04:05": clock.DMY, "02-01-2006 15:04:05": clock.DMY,
		time.RubyDate: clock.English, time.ANSIC: clock.English, time.RFC1123: clock.English,
		time.RFC1123Z: clock.English, "02/Jan/2006:15:04:05 -0700": clock.English, "2 Jan 2006": clock.English,
		"Jan 2, 2006": clock.English, "2 Jan 2006 15:04:05": clock.English, "02-Jan-2006 15:04": clock.English,
		"02-Jan-06": clock.English, "2006-Jan-02 15:04:05": clock.English, "January 2, 2006 3:04 PM": clock.English,
		"Monday, 2 January 2006": clock.English, "Jan 2 2006 15:04:05.000": clock.English,
		"15:04:05 02 Jan 2006": clock.English, "2 Jan 2006, 15:04": clock.English,
	} {
		var times [][]byte
		for month := time.January; month <= time.December; month++ {
			at := time.Date(2015, month, 17, 10, 5, 3, 0, time.UTC)
			for _, text := range []string{at.Format(layout), strings.ToUpper(at.Format(layout))} {
				at, err := time.Parse(layout, text) // of what the layout has
				strategytest.Must(t, err)
				if seconds, _, reason := want.Read([]byte(text)); seconds != at.Unix() {
					t.Errorf("%s %q is %v %s, want %v", want, text, time.Unix(seconds, 0).UTC(), reason, at)
				}
				times = append(times, []byte(text))
			}
		}
		if got, err := clock.Of(times); got != want {
			t.Errorf("%s: %q, %v, want %s", layout, got, err, want)
		}
	}
}

// Whatever is read is a time, and a clock that is told reads most of what told it.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"1573808122", "2019-11-15 08:55:22.5 +01:00", "20191115", "11/15/2019 8:55:22 AM",
		"Fri Nov 15 08:55:22 +0000 2019", "1e300",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, c := range clock.Clocks() {
			seconds, nanos, reason := c.Read(text)
			if seconds < 0 || seconds > 253402300799 || nanos >= 1e9 || reason != "" && seconds != 0 || len(reason) > 500 {
				t.Errorf("%s %q: %d.%d %s", c, text, seconds, nanos, reason)
			}
		}
		if c, err := clock.Of([][]byte{text}); err == nil && c != "" {
			if _, _, reason := c.Read(text); reason != "" {
				t.Errorf("%q is of clock %s, and then %s", text, c, reason)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for c, text := range map[clock.Clock]string{
		clock.Seconds: "1573808122", clock.RFC3339: "2019-11-15T08:55:22Z",
		clock.English: "Fri, 15 Nov 2019 08:55:22 +0000",
	} {
		b.Run(string(c), func(b *testing.B) {
			for b.Loop() {
				c.Read([]byte(text))
			}
		})
	}
}
