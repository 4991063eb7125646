package choice

import (
	"cmp"
	"fmt"
	"strings"

	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
)

// Text is the answer for people, for a terminal of so many columns (0 for as many as it
// takes) or in Markdown: what to take, what fits and what a request costs there, the Go
// code of each, and which constraint to relax for the others.
func Text(n Need, all []Offer, markdown bool, columns int) string {
	b := answer{markdown: markdown, columns: columns}
	take, _, _ := Recommended(all)
	b.recommendation(n, all, take.Go)
	b.tables(n, all)
	return b.String()
}

// textColumns is how wide a paragraph is where no terminal says.
const textColumns = 140

// An answer is text for a terminal, or in Markdown.
type answer struct {
	strings.Builder
	markdown bool
	columns  int
}

// render adds a table that has lines.
func (a *answer) render(t document.Table) {
	switch {
	case len(t.Rows) == 0:
	case a.markdown:
		a.WriteString(t.Markdown() + "\n")
	default:
		a.WriteString(t.Within(a.columns) + "\n")
	}
}

// paragraph adds a line, broken where a terminal needs it.
func (a *answer) paragraph(line string) {
	if !a.markdown {
		line = text.Wrap(line, cmp.Or(a.columns, textColumns), "  ")
	}
	a.WriteString(line + "\n")
}

// code adds lines of Go, which semicolons separate.
func (a *answer) code(lines string) {
	if lines = strings.ReplaceAll(lines, "; ", "\n"); lines == "" {
		return
	}
	if a.markdown {
		lines = "```go\n" + lines + "\n```"
	}
	a.WriteString(lines + "\n\n")
}

// recommendation is the advice with the Go code of what to take.
func (a *answer) recommendation(n Need, all []Offer, lines string) {
	a.paragraph(advice(n, all) + "\n")
	a.code(lines)
}

// tables are what was asked for, and all that stands behind the recommendation.
func (a *answer) tables(n Need, all []Offer) {
	a.paragraph(asked(n, all) + "\n")
	a.render(fits(all, false))
	a.render(fits(all, true))
	a.render(costs(all))
	var lines []string
	for _, o := range all {
		if o.Fits {
			lines = append(lines, o.Go+" // "+o.Strategy)
		}
	}
	a.code(strings.Join(lines, "; "))
	a.render(relaxed(n, all))
	for _, note := range notes(n, all) {
		if a.markdown {
			note = "- " + note
		}
		a.paragraph(note)
	}
}

// short is a name without where it comes from.
func short(name string) string { return strings.TrimPrefix(name, results.Beyond) }

// bytesText is a number of bytes that is enough.
func bytesText[N int64 | float64](bytes N) string { return text.Bytes(roundUp(float64(bytes))) }

// asked says what was asked for, and how many strategies fit.
func asked(n Need, all []Offer) string {
	limit := "no limit on memory"
	if n.Memory > 0 {
		limit = "in " + text.Bytes(float64(n.Memory))
	}
	count := fmt.Sprintf("%d of %d strategies fit", Fitting(all), len(all))
	switch Fitting(all) {
	case 0:
		count = "no strategy fits"
	case 1:
		count = fmt.Sprintf("1 of %d strategies fits", len(all))
	}
	return fmt.Sprintf("%s users, the last %d articles remembered at every moment, an FPR of at most %s, %s: %s.",
		text.Thousands(n.Users), n.Window, text.Percent(n.FPR), limit, count)
}

// fits is the table of what fits for ever, or up to a fixed capacity.
func fits(all []Offer, fixed bool) document.Table {
	title := "What fits, the smallest first"
	if fixed {
		title = "What fits up to a fixed capacity, after which the FPR grows without bound"
	}
	t := document.Table{Title: title, Header: []string{
		"strategy", "geometry", "history", "a user", "all users", "FPR at worst", "mean", "window", "holds",
	}}
	for _, o := range all {
		if !o.Fits || o.kind.endless != fixed {
			continue
		}
		window, holds := fmt.Sprintf("%d to %d", o.Window, o.WindowMost), "for ever"
		if o.Window == o.WindowMost {
			window = fmt.Sprint(o.Window)
		}
		if o.Until > 0 {
			window, holds = "all", fmt.Sprintf("to article %d", o.Until)
		}
		t.Rows = append(t.Rows, []string{
			short(o.Strategy), o.Geometry, fmt.Sprintf("%d B", o.Payload+o.Header), fmt.Sprintf("%d B", o.User),
			bytesText(o.Total), text.Percent(o.FPR), text.Percent(o.FPRMean), window, holds,
		})
	}
	return t
}

// costs is the table of what a request takes of those that fit.
func costs(all []Offer) document.Table {
	t := document.Table{Title: fmt.Sprintf("A request of %d candidates", candidates), Header: []string{
		"strategy", "multiplications", "loads", "cache lines", "measured", "on",
	}}
	for _, o := range all {
		if !o.Fits {
			continue
		}
		row := []string{short(o.Strategy), text.None, text.None, text.None, text.None, text.None}
		if o.Loads > 0 {
			row[1], row[2], row[3] = fmt.Sprint(o.Multiplications), fmt.Sprint(o.Loads), fmt.Sprint(o.Lines)
		}
		if o.MeasuredOn != "" {
			row[4], row[5] = text.Nanos(o.Nanos), short(o.MeasuredOn)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// relaxed is the table of what does not fit, and would with one constraint relaxed.
func relaxed(n Need, all []Offer) document.Table {
	t := document.Table{
		Title:  "What does not fit, and which constraint to relax: memory, FPR or window",
		Header: []string{"strategy", "geometry", "a user", "why not", "memory", "or FPR", "or window"},
	}
	for _, o := range all {
		if o.Fits {
			continue
		}
		row := []string{short(o.Strategy), text.None, text.None, "see below", text.None, text.None, text.None}
		if o.made != nil {
			row[1], row[2], row[3], row[4] = o.Geometry, fmt.Sprintf("%d B", o.User), o.Why, bytesText(o.Total)
		}
		if o.PossibleFPR > n.FPR {
			row[5] = text.Percent(o.PossibleFPR)
		}
		if o.PossibleWindow > 0 {
			row[6] = fmt.Sprint(o.PossibleWindow)
			if o.kind.endless {
				row[6] = "to article " + row[6]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// notes explain the tables.
func notes(n Need, all []Offer) (lines []string) {
	timed, beyond, uncounted := false, "", false
	for _, o := range all {
		name := short(o.Strategy)
		switch {
		case o.made == nil:
			lines = append(lines, fmt.Sprintf("%s: %s.", name, strings.TrimPrefix(o.Why, o.Strategy+": ")))
		case o.Fits && o.UserTwice > o.User:
			lines = append(lines, fmt.Sprintf("%s never forgets and grows: "+
				"it takes %d bytes a user up to article %d, and %d after %d, at an FPR of %s.",
				name, o.User, o.Until, o.UserTwice, 2*o.Until, text.Percent(o.FPRTwice)))
		case o.Fits && o.Until > 0:
			lines = append(lines, fmt.Sprintf("%s never forgets and has a fixed capacity: its FPR is at most %s "+
				"up to article %d of a user, %s after %d, and grows without bound (--articles asks for another capacity).",
				name, text.Percent(n.FPR), o.Until, text.Percent(o.FPRTwice), 2*o.Until))
		}
		if name != o.Strategy {
			beyond = cmp.Or(beyond, o.Strategy)
		}
		timed = timed || o.Fits && o.MeasuredOn != ""
		uncounted = uncounted || o.Fits && o.Loads == 0
	}
	fit := Fitting(all)
	if fit > 0 {
		lines = append(lines, "history: the longest, with its header. A user: that and 12 bytes that the store keeps for "+
			"each. Rates: exact closed forms, at the worst moment and on average over a cycle, or up to a fixed capacity.")
		counts := "multiplications derive positions from IDs, loads read the history, " +
			"cache lines are those of 64 bytes that the loads touch"
		if uncounted {
			counts += "; – where they depend on what is found"
		}
		lines = append(lines, counts+".")
	}
	if timed {
		lines = append(lines, fmt.Sprintf("measured: such a request, of one user again and again, "+
			"in the reference run (%s), for the strategy named with a history about as long.", reference().machine))
	}
	if fit < len(all) {
		lines = append(lines, "which constraint to relax: the memory that all users need, or else the lowest FPR in the "+
			"memory given, or else the longest window, the rest unchanged; – where that alone does not help.")
	}
	if beyond != "" {
		lines = append(lines, fmt.Sprintf("queue, single, dual and chain are the paper's (--paper asks for them alone); "+
			"the others lie in packages like %s.", beyond))
	}
	return lines
}

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
