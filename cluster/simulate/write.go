package simulate

import (
	"context"
	"fmt"
	"os"

	"dejavu/cluster/internal/storage"
	"dejavu/experiments/ledger"
	"dejavu/experiments/report"
	"dejavu/experiments/run"
	"dejavu/experiments/suite"
	"dejavu/results"
	"dejavu/sysinfo"
)

// A writeFn makes rows and a report of the sums and writes them.
type writeFn struct{ Config Config }

// ProcessElement is called once, with all sums. It does what the experiments program
// does where an earlier run has measured everything.
func (f *writeFn) ProcessElement(ctx context.Context, _ []byte, next func(*string, *part) bool) error {
	c := f.Config
	dir, err := os.MkdirTemp("", "dejavu-run-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r := c.begin(ctx)
	r.Out, r.Program, r.Environment = dir, run.Program(), sysinfo.Environment()
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
	if manifest, err = suite.Run(r, c.chosen(), manifest); err != nil {
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
	if err := ledger.Save(dir, found); err != nil {
		return err
	}
	return storage.Publish(ctx, dir, c.Out)
}
