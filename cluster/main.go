// Command cluster runs the project's experiments, and replays real logs, on Apache Beam, on any of its runners:
//
//	go run . simulate --users 100000 --out out                  here, on Beam's own runner
//	go run . simulate --users 100000 --out out table1 fpr       two experiments alone
//	go run . simulate --runner flink --endpoint localhost:8099 --environment_type LOOPBACK --out out
//	go run . replay 'behaviors-*.tsv.gz' --out out/replay       a log, here
//	go run . replay gs://bucket/log/'*' --out gs://bucket/replay --runner dataflow --project P ...
//
// The results are the files that `go run ./experiments` writes with the same users and seed, or `go run
// ./experiments replay` of the same log, and those that do not depend on the machine are the same bytes. --help
// lists Beam's flags beside ours.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/storage"
	"dejavu/cluster/replay"
	"dejavu/cluster/simulate"
)

// The exit statuses, as the experiments program has them.
const (
	exitFailed = 1
	exitUsage  = 2
)

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
		fmt.Fprintln(os.Stderr, "cluster:", cause(err))
		if errors.As(err, &usageError{}) {
			os.Exit(exitUsage)
		}
		os.Exit(exitFailed)
	}
}

// cause is the message of a step of a pipeline that failed, without the plan of the stage
// and the pipeline around it, which the runner has logged; and all of any other error.
func cause(err error) string {
	text := err.Error()
	const before = " failed:\n"
	if at := strings.LastIndex(text, before); at >= 0 {
		return text[at+len(before):]
	}
	return text
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) > 0 && args[0] == "simulate":
		return runSimulate(ctx, args[1:])
	case len(args) > 0 && args[0] == "replay":
		return runReplay(ctx, args[1:])
	}
	return usageError{fmt.Errorf("%q: want simulate or replay, and its flags; --help after it lists them", args)}
}

// begin starts Beam, and reports whether the runner has its workers on this machine, so that files of this machine
// are theirs. Then the directory for results is made absolute: they may be elsewhere in the file system.
func begin(out *string) (local bool, err error) {
	beam.Init()
	if local = slices.Contains([]string{"", "prism", "direct"}, *runners.Runner) || jobopts.IsLoopback(); local {
		*out, err = storage.Absolute(*out)
	}
	return local, err
}

func runReplay(ctx context.Context, args []string) error {
	c := replay.Config{Args: append([]string{"replay"}, args...), Started: time.Now()}
	set := newFlags("replay")
	define(set, &c.Reading)
	define(set, &c.Settings)
	set.StringVar(&c.Out, "out", "out/replay", outHelp)
	set.IntVar(&c.Shards, "shards", 0,
		"shares of the users that are replayed apart (default: one for 32 MB of files, 4 at least, 10000 at most)")
	var err error
	if c.Named, err = parse(set, args); err != nil {
		return err
	}
	c.Asked = asked(set)
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	if c, err = c.Find(ctx); err != nil { // before anything runs
		return usageError{err}
	}
	if c, err = c.Detect(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := replay.Replay(s, c); err != nil {
		return usageError{err}
	}
	fmt.Fprintf(os.Stderr, "%d files, the users in %d shards; results in %s\n", len(c.Files), c.Shards, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	if !local && !storage.IsRemote(c.Out) {
		const there = "Results are in %s of the worker that wrote them; `experiments plot --out` there makes the report.\n"
		fmt.Printf(there, c.Out)
		return nil
	}
	m, err := replay.Outcome(ctx, c.Out)
	if m.Log == nil {
		return err
	}
	fmt.Printf("%d exposures of %d users, %.3g s. Results are in %s;\n", m.Log.Exposures, m.Users, m.Seconds, c.Out)
	out := c.Out
	if storage.IsRemote(out) {
		out = "DIR, of a copy there"
	}
	fmt.Printf("the tables, the figures and the report: go run -C .. ./experiments plot --out %s\n", out)
	return err
}

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
