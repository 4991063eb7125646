package catalogue

import (
	"math"
	"slices"
)

// Entries returns the entries that can be made for a window and a rate.
func Entries(all []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(all), func(e Entry) bool { return e.Sized == nil })
}

// Structures returns Entries with one size of each structure: the last in the list, which is the smallest.
func Structures(all []Entry) (some []Entry) {
	for _, e := range Entries(all) {
		same := func(other Entry) bool { return other.Structure() == e.Structure() }
		if i := slices.IndexFunc(some, same); i >= 0 {
			some[i] = e
		} else {
			some = append(some, e)
		}
	}
	return some
}

// Settled returns the range of articles shown over which a strategy made for a window is summarised. It spans the given
// articles and begins after a full rotation. A fixed capacity is summarised when full.
func Settled(s Strategy, window, articles int) (first, last int) {
	if Endless(s) {
		return window, window
	}
	return 3*window + 1, 3*window + articles
}

// A Summary holds a strategy's expected values over a range of articles shown.
type Summary struct {
	Bytes              int // of the longest history
	MeanBytes          float64
	Window, WindowMost int     // guaranteed, the least and the most
	Worst, Mean        float64 // FPR
	WorstAt            int     // articles shown
}

// Over summarises a strategy from first to last article shown. Rates are taken in the middle of each step articles. The
// mean over 250 steps equals the mean over all articles to four digits if nothing is cleared on the way, and within a
// hundredth otherwise.
func Over(s Strategy, first, last, step int) Summary {
	o := Lengths(s, first, last)
	o.Worst = -1
	for from := first; from <= last; from += step {
		length := min(step, last-from+1)
		at := from + (length-1)/2
		fpr := s.FPR(at)
		if fpr > o.Worst {
			o.Worst, o.WorstAt = fpr, at
		}
		o.Mean += float64(length) * fpr
	}
	o.Mean /= float64(last - first + 1)
	return o
}

// Lengths is Over without the rates, which take longest.
func Lengths(s Strategy, first, last int) Summary {
	o := Summary{Window: math.MaxInt}
	sum := 0
	for read := first; read <= last; read++ {
		bytes, window := s.Bytes(read), s.Window(read)
		sum += bytes
		o.Bytes = max(o.Bytes, bytes)
		o.Window, o.WindowMost = min(o.Window, window), max(o.WindowMost, window)
	}
	o.MeanBytes = float64(sum) / float64(last-first+1)
	return o
}

// LowestFPR returns the lowest rate from low on that fits, to within near of its logarithm, or 0 if none fits.
func LowestFPR(low, near float64, fits func(fpr float64) bool) float64 {
	const always = 0.999
	below, above := math.Log(low), math.Log(always)
	if below >= above || !fits(math.Exp(above)) {
		return 0
	}
	for above-below > near {
		if middle := (below + above) / 2; fits(math.Exp(middle)) {
			above = middle
		} else {
			below = middle
		}
	}
	return math.Exp(above)
}
