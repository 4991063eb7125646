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
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"dejavu/cluster/internal/storage"
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

// run runs a command.
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
