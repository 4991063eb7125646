package main

import (
	"fmt"

	"dejavu/results"
)

type poolCommand struct {
	Dirs  []string `arg:"" name:"dir" help:"${poolDirs}"`
	Out   string   `default:"out/pooled" help:"${outDir}" placeholder:"DIR"`
	Force bool     `help:"${force}"`
}

// Run makes one run of several that differ in their moment alone, and reports as a whole run does.
func (c *poolCommand) Run(p process) error {
	pool, err := results.NewPool(c.Dirs)
	if err != nil {
		return fmt.Errorf("nothing is pooled: %w", err)
	}
	pool.Manifest.Args = p.args
	if err := vacant(c.Out, pool.Manifest, pool.Manifest.Names(), c.Force); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "%d runs of %d users, seed %d, results in %s\n",
		len(c.Dirs), pool.Manifest.Users, pool.Manifest.Seed, c.Out)
	if err := pool.Write(c.Out); err != nil {
		return err
	}
	return report(c.Out, p.stdout, false)
}
