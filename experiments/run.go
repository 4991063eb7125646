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
	habits, err := c.readHabits()
	if err != nil {
		return err
	}
	shard := results.Shard(c.Shard)
	out := shardDir(c.Out, shard)
	if err := writable(out); err != nil {
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
		ctx: ctx, users: c.Users, seed: c.Seed, shard: shard, out: out, again: c.Again, population: habits,
		program: programDigest(), made: map[string]any{},
	}
	s.progress = newProgress(stderr, s.plan(chosen))
	s.options = measure.Options{
		Workers: c.Workers, Parts: c.Parts, Memory: c.memory(), Progress: s.progress.add,
		Stock: new(store.Stock),
	}
	fmt.Fprintf(stderr, "%d experiments, %d users, seed %d, results in %s\n", len(chosen), c.Users, c.Seed, out)
	manifest, err := s.run(chosen, s.manifest(args))
	switch {
	case err != nil:
		return err
	case shard != results.Shard{}:
		return s.reportShard(manifest, c.Out, stdout)
	}
	return report(out, stdout)
}

// manifest says of a run that begins now what is known of it.
func (s *suite) manifest(args []string) results.Manifest {
	return results.Manifest{
		Seed: s.seed, Users: s.users, Shard: s.shard, Args: args, Commit: results.Commit(), Program: s.program, Population: s.habitsText(),
		Started: time.Now().UTC().Format(time.RFC3339), Environment: results.CurrentEnvironment(),
	}
}

// run runs the experiments and saves the manifest, which it returns as it has
// become. Where the run is interrupted that is the error.
func (s *suite) run(chosen []experiment, manifest results.Manifest) (results.Manifest, error) {
	begin := time.Now()
	for _, x := range chosen {
		start, taken := time.Now(), s.progress.taken
		files, err := s.experiment(x)
		status := results.Status{
			Name: x.name, Status: s.done(), Seconds: seconds(time.Since(start)), TakenOver: s.progress.taken > taken, Files: files,
		}
		if err != nil {
			if s.ctx.Err() != nil {
				s.progress.finish()
				if _, err := s.save(manifest, begin); err != nil {
					s.progress.note("%v", err)
				}
				return manifest, interruption{s.out}
			}
			status.Status, status.Error = results.Failed, err.Error()
			s.progress.note("%s failed: %v", x.name, err)
		}
		manifest.Experiments = append(manifest.Experiments, status)
	}
	s.progress.finish()
	return s.save(manifest, begin)
}

// done is what an experiment is that did not fail.
func (s *suite) done() string {
	if s.shard != (results.Shard{}) {
		return results.Measured
	}
	return results.Done
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
// files as they were. Of a shard it makes the measurements: rows need them all.
func (s *suite) experiment(x experiment) (files []results.Sum, err error) {
	defer func() {
		// An experiment under development may panic, as a strategy may in a
		// measurement (measure.Full); the others go on.
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if s.shard != (results.Shard{}) {
		return nil, s.prepare(x)
	}
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

// save writes the manifest and returns it, with the experiments that an earlier
// run of the same population left in the directory.
func (s *suite) save(m results.Manifest, begin time.Time) (results.Manifest, error) {
	m.Seconds += seconds(time.Since(begin))
	if old, err := results.ReadDir(s.out); err == nil && s.joins(old.Manifest) {
		for _, status := range old.Manifest.Experiments {
			if !mentions(m.Experiments, status.Name) {
				m.Experiments = append(m.Experiments, elsewhere(status, old.Manifest.Environment, m.Environment))
			}
		}
	}
	return m, results.WriteManifest(s.out, m)
}

// joins is whether the experiments of an earlier run are of the same population.
// Those of a shard are measurements, and another program's are not these.
func (s *suite) joins(old results.Manifest) bool {
	same := old.Seed == s.seed && old.Users == s.users && old.Shard == s.shard &&
		old.Population == s.habitsText() && old.Log == nil
	return same && (s.shard == results.Shard{} || old.Program == s.program)
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

// readRun reads what a run has left in a directory. A shard has no rows.
func readRun(out string) (*results.Run, error) {
	run, err := results.ReadDir(out)
	if err == nil && run.Manifest.Shard != (results.Shard{}) {
		return nil, usagef("--out: %s is shard %v of a run, which has no rows; 'merge' makes one run of all shards",
			out, run.Manifest.Shard)
	}
	return run, err
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
func report(out string, stdout io.Writer) error {
	run, err := readRun(out)
	if err != nil {
		return err
	}
	dropLeftovers(run)
	peers := peersBeside(out)
	figures, err := plots.Draw(append(run.All(), peers.rows...), figuresDir(out))
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	tables := reportTables(run)
	if err := writeReport(filepath.Join(out, "report.md"), run, tables, peers.text, figures); err != nil {
		return err
	}
	if err := writePage(out, run, peers, figures); err != nil {
		return err
	}
	for _, t := range tables {
		fmt.Fprintln(stdout, t.Text())
	}
	if err := saveClaims(out, run); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%.0f s. Results, figures, report.html and report.md are in %s.\n", run.Manifest.Seconds, out)
	return judge(out, run, stdout)
}

// run draws the figures of saved results again, and the page that shows them. Of a
// replay it makes all of the report, which one on a cluster leaves to it.
func (c *plotCommand) run(stdout io.Writer) error {
	if _, err := os.Stat(c.Out); err != nil {
		return usagef("--out: %w", err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return err
	}
	dropLeftovers(run)
	if len(run.All()) == 0 {
		return usagef("--out: no results in %s", c.Out)
	}
	if run.Manifest.Log != nil {
		return reportReplay(c.Out, stdout)
	}
	peers := peersBeside(c.Out)
	figures, err := plots.Draw(append(run.All(), peers.rows...), figuresDir(c.Out))
	for _, f := range figures {
		if f.Skipped != "" {
			fmt.Fprintf(stdout, "%s: skipped, %s\n", f.Name, f.Skipped)
			continue
		}
		fmt.Fprintf(stdout, "%s: %s\n", f.Name, strings.Join(f.Files, " "))
	}
	if err != nil {
		return err
	}
	return writePage(c.Out, run, peers, figures)
}
