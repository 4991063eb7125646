// Command peers compares the suite's strategies with the same ones built from public filter libraries: the
// time of a candidate and of an article, the memory and the garbage collector's work of a million users, and
// the false positives on four shapes of keys.
//
// Go's libraries are measured in one process, and those of other languages by programs that it builds, starts and
// asks. Times are taken in turns, and compared within each turn, so that the machine's moods hit all alike.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dejavu/experiments/peers/standing"
	"dejavu/internal/sysinfo"
	"dejavu/peers/languages"
	"dejavu/results"
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

	programs []languages.Program // of other languages
	say      func(string)        // tells how far it is
}

func main() {
	if err := run(os.Args[1:], languages.All(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// run measures Go's libraries, and those of other languages that the flags choose.
func run(args []string, programs []languages.Program, out, progress io.Writer) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	s := scale{filters: 10000, requests: 100_000, forced: 7}
	flags.IntVar(&s.users, "users", 1_000_000, "users whose memories are alive at once")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("turns in which times are taken, at least %d", leastRounds))
	dir := flags.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
	quick := flags.Bool("quick", false, "a fiftieth of users, filters and requests, to see that it works")
	named := flags.String("languages", languageNames(programs),
		"other languages whose libraries are measured too, where their tools are there")
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
	var err error
	if s.programs, err = chosen(programs, *named); err != nil {
		return err
	}
	if *quick {
		s.users = max(1, s.users/50)
		s.filters, s.requests, s.forced = s.filters/50, s.requests/50, 3
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}

	began := time.Now()
	s.say = func(what string) { fmt.Fprintf(progress, "%6.1f s  %s\n", time.Since(began).Seconds(), what) }
	measured, err := s.measure()
	if err != nil {
		return err
	}
	took := math.Round(time.Since(began).Seconds())
	measured.Manifest = results.Manifest{
		Users: s.users, Args: args, Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339), Seconds: took,
		Environment: sysinfo.Environment(),
		Experiments: []results.Status{{Name: results.Peers, Status: results.Done, Seconds: took}},
	}
	of := standing.Dimensions
	err = errors.Join(results.WriteFile(filepath.Join(*dir, results.FileName(results.Peers)), of, measured.Rows),
		results.WriteFile(filepath.Join(*dir, results.TimingFileName(results.Peers)), of, measured.Timing),
		results.WriteManifest(*dir, measured.Manifest))
	if err != nil {
		return err
	}
	s.say("done")
	_, err = io.WriteString(out, report(measured)+"\n"+libraryTable().Markdown())
	return err
}

// measure takes all rows. Programs of other languages are built in a directory that is gone afterwards.
func (s scale) measure() (measured *results.Run, err error) {
	dir, err := os.MkdirTemp("", "peers-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	script, lists := newScript(), filepath.Join(dir, "lists")
	if err := script.write(lists); err != nil {
		return nil, err
	}
	programs, about, err := s.build(dir)
	if err != nil {
		return nil, err
	}
	processes, err := s.start(programs, lists, script)
	defer func() { err = errors.Join(err, closeAll(processes)) }()
	if err != nil {
		return nil, err
	}

	taken, err := s.times(script, processes)
	if err != nil {
		return nil, err
	}
	all := ofGo()
	for _, p := range processes {
		all = append(all, ofProgram(p, dir))
	}
	rows, random, err := s.rates(all)
	if err != nil {
		return nil, err
	}
	if err := closeAll(processes); err != nil {
		return nil, err
	}
	others, err := s.foreignMemories(programs, lists)
	return &results.Run{Rows: rows, Timing: slices.Concat(taken, random, s.memories(), others, about)}, err
}
