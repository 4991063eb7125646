package simulate

import (
	"context"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"dejavu/experiments/engine"
	"dejavu/results"
)

// A part is what was measured of a task, over some of its ranges.
type part struct {
	Cost  results.Cost // of all its ranges: its name is the task's
	Value []byte       // JSON, as Task.Make gives it
}

// A measureFn measures ranges.
type measureFn struct {
	Config Config

	tasks map[string]engine.Task
	run   *engine.Run // of one range after the other
}

// Setup makes the run.
func (f *measureFn) Setup() {
	f.tasks = f.Config.tasks()
	f.run = f.Config.begin(context.Background())
}

// ProcessElement measures a range of a task. What the task measures in passing is
// measured with its first range alone.
func (f *measureFn) ProcessElement(ctx context.Context, s share, emit func(string, part)) error {
	first := s.Users.From == 0
	f.run.Shard = results.Shard{}
	if !first {
		f.run.Shard = results.Shard{Index: 1, Of: 2} // any that is not timed
	}
	begin := time.Now()
	value, err := f.tasks[s.Task].Make(ctx, f.run, s.Users)
	if err != nil {
		return fmt.Errorf("measuring %s, users %d to %d: %w", s.Task, s.Users.From, s.Users.To-1, err)
	}
	cost := results.Cost{Name: s.Task, Seconds: time.Since(begin).Seconds(), Bytes: f.run.MostHeld()}
	log.Infof(ctx, "%s, users %d to %d: %.1f s", s.Task, s.Users.From, s.Users.To-1, cost.Seconds)
	emit(s.Task, part{cost, value})
	for name, t := range f.tasks {
		if !first || t.Along == nil || t.Along.Name != s.Task {
			continue
		}
		if value, err = t.Kept(f.run); err != nil {
			return err
		}
		emit(name, part{results.Cost{Name: name}, value})
	}
	return nil
}

// Teardown gives idle memory of histories back.
func (f *measureFn) Teardown() { f.run.Options.Arena.Release() }

// A sumFn adds up the ranges of a task.
type sumFn struct {
	Config Config

	tasks map[string]engine.Task
}

// Setup lists the tasks.
func (f *sumFn) Setup() { f.tasks = f.Config.tasks() }

// MergeAccumulators adds two parts of a task.
func (f *sumFn) MergeAccumulators(a, b part) (part, error) {
	value, err := f.tasks[a.Cost.Name].Add(a.Value, b.Value)
	return part{results.Cost{
		Name: a.Cost.Name, Seconds: a.Cost.Seconds + b.Cost.Seconds, Bytes: max(a.Cost.Bytes, b.Cost.Bytes),
	}, value}, err
}
