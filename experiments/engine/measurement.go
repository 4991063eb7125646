package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// A Measurement counts something over the users of a population, and ranges of users add up (measure.Sum). Without
// Users it is a timing: it depends on the machine and is made once in a run, by the first of its shards.
type Measurement[T any] struct {
	Name    string          // of its file, which may lie in a folder: "full-beyond/ring"
	Users   func(Scope) int // how many there are to be measured, at least 1; nil for a timing
	Cost    float64         // estimated microseconds: per user with one worker, or of the whole timing
	Machine bool            // part of the result depends on the machine: results of other machines are not reused

	// Make measures a range of users, or no users for a timing.
	Make func(ctx context.Context, r *Run, users measure.Range) (T, error)
}

// A Task is a Measurement without its type parameter, for a plan or a shard.
type Task interface {
	// Planned returns what a run of a scope will measure.
	Planned(Scope) Planned

	// Ready makes the measurement and saves it. A timing is left to the first shard.
	Ready(*Run) error
}

// Planned describes one measurement of a run.
type Planned struct {
	Name    string
	Users   int     // all of them, also if this run measures a share; 0 for a timing
	Machine bool    // part of the result depends on the machine
	Cost    float64 // of this run's share: estimated microseconds with one worker
}

// Planned returns the measurement's name, users and cost in a run of a scope.
func (m Measurement[T]) Planned(s Scope) Planned {
	p := Planned{Name: m.Name, Machine: m.Machine || m.Users == nil}
	switch {
	case m.Users != nil:
		p.Users = m.Users(s)
		p.Cost = m.Cost * float64(s.Share(p.Users).Len())
	case s.Timed():
		p.Cost = m.Cost
	}
	return p
}

// Of returns the measurement, which must be among the tasks that an experiment names in Needs: they are made first.
func (m Measurement[T]) Of(r *Run) T {
	v, ok := r.made[m.Name]
	if !ok {
		panic(fmt.Sprintf("the measurement %s is asked for, and is not among the experiment's Needs", m.Name))
	}
	return v.(T)
}

// Measure makes the measurement of the run's users, once in a run, unless an earlier run saved it. A run that merges
// shards adds up their measurements.
func (m Measurement[T]) Measure(r *Run) (value T, err error) {
	if v, ok := r.made[m.Name]; ok {
		return v.(T), nil
	}
	p := m.Planned(r.Scope)
	path, key := Path(r.Out, m.Name), r.key(p)
	if !r.Again && r.Out != "" {
		value, cost, err := read[T](path, key)
		switch {
		case err == nil:
			r.Reused++
			r.keep(value, cost)
			return value, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOther):
			r.progress.Note("%s cannot be used and is measured again: %v", path, err)
		}
	}
	r.progress.Begin(m.Name, 0) // make says over how many users
	cost := results.Cost{Name: m.Name}
	if r.Shards != nil {
		if value, cost, err = m.sum(r, p); err != nil {
			return value, err
		}
	} else {
		r.bytes = 0
		begin := time.Now()
		users := r.Share(p.Users)
		r.progress.Expect(users.Len())
		value, err = m.Make(r.timing(), r, users)
		if err = cmp.Or(err, r.ctx.Err()); err != nil { // what was interrupted is not whole, whatever Make says
			return value, fmt.Errorf("measuring %s: %w", m.Name, err)
		}
		cost.Seconds, cost.Bytes = time.Since(begin).Seconds(), r.bytes
	}
	r.progress.end(m.Name)
	r.keep(value, cost)
	if r.Out == "" {
		return value, nil
	}
	return value, write(path, key, value, cost)
}

// timing returns the run's context for a measurement. A run of fewer than a million users times fewer batches, but at
// least a tenth of what the run's own context asks for.
func (r *Run) timing() context.Context {
	return stopwatch.WithEffort(r.ctx, stopwatch.Effort(r.ctx)*min(1, max(0.1, float64(r.Users)/1e6)))
}

// sum adds up the shards' measurements. A timing is taken from the first shard.
func (m Measurement[T]) sum(r *Run, p Planned) (sum T, cost results.Cost, err error) {
	var faults []error
	cost.Name = m.Name
	shards := r.Shards
	if p.Users == 0 {
		shards = shards[:1]
	}
	for i, s := range shards {
		key := r.key(p)
		key.Shard, key.Environment = s.Shard, nil
		path := Path(s.Dir, m.Name)
		part, took, err := read[T](path, key)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w; %s", path, err, s.Again()))
		case i == 0:
			sum = part
		default:
			measure.Sum(&sum, part)
		}
		cost.Seconds += took.Seconds
		cost.Bytes = max(cost.Bytes, took.Bytes)
	}
	return sum, cost, errors.Join(faults...)
}

// Ready implements Task.
func (m Measurement[T]) Ready(r *Run) (err error) {
	if m.Users != nil || r.Timed() {
		_, err = m.Measure(r)
	}
	return err
}
