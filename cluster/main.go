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
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/storage"
	"dejavu/cluster/replay"
	"dejavu/cluster/simulate"
	"dejavu/experiments/quantity"
	flags "dejavu/experiments/replay"
	"dejavu/experiments/text"
)

// The exit statuses, as the experiments program has them.
const (
	exitFailed = 1
	exitUsage  = 2
)

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

func runReplay(ctx context.Context, args []string) error {
	c := replay.Config{Args: append([]string{"replay"}, args...), Started: time.Now()}
	set := newFlags("replay")
	define(set, &c.Reading)
	define(set, &c.Settings)
	set.StringVar(&c.Out, "out", "out/replay", outHelp)
	set.IntVar(&c.Shards, "shards", 0,
		"shares of the users that are replayed apart (default: one for 32 MB of files, 4 at least, 10000 at most)")
	var err error
	if c.Named, err = parse(set, args); err != nil {
		return err
	}
	c.Asked = asked(set)
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	if c, err = c.Find(ctx); err != nil { // before anything runs
		return usageError{err}
	}
	if c, err = c.Detect(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := replay.Replay(s, c); err != nil {
		return usageError{err}
	}
	fmt.Fprintf(os.Stderr, "%d files, the users in %d shards; results in %s\n", len(c.Files), c.Shards, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	if !local && !storage.IsRemote(c.Out) {
		const there = "Results are in %s of the worker that wrote them; `experiments plot --out` there makes the report.\n"
		fmt.Printf(there, c.Out)
		return nil
	}
	m, err := replay.Outcome(ctx, c.Out)
	if m.Log == nil {
		return err
	}
	fmt.Printf("%d exposures of %d users, %.3g s. Results are in %s;\n", m.Log.Exposures, m.Users, m.Seconds, c.Out)
	out := c.Out
	if storage.IsRemote(out) {
		out = "DIR, of a copy there"
	}
	fmt.Printf("the tables, the figures and the report: go run -C .. ./experiments plot --out %s\n", out)
	return err
}

func runSimulate(ctx context.Context, args []string) error {
	c := simulate.Config{Args: append([]string{"simulate"}, args...), Users: 10_000_000}
	set := newFlags("simulate")
	set.Var(&tagged{reflect.ValueOf(&c.Users).Elem()}, "users", "simulated users, as 10000000, 1e7 or 10M")
	set.Uint64Var(&c.Seed, "seed", 2016, "seed of everything random")
	set.StringVar(&c.Out, "out", "out", outHelp)
	set.IntVar(&c.Shards, "shards", 0, "ranges of users into which the costliest task is divided, "+
		"and others in proportion, 1 to 10000 (default: ranges of ten seconds)")
	set.IntVar(&c.Workers, "workers", 1, "goroutines that measure a range; 0 is one for each processor of a worker")
	memory := set.Int("memory", 1024, "MiB for the histories of a range; 0 is no limit")
	var err error
	if c.Experiments, err = parse(set, args); err != nil {
		return err
	}
	c.Memory = int64(*memory) << 20
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := simulate.Simulate(s, c); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d users, seed %d; results in %s\n", c.Users, c.Seed, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	where := c.Out
	if !local && !storage.IsRemote(c.Out) {
		where += " of the worker that wrote them"
	} else if m, err := storage.Manifest(ctx, c.Out); err != nil || m.Failures() != nil {
		return errors.Join(err, m.Failures())
	}
	fmt.Printf("Results, figures, report.html and report.md are in %s.\n", where)
	return nil
}

const outHelp = "directory for results, as the workers see it; or one in a storage (gs://bucket/dir)"

// newFlags is a set with Beam's flags, for a command to add its own.
func newFlags(command string) *flag.FlagSet {
	set := flag.NewFlagSet("cluster "+command, flag.ContinueOnError)
	set.SetOutput(flag.CommandLine.Output())
	flag.VisitAll(func(f *flag.Flag) { set.Var(f.Value, f.Name, f.Usage) })
	return set
}

// parse parses flags before and after the names, and returns the names. Beam is told
// which of its flags were set: it looks for them in a place of its own.
func parse(set *flag.FlagSet, args []string) (names []string, err error) {
	for {
		switch err := set.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return nil, err
		case err != nil:
			return nil, usageError{err}
		}
		if set.NArg() == 0 {
			break
		}
		names, args = append(names, set.Arg(0)), set.Args()[1:]
	}
	set.Visit(func(f *flag.Flag) {
		if flag.Lookup(f.Name) != nil {
			err = errors.Join(err, flag.Set(f.Name, f.Value.String()))
		}
	})
	return names, errors.Join(err, flag.CommandLine.Parse(nil))
}

// define makes flags of the fields of a struct that the experiments program has for flags, with the names,
// defaults and help that its tags give them there, so that both command lines are one.
func define(set *flag.FlagSet, to any) {
	fields := reflect.ValueOf(to).Elem()
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		f := &tagged{fields.Field(i)}
		if value := field.Tag.Get("default"); value != "" {
			if err := f.Set(value); err != nil {
				panic(fmt.Sprintf("%s: default: %v", field.Name, err)) // a tag of ours
			}
		}
		help := func(name string) string { return flags.Helps[name] }
		set.Var(f, kebab(field.Name), os.Expand(field.Tag.Get("help"), help))
	}
}

var capital = regexp.MustCompile(`\B[A-Z]`)

func kebab(name string) string { return strings.ToLower(capital.ReplaceAllString(name, "-$0")) }

// asked are the flags of such structs that were given another value than they have, as the
// experiments program writes them into a manifest.
func asked(set *flag.FlagSet) string {
	var flags []string
	set.Visit(func(f *flag.Flag) { // in the order of their names
		if t, ok := f.Value.(*tagged); ok && t.String() != f.DefValue {
			flags = append(flags, fmt.Sprintf("--%s %v", f.Name, t))
		}
	})
	return strings.Join(flags, " ")
}

// A tagged flag sets a field of such a struct.
type tagged struct{ field reflect.Value }

// IsBoolFlag is whether it may stand without a value.
func (f *tagged) IsBoolFlag() bool { return f.field.Kind() == reflect.Bool }

// String is the value as Set takes it.
func (f *tagged) String() string {
	if !f.field.IsValid() || f.field.IsZero() { // flag asks a flag that is none, and shows no default like it
		return ""
	}
	switch v := f.field.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case map[string]string:
		return flink.Options(v).String()
	case time.Duration:
		return text.Duration(v)
	default:
		return fmt.Sprint(v)
	}
}

// Set sets the field. Lists and maps, with commas between their elements, grow with each flag.
func (f *tagged) Set(text string) error {
	switch to := f.field.Addr().Interface().(type) {
	case *string:
		*to = text
	case *bool:
		return set(to, text, strconv.ParseBool)
	case *int:
		return set(to, text, quantity.Count)
	case *float64:
		return set(to, text, quantity.Rate)
	case *time.Duration:
		return set(to, text, time.ParseDuration)
	case *[]string:
		*to = append(*to, strings.Split(text, ",")...)
	case *map[string]string:
		if *to == nil {
			*to = map[string]string{}
		}
		return flink.Options(*to).Set(text)
	default:
		panic(fmt.Sprintf("a flag of type %T", to))
	}
	return nil
}

func set[T any](to *T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil {
		*to = v
	}
	return err
}
