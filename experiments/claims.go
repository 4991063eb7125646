package main

import (
	"errors"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"dejavu/experiments/ledger"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/results"
)

type claimsCommand struct {
	IDs []string `arg:"" optional:"" name:"claim" help:"${claimsIDs}"`
	Out string   `default:"out" help:"Directory with saved results." placeholder:"DIR"`

	Reference bool   `help:"Judge by the committed reference run, not by --out."`
	Users     int    `default:"10000000" help:"With --reference: the run of so many users."`
	Seed      uint64 `default:"2016" help:"With --reference: the run of this seed."`

	Markdown bool `xor:"form" help:"Print Markdown."`
	CSV      bool `xor:"form" name:"csv" help:"Print CSV, a line a claim, with everything that is known of it."`
	TeX      bool `xor:"form" name:"tex" help:"Print LaTeX tables (longtable and booktabs)."`
}

// Run prints the ledger.
func (c *claimsCommand) Run(p process, parsed *kong.Context) error {
	for _, f := range given(parsed) {
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
	whole := []document.Block{l.Verdicts(true), l.Grounds()}
	switch {
	case c.CSV:
		err = l.WriteCSV(p.stdout)
	case c.TeX:
		_, err = io.WriteString(p.stdout, document.LaTeX(whole...))
	case c.Markdown:
		_, err = io.WriteString(p.stdout, document.Markdown(whole...))
	case len(c.IDs) > 0:
		for _, f := range l.Findings {
			err = errors.Join(err, show(p.stdout, l.Full(f)))
		}
	default:
		err = show(p.stdout, append([]document.Block{l.Verdicts(false)}, l.Foot()...)...)
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
	_, missing := os.Stat(c.Out)
	if missing == nil {
		run, err := readRun(c.Out)
		if err != nil || len(run.All()) > 0 {
			return run, err
		}
		missing = errors.New("no experiment is finished")
	}
	return nil, usage.Errorf("--out: no results in %s: %w; 'go run ./experiments' makes them, "+
		"'claims --reference' judges by the committed run", c.Out, missing)
}
