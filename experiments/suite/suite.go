// Package suite runs experiments: it asks each for its rows, writes them, and records the outcome in the manifest.
//
// An experiment that fails leaves its earlier files unchanged. The manifest names it with its error, and the others
// run.
package suite

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"dejavu/experiments/advice"
	"dejavu/experiments/delivery"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/paper"
	"dejavu/experiments/row"
	"dejavu/experiments/tradeoff"
	"dejavu/experiments/users"
	"dejavu/results"
)

// Tasks lists the measurements that some experiments need, each once, in the order in which they are asked for.
func Tasks(scope engine.Scope, chosen []experiment.Experiment) (tasks []engine.Task) {
	known := map[string]bool{}
	for _, x := range chosen {
		for _, t := range x.Tasks(scope) {
			if name := t.Planned(scope).Name; !known[name] {
				known[name] = true
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// Run runs the experiments in order, and saves their rows and the manifest. It returns them with the rows of
// experiments that an earlier run of the same population left in the directory. A shard only measures: rows need all
// shards. If the run's context ends, Run saves what was finished and returns the context's error.
func Run(r *engine.Run, chosen []experiment.Experiment, manifest results.Manifest) (*results.Run, error) {
	begin, run := time.Now(), &results.Run{Manifest: manifest}
	for _, x := range chosen {
		status := results.Status{Name: x.Name, Status: results.Done, Merged: r.Shards != nil}
		if r.IsShard() {
			status.Status = results.Measured
		}
		start := time.Now()
		rows, timing, err := write(r, x, &status)
		if r.Context().Err() != nil {
			r.Progress().Finish()
			if err := save(r, run, begin); err != nil {
				r.Progress().Note("%v", err)
			}
			return run, r.Context().Err()
		}
		if status.Seconds = Seconds(time.Since(start).Seconds()); err != nil {
			err = Roomless(err)
			status.Status, status.Error = results.Failed, err.Error()
			r.Progress().Note("%s failed: %s", x.Name, status.Error)
		}
		run.Manifest.Experiments = append(run.Manifest.Experiments, status)
		run.Rows, run.Timing = append(run.Rows, rows...), append(run.Timing, timing...)
	}
	r.Progress().Finish()
	if r.Reused > 0 {
		r.Progress().Note("Measurements reused from an earlier run: %d (--again makes them anew)", r.Reused)
	}
	return run, save(r, run, begin)
}

// Roomless adds what to do to the error of a full disk.
func Roomless(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%w; free some space, and the same command goes on", err)
	}
	return err
}

// write makes an experiment's measurements in a shard, and else its rows and files, which status then lists. An
// experiment that panics does not keep the others from running.
func write(r *engine.Run, x experiment.Experiment, status *results.Status) (rows, timing []results.Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if rows, timing, err = rowsOf(r, x); err != nil || r.IsShard() {
		return nil, nil, err
	}
	err = results.WriteFile(filepath.Join(r.Out, results.FileName(x.Name)), x.Dimensions, rows)
	if err == nil {
		err = results.WriteFile(filepath.Join(r.Out, results.TimingFileName(x.Name)), x.Dimensions, timing)
	}
	if err == nil {
		status.Files, err = results.Sums(r.Out, x.Name)
	}
	if err != nil {
		return nil, nil, err
	}
	return results.AsWritten(rows), results.AsWritten(timing), nil
}

// rowsOf makes the measurements that an experiment needs and then, unless the run is a shard, its rows.
func rowsOf(r *engine.Run, x experiment.Experiment) (rows, timing []results.Row, err error) {
	for _, t := range x.Tasks(r.Scope) {
		if err := t.Ready(r); err != nil {
			return nil, nil, err
		}
	}
	if !r.IsShard() {
		rows, timing = x.Rows(r)
	}
	return row.In(x.Name, rows), row.In(x.Name, timing), nil
}

// Seconds rounds to milliseconds.
func Seconds(s float64) float64 { return math.Round(s*1000) / 1000 }

// Manifest returns the manifest of a run that begins now.
func Manifest(r *engine.Run, args []string, commit string) results.Manifest {
	return results.Manifest{
		Seed: r.Seed, Users: r.Users, Shard: r.Shard, Population: r.Population(),
		Args: args, Commit: commit, Program: r.Program,
		Started: time.Now().UTC().Format(time.RFC3339), Environment: r.Environment,
	}
}

// save writes the manifest, and adds to the run what an earlier run of the same population left. Experiments of a shard
// are measurements, which another program may make differently.
func save(r *engine.Run, run *results.Run, begin time.Time) error {
	m := &run.Manifest
	m.Seconds += Seconds(time.Since(begin).Seconds())
	m.Costs = slices.Clone(r.Costs)
	for i := range m.Costs {
		m.Costs[i].Seconds = Seconds(m.Costs[i].Seconds)
	}
	old, err := results.ReadManifest(r.Out)
	if err == nil && old.Differs(*m) == "" && (m.Shard == results.Shard{} || old.Program == m.Program) {
		if err := join(r.Out, run, old); err != nil {
			return err
		}
	}
	for _, rows := range [][]results.Row{run.Rows, run.Timing} { // as ReadDir has them
		slices.SortStableFunc(rows, func(a, b results.Row) int { return cmp.Compare(a.Experiment, b.Experiment) })
	}
	return results.WriteManifest(r.Out, *m)
}

// join adds the experiments of an earlier run that this one has not run again, with their rows and the measurements and
// shards that they rest on. It notes where each ran, unless the others ran there now: their times do not compare.
func join(dir string, run *results.Run, old results.Manifest) error {
	m, merged := &run.Manifest, false
	for _, status := range old.Experiments {
		if slices.ContainsFunc(m.Experiments, func(s results.Status) bool { return s.Name == status.Name }) {
			continue
		}
		if status.Status == results.Done {
			if err := run.ReadExperiment(dir, status.Name); err != nil {
				return err
			}
		}
		if status.Environment == nil {
			status.Environment = &old.Environment
		}
		if status.Environment.Same(m.Environment) {
			status.Environment = nil
		}
		m.Experiments = append(m.Experiments, status)
		merged = merged || status.Merged
	}
	for _, c := range old.Costs {
		if !slices.ContainsFunc(m.Costs, func(other results.Cost) bool { return other.Name == c.Name }) {
			m.Costs = append(m.Costs, c)
		}
	}
	if merged && m.Shards == nil {
		m.Shards = old.Shards
	}
	return nil
}

// All lists the experiments, in the order in which they run and are shown.
var All = []experiment.Experiment{
	paper.Table1, paper.FPR, paper.Fill, paper.Window, paper.Memory, users.Daily,
	paper.Latency, paper.Extend, paper.Sizing, advice.Arithmetic,
	tradeoff.Experiment, delivery.Month, users.Popularity, advice.Proposals, delivery.Pipeline,
	paper.Hashes, delivery.Ship, delivery.Snapshot,
}
