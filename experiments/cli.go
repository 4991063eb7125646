package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/alecthomas/kong"

	"dejavu/experiments/usage"
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

	Run      runCommand      `cmd:"" default:"withargs" help:"${runCommand}"`
	List     listCommand     `cmd:"" help:"List the experiments and the strategies."`
	Plot     plotCommand     `cmd:"" help:"Draw the figures again from the results saved in --out."`
	Merge    mergeCommand    `cmd:"" help:"${mergeCommand}"`
	Verify   verifyCommand   `cmd:"" help:"Compare the results saved in --out with the committed reference."`
	Claims   claimsCommand   `cmd:"" help:"${claimsCommand}"`
	Replay   replayCommand   `cmd:"" help:"Run strategies over a real exposure log, with the exact truth beside them."`
	Describe describeCommand `cmd:"" help:"Describe a real exposure log, and fit the daily population to it."`
	Choose   chooseCommand   `cmd:"" help:"${chooseCommand}"`
}

// A process is what a command has of the program's process: its arguments, and where it
// prints.
type process struct {
	args           []string
	stdout, stderr io.Writer
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	parser, err := kong.New(new(command),
		kong.Name("experiments"),
		kong.Description("Dejavu: how a recommender remembers what it has shown, measured. "+
			"Without a command it runs experiments; 'run --help' lists the flags: --users, --out and others."),
		helps,
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(process{args, stdout, stderr}),
		usage.Numbers(),
	)
	if err != nil {
		fmt.Fprintln(stderr, "experiments:", err)
		return exitFailed
	}
	words := asksHelp(args)
	err = mistyped(words)
	var parsed *kong.Context
	if err == nil {
		parsed, err = parser.Parse(words)
	}
	if exited >= 0 { // --help, --version
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "experiments: %v (see --help)\n", err)
		return exitUsage
	}
	if err = parsed.Run(); err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "experiments: %v\n", err)
	switch {
	case errors.As(err, new(usage.Error)):
		return exitUsage
	case ctx.Err() != nil:
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
