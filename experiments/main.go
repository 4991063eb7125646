// Experiments runs Dejavu: every strategy over ten million simulated users,
// measured and compared with theory and with the paper.
//
//	go run ./experiments                      everything, at ten million users
//	go run ./experiments table1 window        two experiments alone
//	go run ./experiments --users 100000       fewer users
//	go run ./experiments list                 what there is
//	go run ./experiments plot                 the figures again, from saved results
//	go run ./experiments claims               each claim and its verdict
//	go run ./experiments diff                 in what saved results differ from the committed reference
//	go run ./experiments choose               which strategy fits, with which parameters
//	go run ./experiments replay log.csv       strategies over a real exposure log
//	go run ./experiments describe log.csv     what such a log is like, and the population most like it
//	go run ./experiments --shard 2/7          the third of seven shares of the users
//	go run ./experiments merge                one run of all shares
//	go run ./experiments merge A B C D E      one run of five, whose timings know how far runs lie apart
//
// Results, figures and a report appear in the directory out. The exit status is 0 if everything ran and agrees with
// the reference, 1 if something failed or differs, 2 if the command line was wrong, and 130 after an interrupt.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/replay"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

type command struct {
	Version kong.VersionFlag `help:"Print the release and the commit."`

	Run      runCommand      `cmd:"" default:"withargs" help:"${runCommand}"`
	List     listCommand     `cmd:"" help:"List the experiments and the strategies."`
	Plot     plotCommand     `cmd:"" help:"Draw the figures again from the results saved in --out."`
	Merge    mergeCommand    `cmd:"" help:"${mergeCommand}"`
	Diff     diffCommand     `cmd:"" help:"${diffCommand}"`
	Claims   claimsCommand   `cmd:"" help:"Print each claim and its verdict from the run in --out."`
	Replay   replayCommand   `cmd:"" help:"Replay a real log through strategies; compare them with the exact truth."`
	Describe describeCommand `cmd:"" help:"Describe a real exposure log, and fit the daily population to it."`
	Choose   chooseCommand   `cmd:"" help:"${chooseCommand}"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute runs main without the process, and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	exited := -1
	parser := kong.Must(new(command),
		kong.Name("experiments"),
		kong.Description("Dejavu: how a recommender remembers what it has shown, measured. "+
			"Without a command it runs experiments; 'run --help' lists the flags: --users, --out and others."),
		helps, replay.Helps, kong.Vars{"version": sysinfo.Version()},
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		usage.Numbers(),
	)
	known := knownNames(parser)
	var parsed *kong.Context
	words, err := commandOf(attached(args), known)
	if err == nil {
		parsed, err = parser.Parse(words)
	}
	if exited >= 0 { // --help, --version
		return exited
	}
	if err != nil {
		fmt.Fprintf(stderr, "experiments: %s (see --help)\n", plainly.Replace(err.Error()))
		return exitUsage
	}
	if err = checkGiven(parsed); err == nil {
		err = parsed.Run(process{args, stdout, stderr, known})
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "experiments: %v\n", suite.Roomless(err))
	switch {
	case errors.As(err, new(usage.Error)):
		return exitUsage
	case ctx.Err() != nil:
		return exitInterrupt
	}
	return exitFailed
}

// plainly rewrites what the parser says of a value or a file that is missing.
var plainly = strings.NewReplacer(` but got "EOL" (<EOL>)`, ", found none", `expected "<file> ..."`,
	"name the files of a log, such as log.csv")

// negative matches a number below zero, which a parser would take for a flag.
var negative = regexp.MustCompile(`^-[.0-9]`)

// attached returns the arguments with each negative number attached to the flag before it: "--users=-4".
func attached(args []string) (words []string) {
	for i, word := range args {
		if i > 0 && negative.MatchString(word) && strings.HasPrefix(args[i-1], "--") && !strings.Contains(args[i-1], "=") {
			words[len(words)-1] += "=" + word
		} else {
			words = append(words, word)
		}
	}
	return words
}

// checkGiven returns an error if a flag is 0 and would be taken for left out, if --workers is out of range, or if --out
// is empty or a path of Windows on another system, where it would become one odd name.
func checkGiven(parsed *kong.Context) error {
	for _, flag := range given(parsed) {
		number, _ := parsed.FlagValue(flag).(int)
		switch {
		case flag.Name == "workers" && (number < 1 || number > 1024):
			return usage.Errorf("--workers is %d, want 1 to 1024, or leave it out for one per processor", number)
		case parsed.FlagValue(flag) == 0 && !flag.HasDefault:
			return usage.Errorf("--%s is 0, want 1 or more, or leave it out", flag.Name)
		}
		path, _ := parsed.FlagValue(flag).(string)
		if flag.Name != "out" {
			continue
		}
		if path == "" {
			return usage.Errorf("--out is empty, want a directory")
		}
		if filepath.Separator == '/' && strings.Contains(path, `:\`) {
			return usage.Errorf("--out is %s, a path of Windows: write it with /, or ./%[1]s if that is its name", path)
		}
	}
	return nil
}

func knownNames(parser *kong.Kong) (all []string) {
	for _, verb := range parser.Model.Children {
		all = append(all, verb.Name)
	}
	return append(all, namesOf(experiments)...)
}

// commandOf returns the words as the parser knows them: 'help', 'help VERB' and 'VERB help' are a flag there. If the
// first is no command, the parser would take it for an experiment's name, and then miss the command's flags.
func commandOf(args, known []string) ([]string, error) {
	if len(args) <= 2 && slices.Contains(args, "help") {
		verb := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "help" })
		args = append(verb, "--help")
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains(known, args[0]) {
		return args, nil
	}
	return nil, unknown(args[0], known)
}

type listCommand struct{}

// Run prints the experiments, the strategies and the dimensions of the rows, each once.
func (listCommand) Run(p process) error {
	named := document.Table{Title: "Experiments", Header: []string{"name", "what it shows"}}
	dimensions := document.Table{
		Title:  "Dimensions: what a number depends on, a column in the files of these experiments",
		Header: []string{"column", "unit", "what its values are", "experiments"},
	}
	for _, x := range experiments {
		named.Rows = append(named.Rows, []string{x.Name, x.About})
		for _, d := range x.Dimensions {
			i := slices.IndexFunc(dimensions.Rows, func(row []string) bool { return row[0] == d.Name })
			if i < 0 {
				dimensions.Rows = append(dimensions.Rows, []string{d.Name, d.Unit, d.About, x.Name})
			} else {
				dimensions.Rows[i][3] += ", " + x.Name
			}
		}
	}
	strategies := document.Table{Title: "Strategies", Header: []string{"name", "what it is", "simulated for", "not in"}}
	for _, e := range entries {
		by := "every user"
		if e.Sampled() {
			by = fmt.Sprintf("one user in %d", e.Share)
		}
		strategies.Rows = append(strategies.Rows, []string{e.Name, e.About, by, strings.Join(lacks(e), ", ")})
	}
	return show(p.stdout, named, strategies, dimensions)
}

// lacks names what a strategy takes no part in, for want of what the catalogue would have to say of it.
func lacks(e catalogue.Entry) (names []string) {
	if e.Lives != "" {
		return []string{"all but " + e.Lives}
	}
	if e.Sized == nil {
		names = append(names, results.Tradeoff, "choose")
	}
	if e.Longer == "" {
		names = append(names, results.Extend)
	}
	if e.Sampled() {
		names = append(names, results.Daily)
	}
	return names
}
