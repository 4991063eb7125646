package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

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
	Run      runCommand      `cmd:"" default:"withargs" help:"Run experiments (the default): all of them, or those named."`
	List     listCommand     `cmd:"" help:"List the experiments and the strategies."`
	Plot     plotCommand     `cmd:"" help:"Draw the figures again from the results saved in --out."`
	Merge    mergeCommand    `cmd:"" help:"Make one run of the shards of all readers (--shard), with the same results as a whole run."`
	Verify   verifyCommand   `cmd:"" help:"Compare the results saved in --out with the committed reference."`
	Claims   claimsCommand   `cmd:"" help:"Print what the sources say, and the verdict that the results saved in --out give."`
	Replay   replayCommand   `cmd:"" help:"Run strategies over a real exposure log, with the exact truth beside them."`
	Describe describeCommand `cmd:"" help:"Describe a real exposure log, and fit the daily population to it."`
	Choose   chooseCommand   `cmd:"" help:"Name the strategies that fit a number of readers, a window, an error rate and a memory, with the Go line of each."`

	Exposure exposureCommand `cmd:"" hidden:"" help:"The exposure service of experiment ship; the program starts it itself."`
}

// runCommand is what and how to run.
type runCommand struct {
	Names      []string  `arg:"" optional:"" name:"experiment" help:"Experiments to run; all if none is named."`
	Users      int       `default:"10000000" help:"Simulated readers, 1 to ${maxUsers}."`
	Seed       uint64    `default:"2016" help:"Seed of everything random."`
	Out        string    `default:"out" help:"Directory for results, figures and the report." placeholder:"DIR"`
	Parts      int       `help:"Parts in which histories are alive, 1 to 10000 (default: one, or parts of half of --memory at most)."`
	Workers    int       `help:"Goroutines that simulate, 1 to 1024 (default: one per processor)."`
	Memory     size      `help:"Memory for histories, 64MiB or more (default: 70 % of what is available)." placeholder:"SIZE"`
	Profile    string    `name:"cpuprofile" help:"Write a CPU profile of the run to this file, for go tool pprof." placeholder:"FILE"`
	Shard      shardFlag `help:"Measure one of N shares of the readers alone: I/N with I from 0, or auto/N for the index of an array job, in JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID. 'merge' makes one run of all." placeholder:"I/N"`
	Population string    `help:"With the experiment daily: simulate the readers of this file, which 'describe --fit' wrote." placeholder:"FILE"`
	Again      bool      `help:"Measure again what an earlier run with the same program, users and seed has saved."`
}

type listCommand struct{}

type mergeCommand struct {
	Dirs []string `arg:"" optional:"" name:"dir" help:"Directories that hold shards; --out if none is named."`
	Out  string   `default:"out" help:"Directory for results, figures and the report." placeholder:"DIR"`
}

type plotCommand struct {
	Out string `default:"out" help:"Directory with saved results; figures go to its figures folder." placeholder:"DIR"`
}

type verifyCommand struct {
	Out string `default:"out" help:"Directory with saved results." placeholder:"DIR"`
}

// leastMemory is what --memory is at least, in bytes.
const leastMemory = 64 << 20

// A usageError is the user's to mend.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

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
	)
	if err != nil {
		fmt.Fprintln(stderr, "experiments:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help
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
		err = c.Claims.run(stdout)
	case "choose":
		err = c.Choose.run(stdout)
	case "describe":
		err = c.Describe.run(ctx, stdout, stderr)
	case "replay":
		err = c.Replay.run(ctx, stdout, stderr, args)
	case exposureName:
		err = c.Exposure.run(ctx, os.Stdin, stdout)
	default:
		err = c.Run.run(ctx, stdout, stderr, args)
	}
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "experiments: %v\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "experiments: %v\n", err)
		return exitInterrupt
	default:
		fmt.Fprintf(stderr, "experiments: %v\n", err)
		return exitFailed
	}
}

// check returns the experiments named, or a usage error.
func (c *runCommand) check() ([]experiment, error) {
	var chosen []experiment
	for _, e := range experiments {
		for _, name := range c.Names {
			if e.name == name {
				chosen = append(chosen, e)
				break
			}
		}
	}
	for _, name := range c.Names {
		if _, ok := experimentNamed(name); !ok {
			return nil, usagef("unknown experiment %q%s; 'list' shows what there is", name, suggestion(name))
		}
	}
	if len(c.Names) == 0 {
		chosen = experiments
	}
	switch {
	case c.Users < 1 || c.Users > workload.MaxUsers:
		return nil, usagef("--users is %d, want 1 to %d", c.Users, workload.MaxUsers)
	case c.Parts < 0 || c.Parts > 10_000:
		return nil, usagef("--parts is %d, want 1 to 10000", c.Parts)
	case c.Workers < 0 || c.Workers > 1024:
		return nil, usagef("--workers is %d, want 1 to 1024", c.Workers)
	case c.Memory != 0 && c.Memory < leastMemory:
		return nil, usagef("--memory is %v, want 64MiB or more", c.Memory)
	}
	return chosen, nil
}

// writable makes sure that files can be made in dir, before hours are spent.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usagef("--out: %w", err)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return usagef("--out: cannot write to %s: %w", dir, err)
	}
	name := probe.Name()
	return errors.Join(probe.Close(), os.Remove(name))
}

// suggestion is the experiment or command that a mistyped name is closest to.
func suggestion(name string) string {
	best, least := "", 3 // edits that still look like a slip
	candidates := []string{"list", "plot", "merge", "verify", "claims", "choose", "replay", "describe"}
	for _, e := range experiments {
		candidates = append(candidates, e.name)
	}
	for _, c := range candidates {
		if d := edits(name, c); d < least || len(name) > 2 && strings.HasPrefix(c, name) {
			best, least = c, min(d, least)
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// edits is the Levenshtein distance of two short names.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// figuresDir is where the figures of a run lie.
func figuresDir(out string) string { return filepath.Join(out, "figures") }
