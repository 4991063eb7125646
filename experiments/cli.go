package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"dejavu/experiments/usage"
	"dejavu/workload"
)

// The exit statuses.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitInterrupt = 130
)

// command is the command line.
type command struct {
	Version versionFlag `help:"Print the module, its version and commit, and end."`

	Run      runCommand      `cmd:"" default:"withargs" help:"Run experiments (the default): all of them, or those named."`
	List     listCommand     `cmd:"" help:"List the experiments and the strategies."`
	Plot     plotCommand     `cmd:"" help:"Draw the figures again from the results saved in --out."`
	Merge    mergeCommand    `cmd:"" help:"Make one run of the shards of all users (--shard), with the same results as a whole run."`
	Verify   verifyCommand   `cmd:"" help:"Compare the results saved in --out with the committed reference."`
	Claims   claimsCommand   `cmd:"" help:"Print what the sources say, and the verdict that the results saved in --out give."`
	Replay   replayCommand   `cmd:"" help:"Run strategies over a real exposure log, with the exact truth beside them."`
	Describe describeCommand `cmd:"" help:"Describe a real exposure log, and fit the daily population to it."`
	Choose   chooseCommand   `cmd:"" help:"Name the strategies that fit a number of users, a window, a false positive rate and a memory, or what a log's users need, with the Go line of each."`
}

// leastMemory is what --memory is at least, in bytes.
const leastMemory = 64 << 20

// An interruption ended a run whose results are in a directory.
type interruption struct{ out string }

func (e interruption) Error() string {
	return fmt.Sprintf("interrupted; what is finished is in %s, and the same command goes on from there", e.out)
}

func (interruption) Unwrap() error { return context.Canceled }

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c command
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("experiments"),
		kong.Description("Dejavu: how a recommender remembers what it has shown, measured. "+
			"Without a command it runs experiments; 'run --help' lists the flags: --users, --out and others."),
		kong.Vars{"maxUsers": fmt.Sprint(workload.MaxUsers)},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.UsageOnError(),
		usage.Numbers(),
	)
	if err != nil {
		fmt.Fprintln(stderr, "experiments:", err)
		return exitFailed
	}
	words, err := asksHelp(args)
	var parsed *kong.Context
	if err == nil {
		if parsed, err = parser.Parse(words); err != nil {
			err = cmp.Or(mistyped(words), err)
		}
	}
	if exited >= 0 { // --help, --version
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "experiments: %v (see --help)\n", err)
		return exitUsage
	}
	switch name, _, _ := strings.Cut(parsed.Command(), " "); name {
	case "list":
		err = list(stdout)
	case "plot":
		err = c.Plot.run(stdout)
	case "merge":
		err = c.Merge.run(ctx, stdout, stderr, args)
	case "verify":
		err = c.Verify.run(stdout)
	case "claims":
		err = c.Claims.run(stdout, given(parsed))
	case "choose":
		err = c.Choose.run(ctx, given(parsed), stdout, stderr)
	case "describe":
		err = c.Describe.run(ctx, stdout, stderr)
	case "replay":
		err = c.Replay.run(ctx, given(parsed), stdout, stderr, args)
	default:
		err = c.Run.run(ctx, stdout, stderr, args)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "experiments: %v\n", err)
	var wrong usage.Error
	switch {
	case errors.As(err, &wrong):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupt
	}
	return exitFailed
}

// given are the flags that the command line has.
func given(parsed *kong.Context) (flags []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil {
			flags = append(flags, p.Flag)
		}
	}
	return flags
}
