package choice

import (
	"cmp"
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

// Recommended is the offer to take: of those that fit and keep their window for ever the
// smallest, or, where a slightly larger one is much faster, that one; where none keeps its
// window for ever, the smallest of those with a fixed capacity. Offers must stand in the
// order of Offers. It reports whether any fits.
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
	name := short(take.Strategy)
	time := "its time was not measured at this size"
	if take.MeasuredOn != "" {
		time = fmt.Sprintf("a request of %d candidates takes %s", candidates, text.Nanos(take.Nanos))
	}
	why := "no other that fits is smaller"
	if name != short(smallest.Strategy) {
		why = fmt.Sprintf("the smallest, %s, takes %d B but %.2g times as long", short(smallest.Strategy), smallest.Payload+smallest.Header, smallest.Nanos/take.Nanos)
	}
	costs := fmt.Sprintf("Take %s: %d B a user, %s in all for %s users, the store's %d B each included.",
		name, take.Payload+take.Header, text.Bytes(roundUp(float64(take.Total))), text.Thousands(n.Users), storeBytes)
	if take.kind.endless {
		return fmt.Sprintf("%s Nothing that fits keeps its window for ever: this holds an FPR of at most %s for a user's first %d articles, after which the FPR grows without bound; %s; %s.",
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
		ways = append(ways, fmt.Sprintf("give %s, which %s takes", text.Bytes(roundUp(float64(least.Total))), short(least.Strategy)))
	}
	if lowest.PossibleFPR > 0 {
		ways = append(ways, fmt.Sprintf("accept an FPR of %s (%s)", text.Percent(lowest.PossibleFPR), short(lowest.Strategy)))
	}
	if longest.PossibleWindow > 0 {
		ways = append(ways, fmt.Sprintf("remember the last %d articles (%s)", longest.PossibleWindow, short(longest.Strategy)))
	}
	if ways == nil {
		return "Relaxing one constraint alone does not help."
	}
	said := strings.Join(ways, ", or ")
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

// recommendation is the advice with the Go code of what to take.
func recommendation(a *answer, n Need, all []Offer, lines []string) {
	a.paragraph(advice(n, all) + "\n")
	if len(lines) == 0 {
		return
	}
	code := strings.Join(lines, "\n") + "\n"
	if a.markdown {
		code = "```go\n" + code + "```\n"
	}
	a.WriteString(code + "\n")
}

// endlessLife is how many windows a filter that never forgets is to hold the rate for, where
// nobody says how many articles a user is shown: users stay longer than a window.
const endlessLife = 10

// life is the articles up to which a strategy that never forgets must hold its rate.
func (n Need) life() int {
	return cmp.Or(n.Articles, min(endlessLife*n.Window, MaxWindow))
}
