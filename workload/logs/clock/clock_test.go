package clock

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Times are read to the second and its fraction, and what is no time of the clock is refused with the reason.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		clock      Clock
		text, want string
	}{
		{Seconds, "1573808122", "1573808122 0"},
		{Seconds, " 1573808122.25 ", "1573808122 250000000"},
		{Seconds, "1573808122.123456", "1573808122 123456000"},
		{Seconds, "1.573808122e9", "1573808122 0"},
		{Seconds, "0", "0 0"},
		{Seconds, "253402300799", "253402300799 0"},
		{Seconds, "253402300800", "is not within the years 1970 to 9999, by the clock s: --clock ms would read it"},
		{Seconds, "-1", "is not within the years 1970 to 9999, by the clock s"},
		{Seconds, "-0.5", "is not within the years"},
		{Seconds, "9223372036854775808", "is not within the years"},
		{Seconds, "1e300", "is not within the years"},
		{Seconds, "1e999", "is not of the clock s"},
		{Seconds, "nan", "is not of the clock s"},
		{Seconds, "0x10", "is not of the clock s"},
		{Seconds, "", "no time"},
		{Seconds, "2019-11-15", "is not of the clock s: --clock rfc3339 would read it"},
		{Millis, "1573808122123", "1573808122 123000000"},
		{Millis, "1573808122123.5", "1573808122 123500000"},
		{Micros, "1573808122123456", "1573808122 123456000"},
		{Nanos, "1573808122123456789", "1573808122 123456789"},
		{RFC3339, "2019-11-15", "1573776000 0 bare"},
		{RFC3339, "2019/11/15 08:55", "1573808100 0 bare"},
		{RFC3339, "2019-11-15T08:55:22,5", "1573808122 500000000 bare"},
		{RFC3339, "2019-11-15t08:55:22.5z", "1573808122 500000000 zoned"},
		{RFC3339, "2019-11-15 08:55:22 UTC", "1573808122 0 zoned"},
		{RFC3339, "2019-11-15 08:55:22 GMT", "1573808122 0 zoned"},
		{RFC3339, "2019-11-15 09:55:22+01", "1573808122 0 zoned"},
		{RFC3339, "2019-11-15 07:25:22-0130", "1573808122 0 zoned"},
		{RFC3339, "2019-11-15 09:55:22 +01:00", "1573808122 0 zoned"},
		{RFC3339, "2019-11-15 08:55:22 CET", "is not of the clock"},
		{RFC3339, "2019-11-15 08:55:22 +25:00", "is not of the clock"},
		{RFC3339, "2019-11/15", "is not of the clock"},
		{RFC3339, "2019-02-29", "is not of the clock"},
		{RFC3339, "2019-11-15x08:55:22", "is not of the clock"},
		{RFC3339, "2019-11-15 8:55", "is not of the clock"},
		{RFC3339, "1969-12-31 23:59:59", "is not within the years"},
		{Access, "15/Nov/2019:09:55:22 +0100", "1573808122 0"},
		{Access, "15/Nov/2019", "is not of the clock access"},
		{"%d.%m.%Y %H:%M:%S", "15.11.2019 08:55:22", "1573808122 0"},
		{"%d.%m.%Y", "11/15/2019", "is not of the clock %d.%m.%Y"},
	} {
		at, got := c.clock.Read([]byte(c.text))
		if got == "" {
			zone := map[bool]string{true: " zoned"}[at.Zoned] + map[bool]string{true: " bare"}[at.Bare]
			got = fmt.Sprint(at.Seconds, at.Nanos) + zone
			c.want = "=" + c.want
		}
		if !strings.Contains("="+got, c.want) || c.want[0] == '=' && "="+got != c.want {
			t.Errorf("%q by %s is %s, want %s", c.text, c.clock, got, c.want)
		}
	}
}

// Detect returns the clock of nine times in ten, or advice.
func TestDetect(t *testing.T) {
	many := strings.Repeat("1573808122 ", 9)
	for times, want := range map[string]string{
		"":                           "",
		"99999999999":                "s",
		"100000000000":               "ms",
		"99999999999999":             "ms",
		"100000000000000":            "us",
		"100000000000000000":         "ns",
		"2019-11-15T08:55:22Z":       "rfc3339",
		many + "noon":                "s",
		many + "noon noon":           "is in no known notation",
		many + "1573808122000":       "s",
		"1573808122 2019-11-15":      "--clock names one of them",
		"15.11.2019":                 "--clock '%d.%m.%Y' reads it",
		"3/4/2019":                   "--clock '%m/%d/%Y' or --clock '%d/%m/%Y' reads it",
		"15/Nov/2019:09:55:22":       "--clock '%d/%b/%Y:%H:%M:%S' reads it",
		"noon":                       "--clock names s, ms, us, ns",
		"18446744073709551616 12 13": "is in no known notation",
	} {
		var all [][]byte
		for _, text := range strings.Fields(times) {
			all = append(all, []byte(text))
		}
		got, err := Detect(all)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && string(got) != want {
			t.Errorf("%s: %q, %v, want %q", times, got, err, want)
		}
	}
}

// A clock that reads no time, or not all of it, is refused.
func TestCheck(t *testing.T) {
	for c, want := range map[Clock]string{
		Seconds: "", Millis: "", Micros: "", Nanos: "", RFC3339: "", Access: "", "%d.%m.%Y": "", "%m/%d/%y %I %p": "",
		"h": "want s, ms", "%Y-%m-%d %Z": "reads zones by name", "%+": "reads zones by name", "%H:%M": "reads no year",
		"%Y-%m-%d %I": "neither AM nor PM", "%Y-%m": "reads no year, month and day",
	} {
		if err := c.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c, err, want)
		}
	}
}

// Times are doubted for each reason, but not at its limit.
func TestReason(t *testing.T) {
	const noon, day = 1573819200, 86400
	now := time.Unix(noon+10*day, 0)
	times := func(n, step int64, hours ...int64) (all []Time) { // with these hours of a day, if any
		for i := range n {
			at := Time{Seconds: noon + i*step + 1}
			if hours != nil {
				at = Time{Seconds: noon/day*day + i/20*day + hours[i%int64(len(hours))]*3600 + i%60, Bare: true}
			}
			all = append(all, at)
		}
		return all
	}
	one := func(at ...int64) (all []Time) {
		for _, at := range at {
			all = append(all, Time{Seconds: at})
		}
		return all
	}
	for name, c := range map[string]struct {
		times []Time
		want  string
	}{
		"none":               {nil, ""},
		"sound":              {times(200, 61), ""},
		"before 1995":        {one(788918399, noon+1), "some are before 1995"},
		"since 1995":         {one(788918400, noon+1), ""},
		"after tomorrow":     {one(noon+1, noon+11*day+1), "some are after tomorrow"},
		"tomorrow":           {one(noon+1, noon+11*day), ""},
		"a day":              {one(noon / day * day), "multiples of 24h0m0s"},
		"one time":           {one(noon), ""},
		"hours":              {one(noon, noon+3600), "multiples of 1h0m0s"},
		"two minutes, nine":  {times(9, 120)[1:], ""},
		"a second":           {times(150, 0), "within a minute"},
		"a minute":           {append(times(150, 0), one(noon+61)...), ""},
		"few in a minute":    {times(99, 0), ""},
		"a zone in some":     {[]Time{{Seconds: noon, Zoned: true}, {Seconds: noon + 2, Bare: true}}, "1 name their zone"},
		"fractions":          {[]Time{{Seconds: noon, Nanos: 1}, {Seconds: noon + 3600}}, ""},
		"a zone in all":      {[]Time{{Seconds: noon + 1, Zoned: true}, {Seconds: noon + 2, Zoned: true}}, ""},
		"hours to 12":        {times(200, 0, 1, 2, 3, 4, 5, 6, 7, 12), "no hour after 12"},
		"hours to 11":        {times(200, 0, 0, 2, 3, 4, 5, 6, 7, 11), "no hour after 12"},
		"few hours to 12":    {times(199, 0, 1, 2, 3, 4, 5, 6, 7, 12), ""},
		"some hours to 12":   {times(200, 0, 1, 2, 3, 4, 5, 6, 7), ""},
		"hours to 13":        {times(200, 0, 1, 2, 3, 4, 5, 6, 7, 13), ""},
		"hours from 0 to 12": {times(200, 0, 0, 1, 2, 3, 4, 5, 6, 12), ""},
	} {
		var d Doubts
		for _, at := range c.times {
			d.Take(at)
		}
		want := strings.Replace(c.want, "no hour after 12", "none has an hour after 12", 1)
		if got := d.Reason(now); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
