package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"dejavu/results"
)

func fitting(all []offer) (count int) {
	for _, s := range all {
		if s.Fits {
			count++
		}
	}
	return count
}

// choiceText is the answer for people.
func choiceText(n need, all []offer, markdown bool) string {
	var b strings.Builder
	render := func(t results.Table) {
		if len(t.Rows) == 0 {
			return
		}
		if markdown {
			b.WriteString(t.Markdown() + "\n")
		} else {
			b.WriteString(t.Text() + "\n")
		}
	}
	paragraph := func(text string) {
		if !markdown {
			text = folded(text, textColumns)
		}
		b.WriteString(text + "\n")
	}
	paragraph(asked(n, all) + "\n")
	render(fits(all))
	render(costs(all))
	b.WriteString(goLines(all, markdown))
	render(gives(n, all))
	for _, note := range notes(n, all) {
		if markdown {
			note = "- " + note
		}
		paragraph(note)
	}
	return b.String()
}

// textColumns is how wide a terminal may be asked to be.
const textColumns = 140

// folded breaks a line between words, so that no part is longer than so many
// characters where the words allow it; the parts behind the first are indented.
func folded(line string, columns int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(line, " ") {
		length := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+length > columns:
			b.WriteString("\n  ")
			at = 2
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += length
	}
	return b.String()
}

// goLines are the lines that construct what fits.
func goLines(all []offer, markdown bool) string {
	lines := ""
	for _, s := range all {
		if s.Fits {
			lines += fmt.Sprintf("%s // %s\n", strings.Join(source(s.config), "\n"), s.Strategy)
		}
	}
	switch {
	case lines == "":
		return ""
	case markdown:
		return "```go\n" + lines + "```\n\n"
	default:
		return lines + "\n"
	}
}

// asked says what was asked for, and how many strategies do it.
func asked(n need, all []offer) string {
	limit := "without a limit on memory"
	if n.memory > 0 {
		limit = "in " + n.memory.String()
	}
	count := fmt.Sprintf("%d of %d strategies fit", fitting(all), len(all))
	switch fitting(all) {
	case 0:
		count = "no strategy fits"
	case 1:
		count = fmt.Sprintf("1 of %d strategies fits", len(all))
	}
	return fmt.Sprintf("%d readers, the last %d articles remembered at every moment, at most %s of fresh articles taken for seen, %s: %s.",
		n.users, n.window, percent(n.fpr), limit, count)
}

// fits is the table of what does it.
func fits(all []offer) results.Table {
	t := results.Table{Title: "What fits, the smallest first", Header: []string{
		"strategy", "geometry", "history", "a user", "all readers", "FPR at worst", "mean", "window", "holds",
	}}
	for _, s := range all {
		if !s.Fits {
			continue
		}
		window, holds := fmt.Sprintf("%d to %d", s.Window, s.WindowMost), "for ever"
		if s.Window == s.WindowMost {
			window = fmt.Sprint(s.Window)
		}
		if s.Until > 0 {
			window, holds = "all", fmt.Sprintf("to article %d", s.Until)
		}
		t.Rows = append(t.Rows, []string{
			packageOf(s.Strategy), s.Geometry, fmt.Sprintf("%d B", s.Payload+s.Header), fmt.Sprintf("%d B", s.User),
			bytesText(roundUp(float64(s.Total))), percent(s.FPR), percent(s.FPRMean), window, holds,
		})
	}
	return t
}

// costs is the table of what a request takes of those that fit.
func costs(all []offer) results.Table {
	t := results.Table{Title: fmt.Sprintf("A request of %d candidates", askedCandidates), Header: []string{
		"strategy", "multiplications", "loads", "cache lines", "measured", "on",
	}}
	for _, s := range all {
		if !s.Fits {
			continue
		}
		nanos, on := "–", "–"
		if s.MeasuredOn != "" {
			nanos, on = nanosText(s.Nanos), packageOf(s.MeasuredOn)
		}
		counts := []string{"–", "–", "–"}
		if s.Loads > 0 {
			counts = []string{fmt.Sprint(s.Multiplications), fmt.Sprint(s.Loads), fmt.Sprint(s.Lines)}
		}
		t.Rows = append(t.Rows, append(append([]string{packageOf(s.Strategy)}, counts...), nanos, on))
	}
	return t
}

// gives is the table of what does not, with what would have to give.
func gives(n need, all []offer) results.Table {
	t := results.Table{Title: "What does not fit, and what would have to give: one of memory, FPR and window", Header: []string{
		"strategy", "geometry", "a user", "why not", "memory", "or FPR", "or window",
	}}
	for _, s := range all {
		if s.Fits {
			continue
		}
		geometry, user, why, memory, rate, reach := "–", "–", "see below", "–", "–", "–"
		if s.made != nil {
			geometry, user, why, memory = s.Geometry, fmt.Sprintf("%d B", s.User), s.Why, bytesText(roundUp(float64(s.Total)))
		}
		if s.PossibleFPR > n.fpr {
			rate = percent(s.PossibleFPR)
		}
		if s.PossibleReach > 0 {
			reach = fmt.Sprint(s.PossibleReach)
			if s.kind.wears {
				reach = fmt.Sprintf("to article %d", s.PossibleReach)
			}
		}
		t.Rows = append(t.Rows, []string{packageOf(s.Strategy), geometry, user, why, memory, rate, reach})
	}
	return t
}

// notes say how to read the tables.
func notes(n need, all []offer) (lines []string) {
	some, timed, beyond, uncounted := fitting(all) > 0, false, "", false
	for _, s := range all {
		name := packageOf(s.Strategy)
		switch {
		case s.made == nil:
			lines = append(lines, fmt.Sprintf("%s: %s.", name, strings.TrimPrefix(s.Why, s.Strategy+": ")))
		case s.Fits && s.UserTwice > s.User:
			lines = append(lines, fmt.Sprintf(
				"%s never forgets and so grows: it takes %d bytes a user up to article %d, and %d after %d, where it takes %s of fresh articles for seen.",
				name, s.User, s.Until, s.UserTwice, 2*s.Until, percent(s.FPRTwice)))
		case s.Fits && s.Until > 0:
			lines = append(lines, fmt.Sprintf(
				"%s never forgets and so wears out: it holds %s up to article %d of a reader, and takes %s of fresh articles for seen after %d (--articles asks for a longer life).",
				name, percent(n.fpr), s.Until, percent(s.FPRTwice), 2*s.Until))
		}
		if name != s.Strategy && beyond == "" {
			beyond = s.Strategy
		}
		timed = timed || s.Fits && s.MeasuredOn != ""
		uncounted = uncounted || s.Fits && s.Loads == 0
	}
	if some {
		lines = append(lines,
			"history: the longest, with its header; a user: that and the 12 bytes that the store keeps beside it; rates: exact closed forms, at the worst moment and on average over a turn, or over a life until it wears out.")
		counts := "multiplications derive positions from IDs, loads are from the history, cache lines the ones of 64 bytes that these meet"
		if uncounted {
			counts += "; – where they depend on what is found"
		}
		lines = append(lines, counts+".")
	}
	if timed {
		lines = append(lines, fmt.Sprintf(
			"measured: such a request, hot, in the reference run (%s), by the same loop on a history about as long, that of the strategy named.",
			timedRun().machine))
	}
	if fitting(all) < len(all) {
		lines = append(lines, "what would have to give: the memory of all readers that is needed, or else the lowest rate in the memory there is, or else the longest window, the rest unchanged; – is not by this alone.")
	}
	if beyond != "" {
		lines = append(lines, fmt.Sprintf("queue, single, dual and chain are the paper's (--paper asks for them alone); the others lie in packages like %s.", beyond))
	}
	return lines
}
