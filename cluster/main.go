// Command cluster runs the project's experiments on Apache Beam, on any of its
// runners:
//
//	go run . simulate --users 100000 --out out                  here, on Beam's own runner
//	go run . simulate --users 100000 --out out table1 fpr       two experiments alone
//	go run . simulate --runner flink --endpoint localhost:8099 --environment_type LOOPBACK --out out
//
// The results are the files that `go run ./experiments` writes with the same
// users and seed, and those that follow from the seed are the same bytes.
// --help lists Beam's flags beside ours.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"dejavu/cluster/simulate"
)

// The exit statuses, as the experiments program has them.
const (
	exitFailed = 1
	exitUsage  = 2
)

// A usageError is the user's to mend.
type usageError struct{ error }

func main() {
	// On a worker Beam starts this program with flags of its own, and no command.
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "--") && os.Args[1] != "--help" {
		flag.Parse()
		beam.Init() // does not come back on a worker
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	switch err := run(ctx, os.Args[1:]); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "cluster:", err)
		if errors.As(err, &usageError{}) {
			os.Exit(exitUsage)
		}
		os.Exit(exitFailed)
	}
}

// flags is what the flags say. Beam's lie in the same set, so there is one of it.
var flags simulate.Config

func init() {
	flag.IntVar(&flags.Users, "users", 10_000_000, "simulated readers")
	flag.Uint64Var(&flags.Seed, "seed", 2016, "seed of everything random")
	flag.StringVar(&flags.Out, "out", "out", "directory for results, as the workers see it; or one in a storage (gs://bucket/dir)")
	flag.IntVar(&flags.Shards, "shards", 0, "shares of the readers that are measured apart (default: one for 100000 users, 4 at least, 10000 at most)")
	flag.IntVar(&flags.Workers, "workers", 1, "goroutines that measure a shard; 0 is one for each processor of a worker")
	flag.StringVar(&flags.Memory, "memory", "", `memory for the histories of a shard, "4GiB" say (default: 70 % of what is available)`)
	flag.StringVar(&flags.Program, "program", "", "the experiments program as the workers see it; or in a storage (default, where workers run here: built now)")
}

// run runs a command.
func run(ctx context.Context, args []string) error {
	if len(args) == 0 || args[0] != "simulate" {
		return usageError{fmt.Errorf("%q: want simulate, and its flags; --help after it lists them", args)}
	}
	names, err := parse(args[1:])
	if err != nil {
		return err
	}
	c := flags
	c.Experiments = names
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
		if c.Out, err = absolute(c.Out); err != nil { // workers may be elsewhere in the file system
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
	if !local && !strings.Contains(c.Out, "://") {
		fmt.Printf("Results, figures, report.html and report.md are in %s of the worker that merged.\n", c.Out)
		return nil
	}
	if err := simulate.Outcome(ctx, c.Out); err != nil {
		return err
	}
	fmt.Printf("Results, figures, report.html and report.md are in %s.\n", c.Out)
	return nil
}

// absolute makes a path of this machine one that holds in any directory. A path
// of a storage is one already.
func absolute(path string) (string, error) {
	if strings.Contains(path, "://") {
		return path, nil
	}
	return filepath.Abs(path)
}

// usersPerShard makes shards that take some ten seconds: long beside what a shard
// costs a runner, and little to do again when a machine fails.
const usersPerShard = 100_000

// mostShards is what a run may be divided into.
const mostShards = 10_000

// parse parses flags before and after the names, and returns the names.
func parse(args []string) (names []string, err error) {
	flag.CommandLine.Init("cluster simulate", flag.ContinueOnError)
	for {
		switch err := flag.CommandLine.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, usageError{err}
		}
		if flag.NArg() == 0 {
			return names, nil
		}
		names, args = append(names, flag.Arg(0)), flag.Args()[1:]
	}
}

// workersAreHere reports whether a runner has its workers on this machine, so that
// files of this machine are theirs.
func workersAreHere(runner string) bool {
	return slices.Contains([]string{"", "prism", "direct"}, runner) || jobopts.IsLoopback()
}
