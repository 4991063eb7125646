package choice

import (
	"fmt"
	"strings"

	"dejavu/experiments/text"
)

const (
	// more is how many times the bytes of the smallest a recommended strategy may take,
	// where it answers at least faster times as fast.
	more   = 1.25
	faster = 2
)

// Recommended is the offer to take: of those that fit and keep their window for ever the smallest, or, where
// a slightly larger one is much faster, that one; where none keeps its window for ever, the smallest of those
// with a fixed capacity. Offers must stand in the order of Offers. It reports whether any fits.
func Recommended(all []Offer) (take, smallest Offer, ok bool) {
	for _, o := range all {
		switch {
		case !o.Fits:
		case !ok:
			take, smallest, ok = o, o, true
		case o.kind.endless != smallest.kind.endless || float64(o.User) > more*float64(smallest.User):
		case o.Nanos > 0 && faster*o.Nanos <= smallest.Nanos && o.Nanos < take.Nanos:
			take = o
		}
	}
	return take, smallest, ok
}

// advice is the recommendation in sentences: what to take, why, and what it costs; where
// nothing fits, what is nearest.
func advice(n Need, all []Offer) string {
	take, smallest, ok := Recommended(all)
	if !ok {
		return "No strategy fits. " + nearest(n, all)
	}
	time := "its time was not measured at this size"
	if take.MeasuredOn != "" {
		time = fmt.Sprintf("a request of %d candidates takes %s", candidates, text.Nanos(take.Nanos))
	}
	why := "no other that fits is smaller"
	if take.Strategy != smallest.Strategy {
		why = fmt.Sprintf("the smallest, %s, takes %d B but %.2g times as long",
			short(smallest.Strategy), smallest.Payload+smallest.Header, smallest.Nanos/take.Nanos)
	}
	costs := fmt.Sprintf("Take %s: %d B a user, %s in all for %s users, the store's %d B each included.",
		short(take.Strategy), take.Payload+take.Header, bytesText(take.Total), text.Thousands(n.Users), storeBytes)
	if take.kind.endless {
		return fmt.Sprintf("%s Nothing that fits keeps its window for ever: this holds an FPR of at most %s "+
			"for a user's first %d articles, after which the FPR grows without bound; %s; %s.",
			costs, text.Percent(n.FPR), take.Until, time, why)
	}
	return fmt.Sprintf("%s It recognises the last %d articles for ever with an FPR of at most %s, and %s; %s.",
		costs, take.Window, text.Percent(take.FPR), time, why)
}

// nearest says what the least change of each constraint is that has something fit, of
// what keeps its window for ever.
func nearest(n Need, all []Offer) string {
	least, longest, lowest := Offer{}, Offer{}, Offer{}
	for _, o := range all {
		if o.kind.endless {
			continue
		}
		if o.made != nil && (least.made == nil || o.Total < least.Total) {
			least = o
		}
		if o.PossibleWindow > longest.PossibleWindow {
			longest = o
		}
		if o.PossibleFPR > n.FPR && (lowest.PossibleFPR == 0 || o.PossibleFPR < lowest.PossibleFPR) {
			lowest = o
		}
	}
	var ways []string
	if least.made != nil && n.Memory > 0 {
		ways = append(ways, fmt.Sprintf("give %s, which %s takes", bytesText(least.Total), short(least.Strategy)))
	}
	if lowest.PossibleFPR > 0 {
		rate := text.Percent(lowest.PossibleFPR)
		ways = append(ways, fmt.Sprintf("accept an FPR of %s (%s)", rate, short(lowest.Strategy)))
	}
	if longest.PossibleWindow > 0 {
		window := longest.PossibleWindow
		ways = append(ways, fmt.Sprintf("remember the last %d articles (%s)", window, short(longest.Strategy)))
	}
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	sentence := strings.Join(ways, ", or ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}
