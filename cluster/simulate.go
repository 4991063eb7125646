package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/storage"
	"dejavu/cluster/simulate"
)

// runSimulate runs experiments.
func runSimulate(ctx context.Context, args []string) error {
	c := simulate.Config{Args: append([]string{"simulate"}, args...), Users: 10_000_000}
	set := newFlags("simulate")
	set.Var(&tagged{reflect.ValueOf(&c.Users).Elem()}, "users", "simulated users, as 10000000, 1e7 or 10M")
	set.Uint64Var(&c.Seed, "seed", 2016, "seed of everything random")
	set.StringVar(&c.Out, "out", "out", outHelp)
	set.IntVar(&c.Shards, "shards", 0, "ranges of users into which the costliest task is divided, "+
		"and others in proportion, 1 to 10000 (default: ranges of ten seconds)")
	set.IntVar(&c.Workers, "workers", 1, "goroutines that measure a range; 0 is one for each processor of a worker")
	memory := set.Int("memory", 1024, "MiB for the histories of a range; 0 is no limit")
	var err error
	if c.Experiments, err = parse(set, args); err != nil {
		return err
	}
	c.Memory = int64(*memory) << 20
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := simulate.Simulate(s, c); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d users, seed %d; results in %s\n", c.Users, c.Seed, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	where := c.Out
	if !local && !storage.IsRemote(c.Out) {
		where += " of the worker that wrote them"
	} else if m, err := storage.Manifest(ctx, c.Out); err != nil || m.Failures() != nil {
		return errors.Join(err, m.Failures())
	}
	fmt.Printf("Results, figures, report.html and report.md are in %s.\n", where)
	return nil
}
