package simulate

import (
	"context"
	"fmt"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/engine"
	"dejavu/experiments/ledger"
	"dejavu/experiments/report"
	"dejavu/experiments/suite"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// A writeFn makes rows and a report of the sums and writes them.
type writeFn struct{ Config Config }

// ProcessElement is called once, with all sums. It does what the experiments program
// does where an earlier run has measured everything.
func (f *writeFn) ProcessElement(ctx context.Context, _ []byte, next func(*string, *part) bool) error {
	return storage.Publish(ctx, f.Config.Out, func(dir string) error { return f.write(ctx, dir, next) })
}

// write leaves the files of the run in a directory.
func (f *writeFn) write(ctx context.Context, dir string, next func(*string, *part) bool) error {
	c := f.Config
	r := c.begin(ctx)
	r.Out, r.Program, r.Environment = dir, engine.Program(), sysinfo.Environment()
	manifest, tasks := suite.Manifest(r, c.Args, sysinfo.Commit()), c.tasks()
	var name string
	var sum part
	for next(&name, &sum) {
		if err := tasks[name].Save(r, sum.Value, sum.Cost); err != nil {
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
	return ledger.Save(dir, found)
}
