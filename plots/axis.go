package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// A Scale says how an axis maps data before the library draws it: the library's logarithmic axis panics at zero.
type Scale int

// The scales of axes.
const (
	Linear Scale = iota
	Log          // decades; values below Min are drawn at "none", below a break
)

// tiniest is the smallest value with a decade of its own; less is "none".
const tiniest = 1e-30

// An Axis maps data to the plot's coordinates and labels its ticks.
type Axis struct {
	Label      string
	Scale      Scale
	Min, Max   float64  // if equal, fit makes them span the data
	floor      bool     // Log only: a value is drawn at "none"
	Format     Format   // of tick labels; plain numbers if nil
	Names      []string // of the places of a nominal axis, from the top
	Blank      bool     // a neighbour shows the label and the numbers or names
	Labels     int      // how many tick labels fit a narrow panel; 0 for the usual number
	ShowValues bool     // label bars along this axis with their values

	Least, Most bool // the label of the shortest, or the longest, bar is bold
}

// A Format returns the label of a tick.
type Format func(float64) string

const (
	floorDepth = 0.75 // decades between the lowest one and "none"
	floorRoom  = 0.35 // and between "none" and the axis
)

func (a *Axis) at(v float64) float64 {
	switch {
	case a.Scale == Linear:
		return v
	case v < a.Min:
		return math.Log10(a.Min) - floorDepth
	}
	return math.Log10(v)
}

func (a *Axis) inside(v float64) bool {
	if a.Scale == Log && v < a.Min {
		return a.floor
	}
	slack := (a.Max - a.Min) * 1e-9
	return v >= a.Min-slack && v <= a.Max+slack
}

func (a *Axis) fit(values []float64) {
	if a.Names != nil {
		a.Min, a.Max = -0.6, float64(len(a.Names))-0.4
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if a.Scale == Log && v < tiniest {
			continue
		}
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if a.Min == a.Max {
		switch {
		case low > high:
			a.Min, a.Max = 0.1, 1 // no data
		case a.Scale == Log:
			a.Min = math.Pow(10, math.Floor(math.Log10(low)+1e-9))
			a.Max = math.Pow(10, math.Ceil(math.Log10(high)-1e-9))
			if a.Min == a.Max {
				a.Max *= 10
			}
		default:
			a.Min = math.Min(low, 0)
			room := 0.03
			if a.ShowValues {
				room = 0.35
			}
			a.Max = high + room*(high-a.Min)
			if least := math.Max(math.Abs(a.Min)*1e-6, tiniest); a.Max-a.Min < least {
				a.Max = a.Min + math.Max(1, least)
			}
		}
	}
	a.floor = a.floor || a.Scale == Log && slices.ContainsFunc(values, func(v float64) bool { return v < a.Min })
}

func (a *Axis) apply(p *plot.Axis) {
	p.Min, p.Max = a.at(a.Min), a.at(a.Max)
	if a.floor {
		p.Min -= floorDepth + floorRoom
	}
	ticks := a.ticks()
	if p.Label.Text = a.Label; a.Blank {
		p.Label.Text = ""
		for i := range ticks {
			if ticks[i].Label != "" && a.Names == nil {
				ticks[i].Label = " " // ticks without labels are minor ones
			} else {
				ticks[i].Label = ""
			}
		}
	}
	p.Tick.Marker = plot.ConstantTicks(ticks)
}

func (a *Axis) ticks() []plot.Tick {
	var ticks []plot.Tick
	add := func(v float64, label bool) {
		if a.inside(v) {
			t := plot.Tick{Value: a.at(v)}
			if label {
				t.Label = a.write(v)
			}
			ticks = append(ticks, t)
		}
	}
	switch {
	case a.Names != nil:
		for i, name := range a.Names {
			ticks = append(ticks, plot.Tick{Value: float64(len(a.Names) - 1 - i), Label: name})
		}
	case a.Scale == Log:
		if a.floor {
			ticks = append(ticks, plot.Tick{Value: math.Log10(a.Min) - floorDepth, Label: "none"})
		}
		first, last := int(math.Floor(math.Log10(a.Min)+1e-9)), int(math.Ceil(math.Log10(a.Max)-1e-9))
		// Only label every few decades.
		whole := int(math.Floor(math.Log10(a.Max)+1e-9)) - int(math.Ceil(math.Log10(a.Min)-1e-9))
		every := 1 + max(whole, 0)/a.tickCount(8)
		offset := 0
		if a.floor && every > 1 {
			offset = 1 // no label next to "none"
		}
		for decade := first; decade <= last; decade++ {
			for m := 1; m <= 9; m++ {
				v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, decade), 64) // 3e-3, not 0.0030000000000000005
				named := m == 1 && (decade-first)%every == offset || whole <= 1 && last-first <= 2 &&
					(m == 2 && a.tickCount(8) > 4 || m == 5)
				add(v, named)
			}
		}
	default:
		step := niceStep((a.Max - a.Min) / float64(a.tickCount(6)))
		// Count ticks: if numbers are huge, adding steps may never reach Max.
		first := math.Ceil(a.Min/step - 1e-9)
		for i := range a.tickCount(6) + 2 {
			v := (first + float64(i)) * step
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v+0, 'g', 12, 64), 64) // + 0: no minus zero
			add(v, true)
		}
	}
	return ticks
}

func (a *Axis) write(v float64) string {
	if a.Format == nil {
		return Number(v)
	}
	return a.Format(v)
}

// Short returns a value in the axis' format, with three digits.
func (a *Axis) Short(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return a.write(rounded)
}

// barLabel returns the label of a bar, or "" if the axis does not label bars.
func (a *Axis) barLabel(v float64, more string) string {
	if !a.ShowValues {
		return ""
	}
	return a.Short(v) + more
}

func (a *Axis) tickCount(usual int) int { return cmp.Or(a.Labels, usual) }

func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Number returns v in full, or with an exponent if that is shorter to read.
func Number(v float64) string {
	if a := math.Abs(v); a >= 1e7 || a != 0 && a < 1e-4 {
		return minus(strconv.FormatFloat(v, 'e', -1, 64))
	}
	return minus(strconv.FormatFloat(v, 'f', -1, 64))
}

// Percent returns a ratio as a percentage.
func Percent(v float64) string { return minus(strconv.FormatFloat(v*100, 'g', 6, 64)) + " %" }

// Multiple returns a quotient as "2×".
func Multiple(v float64) string { return Number(v) + "×" }

// prefixed returns a Format that writes v with the largest unit that does not exceed it.
func prefixed(units ...string) func(float64) string {
	return func(v float64) string {
		i := 0
		for i < len(units)-1 && math.Abs(v) >= 999.5 {
			v /= 1000
			i++
		}
		return strings.TrimSpace(minus(strconv.FormatFloat(v, 'g', 4, 64)) + " " + units[i])
	}
}

// Formats of numbers with a prefix.
var (
	Duration = prefixed("ns", "µs", "ms", "s")                // of nanoseconds
	Bytes    = prefixed("B", "kB", "MB", "GB", "TB", "PB")    // of bytes
	Count    = prefixed("", "thousand", "million", "billion") // of anything
)

// PowerOfTwo returns 2^v, 0 if v is negative, or "" if v is not a whole number.
func PowerOfTwo(v float64) string {
	switch {
	case v != math.Trunc(v):
		return ""
	case v < 0:
		return "0"
	}
	return strconv.FormatFloat(math.Exp2(v), 'f', -1, 64)
}
