package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/store"
)

// run runs the experiments, one after the other, and reports.
func (c *runCommand) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	chosen, err := c.check()
	if err != nil {
		return err
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	if c.Profile != "" {
		stop, err := profile(c.Profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	s := &suite{
		ctx: ctx, users: c.Users, seed: c.Seed, out: c.Out, again: c.Again,
		program: programDigest(), made: map[string]any{},
	}
	s.progress = newProgress(stderr, s.plan(chosen))
	s.options = measure.Options{
		Workers: c.Workers, Parts: c.Parts, Memory: c.memory(), Progress: s.progress.add,
		Stock: new(store.Stock),
	}
	begin := time.Now()
	manifest := results.Manifest{
		Seed: c.Seed, Users: c.Users, Args: args, Commit: results.Commit(),
		Started: begin.UTC().Format(time.RFC3339), Environment: results.CurrentEnvironment(),
	}
	fmt.Fprintf(stderr, "%d experiments, %d users, seed %d, results in %s\n", len(chosen), c.Users, c.Seed, c.Out)

	for _, x := range chosen {
		start, taken := time.Now(), s.progress.taken
		files, err := s.experiment(x)
		status := results.Status{
			Name: x.name, Status: results.Done, Seconds: seconds(time.Since(start)), TakenOver: s.progress.taken > taken, Files: files,
		}
		if err != nil {
			if ctx.Err() != nil {
				s.progress.finish()
				if err := c.save(manifest, begin); err != nil {
					s.progress.note("%v", err)
				}
				return ctx.Err()
			}
			status.Status, status.Error = results.Failed, err.Error()
			s.progress.note("%s failed: %v", x.name, err)
		}
		manifest.Experiments = append(manifest.Experiments, status)
	}
	s.progress.finish()
	if err := c.save(manifest, begin); err != nil {
		return err
	}
	return c.report(stdout)
}

// profile starts a CPU profile and returns what ends it.
func profile(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, usagef("--cpuprofile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("--cpuprofile: %w", err), f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // what the profile lacks, pprof will say
	}, nil
}

// seconds rounds to milliseconds.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// memory is how many bytes of histories may be alive at once.
func (c *runCommand) memory() int64 {
	if c.Memory > 0 {
		return int64(c.Memory)
	}
	return max(measure.Available()*7/10, leastMemory)
}

// experiment writes the rows of one experiment; an error leaves its earlier
// files as they were.
func (s *suite) experiment(x experiment) (files []results.Sum, err error) {
	defer func() {
		// An experiment under development may panic, as a strategy may in a
		// measurement (measure.Full); the others go on.
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	rows, timing, err := x.rows(s)
	if err != nil {
		return nil, err
	}
	if err := results.WriteFile(filepath.Join(s.out, results.FileName(x.name)), rows); err != nil {
		return nil, err
	}
	if err := results.WriteFile(filepath.Join(s.out, results.TimingFileName(x.name)), timing); err != nil {
		return nil, err
	}
	return results.Sums(s.out, x.name)
}

// save writes the manifest, with the experiments that an earlier run of the
// same population left in the directory.
func (c *runCommand) save(m results.Manifest, begin time.Time) error {
	m.Seconds = seconds(time.Since(begin))
	if old, err := results.ReadDir(c.Out); err == nil && old.Manifest.Seed == m.Seed && old.Manifest.Users == m.Users {
		for _, status := range old.Manifest.Experiments {
			if !mentions(m.Experiments, status.Name) {
				m.Experiments = append(m.Experiments, elsewhere(status, old.Manifest.Environment, m.Environment))
			}
		}
	}
	return results.WriteManifest(c.Out, m)
}

// elsewhere notes where an experiment ran, before, unless it is where the others
// ran now: its times are not theirs.
func elsewhere(s results.Status, before, now results.Environment) results.Status {
	if s.Environment != nil {
		before = *s.Environment
	}
	s.Environment = nil
	if !before.Same(now) {
		s.Environment = &before
	}
	return s
}

func mentions(all []results.Status, name string) bool {
	for _, s := range all {
		if s.Name == name {
			return true
		}
	}
	return false
}

// dropLeftovers drops the rows of experiments that the manifest does not know
// as done: files that a run of another population, or a run since failed, left
// in the directory. Rows without a manifest are somebody else's, and stay.
func dropLeftovers(run *results.Run) {
	if len(run.Manifest.Experiments) == 0 {
		return
	}
	done := map[string]bool{}
	for _, s := range run.Manifest.Experiments {
		done[s.Name] = s.Status == results.Done
	}
	leftover := func(r results.Row) bool { return !done[r.Experiment] }
	run.Rows = slices.DeleteFunc(run.Rows, leftover)
	run.Timing = slices.DeleteFunc(run.Timing, leftover)
}

// report draws the figures, writes the report, prints the tables and says how
// the run compares with the reference.
func (c *runCommand) report(stdout io.Writer) error {
	run, err := results.ReadDir(c.Out)
	if err != nil {
		return err
	}
	dropLeftovers(run)
	peers := peersBeside(c.Out)
	figures, err := plots.Draw(append(run.All(), peers.rows...), figuresDir(c.Out))
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	tables := reportTables(run)
	if err := writeReport(filepath.Join(c.Out, "report.md"), run, tables, peers.text, figures); err != nil {
		return err
	}
	for _, t := range tables {
		fmt.Fprintln(stdout, t.Text())
	}
	if err := saveClaims(c.Out, run); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%.0f s. Results, figures and report.md are in %s.\n", run.Manifest.Seconds, c.Out)
	return judge(c.Out, run, stdout)
}

// run draws the figures of saved results again.
func (c *plotCommand) run(stdout io.Writer) error {
	if _, err := os.Stat(c.Out); err != nil {
		return usagef("--out: %w", err)
	}
	run, err := results.ReadDir(c.Out)
	if err != nil {
		return err
	}
	dropLeftovers(run)
	if len(run.All()) == 0 {
		return usagef("--out: no results in %s", c.Out)
	}
	figures, err := plots.Draw(append(run.All(), peersBeside(c.Out).rows...), figuresDir(c.Out))
	for _, f := range figures {
		if f.Skipped != "" {
			fmt.Fprintf(stdout, "%s: skipped, %s\n", f.Name, f.Skipped)
			continue
		}
		fmt.Fprintf(stdout, "%s: %s\n", f.Name, strings.Join(f.Files, " "))
	}
	return err
}
