package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// The kinds of axes. The library's own logarithmic axis panics at zero, so every
// axis is linear for it, and the data are transformed on their way.
type scale int

const (
	linear    scale = iota
	logarithm       // decades; what is not above the axis's minimum lies at "≈ 0", below a break
	signedLog       // linear between ±signedUnit, decades outside: for differences
)

// tiniest is the smallest value that gets a decade of its own; less is "≈ 0".
const tiniest = 1e-30

// signedUnit is where a signedLog axis turns from linear to logarithmic.
const signedUnit = 0.001

// An axis maps data to the plot's coordinates and writes its ticks.
type axis struct {
	label    string
	scale    scale
	min, max float64              // in units of the data; where equal, fit makes them span the data
	floor    bool                 // logarithm only: something lies at "≈ 0"
	format   func(float64) string // of tick labels; plain numbers where nil
	names    []string             // of the places 0, 1, ... of a nominal axis, from the top
	blank    bool                 // nominal, but its neighbour bears the names
	labels   int                  // how many a narrow panel has room for; 0 for the usual number
}

const (
	floorDepth = 0.75 // decades from the lowest one drawn down to "≈ 0"
	floorRoom  = 0.35 // and from there to the axis
)

// at returns the place of v on the axis, and false where it has none.
func (a *axis) at(v float64) (float64, bool) {
	switch a.scale {
	case logarithm:
		if v < a.min {
			return math.Log10(a.min) - floorDepth, a.floor
		}
		return math.Log10(v), true
	case signedLog:
		return math.Copysign(math.Log10(1+math.Abs(v)/signedUnit), v), true
	}
	return v, true
}

// inside reports whether v lies on the part of the axis that is drawn.
func (a *axis) inside(v float64) bool {
	if a.scale == logarithm && v < a.min {
		return a.floor
	}
	slack := (a.max - a.min) * 1e-9
	return v >= a.min-slack && v <= a.max+slack
}

// fit chooses the range that shows all of values, and whether a floor is needed.
func (a *axis) fit(values []float64) {
	if a.names != nil {
		a.min, a.max = -0.6, float64(len(a.names))-0.4
		return
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if a.scale == logarithm && v < tiniest {
			continue
		}
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if a.min == a.max {
		switch {
		case low > high:
			a.min, a.max = 0.1, 1 // nothing to show
		case a.scale == logarithm:
			a.min = math.Pow(10, math.Floor(math.Log10(low)+1e-9))
			a.max = math.Pow(10, math.Ceil(math.Log10(high)-1e-9))
			if a.min == a.max {
				a.max *= 10
			}
		case a.scale == signedLog:
			a.min, a.max = math.Min(low*1.3, -signedUnit), math.Max(high*1.3, signedUnit)
		default:
			a.min = math.Min(low, 0)
			a.max = high + 0.03*(high-a.min)
			if room := math.Max(math.Abs(a.min)*1e-6, tiniest); a.max-a.min < room {
				a.max = a.min + math.Max(1, room)
			}
		}
	}
	if a.scale == logarithm {
		for _, v := range values {
			a.floor = a.floor || v < a.min
		}
	}
}

// apply hands the range and the ticks to the library's axis.
func (a *axis) apply(p *plot.Axis) {
	p.Min, _ = a.at(a.min)
	p.Max, _ = a.at(a.max)
	if a.floor {
		p.Min -= floorDepth + floorRoom
	}
	p.Label.Text = a.label
	p.Tick.Marker = plot.ConstantTicks(a.ticks())
}

func (a *axis) ticks() []plot.Tick {
	format := a.format
	if format == nil {
		format = number
	}
	var ticks []plot.Tick
	add := func(v float64, label bool) {
		if at, ok := a.at(v); ok && a.inside(v) {
			t := plot.Tick{Value: at}
			if label {
				t.Label = format(v)
			}
			ticks = append(ticks, t)
		}
	}
	switch {
	case a.names != nil:
		for i, name := range a.names {
			if a.blank {
				name = ""
			}
			ticks = append(ticks, plot.Tick{Value: float64(len(a.names) - 1 - i), Label: name})
		}
	case a.scale == logarithm:
		if a.floor {
			ticks = append(ticks, plot.Tick{Value: math.Log10(a.min) - floorDepth, Label: "≈ 0"})
		}
		first, last := int(math.Floor(math.Log10(a.min)+1e-9)), int(math.Ceil(math.Log10(a.max)-1e-9))
		every := 1 + (last-first)/a.tickCount(8)
		offset := 0
		if a.floor && every > 1 {
			offset = 1 // away from "≈ 0"
		}
		for decade := first; decade <= last; decade++ {
			for m := 1; m <= 9; m++ {
				v, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, decade), 64) // 3e-3, not 0.0030000000000000005
				named := m == 1 && (decade-first)%every == offset || last-first <= 1 && (m == 2 && a.tickCount(8) > 4 || m == 5)
				add(v, named)
			}
		}
	case a.scale == signedLog:
		places := []float64{-1, -0.1, -0.01, -0.001, 0, 0.001, 0.01, 0.1, 1}
		room := a.labels == 0 || len(slices.DeleteFunc(slices.Clone(places), func(v float64) bool {
			return math.Abs(v) <= signedUnit || !a.inside(v)
		})) <= a.labels
		for _, v := range places {
			// A guide names the middle, whose neighbours are too near.
			add(v, math.Abs(v) > signedUnit && (room || math.Abs(v) == 0.1))
		}
	default:
		step := niceStep((a.max - a.min) / float64(a.tickCount(6)))
		// Whole steps, as integers: a float would count to minus zero.
		for i := int(math.Ceil(a.min/step - 1e-9)); float64(i)*step <= a.max+step*1e-9; i++ {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(i)*step, 'g', 12, 64), 64)
			add(v, true)
		}
	}
	return ticks
}

// tickCount is about how many labels the axis should have.
func (a *axis) tickCount(usual int) int {
	if a.labels > 0 {
		return a.labels
	}
	return usual
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power*(1+1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// minus gives numbers the sign that is as wide as a plus.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// number writes v as it stands, or with an exponent where that would be long.
func number(v float64) string {
	if a := math.Abs(v); a >= 1e7 || a != 0 && a < 1e-4 {
		return minus(strconv.FormatFloat(v, 'e', -1, 64))
	}
	return minus(strconv.FormatFloat(v, 'f', -1, 64))
}

// percent writes a ratio as a percentage.
func percent(v float64) string {
	return minus(strconv.FormatFloat(v*100, 'g', 6, 64)) + " %"
}

// power writes powers of ten with a raised exponent.
func power(v float64) string {
	exponent := math.Floor(math.Log10(v) + 1e-9)
	s := fmt.Sprintf("10^{%.0f}", exponent)
	if m := math.Round(v / math.Pow(10, exponent)); m != 1 {
		s = fmt.Sprintf("%.0f·%s", m, s)
	}
	return minus(s)
}

// prefixed writes v with the largest of the units that does not exceed it.
func prefixed(units ...string) func(float64) string {
	return func(v float64) string {
		i := 0
		for i < len(units)-1 && math.Abs(v) >= 999.5 {
			v /= 1000
			i++
		}
		return minus(strconv.FormatFloat(v, 'g', 4, 64)) + " " + units[i]
	}
}

var (
	duration = prefixed("ns", "µs", "ms", "s")
	size     = prefixed("B", "kB", "MB", "GB", "TB", "PB")
)
