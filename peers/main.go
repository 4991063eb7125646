// Command peers compares the suite's strategies with the same ones built from public filter libraries: the time of a
// candidate and an article, the memory and the collector's work of a million users, false positives on shapes of keys.
//
// Go's libraries are measured in one process, and those of other languages by programs that it builds, starts and
// asks. Times are taken in turns, and compared within each turn, so that the machine's moods hit all alike.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dejavu/experiments/peers/standing"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/sysinfo"
	"dejavu/peers/languages"
	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/results/by"
)

// leastRounds is enough for the second and the last but one to enclose the median of a turn with 98.8 % confidence.
const leastRounds = 11

type scale struct {
	users    int                 // whose memories are alive at once
	rounds   int                 // turns
	filters  int                 // for false positives, of each library on each shape of keys
	requests int                 // served in a pass while the memories are alive, at least
	forced   int                 // collections
	programs []languages.Program // of other languages
	say      func(string)        // tells how far it is
}

func main() {
	if err := run(os.Args[1:], languages.All(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(args []string, programs []languages.Program, out, progress io.Writer) error {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(progress)
	s := scale{filters: 10000, requests: 100_000, forced: 7}
	flags.IntVar(&s.users, "users", 1_000_000, "users whose memories are alive at once")
	flags.IntVar(&s.rounds, "rounds", 15, fmt.Sprintf("rounds in which times are measured, at least %d", leastRounds))
	dir := flags.String("out", filepath.Join("..", "out", results.PeersDir), "directory for the rows")
	quick := flags.Bool("quick", false, "a short trial: a fiftieth of the users, filters and requests")
	named := flags.String("languages", languageNames(programs),
		"other languages whose libraries are measured too, if their tools are installed")
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
	memory := s.memories()
	others, err := s.foreignMemories(programs, lists)
	return &results.Run{Rows: rows, Timing: slices.Concat(taken, random, memory, others, about)}, err
}

// report is what README.md shows of a run, in Markdown. All of it follows from the run.
func report(run *results.Run) string {
	l := ledger{standing.NewRows(run.All())}
	tables := document.Tables(l.timeTable(), l.memoryTable(), l.rateTable())
	return document.Markdown(append(standing.Report(run), tables...)...)
}

type ledger struct{ standing.Rows }

// names are the strategies that may have rows: ours and then theirs of each kind, and nothing.
func (l ledger) names() (all []string) {
	for _, kind := range l.Kinds() {
		all = append(all, standing.OurName(kind), standing.OurName(kind)+standing.Roomy)
		for _, library := range l.Libraries(kind) {
			all = append(all, standing.Name(library, kind))
		}
	}
	return append(all, nothing.name)
}

// A column shows for each name the row that a query means, if there is one.
type column struct {
	header string
	query  results.Query
	show   func(results.Row) string
}

// table has a line for each name of which a column has a row.
func (l ledger) table(title, first string, names []string, columns []column) document.Table {
	t := document.Table{Title: title, Header: []string{first}}
	for _, c := range columns {
		t.Header = append(t.Header, c.header)
	}
	for _, name := range names {
		line, found := []string{name}, false
		for _, c := range columns {
			if r, ok := l.Row(name, c.query); ok {
				line, found = append(line, c.show(r)), true
			} else {
				line = append(line, "–")
			}
		}
		if found {
			t.Rows = append(t.Rows, line)
		}
	}
	return t
}

func (l ledger) timeTable() document.Table {
	digits := standing.Digits
	var columns []column
	for _, m := range standing.Timed {
		columns = append(columns, column{m.Name, m.Query, func(r results.Row) string {
			cell := digits(r.Value)
			if ratio, ok := l.Row(r.Strategy, standing.Over(m.Query)); ok {
				cell += fmt.Sprintf(" (%s×, %s–%s)", digits(ratio.Value), digits(ratio.Low), digits(ratio.High))
			}
			return cell
		}})
	}
	return l.table("Time in nanoseconds of a candidate (40 a request, one user in the cache) and of an article recorded; "+
		"in brackets how many times ours, with the interval of the turns", "strategy", l.names(), columns)
}

func (l ledger) memoryTable() document.Table {
	over := func(r results.Row) string { // in brackets how many times ours
		kind := r.Strategy[strings.LastIndexByte(r.Strategy, ' ')+1:]
		cell := fixed(0)(r)
		if ours, ok := l.Row(standing.OurName(kind), standing.OfUsers(r.Quantity)); ok {
			cell += " (" + digits(ours.Value.Or(1), "×")(r) + ")"
		}
		return cell
	}
	title := "Memory and collector, with " + l.Alive().String() + " users alive; in brackets how many times ours"
	return l.table(title, "strategy", l.names(), []column{
		{"bytes a user", standing.OfUsers(results.QBytesPerUser), over},
		{"with garbage", standing.OfUsers(results.QGoalPerUser), over},
		{"heap objects a user", standing.OfUsers(results.QObjectsPerUser), fixed(2)},
		{"pauses of a collection", standing.OfUsers(results.QForcedPause), digits(1e3, " µs")},
		{"processors' time of a collection", standing.OfUsers(results.QForcedCPU), digits(1e6, " ms")},
		{"collector's share while serving", standing.OfUsers(results.QCollectShare), share},
		{"collector, a request", standing.OfUsers(results.QCollectNanos), nanoseconds},
		{"request, random user", standing.OfUsers(results.QRequestTime), nanoseconds},
	})
}

func (l ledger) rateTable() document.Table {
	columns := []column{
		{"bits/hashes", standing.Shapes[0].Query, func(r results.Row) string {
			hashes, _ := l.Row(r.Strategy, standing.OfFilter(results.QHashes))
			return r.Where.Of(by.Bits) + "/" + cmp.Or(hashes.Value.String(), "–")
		}},
		{"theory", standing.Shapes[0].Query, func(r results.Row) string { return text.Percent(r.Theory.Or(0)) }},
	}
	for _, m := range standing.Shapes {
		columns = append(columns, column{m.Name, m.Query, func(r results.Row) string {
			stderr := (r.High.Or(0) - r.Low.Or(0)) / (2 * 1.959964)
			return fmt.Sprintf("%s (%+.1f)", share(r), (r.Value.Or(0)-r.Theory.Or(0))/stderr)
		}})
	}
	columns = append(columns, column{"shown and denied", standing.OfFilter(results.QLost), share})
	return l.table("False positives of one filter of 500 articles, asked for as 4064/6; "+
		"in brackets how many standard errors off its own theory",
		"library", append([]string{standing.Ours}, l.Filters()...), columns)
}

// fixed shows a value with so many digits behind the point.
func fixed(decimals int) func(results.Row) string {
	return func(r results.Row) string { return strconv.FormatFloat(r.Value.Or(0), 'f', decimals, 64) }
}

// digits shows a value in a unit of so many of its own.
func digits(of float64, unit string) func(results.Row) string {
	return func(r results.Row) string { return standing.Digits(results.Num(r.Value.Or(0)/of)) + unit }
}

func nanoseconds(r results.Row) string {
	cell := fixed(0)(r) + " ns"
	if r.Low.IsSet() {
		cell += fmt.Sprintf(" (%.0f–%.0f)", r.Low.Or(0), r.High.Or(0))
	}
	return cell
}

func libraryTable() document.Table {
	t := document.Table{Title: "The libraries"}
	t.Header = []string{"library", "version", "takes", "bits for 4064/6, 812/6", "rounds"}
	for _, l := range library.All() {
		bits := strconv.Itoa(l.Geometry(library.One).Bits)
		if l.Users["chain"] != nil {
			bits += ", " + strconv.Itoa(l.Geometry(library.Link).Bits)
		}
		t.Rows = append(t.Rows, []string{l.Name, l.Module, l.Takes, bits, cmp.Or(l.Rounds, "nothing")})
	}
	for _, p := range languages.All() {
		version := fmt.Sprintf("%s %s: %s", p.Language, p.Version, p.Options)
		t.Rows = append(t.Rows, []string{p.Library, version, p.Takes, fmt.Sprintf("%d, %d", p.Bits[0], p.Bits[1]), p.Rounds})
	}
	return t
}

func share(r results.Row) string { return text.Percent(r.Value.Or(0)) }
