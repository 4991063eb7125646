package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"dejavu/experiments/ledger"
	words "dejavu/experiments/text"
	"dejavu/experiments/usage"
	"dejavu/results"
)

type claimsCommand struct {
	IDs []string `arg:"" optional:"" name:"claim" help:"Claims to show in full, as P12, p12 or P23b; a table of all if none is named."`
	Out string   `default:"out" help:"Directory with saved results." placeholder:"DIR"`

	Reference bool   `help:"Judge by the committed reference run, not by --out."`
	Users     int    `default:"10000000" help:"With --reference: the run of so many users."`
	Seed      uint64 `default:"2016" help:"With --reference: the run of this seed."`

	Markdown bool `xor:"form" help:"Print Markdown."`
	CSV      bool `xor:"form" name:"csv" help:"Print CSV, a line a claim, with everything that is known of it."`
	TeX      bool `xor:"form" name:"tex" help:"Print LaTeX tables (longtable and booktabs)."`
}

// run prints the ledger.
func (c *claimsCommand) run(stdout io.Writer, given []*kong.Flag) error {
	for _, f := range given {
		if (f.Name == "users" || f.Name == "seed") && !c.Reference {
			return usage.Errorf("--%s is of a committed run, which needs --reference", f.Name)
		}
	}
	run, err := c.rows()
	if err != nil {
		return err
	}
	l := ledger.Of(run)
	if len(c.IDs) > 0 {
		if l, err = l.Named(c.IDs); err != nil {
			return usage.Of(err)
		}
	}
	switch {
	case c.CSV:
		err = l.WriteCSV(stdout)
	case c.TeX:
		_, err = io.WriteString(stdout, words.Tex(l.Verdicts(true))+"\n"+words.Tex(l.Grounds()))
	case c.Markdown:
		_, err = fmt.Fprintf(stdout, "%s\n%s", l.Verdicts(true).Markdown(), l.Grounds().Markdown())
	case len(c.IDs) > 0:
		for _, f := range l.Findings {
			if _, err = fmt.Fprintln(stdout, l.Full(f).Within(columns(stdout))); err != nil {
				break
			}
		}
	default:
		foot := l.Foot()
		if n := columns(stdout); n > 0 {
			foot = words.Wrap(foot, n, "  ")
		}
		_, err = fmt.Fprintf(stdout, "%s\n%s", l.Verdicts(false).Within(columns(stdout)), foot)
	}
	if err != nil || c.Reference {
		return err
	}
	return errors.Join(results.Faults(c.Out, run.Manifest)...)
}

// rows is the run to judge by.
func (c *claimsCommand) rows() (*results.Run, error) {
	if c.Reference {
		run, ok := results.Reference(c.Users, c.Seed)
		if !ok {
			return nil, usage.Errorf("--reference: no committed run of %d users and seed %d", c.Users, c.Seed)
		}
		return run, nil
	}
	nothing := func(why error) error {
		return usage.Errorf("--out: no results in %s: %w; 'go run ./experiments' makes them, 'claims --reference' judges by the committed run", c.Out, why)
	}
	if _, err := os.Stat(c.Out); err != nil {
		return nil, nothing(err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return nil, err
	}
	if len(run.All()) == 0 {
		return nil, nothing(errors.New("no experiment is finished"))
	}
	return run, nil
}
