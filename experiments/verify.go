package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dejavu/experiments/reference"
	"dejavu/experiments/text"
	"dejavu/experiments/usage"
	"dejavu/results"
)

type verifyCommand struct {
	Out string `default:"out" help:"Directory with saved results." placeholder:"DIR"`
}

// Run compares saved results with the reference.
func (c *verifyCommand) Run(p process) error {
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
	var compared strings.Builder
	differs := reference.Verify(c.Out, run, &compared, true)
	_, err = io.WriteString(p.stdout, text.Wrap(compared.String(), columns(p.stdout), "  "))
	return errors.Join(differs, err)
}
