// Command peers holds the suite's strategies against the same ones built from
// public Go filter libraries: the time of a candidate and of an article, the
// memory and the garbage collector's work of a million readers, and the false
// positives on four shapes of keys.
//
// Everything is measured in one process. Times are taken in turns, and compared
// within each turn, so that the machine's moods hit all alike.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"dejavu/results"
)

// experiment names the files.
const experiment = "peers"

// leastRounds is from how many turns on the second and the last but one say
// something: they enclose the median of a turn with a confidence of 98.8 %.
const leastRounds = 11

// scale is how much is measured.
type scale struct {
	users    int // whose memories are alive at once
	rounds   int // turns
	filters  int // for false positives, of each library on each shape of keys
	requests int // served while the memories are alive
	forced   int // collections
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	s := scale{filters: 10000, requests: 1_000_000, forced: 7}
	flags.IntVar(&s.users, "users", 1_000_000, "readers whose memories are alive at once")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("turns in which times are taken, at least %d", leastRounds))
	dir := flags.String("out", filepath.Join("..", "out"), "directory for the rows")
	quick := flags.Bool("quick", false, "a fiftieth of readers, filters and requests, to see that it works")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("argument %q: want flags only", flags.Arg(0))
	case s.users < 1 || s.users > 10_000_000:
		return fmt.Errorf("--users is %d, want 1 to 10000000", s.users)
	case s.rounds < leastRounds || s.rounds > 1000:
		return fmt.Errorf("--rounds is %d, want %d to 1000", s.rounds, leastRounds)
	}
	if *quick {
		s.users = max(1, s.users/50)
		s.filters, s.requests, s.forced = s.filters/50, s.requests/50, 3
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}

	began := time.Now()
	say := func(what string) {
		fmt.Fprintf(progress, "%6.1f s  %s\n", time.Since(began).Seconds(), what)
	}
	timing := times(s.rounds, say)
	rows, random := rates(s.filters, say)
	timing = append(timing, random...)
	timing = append(timing, memories(s, say)...)

	if err := results.WriteFile(filepath.Join(*dir, results.FileName(experiment)), rows); err != nil {
		return err
	}
	if err := results.WriteFile(filepath.Join(*dir, results.TimingFileName(experiment)), timing); err != nil {
		return err
	}
	say("done")
	return report(out, append(rows, timing...), results.CurrentEnvironment())
}
