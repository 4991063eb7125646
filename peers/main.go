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
	"math"
	"os"
	"path/filepath"
	"time"

	"dejavu/results"
	"dejavu/sysinfo"
)

// leastRounds is from how many turns on the second and the last but one say
// something: they enclose the median of a turn with a confidence of 98.8 %.
const leastRounds = 11

// scale is how much is measured.
type scale struct {
	users    int // whose memories are alive at once
	rounds   int // turns
	filters  int // for false positives, of each library on each shape of keys
	requests int // served in a pass while the memories are alive, at least
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
	s := scale{filters: 10000, requests: 100_000, forced: 7}
	flags.IntVar(&s.users, "users", 1_000_000, "readers whose memories are alive at once")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("turns in which times are taken, at least %d", leastRounds))
	dir := flags.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
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
	measured := &results.Run{}
	measured.Timing = times(s.rounds, say)
	rows, random := rates(s.filters, say)
	measured.Rows = rows
	measured.Timing = append(measured.Timing, random...)
	measured.Timing = append(measured.Timing, memories(s, say)...)
	took := math.Round(time.Since(began).Seconds())
	measured.Manifest = results.Manifest{
		Users: s.users, Args: args, Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339), Seconds: took,
		Environment: sysinfo.Environment(),
		Experiments: []results.Status{{Name: results.Peers, Status: results.Done, Seconds: took}},
	}
	if err := save(*dir, measured); err != nil {
		return err
	}
	say("done")
	_, err := io.WriteString(out, report(measured)+"\n"+libraryTable().Markdown())
	return err
}

// save writes a run into a directory of its own, in the manner of the experiments.
func save(dir string, run *results.Run) error {
	if err := results.WriteFile(filepath.Join(dir, results.FileName(results.Peers)), run.Rows); err != nil {
		return err
	}
	if err := results.WriteFile(filepath.Join(dir, results.TimingFileName(results.Peers)), run.Timing); err != nil {
		return err
	}
	return results.WriteManifest(dir, run.Manifest)
}
