// Command cluster runs the project's experiments, and replays real logs, on Apache Beam, on any of its runners, as
// README.md shows. The results are the files that the experiments program writes with the same users and seed, or of
// the same log, and those that do not depend on the machine are the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/storage"
	"dejavu/cluster/replay"
	"dejavu/cluster/simulate"
	local "dejavu/experiments/replay"
	"dejavu/experiments/usage"
)

// The exit statuses, as the experiments program has them.
const (
	exitFailed = 1
	exitUsage  = 2
)

type command struct {
	Simulate simulateCommand `cmd:"" help:"Run the project's experiments."`
	Replay   replayCommand   `cmd:"" help:"Replay a real log through strategies; compare them with the exact truth."`
}

var helps = kong.Vars{
	"force": "Replace another run's results in --out.",
	"out":   "Directory for results, by its path on the workers; or one in object storage (gs://bucket/dir).",
	"ranges": "Number of ranges of users into which the costliest task is divided, 1 to 10000; other tasks get " +
		"fewer, in proportion (default: ranges of ten seconds).",
	"shards": "Number of shares of the users, replayed apart (default: one for 32 MB of files, from 4 to 10000).",
}

func main() {
	// On a worker Beam starts this program with flags of its own, and no command.
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "--") && os.Args[1] != "--help" {
		flag.Parse()
		beam.Init() // does not come back on a worker
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", cause(err))
		if errors.As(err, new(usage.Error)) {
			os.Exit(exitUsage)
		}
		os.Exit(exitFailed)
	}
}

// cause is the message of a step of a pipeline that failed, without the plan of the stage
// and the pipeline around it, which the runner has logged; and all of any other error.
func cause(err error) string {
	parts := strings.Split(err.Error(), " failed:\n")
	return parts[len(parts)-1]
}

func run(ctx context.Context, args []string) error {
	parsed, err := parse(new(command), args)
	if err != nil || parsed == nil {
		return err
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return parsed.Run()
}

// parse parses a command line; after --help there is nothing to run. Beam is told which of its flags were set: it
// looks for them in a place of its own.
func parse(to *command, args []string) (*kong.Context, error) {
	exited := false
	parser := kong.Must(to, kong.Name("cluster"), kong.Embed(beams()), helps, kong.Vars(local.Helps), usage.Numbers(),
		kong.Description("The project's experiments, and replays of real logs, on Apache Beam."),
		kong.Exit(func(int) { exited = true }))
	parsed, err := parser.Parse(args)
	if exited {
		return nil, nil
	}
	if err != nil {
		return nil, usage.Of(err)
	}
	for _, p := range parsed.Path {
		if p.Flag == nil || flag.Lookup(p.Flag.Name) == nil {
			continue
		}
		values, several := p.Flag.Target.Interface().([]string)
		if !several {
			values = []string{fmt.Sprint(p.Flag.Target)}
		}
		for _, value := range values {
			err = errors.Join(err, flag.Set(p.Flag.Name, value))
		}
	}
	return parsed, usage.Of(errors.Join(err, flag.CommandLine.Parse(nil)))
}

// beams is a struct whose fields are Beam's flags, as texts and switches.
func beams() any {
	var fields []reflect.StructField
	flag.VisitAll(func(f *flag.Flag) {
		kind := reflect.TypeFor[[]string]()
		if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
			kind = reflect.TypeFor[bool]()
		}
		help := strings.ReplaceAll(f.Usage, "$", "$$")
		tag := fmt.Sprintf(`name:%q help:%q sep:"none" placeholder:"VALUE" group:"Beam's flags"`, f.Name, help)
		name := fmt.Sprint("Beam", len(fields))
		fields = append(fields, reflect.StructField{Name: name, Type: kind, Tag: reflect.StructTag(tag)})
	})
	return reflect.New(reflect.StructOf(fields)).Interface()
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

// mostOn is how many bytes of a file's requests a runner can hold, 0 for any number. "universal" may be Flink's job
// server.
func mostOn(runner string) int64 {
	if slices.Contains([]string{"flink", "universal"}, runner) {
		return replay.OnFlink
	}
	return 0
}

type replayCommand struct {
	replay.Config `embed:""`
}

func (r *replayCommand) Run(ctx context.Context, parsed *kong.Context) error {
	c := r.Config
	c.Args, c.Asked, c.Started = append([]string{"cluster"}, parsed.Args...), local.Asked(parsed), time.Now()
	c.Most = mostOn(*runners.Runner)
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	if c, err = c.Find(ctx); err == nil && (local || storage.IsRemote(c.Out)) {
		err = c.Vacant(ctx)
	}
	if err != nil { // before anything runs
		return usage.Of(err)
	}
	if c, err = c.Detect(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	replay.Replay(s, c)
	fmt.Fprintf(os.Stderr, "%d files, the users in %d shards; results in %s\n", len(c.Files), c.Shards, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	if !local && !storage.IsRemote(c.Out) {
		fmt.Printf("Results are in %s of the worker that wrote them: run `experiments plot --out` there.\n", c.Out)
		return nil
	}
	m, err := replay.Outcome(ctx, c.Out)
	if m.Log == nil {
		return err
	}
	fmt.Printf("%d exposures of %d users, %.3g s. Results are in %s;\n", m.Log.Exposures, m.Users, m.Seconds, c.Out)
	fmt.Println("the tables, the figures and the report: go run -C .. ./experiments plot --out, with that or a copy of it")
	return err
}

type simulateCommand struct {
	simulate.Config `embed:""`
}

func (r *simulateCommand) Run(ctx context.Context, parsed *kong.Context) error {
	c := r.Config
	c.Args = append([]string{"cluster"}, parsed.Args...)
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err = simulate.Simulate(s, c); err == nil && (local || storage.IsRemote(c.Out)) {
		err = c.Vacant(ctx)
	}
	if err != nil {
		return usage.Of(err)
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
