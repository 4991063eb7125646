// Package engine is the engine of a run of experiments: it makes each measurement once, however many experiments ask
// for it, saves it, and adds up those that were made elsewhere. It knows no experiment.
//
// A measurement is counted over a range of users, and ranges add up in any order and grouping, so that parts, shards
// and clusters give the same sum. Or it is a timing, which depends on the machine, adds up with nothing, and is made
// once.
//
// The guarantee: one that an earlier run left in the same directory is taken over only if it is of the same program,
// users, seed, shard and population, if its checksum is right and, where the machine has a say in it, if the machine is
// the same. A file appears whole or not at all. It is of JSON, of some kilobytes.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// A Scope is what a run is of.
type Scope struct {
	Users   int    // simulated, at least 1
	Seed    uint64 // of everything random
	Shard   results.Shard
	Entries []catalogue.Entry     // the strategies that run
	Habits  *workload.DailyConfig // of the daily users; nil for the default
}

// Share is which of so many users, or filters, this run measures: all of them, or the part that belongs to its shard.
func (s Scope) Share(of int) measure.Range {
	return measure.Range{To: of}.Part(s.Shard.Index, max(s.Shard.Of, 1))
}

// SeedOf is a seed of its own for one of several populations that are alike. None is that of a run with a seed nearby;
// number 0 has the run's. The step is 2^64 over the golden ratio.
func (s Scope) SeedOf(number int) uint64 { return s.Seed + uint64(number)*0x9e3779b97f4a7c15 }

// IsShard reports whether only a part of the users is measured.
func (s Scope) IsShard() bool { return s.Shard != (results.Shard{}) }

// Timed reports whether this run makes what is made once: of shards the first does.
func (s Scope) Timed() bool { return s.Shard.Index == 0 }

// Daily is how the daily users behave.
func (s Scope) Daily() workload.DailyConfig {
	if s.Habits != nil {
		return *s.Habits
	}
	return workload.DefaultDaily()
}

// Population names the habits that are not the default, or is "".
func (s Scope) Population() string {
	if s.Habits == nil {
		return ""
	}
	c := *s.Habits
	return fmt.Sprintf("sessions %v, sigma %v, refreshes %v, least_pause %d, pause_mean %d, "+
		"recalled %d, per_refresh %d, repeats %v, octave %v",
		c.Sessions, c.Sigma, c.Refreshes, c.LeastPause, c.PauseMean, c.Recalled, c.PerRefresh, c.Repeats, c.Octave)
}

// Full lists the strategies that run on the full population.
func (s Scope) Full() []catalogue.Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e catalogue.Entry) bool { return e.Lives != "" })
}

// Entry is the strategy of that name, and whether it runs.
func (s Scope) Entry(name string) (catalogue.Entry, bool) {
	i := slices.IndexFunc(s.Entries, func(e catalogue.Entry) bool { return e.Name == name })
	if i < 0 {
		return catalogue.Entry{}, false
	}
	return s.Entries[i], true
}

// A Run makes measurements, one after the other, and keeps them. It is for one goroutine.
type Run struct {
	Scope
	Options     measure.Options // its Progress is the run's
	Out         string          // directory
	Program     string          // see Program; another program, other measurements
	Environment results.Environment
	Again       bool           // what an earlier run has saved is measured again
	Shards      []results.Part // that are merged: nothing is measured, theirs are summed
	Costs       []results.Cost // of the measurements, in the order in which they were first asked for

	ctx      context.Context
	progress *Progress
	made     map[string]any
	memos    *sync.Map // of a name the *memo, of all runs that are Beside one another
	held     int64     // bytes of histories, of the measurement being made
}

// New returns a run of a scope that reports to p. Its other exported fields are set before the first measurement.
func New(ctx context.Context, scope Scope, p *Progress) *Run {
	return &Run{
		Scope: scope, Options: measure.Options{Progress: p.Add}, ctx: ctx, progress: p,
		made: map[string]any{}, memos: new(sync.Map),
	}
}

// Beside returns a run of the same scope and options for another goroutine, as New does. What Memo makes is for both.
func (r *Run) Beside(ctx context.Context) *Run {
	b := New(ctx, r.Scope, r.progress)
	b.Options, b.memos = r.Options, r.memos
	return b
}

// Context is done when the run is interrupted.
func (r *Run) Context() context.Context { return r.ctx }

// Progress is where the run reports to.
func (r *Run) Progress() *Progress { return r.progress }

// Expect says over how many users the measurement that is being made goes.
func (r *Run) Expect(users int) { r.progress.Expect(users) }

// Held says how many bytes of histories the measurement that is being made has alive; the most counts.
func (r *Run) Held(bytes int64) { r.held = max(r.held, bytes) }

// MostHeld is the most that Held was told since MostHeld was called last.
func (r *Run) MostHeld() int64 {
	most := r.held
	r.held = 0
	return most
}

type memo struct {
	mu    sync.Mutex
	value any
}

// Memo returns what make makes, once in a run: what is too quick to save, and too slow to compute for each experiment.
func Memo[T any](r *Run, name string, make func() (T, error)) (T, error) {
	found, _ := r.memos.LoadOrStore(name, new(memo))
	m := found.(*memo)
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.value.(T); ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		m.value = v
	}
	return v, err
}

// Subject is an entry's strategy and theory for measuring, constructed once.
func (r *Run) Subject(e catalogue.Entry) measure.Subject {
	return catalogue.Must(Memo(r, "subject "+e.Name, func() (measure.Subject, error) { return e.Subject(), nil }))
}

// obtain returns a measurement: made before in this run, saved by an earlier one, summed over shards, or made now.
func obtain[T any](r *Run, m *Task, work func() (T, error)) (value T, err error) {
	if v, ok := r.made[m.Name]; ok {
		return v.(T), nil
	}
	path := Path(r.Out, m.Name)
	if !r.Again {
		value, cost, err := read[T](path, r.key(m))
		switch {
		case err == nil:
			r.progress.Skip(m.Name)
			r.keep(m, value, cost)
			return value, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOther):
			r.progress.Note("%s cannot be used and is measured again: %v", path, err)
		}
	}
	if r.Shards == nil && m.Along != nil {
		// Made in passing, unless that was taken over from an earlier run.
		if err := m.Along.Ready(r); err != nil {
			return value, err
		}
		if v, ok := r.made[m.Name]; ok {
			return v.(T), nil
		}
	}
	r.progress.Begin(m.Name, 0) // over how many users, Expect says
	cost := results.Cost{Name: m.Name}
	if r.Shards != nil {
		if value, cost, err = summed[T](r, m); err != nil {
			return value, err
		}
	} else {
		r.held = 0
		begin := time.Now()
		if value, err = work(); err != nil {
			return value, fmt.Errorf("measuring %s: %w", m.Name, err)
		}
		cost.Seconds, cost.Bytes = time.Since(begin).Seconds(), r.MostHeld()
	}
	return value, r.save(m, value, cost)
}

func (r *Run) keep(m *Task, value any, cost results.Cost) {
	r.made[m.Name] = value
	r.Costs = append(r.Costs, cost)
}

func (r *Run) save(m *Task, value any, cost results.Cost) error {
	r.progress.end(m.Name)
	r.keep(m, value, cost)
	if r.Out == "" { // of a worker elsewhere, which sends it on
		return nil
	}
	return write(Path(r.Out, m.Name), r.key(m), value, cost)
}

// summed is the sum of what the shards measured; of what is made once, the first's.
func summed[T any](r *Run, m *Task) (sum T, cost results.Cost, err error) {
	var faults []error
	cost.Name = m.Name
	shards := r.Shards
	if m.Users == nil {
		shards = shards[:1]
	}
	for i, s := range shards {
		key := r.key(m)
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
