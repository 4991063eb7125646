package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/choose"
	"dejavu/experiments/delivery"
	"dejavu/experiments/paper"
	"dejavu/experiments/peers"
	"dejavu/experiments/replay"
	"dejavu/experiments/text"
	"dejavu/experiments/tradeoff"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
	"dejavu/workload/logs"
	"dejavu/workload/logs/logtest"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts run the program itself: this test's own executable under the name experiments.
func TestMain(m *testing.M) {
	// Times are of no concern here, and requests of thousands of candidates would take most of it.
	stopwatch.Sizes = []int{40}
	delivery.Requests = 1
	// Figures take most of each report's time. The tests of their packages draw all of them.
	peers.Figures, replay.Figures = nil, slices.Clone(replay.Figures[:1])
	build := replay.Figures[0].Build
	replay.Figures[0].Build = func(d plots.Data) plots.Sheet {
		s := build(d)
		s.Height /= 4
		return s
	}
	experiments = slices.Clone(experiments)
	for i, x := range experiments {
		if x.Name != results.Fill && x.Name != results.Window {
			experiments[i].Figures = nil
		}
	}
	testscript.Main(m, map[string]func(){"experiments": main, "makelog": makelog})
}

func TestScripts(t *testing.T) {
	dir := strategytest.Value(filepath.Abs(filepath.Join("testdata", "script"))) // wherever the process is by then
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error { // patterns are of whole lines; width.txtar is of narrow ones
			env.Setenv("COLUMNS", "1000")
			env.Setenv("DOCS", filepath.Join(dir, "..", "..", "..", "docs"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "race" {
				return sysinfo.RaceDetector, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
		},
	})
}

// status runs a command and wants an exit status: status 2 experiments --users 0. The program runs in this process, as
// starting another would take most of the scripts' time.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status number command arguments...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if args[1] == "experiments" {
		got = inside(ts, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// one lets one script at a time have the process's working directory.
var one sync.Mutex

// inside runs the program in this process, in the script's directory and on a terminal of its width.
func inside(ts *testscript.TestScript, args []string) int {
	one.Lock()
	defer one.Unlock()
	home, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(home)) }()
	ts.Check(os.Setenv("COLUMNS", ts.Getenv("COLUMNS")))
	return execute(quick(context.Background()), args, ts.Stdout(), ts.Stderr())
}

// quick returns a context in which timings take as few batches as they can: times are of no concern here.
func quick(ctx context.Context) context.Context { return stopwatch.WithEffort(ctx, 1e-3) }

// A ran is what a run of the program in this process printed and returned.
type ran struct {
	code           int
	stdout, stderr string
}

// program runs the program in this process.
func program(ctx context.Context, args ...string) ran {
	var stdout, stderr bytes.Buffer
	code := execute(quick(ctx), args, &stdout, &stderr)
	return ran{code, stdout.String(), stderr.String()}
}

// wants fails the test unless the program returned code and text holds each of the phrases.
func wants(t *testing.T, r ran, code int, text string, phrases ...string) {
	t.Helper()
	ok := r.code == code
	for _, p := range phrases {
		ok = ok && strings.Contains(text, p)
	}
	if !ok {
		t.Errorf("exit status %d, want %d and %q in the text\nstandard output:\n%s\nstandard error:\n%s",
			r.code, code, phrases, r.stdout, r.stderr)
	}
}

// leftovers lists the files below dir that were meant to be renamed or removed.
func leftovers(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir && strings.HasPrefix(d.Name(), ".") {
			found = append(found, path)
		}
		return err
	})
	strategytest.Must(t, err)
	return found
}

func read(t *testing.T, path string) string {
	t.Helper()
	data := strategytest.Value(os.ReadFile(path))
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	strategytest.Must(t, os.WriteFile(path, []byte(text), 0o644))
}

// withCatalogue lets one test run on other strategies.
func withCatalogue(t *testing.T, names ...string) {
	t.Helper()
	before := entries
	t.Cleanup(func() { entries = before })
	entries = nil
	for _, name := range names {
		entries = append(entries, entryOf(t, name))
	}
}

// All that the list says.
func TestGoldenList(t *testing.T) {
	t.Setenv("COLUMNS", "200") // a line a strategy
	r := program(t.Context(), "list")
	wants(t, r, exitOK, r.stdout)
	golden.File(t, "list.golden", r.stdout)
}

// entryOf returns an entry of the catalogue.
func entryOf(t *testing.T, name string) catalogue.Entry {
	t.Helper()
	return strategytest.Value(catalogue.Find(name))
}

// A mistyped word gets a suggestion.
func TestUnknown(t *testing.T) {
	const foot = "; 'list' lists the experiments"
	known := knownNames(kong.Must(new(command), helps, replay.Helps))
	for _, c := range []struct{ name, want string }{
		{"windw", `, did you mean "window"?`},
		{"tabel1", `, did you mean "table1"?`},
		{"dif", `, did you mean "diff"?`},
		{"siezng", `, did you mean "sizing"?`}, // two edits are a slip
		{"mem", `, did you mean "memory"?`},    // and so is the beginning of a name
		{"lst", `, did you mean one of "list", "plot"?`},
		{"exp", ""}, // three are another word
		{"frobnicate", ""},
	} {
		want := fmt.Sprintf("unknown command or experiment %q%s%s", c.name, c.want, foot)
		if got := unknown(c.name, known).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, name := range known {
		strategytest.Contains(t, unknown(name+"x", known).Error(), `"`+name+`"`, "of %sx", name)
	}
}

// README.md shows what the program prints.
func TestREADMEChoosing(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("theory is slow, and shares nothing between goroutines")
	}
	args := strings.Fields("choose --users 10000000 --window 400 --fpr 0.02 --memory 6GiB --all --markdown")
	r := program(t.Context(), args...)
	wants(t, r, exitOK, r.stdout, "in 6GiB: ", "Take matrix: 544 B")
	golden.Document(t, "docs/choosing.md", "choose", r.stdout)
}

// The help names the ranges that errors name, and the variables of array jobs that are read (shardFlag).
func TestHelp(t *testing.T) {
	r := program(t.Context(), "choose", "--help")
	wants(t, r, exitOK, r.stdout, fmt.Sprintf("1 to %d", choose.MaxWindow), fmt.Sprintf("%v or more", choose.MinFPR),
		fmt.Sprintf("1 to %d", workload.MaxUsers))
	r = program(t.Context(), "run", "--help")
	wants(t, r, exitOK, r.stdout, fmt.Sprint(workload.MaxUsers), "SLURM_ARRAY_TASK_ID")
	// Of a command and of the program, help is --help.
	ways := [][]string{{"help"}, {"help", "help"}, {"--help"}}
	for _, verb := range kong.Must(new(command), helps, replay.Helps).Model.Children {
		ways = append(ways, []string{verb.Name, "help"}, []string{"help", verb.Name}, []string{verb.Name, "--help"})
	}
	for i := 0; i < len(ways); i += 3 {
		want := program(t.Context(), ways[i+2]...)
		wants(t, want, exitOK, want.stdout, "Usage: experiments")
		for _, words := range ways[i : i+2] {
			strategytest.Equal(t, program(t.Context(), words...), want, "%q says", words)
		}
	}
}

// README.md and docs show the tables of the committed reference run, and of the peers' committed run.
func TestREADME(t *testing.T) {
	reference, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", results.DefaultUsers, results.DefaultSeed)
	}
	cells := results.NewCells(reference.All())
	check := func(file, name string, table document.Table) {
		table.Title = "" // the document has a sentence for it
		golden.Document(t, file, name, strings.TrimSpace(table.Markdown())+"\n")
	}
	check("README.md", "headline", paper.Headline.Of(cells))
	check("docs/results.md", "table1", paper.Table1.Tell(cells)[0])
	check("docs/beyond.md", "tradeoff", tradeoff.Experiment.Tell(cells)[0])

	for name, machine := range map[string]string{"peers": "", "zen 3": "machines/epyc-19h-1/"} {
		run := strategytest.Value(results.Committed(machine + results.PeersDir))
		golden.Document(t, "docs/peers.md", name, document.Markdown(peers.Report(run)...))
	}

	plain := strategytest.Value(results.Committed("plain"))
	check("docs/library.md", "vectors", vectorsTable(t, results.NewCells(plain.All()), cells))
}

// docs/logs.md shows rows that a population fitted to a log changes. The log is simulated: its users come five times as
// often as ours, and see less in a refresh.
func TestREADMEPopulation(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates two thousand users for thirty days")
	}
	habits := workload.DefaultDaily()
	habits.Sessions, habits.PerRefresh, habits.Recalled, habits.Repeats = 2, 4, 16, 0.4
	dir := t.TempDir()
	log, users := filepath.Join(dir, "log.csv"), filepath.Join(dir, "users.json")
	population := strategytest.Value(workload.NewDailyOf(habits, results.DefaultSeed, 400))
	requests := logtest.Daily(population, 1573776000)
	strategytest.Must(t, os.WriteFile(log, logtest.Text(logs.Format("csv"), requests...), 0o600))
	wants(t, program(t.Context(), "describe", log, "--fit", users), exitOK, "")
	var cells []results.Cells
	for _, flags := range [][]string{nil, {"--population", users}} {
		out := filepath.Join(dir, fmt.Sprint(len(flags)))
		wants(t, program(t.Context(), append(flags, "daily", "pipeline", "proposals", "--users", "2000", "--out", out)...),
			exitOK, "")
		cells = append(cells, results.NewCells(strategytest.Value(results.ReadDir(out)).All()))
	}
	table := document.Table{Header: []string{"row", "our users", "users like the log's"}}
	for _, query := range []string{
		"daily: payload kept of queue", "daily: payload kept of chain",
		"daily: repeats per article shown of queue at rule=24h", "daily: repeats per article shown of queue at rule=none",
		"daily: fpr of single at rule=none", "pipeline: repeats per article shown of single at delay=60",
		"proposals: bytes per user of activity: one size for all",
		"proposals: bytes per user of activity: classes, by what is read",
		"proposals: fpr of activity: classes, by the first day's reading",
	} {
		line := []string{"`" + query + "`"}
		for _, run := range cells {
			row, ok := run.One(results.Q(query))
			if !ok {
				t.Fatalf("no row %s", query)
			}
			line = append(line, text.Of(row))
		}
		if line[1] == line[2] {
			t.Errorf("%s is %s for both populations", query, line[1])
		}
		table.Rows = append(table.Rows, line)
	}
	golden.Document(t, "docs/logs.md", "population", document.Markdown(table))
}

// vectorsTable compares a run with vectors to one by the plain kernels: times of a request of 40 candidates, and of a
// cold one in a batch over the larger of its times for arithmetic and memory alone.
func vectorsTable(t *testing.T, plain, vector results.Cells) document.Table {
	t.Helper()
	table := document.Table{Header: []string{
		"strategy", "hot, plain", "with vectors", "cold over arithmetic or memory, plain", "with vectors",
	}}
	request := by.Candidates.At(40)
	for _, name := range []string{"single", "dual", "chain"} {
		line := []string{name}
		for _, column := range []struct {
			query        results.Query
			digits, unit string
		}{
			{results.Find(results.QRequestTime, request, by.History.Is("hot"), by.Statistic.Is("p50")), "%.0f", " ns"},
			{results.Find(results.QTimeRatio, request, by.History.Is("together"), by.Over.Is("hot or touch")), "%.2f", ""},
		} {
			for _, run := range []results.Cells{plain, vector} {
				row, ok := run.One(column.query.In(results.Latency).Of(name))
				if !ok {
					t.Fatalf("no %s of %s", column.query, name)
				}
				format := column.digits + column.unit + " (" + column.digits + " to " + column.digits + ")"
				line = append(line, fmt.Sprintf(format, row.Value.Or(0), row.Low.Or(0), row.High.Or(0)))
			}
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}
