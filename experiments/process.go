package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/results"
)

// The exit statuses.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitInterrupt = 130
)

// What runs: all there is, unless a test says otherwise.
var (
	experiments = suite.All
	entries     = catalogue.All()
)

// A process is what a command has of the program's process: its arguments, where it prints, and the words that its
// command line may begin with, which are the commands and the experiments.
type process struct {
	args           []string
	stdout, stderr io.Writer
	words          []string
}

func given(parsed *kong.Context) (flags []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil {
			flags = append(flags, p.Flag)
		}
	}
	return flags
}

// unknown is the error of a word that is none of the known. What it may have been kong says, of each as a command.
func unknown(name string, known []string) error {
	var commands []kong.Option
	for _, word := range known {
		commands = append(commands, kong.DynamicCommand(word, "", "", new(struct{})))
	}
	_, err := kong.Must(new(struct{}), commands...).Parse([]string{name}) // nil of a command in an experiment's place
	suggestion := ""
	if _, guess, found := strings.Cut(fmt.Sprint(err), ", did you mean "); found {
		suggestion = ", did you mean " + guess
	}
	return fmt.Errorf("unknown command or experiment %q%s; 'help' lists the commands, 'list' the experiments",
		name, suggestion)
}

// A size is a number of bytes on the command line: "12GiB", "500MB".
type size int64

// UnmarshalText reads a number and a unit.
func (s *size) UnmarshalText(given []byte) error {
	v, err := usage.Bytes(string(given))
	*s = size(v)
	return err
}

// profile starts a CPU profile, none where no path is named, and returns what ends it.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, usage.Errorf("--cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // pprof says what is missing
	}, nil
}

// vacant makes sure, before hours are spent, that the results of a run may go to out: nothing of another run
// lies there, unless that may be replaced, nothing that is no result under the name of one, and files can be
// made there. The experiments named are those that the run writes.
func vacant(out string, wanted results.Manifest, names []string, force bool) error {
	if is, err := os.Stat(out); err != nil || !is.IsDir() {
		return writable(out) // which makes it, or says why not
	}
	there, fault := results.ReadManifest(out)
	if there.Started == "" && fault == nil {
		there, fault = engine.Left(out) // a run that was killed leaves no manifest
	}
	switch {
	case force:
	case fault != nil:
		return usage.Errorf("--out: %w: name another directory, or --force to replace what is there", fault)
	default:
		if err := other(out, there, wanted); err != nil {
			return err
		}
	}
	mended := func(experiment string) bool {
		known := slices.ContainsFunc(there.Experiments, func(s results.Status) bool { return s.Name == experiment })
		return (known || force) && slices.Contains(names, experiment)
	}
	faults := results.Foreign(out, mended)
	for _, name := range []string{"measurements", "figures"} {
		if is, err := os.Stat(filepath.Join(out, name)); err == nil && !is.IsDir() {
			faults = append(faults, fmt.Errorf("%s is a file, want a directory", name))
		}
	}
	if faults != nil {
		return usage.Errorf("--out: %s: %w: move it away, or name another directory", out, errors.Join(faults...))
	}
	return writable(out)
}

// other is the error of a directory that holds another run's results than are wanted.
func other(out string, there, wanted results.Manifest) error {
	why := there.Differs(wanted)
	if there.Started == "" && there.Users == 0 || why == "" {
		return nil
	}
	line := fmt.Sprintf("--users %d --seed %d --out %s", there.Users, there.Seed, out)
	if there.Started != "" {
		line = strings.Join(there.Args, " ")
	}
	return usage.Errorf("--out: %s holds another run's results (%s): '%s' goes on with that run; "+
		"for this one name another directory, or --force to replace them",
		out, why, strings.TrimSpace("experiments "+line))
}

// writable makes sure that files can be made in dir.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage.Errorf("--out: %w", err)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return usage.Errorf("--out: cannot write to %s: %w", dir, err)
	}
	name := probe.Name()
	return errors.Join(probe.Close(), os.Remove(name))
}

// summaryColumns are those of every terminal.
const summaryColumns = 80

// show prints blocks that fit the terminal.
func show(w io.Writer, blocks ...document.Block) error {
	_, err := io.WriteString(w, document.Terminal(columns(w), blocks...))
	return err
}

// columns are those of a terminal; where w is none those of $COLUMNS, or of every terminal.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return summaryColumns
}
