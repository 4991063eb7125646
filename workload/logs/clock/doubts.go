package clock

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"
)

// Doubts collects what makes the times of a log doubtful. The zero value has seen none.
type Doubts struct {
	Zoned, Bare int64 // times with Zone HasZone, and Bare

	first, last int64
	unit        int64   // the greatest common divisor of the times, in seconds
	distinct    []int64 // some of the times while unit exceeds a minute
	hours       uint32  // of the day, a bit each
	seen        int64
}

// Take takes a time in.
func (d *Doubts) Take(seconds int64, nanos uint32) {
	if d.seen++; d.seen == 1 {
		d.first = seconds
	}
	d.first, d.last = min(d.first, seconds), max(d.last, seconds)
	d.hours |= 1 << (seconds / 3600 % 24)
	if nanos > 0 {
		d.unit = 1
	}
	if d.unit == 1 {
		return
	}
	for a := seconds; a != 0; {
		d.unit, a = a, d.unit%a
	}
	if d.unit > 60 && len(d.distinct) < 16 && !slices.Contains(d.distinct, seconds) {
		d.distinct = append(d.distinct, seconds)
	}
}

// Reason says why the times are doubtful, or "". A log of bare times is doubted for hours of 1 to 12, or 0 to 11, if it
// has 200 times or more in at least eight of these hours, over more than a day. If one time in twenty is in another hour,
// 200 independent times raise this doubt with a chance of 4 in 100,000. Times are rounded if the chance that independent
// minutes are all multiples of the unit is below 1 in 1000.
func (d *Doubts) Reason(now time.Time) string {
	unit := d.unit
	if len(d.distinct) == 1 { // one time is a multiple of itself
		unit = map[bool]int64{true: 86400}[unit%86400 == 0]
	}
	rounded := unit > 60 && math.Pow(60/float64(unit), float64(len(d.distinct))) < 1e-3
	half := d.Bare >= 200 && d.Bare == d.seen && d.last-d.first > 24*3600 && bits.OnesCount32(d.hours) >= 8 &&
		(d.hours&^0x1ffe == 0 || d.hours&^0xfff == 0)
	why := ""
	switch {
	case d.seen == 0:
		return ""
	case d.first < 788918400:
		why = "some are before 1995"
	case d.last > now.Add(24*time.Hour).Unix():
		why = "some are after tomorrow"
	case d.Zoned > 0 && d.Bare > 0:
		why = fmt.Sprintf("%d name their zone and %d do not, and are taken for UTC", d.Zoned, d.Bare)
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
