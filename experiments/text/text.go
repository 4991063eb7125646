// Package text writes numbers and rows for people, in tables, on the terminal and on pages: three or four digits and
// the unit.
package text

import (
	"fmt"
	"strings"
	"time"

	"dejavu/results"
)

// A Finding is a statement, what it rests on, and the name of the figure that shows it.
type Finding struct{ Title, Text, Figure string }

// None marks a missing value.
const None = "–"

// Of writes a row's value by its unit, or the expected value if nothing was measured.
func Of(r results.Row) string {
	v := r.Value.Or(r.Theory.Or(0))
	switch {
	case !r.Value.IsSet() && !r.Theory.IsSet():
		return ""
	case r.Unit == results.Bytes && v < 1e5:
		return fmt.Sprintf("%.0f B", v)
	case r.Unit == results.Bytes:
		return Bytes(v)
	case r.Unit == results.Ratio && strings.Contains(r.Quantity, "fpr"):
		return Percent(v)
	case r.Unit == results.Ratio:
		return fmt.Sprintf("%.4g", v)
	case r.Unit == results.Nanoseconds:
		return Nanos(v)
	case v >= 1e5:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.5g", v)
}

// Percent writes a share in [0, 1]: "1.56 %".
func Percent(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.3g %%", 100*v)
}

// Share writes the value of a row as a percentage.
func Share(r results.Row) string { return Percent(r.Value.Or(0)) }

// Format writes values of rows in a format of package fmt.
func Format(format string) func(results.Row) string {
	return func(r results.Row) string { return fmt.Sprintf(format, r.Value.Or(0)) }
}

// Interval writes the 95 % interval of a row's rate, if it has one.
func Interval(r results.Row) string {
	if !r.Low.IsSet() {
		return None
	}
	return Percent(r.Low.Or(0)) + " to " + Percent(r.High.Or(0))
}

// PerThousand writes a share as a number per thousand.
func PerThousand(r results.Row) string {
	if !r.Value.IsSet() {
		return None
	}
	return fmt.Sprintf("%.3g", 1000*r.Value.Or(0))
}

// Ratio writes a ratio and, if it has one, its interval: "1.08, 1.06 to 1.11".
func Ratio(r results.Row) string {
	if !r.Low.IsSet() {
		return fmt.Sprintf("%.2f", r.Value.Or(0))
	}
	return fmt.Sprintf("%.2f, %.2f to %.2f", r.Value.Or(0), r.Low.Or(0), r.High.Or(0))
}

// AndTheory returns a function that writes a row's value and, in brackets, the expected value.
func AndTheory(write func(float64) string) func(results.Row) string {
	return func(r results.Row) string {
		said := None
		if v, ok := r.Value.Get(); ok {
			said = write(v)
		}
		if v, ok := r.Theory.Get(); ok {
			said += " [" + write(v) + "]"
		}
		return said
	}
}

// WithTheory writes a rate and, in brackets, the expected rate.
func WithTheory(r results.Row) string {
	return Percent(r.Value.Or(0)) + " [" + Percent(r.Theory.Or(0)) + "]"
}

// WithPaper writes a row's value and, in brackets, the paper's if it states one.
func WithPaper(r results.Row) string {
	paper := r
	if paper.Value = r.Paper; r.Paper.IsSet() {
		return Of(r) + " (" + Of(paper) + ")"
	}
	return Of(r)
}

// Nanos writes a time in nanoseconds: "480 ns", "12.3 µs".
func Nanos(v float64) string {
	switch {
	case v >= 0.9995e6: // which three digits round up to it
		return fmt.Sprintf("%.3g ms", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3g µs", v/1e3)
	default:
		return fmt.Sprintf("%.0f ns", v)
	}
}

// Bytes writes a number of bytes: "5.08 GB".
func Bytes(v float64) string {
	for _, u := range []struct {
		unit  string
		bytes float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if v >= 0.9995*u.bytes { // which three digits round up to the unit
			return fmt.Sprintf("%.3g %s", v/u.bytes, u.unit)
		}
	}
	return fmt.Sprintf("%.4g B", v)
}

// Thousands writes a number with commas between its thousands.
func Thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}

// Elapsed writes a round number of seconds: 0, 10 min, 6 h, 24 h, 7 d.
func Elapsed(seconds int) string {
	const minute, hour, day = 60, 3600, 86400
	switch {
	case seconds == 0:
		return "0"
	case seconds%day == 0 && seconds > day:
		return fmt.Sprintf("%d d", seconds/day)
	case seconds%hour == 0:
		return fmt.Sprintf("%d h", seconds/hour)
	case seconds%minute == 0:
		return fmt.Sprintf("%d min", seconds/minute)
	}
	return fmt.Sprintf("%d s", seconds)
}

// Duration writes a duration without zero units: 24h, and 1h30m for 1h30m0s.
func Duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
