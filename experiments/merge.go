package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/shard"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

type mergeCommand struct {
	Dirs    []string `arg:"" optional:"" name:"dir" help:"Directories that hold shards; --out if none is named."`
	Verbose bool     `help:"${verbose}"`
	Out     string   `default:"out" help:"${outDir}" placeholder:"DIR"`
	Force   bool     `help:"${force}"`
}

// Run makes one run of shards, and reports as a whole run does. Measurements are summed, and the rows
// computed from them as those of a whole run are; timings are the first shard's.
func (c *mergeCommand) Run(ctx context.Context, p process) error {
	if len(c.Dirs) == 0 {
		c.Dirs = []string{c.Out}
	}
	parts, err := shard.Find(c.Dirs)
	if errors.Is(err, shard.ErrNone) {
		return usage.Of(err)
	}
	if err != nil {
		return err
	}
	if err := shard.Check(parts, engine.Program()); err != nil {
		return err
	}
	first := parts[0]
	chosen := slices.DeleteFunc(slices.Clone(experiments), func(x experiment.Experiment) bool {
		return !slices.ContainsFunc(first.Experiments, func(s results.Status) bool { return s.Name == x.Name })
	})
	if err := vacant(c.Out, results.Manifest{Users: first.Users, Seed: first.Seed}, namesOf(chosen), c.Force); err != nil {
		return err
	}
	r := newRun(ctx, engine.Scope{Users: first.Users, Seed: first.Seed, Entries: entries}, c.Out, p.stderr)
	r.Again, r.Shards, r.Environment = true, shard.Saved(parts), first.Environment
	manifest := suite.Manifest(r, p.args, sysinfo.Commit())
	for _, p := range parts {
		manifest.Seconds += p.Seconds
		manifest.Shards = append(manifest.Shards, p.Manifest)
	}
	fmt.Fprintf(p.stderr, "%d shards, %d users, seed %d, results in %s\n", len(parts), r.Users, r.Seed, c.Out)
	for _, line := range shard.Provenance(manifest) {
		fmt.Fprintln(p.stderr, line)
	}
	// All that is wrong with what was measured is told before anything is reported.
	var faults []error
	for _, t := range suite.Tasks(r.Scope, chosen) {
		faults = append(faults, t.Ready(r))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if _, err = suite.Run(r, chosen, manifest); err != nil {
		return err
	}
	return report(c.Out, p.stdout, c.Verbose)
}
