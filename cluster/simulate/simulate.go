// Package simulate runs the project's experiments on Apache Beam: many machines measure ranges of the simulated
// users, and the files that follow from the seed are, byte for byte, those that one machine writes.
//
// All that a user does follows from the seed and the user's number, and every count is a whole number. So a range
// can be measured anywhere, and again where a machine failed, and ranges add up in any order. Tasks are those of
// package suite. What is not counted over users, times above all, is measured once.
package simulate

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/report"
	"dejavu/experiments/suite"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload"
)

func init() {
	register.DoFn3x1[context.Context, share, func(string, part), error](&measureFn{})
	register.DoFn3x1[context.Context, []byte, func(*string, *part) bool, error](&writeFn{})
	register.Combiner1[part](&sumFn{})
	register.Emitter2[string, part]()
	register.Iter2[string, part]()
	beam.RegisterType(reflect.TypeFor[Config]())
}

// A Config says what to run, as flags of a command line. Shards are ranges of the costliest task, 1 to 10000; 0 is one
// for some ten seconds. There are 1024 workers at most, or one for each processor, and out is as the workers see it.
type Config struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments to run (default: all)."`
	Users       int      `default:"10000000" help:"Simulated users, such as 10000000, 1e7 or 10M."`
	Seed        uint64   `default:"2016" help:"Seed of all random numbers."`
	Out         string   `default:"out" help:"${out}" placeholder:"DIR"`
	Force       bool     `help:"${force}"`
	Shards      int      `help:"${ranges}" placeholder:"N"`
	Workers     int      `default:"1" help:"Goroutines that measure a range; 0: one per processor of the worker."`
	Memory      int      `default:"1024" help:"MiB for the histories of a range; 0: no limit."`
	Args        []string `kong:"-"` // the command line, for the manifest
}

const (
	mostShards = 10_000

	// shareCost is what a range costs where Config.Shards is 0, in microseconds, about:
	// long compared with what an element costs a runner, and little to repeat.
	shareCost = 10e6
)

func (c Config) check() error {
	switch {
	case c.Out == "":
		return fmt.Errorf("simulate: no directory for results")
	case c.Users < 1 || c.Users > workload.MaxUsers:
		return fmt.Errorf("simulate: users is %d, want 1 to %d", c.Users, workload.MaxUsers)
	case c.Shards < 0 || c.Shards > mostShards:
		return fmt.Errorf("simulate: shards is %d, want 1 to %d", c.Shards, mostShards)
	case c.Workers < 0 || c.Workers > 1024:
		return fmt.Errorf("simulate: workers is %d, want 0 to 1024", c.Workers)
	case c.Memory < 0:
		return fmt.Errorf("simulate: memory is %d, want 0 or more", c.Memory)
	}
	for _, name := range c.Experiments {
		if !slices.ContainsFunc(suite.All, func(x experiment.Experiment) bool { return x.Name == name }) {
			return fmt.Errorf("simulate: unknown experiment %q", name)
		}
	}
	return nil
}

// Vacant returns an error if Out holds another run's results and Force is false.
func (c Config) Vacant(ctx context.Context) error {
	var names []string
	for _, x := range c.chosen() {
		names = append(names, x.Name)
	}
	return storage.Vacant(ctx, c.Out, results.Manifest{Users: c.Users, Seed: c.Seed}, names, c.Force)
}

func (c Config) scope() engine.Scope {
	return engine.Scope{Users: c.Users, Seed: c.Seed, Entries: catalogue.All()}
}

// begun has a run of each scope that this process works at: [2]uint64{users, seed} has an *engine.Run.
var begun sync.Map

// begin returns a run of the scope for one goroutine. What no range changes is made
// once for all of the process, and the memory of histories is used again.
func (c Config) begin(ctx context.Context) *engine.Run {
	first := engine.New(context.Background(), c.scope(), engine.NewProgress(io.Discard))
	first.Options.Arena = new(store.Arena)
	common, _ := begun.LoadOrStore([2]uint64{uint64(c.Users), c.Seed}, first)
	r := common.(*engine.Run).Beside(ctx)
	r.Options.Workers, r.Options.Memory = c.Workers, int64(c.Memory)<<20
	return r
}

func (c Config) chosen() (chosen []experiment.Experiment) {
	for _, x := range suite.All {
		if len(c.Experiments) == 0 || slices.Contains(c.Experiments, x.Name) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

func (c Config) tasks() map[string]engine.Task {
	tasks := map[string]engine.Task{}
	for _, t := range suite.Tasks(c.scope(), c.chosen()) {
		tasks[t.Planned(c.scope()).Name] = t
	}
	return tasks
}

// A share is a range of the users of a task; of a task that is measured once, of none.
type share struct {
	Task  string
	Users measure.Range
}

// shares divides the tasks into ranges of about the same cost.
func (c Config) shares() (shares []share) {
	scope, costliest := c.scope(), 0.
	tasks := suite.Tasks(scope, c.chosen())
	for _, t := range tasks {
		costliest = max(costliest, t.Planned(scope).Cost)
	}
	least := shareCost
	if c.Shards > 0 {
		least = costliest / float64(c.Shards)
	}
	for _, t := range tasks {
		p := t.Planned(scope)
		n := 1
		if p.Users > 0 {
			n = min(max(1, int(p.Cost/least+0.5)), p.Users, mostShards)
		}
		for i := range n {
			shares = append(shares, share{p.Name, measure.Range{To: p.Users}.Part(i, n)})
		}
	}
	return shares
}

// Simulate adds a run to a pipeline. The returned error is the configuration's;
// what fails on the way fails the pipeline, and then nothing is written.
func Simulate(s beam.Scope, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	s = s.Scope("Simulate")
	// Without the shuffle all ranges would be measured where they are made.
	shares := beam.Reshuffle(s, beam.CreateList(s, c.shares()))
	sums := beam.CombinePerKey(s, &sumFn{Config: c}, beam.ParDo(s, &measureFn{Config: c}, shares))
	// As a side input the sums come to one worker together, and it writes even where the experiments need none.
	beam.ParDo0(s, &writeFn{Config: c}, beam.Impulse(s), beam.SideInput{Input: sums})
	return nil
}

type part struct {
	Cost  results.Cost // of all its ranges: its name is the task's
	Value []byte       // as Task.MakeJSON returns it
}

type measureFn struct {
	Config Config

	tasks map[string]engine.Task
	run   *engine.Run // of one range after the other
}

func (f *measureFn) Setup() { f.tasks, f.run = f.Config.tasks(), f.Config.begin(context.Background()) }

// ProcessElement measures a range of a task. The first range has the timings.
func (f *measureFn) ProcessElement(ctx context.Context, s share, emit func(string, part)) error {
	first := s.Users.From == 0
	f.run.Shard = results.Shard{}
	if !first {
		f.run.Shard = results.Shard{Index: 1, Of: 2} // any that is not timed
	}
	begin := time.Now()
	value, err := f.tasks[s.Task].MakeJSON(ctx, f.run, s.Users)
	if err != nil {
		return fmt.Errorf("measuring %s, users %d to %d: %w", s.Task, s.Users.From, s.Users.To-1, err)
	}
	cost := results.Cost{Name: s.Task, Seconds: time.Since(begin).Seconds(), Bytes: f.run.MostBytes()}
	log.Infof(ctx, "%s, users %d to %d: %.1f s", s.Task, s.Users.From, s.Users.To-1, cost.Seconds)
	emit(s.Task, part{cost, value})
	return nil
}

func (f *measureFn) Teardown() { f.run.Options.Arena.Release() }

type sumFn struct {
	Config Config

	tasks map[string]engine.Task
}

func (f *sumFn) Setup() { f.tasks = f.Config.tasks() }

func (f *sumFn) MergeAccumulators(a, b part) (part, error) {
	value, err := f.tasks[a.Cost.Name].AddJSON(a.Value, b.Value)
	a.Cost.Seconds += b.Cost.Seconds
	a.Cost.Bytes = max(a.Cost.Bytes, b.Cost.Bytes)
	return part{a.Cost, value}, err
}

type writeFn struct{ Config Config }

// ProcessElement is called once, with all sums. It does what the experiments program
// does where an earlier run has measured everything.
func (f *writeFn) ProcessElement(ctx context.Context, _ []byte, next func(*string, *part) bool) error {
	c := f.Config
	if err := c.Vacant(ctx); err != nil {
		return err
	}
	return storage.Publish(ctx, c.Out, func(dir string) error {
		r := c.begin(ctx)
		r.Out, r.Program, r.Environment = dir, engine.Program(), sysinfo.Environment()
		manifest, tasks := suite.Manifest(r, c.Args, sysinfo.Commit()), c.tasks()
		var name string
		var sum part
		for next(&name, &sum) {
			if err := tasks[name].SaveJSON(r, sum.Value, sum.Cost); err != nil {
				return err
			}
			manifest.Seconds += sum.Cost.Seconds
		}
		if left := r.Plan(suite.Tasks(r.Scope, c.chosen())); len(left) > 0 {
			return fmt.Errorf("simulate: not measured: %v", left) // it would be here, on one machine
		}
		manifest, err := suite.Run(r, c.chosen(), manifest)
		if err != nil {
			return err
		}
		found, err := results.ReadDir(dir)
		if err != nil {
			return err
		}
		found.DropUnfinished()
		if _, err := report.Simulation(manifest, suite.All).Write(dir, found); err != nil {
			return err
		}
		return report.Save(dir, found)
	})
}
