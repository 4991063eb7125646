package main

import (
	"fmt"
	"os"
	"strings"

	pages "dejavu/experiments/report"
	"dejavu/experiments/text"
	"dejavu/experiments/usage"
)

type plotCommand struct {
	Out string `default:"out" help:"Directory with saved results; figures go to its figures folder." placeholder:"DIR"`
}

// Run draws the figures of saved results again, and the page that shows them. Of a
// replay it makes all of the report, which one on a cluster leaves to it.
func (c *plotCommand) Run(p process) error {
	if _, err := os.Stat(c.Out); err != nil {
		return usage.Errorf("--out: %w", err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return err
	}
	if len(run.All()) == 0 {
		return usage.Errorf("--out: no results in %s", c.Out)
	}
	if run.Manifest.Log != nil {
		return reportReplay(c.Out, p.stdout)
	}
	d := pages.Simulation(run.Manifest, experiments)
	figures, err := d.Draw(c.Out, run)
	for _, f := range figures {
		if f.Skipped != "" {
			line := fmt.Sprintf("%s: skipped, %s", f.Name, f.Skipped)
			fmt.Fprintln(p.stdout, text.Wrap(line, columns(p.stdout), "  "))
			continue
		}
		line := f.Name + ": " + strings.Join(f.Files, " ")
		fmt.Fprintln(p.stdout, text.Wrap(line, columns(p.stdout), "  "))
	}
	if err != nil {
		return err
	}
	return reported(c.Out, run, d.WritePages(c.Out, run, figures))
}
