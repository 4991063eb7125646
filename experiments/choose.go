package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"dejavu/workload"
)

type chooseCommand struct {
	Users    int     `default:"10000000" help:"Readers, all with as long a history as it gets, 1 to ${maxUsers}."`
	Window   int     `default:"400" help:"Articles to remember at every moment, 1 to 500000."`
	FPR      float64 `name:"fpr" default:"0.02" help:"False positive rate at the worst moment, at most; 1e-12 or more and less than 1."`
	Memory   size    `help:"Memory for all histories, as 6GiB or 500MB (default: no limit)." placeholder:"SIZE"`
	Articles int     `help:"Articles for which a filter that never forgets is to hold the rate, --window to 500000 (default: --window)."`
	Paper    bool    `help:"Only the four strategies of the paper, not the structures beyond it."`

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
	n := need{users: c.Users, window: c.Window, fpr: c.FPR, articles: c.Articles, memory: c.Memory, paper: c.Paper}
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

// writeChoiceCSV writes a line a strategy, numbers as they are. What JSON leaves
// out is empty.
func writeChoiceCSV(w io.Writer, all []offer) error {
	out := csv.NewWriter(w)
	// What goes wrong, Error tells.
	_ = out.Write([]string{
		"strategy", "fits", "why", "links", "capacity", "threshold", "bits", "hashes",
		"payload bytes", "header bytes", "user bytes", "total bytes", "fpr", "fpr mean", "window least", "window most",
		"until", "fpr twice", "multiplications", "loads", "cache lines", "measured ns", "measured on",
		"possible fpr", "possible window", "go", "geometry", "user bytes twice",
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
			number(s.PossibleFPR), whole(s.PossibleReach), s.Go, s.Geometry, whole(s.UserTwice),
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
