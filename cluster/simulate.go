package main

import (
	"context"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"dejavu/cluster/internal/storage"
	"dejavu/cluster/simulate"
)

// usersPerShard makes shards that take some ten seconds: long beside what a shard
// costs a runner, and little to do again when a machine fails.
const usersPerShard = 100_000

// mostShards is what a run may be divided into.
const mostShards = 10_000

// runSimulate runs experiments.
func runSimulate(ctx context.Context, args []string) error {
	var c simulate.Config
	set := newFlags("simulate")
	set.IntVar(&c.Users, "users", 10_000_000, "simulated readers")
	set.Uint64Var(&c.Seed, "seed", 2016, "seed of everything random")
	set.StringVar(&c.Out, "out", "out", "directory for results, as the workers see it; or one in a storage (gs://bucket/dir)")
	set.IntVar(&c.Shards, "shards", 0, "shares of the readers that are measured apart (default: one for 100000 users, 4 at least, 10000 at most)")
	set.IntVar(&c.Workers, "workers", 1, "goroutines that measure a shard; 0 is one for each processor of a worker")
	set.StringVar(&c.Memory, "memory", "", `memory for the histories of a shard, "4GiB" say (default: 70 % of what is available)`)
	set.StringVar(&c.Program, "program", "", "the experiments program as the workers see it; or in a storage (default, where workers run here: built now)")
	var err error
	if c.Experiments, err = parse(set, args); err != nil {
		return err
	}
	if c.Shards == 0 {
		c.Shards = min(max(4, c.Users/usersPerShard), mostShards)
	}
	if err := c.Check(); err != nil { // before anything is built
		return usageError{err}
	}
	beam.Init()

	local := workersAreHere(*runners.Runner)
	if c.Program == "" {
		if !local {
			return usageError{fmt.Errorf("--runner %s with workers elsewhere: --program says where they find the experiments program", *runners.Runner)}
		}
		program, remove, err := simulate.Build(ctx)
		if err != nil {
			return err
		}
		defer remove()
		c.Program = program
	}
	if local {
		if c.Out, err = storage.Absolute(c.Out); err != nil { // workers may be elsewhere in the file system
			return err
		}
	}
	p, s := beam.NewPipelineWithRoot()
	if err := simulate.Simulate(s, c); err != nil {
		return usageError{err}
	}
	fmt.Fprintf(os.Stderr, "%d users, seed %d, in %d shards; results in %s\n", c.Users, c.Seed, c.Shards, c.Out)
	if err := beamx.Run(ctx, p); err != nil {
		return err
	}
	if !local && !storage.IsRemote(c.Out) {
		fmt.Printf("Results, figures, report.html and report.md are in %s of the worker that merged.\n", c.Out)
		return nil
	}
	if err := simulate.Outcome(ctx, c.Out); err != nil {
		return err
	}
	fmt.Printf("Results, figures, report.html and report.md are in %s.\n", c.Out)
	return nil
}
