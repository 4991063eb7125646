package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/report"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/plural"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

type mergeCommand struct {
	Dirs    []string `arg:"" optional:"" name:"dir" help:"${mergeDirs}"`
	Verbose bool     `help:"${verbose}"`
	Out     string   `default:"out" help:"${outDir}" placeholder:"DIR"`
	Force   bool     `help:"${force}"`
}

// Run makes one run of the shares of a run, or of whole runs that repeat each other, and reports as a whole run does.
func (c *mergeCommand) Run(ctx context.Context, p process) error {
	if len(c.Dirs) == 0 {
		c.Dirs = []string{c.Out}
	}
	parts, err := results.Parts(c.Dirs)
	switch {
	case errors.Is(err, results.ErrParts):
		return usage.Of(err)
	case err != nil:
		return err
	}
	var run *results.Run
	if slices.ContainsFunc(parts, func(p results.Part) bool { return p.Shard.Of == 0 && p.Started != "" }) {
		run, err = c.pool(parts, p)
	} else {
		run, err = c.sum(ctx, parts, p)
	}
	if err != nil {
		return err
	}
	return writeReport(c.Out, run, p.stdout, c.Verbose)
}

// pool writes one run of several that differ in their moment alone. Times get an interval over the runs.
func (c *mergeCommand) pool(parts []results.Part, p process) (*results.Run, error) {
	pool, err := results.NewPool(parts)
	if err != nil {
		return nil, fmt.Errorf("nothing is merged: %w", err)
	}
	pool.Manifest.Args = p.args
	if err := usage.Of(engine.Vacant(c.Out, pool.Manifest, pool.Manifest.Names(), c.Force)); err != nil {
		return nil, err
	}
	fmt.Fprintf(p.stderr, "%s of %s, seed %d, results in %s\n", plural.Of(len(parts), "run", "runs"),
		plural.Of(pool.Manifest.Users, "user", "users"), pool.Manifest.Seed, c.Out)
	return pool.Write(c.Out)
}

// sum writes one run from its shares. It sums measurements and computes rows from the sums, as for a whole run. Times
// are the first share's.
func (c *mergeCommand) sum(ctx context.Context, parts []results.Part, p process) (*results.Run, error) {
	if err := results.CheckShares(parts, engine.Program()); err != nil {
		return nil, err
	}
	first := parts[0]
	chosen := slices.DeleteFunc(slices.Clone(experiments), func(x experiment.Experiment) bool {
		return !slices.Contains(first.Names(), x.Name)
	})
	m := results.Manifest{Users: first.Users, Seed: first.Seed}
	if err := usage.Of(engine.Vacant(c.Out, m, namesOf(chosen), c.Force)); err != nil {
		return nil, err
	}
	r := newRun(ctx, engine.Scope{Users: first.Users, Seed: first.Seed, Entries: entries}, c.Out, p.stderr)
	r.Again, r.Shards, r.Environment = true, parts, first.Environment
	manifest := suite.Manifest(r, p.args, sysinfo.Commit())
	for _, p := range parts {
		manifest.Seconds += p.Seconds
		manifest.Shards = append(manifest.Shards, p.Manifest)
	}
	fmt.Fprintf(p.stderr, "%s, %s, seed %d, results in %s\n", plural.Of(len(parts), "shard", "shards"),
		plural.Of(r.Users, "user", "users"), r.Seed, c.Out)
	for _, line := range report.Provenance(manifest) {
		fmt.Fprintln(p.stderr, line)
	}
	// All faults are reported before anything is written.
	var faults []error
	for _, t := range suite.Tasks(r.Scope, chosen) {
		faults = append(faults, t.Ready(r))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return suite.Run(r, chosen, manifest)
}

// maxShards limits how many shards a run has.
const maxShards = 10_000

type shardFlag results.Shard

// UnmarshalText reads "2/7".
func (s *shardFlag) UnmarshalText(given []byte) (err error) {
	index, of, found := strings.Cut(string(given), "/")
	if s.Of, err = strconv.Atoi(of); err != nil || !found {
		return fmt.Errorf("%q is not a share, want i/n, such as 2/7", given)
	}
	if s.Of < 1 || s.Of > maxShards {
		return fmt.Errorf("%q: n is %d, want 1 to %d", given, s.Of, maxShards)
	}
	if s.Index, err = strconv.Atoi(index); err != nil || s.Index < 0 || s.Index >= s.Of {
		return fmt.Errorf("%q: i is %q, want 0 to %d: shards are numbered from 0", given, index, s.Of-1)
	}
	return nil
}
