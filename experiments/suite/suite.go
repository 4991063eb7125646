// Package suite runs experiments: it asks each for its rows, writes them, and says in the manifest how it went.
//
// An experiment that fails leaves its earlier files as they were, is named in the
// manifest with its error, and does not keep the others from running.
package suite

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"dejavu/experiments/advice"
	"dejavu/experiments/delivery"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/paper"
	"dejavu/experiments/tradeoff"
	"dejavu/experiments/users"
	"dejavu/results"
)

// Tasks lists the measurements that some experiments need, each once, in the order in which they are asked for.
func Tasks(scope engine.Scope, chosen []experiment.Experiment) (tasks []engine.Task) {
	known := map[string]bool{}
	for _, x := range chosen {
		if x.Needs == nil {
			continue
		}
		for _, t := range x.Needs(scope) {
			if name := t.Planned(scope).Name; !known[name] {
				known[name] = true
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// Run runs the experiments, one after the other, and saves the manifest, which it returns as it has become.
// Of a shard it makes the measurements: rows need those of all shards. Where the run's context ends, what was
// finished is saved, and the context's error is returned.
func Run(r *engine.Run, chosen []experiment.Experiment, manifest results.Manifest) (results.Manifest, error) {
	begin := time.Now()
	for _, x := range chosen {
		status := one(r, x)
		if r.Context().Err() != nil {
			r.Progress().Finish()
			if _, err := save(r, manifest, begin); err != nil {
				r.Progress().Note("%v", err)
			}
			return manifest, r.Context().Err()
		}
		if status.Error != "" {
			r.Progress().Note("%s failed: %s", x.Name, status.Error)
		}
		manifest.Experiments = append(manifest.Experiments, status)
	}
	r.Progress().Finish()
	return save(r, manifest, begin)
}

func one(r *engine.Run, x experiment.Experiment) results.Status {
	start, before, taken := time.Now(), len(r.Costs), r.Progress().Taken()
	status := results.Status{Name: x.Name, Status: results.Done, Merged: r.Shards != nil}
	if r.IsShard() {
		status.Status = results.Measured
	}
	for _, t := range Tasks(r.Scope, []experiment.Experiment{x}) {
		status.Needs = append(status.Needs, t.Planned(r.Scope).Name)
	}
	files, err := write(r, x)
	status.Files, status.TakenOver = files, r.Progress().Taken() > taken
	if err != nil {
		status.Status, status.Error = results.Failed, err.Error()
	}
	took := time.Since(start).Seconds()
	status.Seconds, status.Own = Seconds(took), took
	for _, c := range r.Costs[before:] {
		status.Own -= c.Seconds
	}
	status.Own = Seconds(max(status.Own, 0)) // what was taken over took another run's time
	return status
}

func write(r *engine.Run, x experiment.Experiment) (files []results.Sum, err error) {
	defer func() {
		// An experiment under development may panic, as a strategy may in a measurement (measure.Each); the others go
		// on.
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if r.IsShard() {
		for _, t := range Tasks(r.Scope, []experiment.Experiment{x}) {
			if err := t.Ready(r); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	rows, timing, err := x.Rows(r)
	if err != nil {
		return nil, err
	}
	err = results.WriteFile(filepath.Join(r.Out, results.FileName(x.Name)), x.Dimensions, rows)
	if err == nil {
		err = results.WriteFile(filepath.Join(r.Out, results.TimingFileName(x.Name)), x.Dimensions, timing)
	}
	if err != nil {
		return nil, err
	}
	return results.Sums(r.Out, x.Name)
}

// Seconds rounds to milliseconds.
func Seconds(s float64) float64 { return math.Round(s*1000) / 1000 }

// Manifest says of a run that begins now what is known of it.
func Manifest(r *engine.Run, args []string, commit string) results.Manifest {
	return results.Manifest{
		Seed: r.Seed, Users: r.Users, Shard: r.Shard, Population: r.Population(),
		Args: args, Commit: commit, Program: r.Program,
		Started: time.Now().UTC().Format(time.RFC3339), Environment: r.Environment,
	}
}

// save writes the manifest and returns it, with the experiments that an earlier run of the same population left.
func save(r *engine.Run, m results.Manifest, begin time.Time) (results.Manifest, error) {
	m.Seconds += Seconds(time.Since(begin).Seconds())
	m.Costs = slices.Clone(r.Costs)
	for i := range m.Costs {
		m.Costs[i].Seconds = Seconds(m.Costs[i].Seconds)
	}
	old, err := results.ReadManifest(r.Out)
	// Experiments of a shard are measurements, and another program's are not these.
	if err == nil && old.Differs(m) == "" && (m.Shard == results.Shard{} || old.Program == m.Program) {
		join(&m, old)
	}
	return m, results.WriteManifest(r.Out, m)
}

// join adds the experiments of an earlier run that this one has not run again, with the measurements and shards
// that they rest on. It notes where each ran, unless it is where the others ran now: its times are not theirs.
func join(m *results.Manifest, old results.Manifest) {
	merged := false
	for _, status := range old.Experiments {
		if slices.ContainsFunc(m.Experiments, func(s results.Status) bool { return s.Name == status.Name }) {
			continue
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
}

// All lists the experiments, in the order in which they run and are shown.
var All = []experiment.Experiment{
	paper.Table1, paper.FPR, paper.Fill, paper.Window, paper.Memory, users.Daily,
	paper.Latency, paper.Serve, paper.Extend, paper.Sizing, advice.Arithmetic,
	tradeoff.Experiment, delivery.Month, users.Popularity, advice.Proposals, delivery.Pipeline,
	paper.Hashes, delivery.Ship, delivery.Snapshot,
}
