package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dejavu/experiments/describe"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/plural"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload"
)

type runCommand struct {
	Names      []string  `arg:"" optional:"" name:"experiment" help:"Experiments to run (default: all)."`
	Users      int       `default:"10000000" help:"Simulated users, such as 10000000, 1e7 or 10M; 1 to ${maxUsers}."`
	Seed       uint64    `default:"2016" help:"Seed of all random numbers."`
	Out        string    `default:"out" help:"${outDir}" placeholder:"DIR"`
	Parts      int       `help:"${runParts}"`
	Workers    int       `help:"Goroutines that simulate, 1 to 1024 (default: one per processor)."`
	Memory     size      `help:"${runMemory}" placeholder:"SIZE"`
	Shard      shardFlag `help:"${runShard}" placeholder:"I/N"`
	Population string    `help:"${runPopulation}" placeholder:"FILE"`
	Verbose    bool      `help:"${verbose}"`
	Force      bool      `help:"${force}"`
	Again      bool      `help:"${runAgain}"`
}

// leastMemory is the least value of --memory, in bytes.
const leastMemory = 64 << 20

// named returns the named experiments in the order of the list, or all if none is named.
func (c *runCommand) named(words []string) (some []experiment.Experiment, err error) {
	for _, name := range c.Names {
		if !slices.ContainsFunc(experiments, func(x experiment.Experiment) bool { return x.Name == name }) {
			return nil, usage.Of(unknown(name, words))
		}
	}
	for _, x := range experiments {
		if len(c.Names) == 0 || slices.Contains(c.Names, x.Name) {
			some = append(some, x)
		}
	}
	return some, nil
}

func namesOf(some []experiment.Experiment) (names []string) {
	for _, x := range some {
		names = append(names, x.Name)
	}
	return names
}

// check returns the experiments named, or a usage error.
func (c *runCommand) check(words []string) ([]experiment.Experiment, error) {
	chosen, err := c.named(words)
	switch {
	case err != nil:
		return nil, err
	case c.Users < 1 || c.Users > workload.MaxUsers:
		return nil, usage.Errorf("--users is %d, want 1 to %d", c.Users, workload.MaxUsers)
	case c.Parts < 0 || c.Parts > 10_000:
		return nil, usage.Errorf("--parts is %d, want 1 to 10000", c.Parts)
	case c.Memory.typed != "" && c.Memory.bytes < leastMemory:
		return nil, usage.Errorf("--memory is %s, want 64MiB or more", c.Memory.typed)
	}
	return chosen, nil
}

// Run runs the experiments, one after the other, and reports.
func (c *runCommand) Run(ctx context.Context, p process) error {
	chosen, err := c.check(p.words)
	if err != nil {
		return err
	}
	habits, err := c.habits(p.stderr)
	if err != nil {
		return err
	}
	scope := engine.Scope{Users: c.Users, Seed: c.Seed, Shard: results.Shard(c.Shard), Entries: entries, Habits: habits}
	out := scope.Shard.Dir(c.Out)
	wanted := results.Manifest{Users: scope.Users, Seed: scope.Seed, Shard: scope.Shard, Population: scope.Population()}
	if err := usage.Of(engine.Vacant(out, wanted, namesOf(chosen), c.Force)); err != nil {
		return err
	}
	r := newRun(ctx, scope, out, p.stderr)
	r.Again = c.Again
	r.Options.Workers, r.Options.Parts, r.Options.Arena = c.Workers, c.Parts, new(store.Arena)
	r.Options.Memory = cmp.Or(c.Memory.bytes, max(sysinfo.Available()*7/10, leastMemory)) // of histories alive at once
	r.Progress().Start(r.Plan(suite.Tasks(scope, chosen)))
	fmt.Fprintf(p.stderr, "Experiments: %d. Users: %d. Seed: %d. Results: %s\n", len(chosen), c.Users, c.Seed, out)
	run, err := suite.Run(r, chosen, suite.Manifest(r, p.args, sysinfo.Commit()))
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; what is finished is in %s, and the same command goes on from there", out)
	case err != nil:
		return err
	case scope.IsShard():
		return reportShard(r, run.Manifest, c.Out, p.stdout)
	}
	return writeReport(out, run, p.stdout, c.Verbose)
}

func newRun(ctx context.Context, scope engine.Scope, out string, stderr io.Writer) *engine.Run {
	r := engine.New(ctx, scope, engine.NewProgress(stderr))
	r.Out, r.Program, r.Environment = out, engine.Program(), sysinfo.Environment()
	return r
}

// habits reads --population, and warns of a poor fit. Three experiments ask how daily users behave; no other row
// depends on it.
func (c *runCommand) habits(stderr io.Writer) (*workload.DailyConfig, error) {
	if c.Population == "" {
		return nil, nil
	}
	for _, name := range c.Names {
		if asking := []string{results.Daily, results.Pipeline, results.Proposals}; !slices.Contains(asking, name) {
			return nil, usage.Errorf("--population changes nothing in %s: name some of %s, or no experiment for all", name,
				strings.Join(asking, ", "))
		}
	}
	if results.Shard(c.Shard) != (results.Shard{}) {
		return nil, usage.Errorf("--population cannot be used with --shard")
	}
	habits, poor, err := describe.ReadPopulation(c.Population)
	if err != nil {
		return nil, usage.Errorf("--population: %w", err)
	}
	if poor != "" {
		fmt.Fprintf(stderr, "--population: %s: %s\n", c.Population, poor)
	}
	if habits == workload.DefaultDaily() {
		return nil, nil
	}
	return &habits, nil
}

// reportShard reports the outcome of a shard, and the next step.
func reportShard(r *engine.Run, m results.Manifest, out string, stdout io.Writer) error {
	if err := m.Failures(); err != nil {
		return err
	}
	which := "none of " + plural.Of(r.Users, "user", "users")
	if users := r.Share(r.Users); users.Len() > 0 {
		which = fmt.Sprintf("users %d to %d of %d", users.From, users.To-1, r.Users)
	}
	_, err := fmt.Fprintf(stdout, "Shard %v, %s, is measured, in %s.\n"+
		"When all shards are (%d), 'merge --out %s' makes one run of them.\n", r.Shard, which, r.Out, r.Shard.Of, out)
	return err
}
