package main

import (
	"errors"
	"io"

	"dejavu/experiments/choice"
	"dejavu/experiments/usage"
)

type chooseCommand struct {
	Users    int     `default:"10000000" help:"Number of users, all with as long a history as it gets, 1 to ${maxUsers}."`
	Window   int     `default:"400" help:"Articles to remember at every moment, 1 to 500000."`
	FPR      float64 `name:"fpr" default:"0.02" help:"False positive rate at the worst moment, at most; 1e-12 or more and less than 1."`
	Memory   size    `help:"Memory for all histories, as 6GiB or 500MB (default: no limit)." placeholder:"SIZE"`
	Articles int     `help:"Articles up to which a filter that never forgets is to hold the rate, --window to 500000 (default: --window)."`
	Paper    bool    `help:"Only the four strategies of the paper, not the structures beyond it."`

	Markdown bool `xor:"form" help:"Print Markdown."`
	CSV      bool `xor:"form" name:"csv" help:"Print CSV, a line a strategy, with everything that is known of it."`
	JSON     bool `xor:"form" name:"json" help:"Print JSON."`
}

// errNothingFits ends the command with a status that a script can ask for.
var errNothingFits = errors.New("no strategy fits; what is printed says which constraint to relax")

// run prints the strategies that fit, and which constraint to relax for the others.
func (c *chooseCommand) run(stdout io.Writer) error {
	n := choice.Need{Users: c.Users, Window: c.Window, FPR: c.FPR, Articles: c.Articles, Memory: int64(c.Memory), Paper: c.Paper}
	if err := n.Check(); err != nil {
		return usage.Of(err)
	}
	all, err := choice.Offers(n)
	if err != nil {
		return err
	}
	switch {
	case c.CSV:
		err = choice.WriteCSV(stdout, all)
	case c.JSON:
		err = choice.WriteJSON(stdout, n, all)
	default:
		_, err = io.WriteString(stdout, choice.Text(n, all, c.Markdown))
	}
	if err == nil && choice.Fitting(all) == 0 {
		err = errNothingFits
	}
	return err
}
