package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dejavu/results"
	"dejavu/workload"
)

type chooseCommand struct {
	Users    int     `default:"10000000" help:"Readers, all with as long a history as it gets, 1 to ${maxUsers}."`
	Window   int     `default:"400" help:"Articles to remember at every moment, 1 to 500000."`
	FPR      float64 `name:"fpr" default:"0.02" help:"False positive rate at the worst moment, at most; 1e-12 or more and less than 1."`
	Memory   size    `help:"Memory for all histories, as 6GiB or 500MB (default: no limit)." placeholder:"SIZE"`
	Articles int     `help:"Articles for which a filter that never forgets is to hold the rate, --window to 500000 (default: --window)."`

	Markdown bool `xor:"form" help:"Print Markdown."`
	CSV      bool `xor:"form" name:"csv" help:"Print CSV, a line a strategy, with everything that is known of it."`
	JSON     bool `xor:"form" name:"json" help:"Print JSON."`
}

// mostWindow is how long a window may be asked for. A store tells 16383 lengths
// of histories apart, and the queue's grow by 50 articles: 819150.
const mostWindow = 500_000

// leastFPR is how low a rate may be asked for. IDs have 64 bits: one of mostWindow
// articles has a fresh one's once in 4e13, which no filter can help.
const leastFPR = 1e-12

// errNothingFits ends the command with a status that a script can ask for.
var errNothingFits = errors.New("no strategy fits; what is printed says what would have to give")

// need checks the flags.
func (c *chooseCommand) need() (need, error) {
	n := need{users: c.Users, window: c.Window, fpr: c.FPR, articles: c.Articles, memory: c.Memory}
	if n.articles == 0 {
		n.articles = n.window
	}
	switch {
	case c.Users < 1 || c.Users > workload.MaxUsers:
		return n, usagef("--users is %d, want 1 to %d", c.Users, workload.MaxUsers)
	case c.Window < 1 || c.Window > mostWindow:
		return n, usagef("--window is %d, want 1 to %d", c.Window, mostWindow)
	case !(c.FPR >= leastFPR && c.FPR < 1): // also false for NaN
		return n, usagef("--fpr is %v, want %v or more and less than 1", c.FPR, leastFPR)
	case n.articles < c.Window || n.articles > mostWindow:
		return n, usagef("--articles is %d, want %d (--window) to %d", c.Articles, c.Window, mostWindow)
	}
	return n, nil
}

// run prints the strategies that fit, and what would have to give for the others.
func (c *chooseCommand) run(stdout io.Writer) error {
	n, err := c.need()
	if err != nil {
		return err
	}
	all, err := offers(n)
	if err != nil {
		return err
	}
	switch {
	case c.CSV:
		err = writeChoiceCSV(stdout, all)
	case c.JSON:
		err = writeChoiceJSON(stdout, n, all)
	default:
		_, err = io.WriteString(stdout, choiceText(n, all, c.Markdown))
	}
	if err == nil && fitting(all) == 0 {
		err = errNothingFits
	}
	return err
}

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
	b.WriteString(asked(n, all) + "\n\n")
	render(fits(all))
	render(costs(all))
	b.WriteString(goLines(all, markdown))
	render(gives(n, all))
	for _, note := range notes(n, all) {
		if markdown {
			note = "- " + note
		}
		b.WriteString(note + "\n")
	}
	return b.String()
}

// goLines are the lines that construct what fits.
func goLines(all []offer, markdown bool) string {
	lines := ""
	for _, s := range all {
		if s.Fits {
			lines += fmt.Sprintf("%s // %s\n", s.Go, s.Strategy)
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
			window = "all"
			holds = fmt.Sprintf("up to article %d", s.Until)
		}
		t.Rows = append(t.Rows, []string{
			s.Strategy, s.geometryText(), fmt.Sprintf("%d B", s.Payload+s.Header), fmt.Sprintf("%d B", s.User),
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
			nanos, on = nanosText(s.Nanos), s.MeasuredOn
		}
		t.Rows = append(t.Rows, []string{
			s.Strategy, fmt.Sprint(s.Multiplications), fmt.Sprint(s.Loads), fmt.Sprint(s.Lines), nanos, on,
		})
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
		user, memory, rate, reach := "–", "–", "–", "–"
		if s.made != nil {
			user, memory = fmt.Sprintf("%d B", s.User), bytesText(roundUp(float64(s.Total)))
		}
		if s.PossibleFPR > n.fpr {
			rate = percent(s.PossibleFPR)
		}
		if s.PossibleReach > 0 {
			reach = fmt.Sprint(s.PossibleReach)
			if s.Strategy == singleKind.name {
				reach = fmt.Sprintf("up to article %d", s.PossibleReach)
			}
		}
		t.Rows = append(t.Rows, []string{s.Strategy, s.geometryText(), user, s.Why, memory, rate, reach})
	}
	return t
}

// notes say how to read the tables.
func notes(n need, all []offer) (lines []string) {
	some, timed := fitting(all) > 0, false
	for _, s := range all {
		if s.Fits && s.Until > 0 {
			lines = append(lines, fmt.Sprintf(
				"single never forgets and so wears out: it holds %s up to article %d of a reader, and takes %s of fresh articles for seen after %d (--articles asks for a longer life).",
				percent(n.fpr), s.Until, percent(s.FPRTwice), 2*s.Until))
		}
		timed = timed || s.Fits && s.MeasuredOn != ""
	}
	if some {
		lines = append(lines,
			"history: the longest, with its header; a user: that and the 12 bytes that the store keeps beside it; rates: exact closed forms, at the worst moment and on average over a turn, or over a life until it wears out.",
			"multiplications derive positions from IDs, loads are from the history, cache lines the ones of 64 bytes that these meet.")
	}
	if timed {
		lines = append(lines, fmt.Sprintf(
			"measured: such a request, hot, in the reference run (%s), by the same loop on a history about as long, that of the strategy named.",
			timedRun().machine))
	}
	if fitting(all) < len(all) {
		lines = append(lines, "what would have to give: the memory of all readers that is needed, or else the lowest rate in the memory there is, or else the longest window, the rest unchanged; – is not by this alone.")
	}
	return lines
}

// writeChoiceCSV writes a line a strategy, numbers as they are. What JSON leaves
// out is empty.
func writeChoiceCSV(w io.Writer, all []offer) error {
	out := csv.NewWriter(w)
	// What goes wrong, Error tells.
	_ = out.Write([]string{
		"strategy", "fits", "why", "links", "capacity", "threshold", "bits", "hashes",
		"payload bytes", "header bytes", "user bytes", "total bytes", "fpr", "fpr mean", "window least", "window most",
		"until", "fpr twice", "multiplications", "loads", "cache lines", "measured ns", "measured on",
		"possible fpr", "possible window", "go",
	})
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	whole := func(v int) string { return number(float64(v)) }
	for _, s := range all {
		_ = out.Write([]string{
			s.Strategy, strconv.FormatBool(s.Fits), s.Why, whole(s.Links), whole(s.Capacity), whole(s.Threshold), whole(s.Bits), whole(s.Hashes),
			whole(s.Payload), strconv.Itoa(s.Header), whole(s.User), strconv.FormatInt(s.Total, 10), number(s.FPR), number(s.FPRMean), whole(s.Window), whole(s.WindowMost),
			whole(s.Until), number(s.FPRTwice), strconv.Itoa(s.Multiplications), whole(s.Loads), whole(s.Lines), number(s.Nanos), s.MeasuredOn,
			number(s.PossibleFPR), whole(s.PossibleReach), s.Go,
		})
	}
	out.Flush()
	return out.Error()
}

// writeChoiceJSON writes what was asked for and every strategy.
func writeChoiceJSON(w io.Writer, n need, all []offer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(struct {
		Users      int     `json:"users"`
		Window     int     `json:"window"`
		FPR        float64 `json:"fpr"`
		Articles   int     `json:"articles"`
		Memory     int64   `json:"memory_bytes,omitempty"`
		Fit        int     `json:"fit"`
		Candidates int     `json:"candidates_a_request"`
		Machine    string  `json:"measured_machine"`
		Strategies []offer `json:"strategies"`
	}{n.users, n.window, n.fpr, n.articles, int64(n.memory), fitting(all), askedCandidates, timedRun().machine, all})
}
