package main

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dejavu/experiments/experiment"
	"dejavu/sysinfo"
)

// A versionFlag prints what this program is, in place of running.
type versionFlag bool

// BeforeReset is called where the flag is given, before anything of the command line is
// checked.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	_, err := fmt.Fprintln(app.Stdout, version())
	app.Exit(exitOK)
	return err
}

// version is the module, its version, the commit it was built from and the Go that built it.
func version() string {
	path, number := "dejavu", ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "" {
		path, number = info.Main.Path, info.Main.Version
	}
	if number == "" || number == "(devel)" {
		number = "not of a release"
	}
	commit := sysinfo.Commit()
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("%s %s, commit %s, %s %s/%s", path, number, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// verbs are the commands: the fields of the command line that are one.
var verbs = func() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[command]()) {
		if _, ok := f.Tag.Lookup("cmd"); ok {
			names = append(names, strings.ToLower(f.Name))
		}
	}
	return names
}()

// asksHelp writes 'help', 'help VERB' and 'VERB help' as the flag that the parser knows.
// Of an experiment it is the help of run. The error is of a verb that there is not.
func asksHelp(args []string) ([]string, error) {
	if len(args) == 0 || len(args) > 2 || !slices.Contains(args, "help") {
		return args, nil
	}
	if len(args) == 1 {
		return []string{"--help"}, nil
	}
	verb := args[0]
	if verb == "help" {
		verb = args[1]
	}
	switch {
	case verb == "help":
		return []string{"--help"}, nil
	case slices.Contains(verbs, verb):
		return []string{verb, "--help"}, nil
	case slices.ContainsFunc(experiments, func(x experiment.Experiment) bool { return x.Name == verb }):
		return []string{"run", "--help"}, nil
	}
	return args, unknown(verb)
}

// unknown is the error of a word that is neither a command nor an experiment.
func unknown(name string) error {
	return fmt.Errorf("unknown command or experiment %q%s; 'help' lists the commands, 'list' the experiments", name, suggestion(name))
}

// mistyped is the error of a command line whose first word is no command, which the parser
// takes for the name of an experiment: it then misses the command's flags.
func mistyped(args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains(verbs, args[0]) ||
		slices.ContainsFunc(experiments, func(x experiment.Experiment) bool { return x.Name == args[0] }) {
		return nil
	}
	return unknown(args[0])
}

// suggestion is the experiment or command that a mistyped name is closest to.
func suggestion(name string) string {
	best, least := "", 3 // edits that still look like a slip
	for _, c := range slices.Concat(verbs, namesOf(experiments)) {
		if d := edits(strings.ToLower(name), c); d < least || len(name) > 2 && strings.HasPrefix(c, name) {
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
