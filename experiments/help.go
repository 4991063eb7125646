package main

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dejavu/internal/sysinfo"
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
func asksHelp(args []string) []string {
	if len(args) > 2 || !slices.Contains(args, "help") {
		return args
	}
	verb := slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "help" })
	return append(verb, "--help")
}

// mistyped is the error of a command line whose first word is no command, which the parser
// takes for the name of an experiment: it then misses the command's flags.
func mistyped(args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.Contains(names(), args[0]) {
		return nil
	}
	return unknown(args[0])
}

// names are those of all commands and experiments.
func names() []string { return slices.Concat(verbs, namesOf(experiments)) }

// unknown is the error of a word that is neither a command nor an experiment. What it may
// have been kong says, of a command line with each of them as a command.
func unknown(name string) error {
	var commands []kong.Option
	for _, known := range names() {
		commands = append(commands, kong.DynamicCommand(known, "", "", new(struct{})))
	}
	suggestion := ""
	if parser, err := kong.New(new(struct{}), commands...); err == nil {
		_, err = parser.Parse([]string{name})
		if _, guess, found := strings.Cut(err.Error(), ", did you mean "); found {
			suggestion = ", did you mean " + guess
		}
	}
	return fmt.Errorf("unknown command or experiment %q%s; 'help' lists the commands, 'list' the experiments",
		name, suggestion)
}
