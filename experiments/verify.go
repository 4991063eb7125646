package main

import (
	"io"
	"os"
	"path/filepath"

	"dejavu/experiments/reference"
	"dejavu/experiments/usage"
	"dejavu/results"
)

type verifyCommand struct {
	Out string `default:"out" help:"Directory with saved results." placeholder:"DIR"`
}

// run compares saved results with the reference.
func (c *verifyCommand) run(stdout io.Writer) error {
	if _, err := os.Stat(filepath.Join(c.Out, results.ManifestName)); err != nil {
		return usage.Errorf("--out: no finished run in %s: %w", c.Out, err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return err
	}
	if len(run.Manifest.Experiments) == 0 {
		return usage.Errorf("--out: no experiment in %s is finished, there is nothing to verify", c.Out)
	}
	return reference.Verify(c.Out, run, stdout, true)
}
