// Package engine makes each measurement of a run once, however many experiments ask for it, saves it, and adds up the
// measurements of shards. It knows no experiment.
//
// A measurement is counted over a range of users. Ranges add up in any order and grouping, so that workers, parts and
// shards give the same sum. A timing depends on the machine and is made once.
//
// A measurement that an earlier run left in the directory is reused only if its checksum is right and it belongs to the
// same program, users, seed, shard and population, and to the same machine if the machine matters. A file of some
// kilobytes of JSON appears whole or not at all.
package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// A Scope defines a run: users, seed, shard, strategies.
type Scope struct {
	Users   int    // simulated, at least 1
	Seed    uint64 // of everything random
	Shard   results.Shard
	Entries []catalogue.Entry     // the strategies that run
	Habits  *workload.DailyConfig // of the daily users; nil for the default
}

// Share returns which of the given number of users this run measures: all of them, or the part of its shard.
func (s Scope) Share(of int) measure.Range {
	return measure.Range{To: of}.Part(s.Shard.Index, max(s.Shard.Of, 1))
}

// SeedOf returns the seed of one of several populations that are alike. Number 0 has the run's own seed. The step, 2^64
// over the golden ratio, keeps runs with neighbouring seeds apart.
func (s Scope) SeedOf(number int) uint64 { return s.Seed + uint64(number)*0x9e3779b97f4a7c15 }

// IsShard reports whether only a part of the users is measured.
func (s Scope) IsShard() bool { return s.Shard != (results.Shard{}) }

// Timed reports whether this run makes the timings: the first of several shards does.
func (s Scope) Timed() bool { return s.Shard.Index == 0 }

// Daily returns the habits of the daily users.
func (s Scope) Daily() workload.DailyConfig {
	if s.Habits != nil {
		return *s.Habits
	}
	return workload.DefaultDaily()
}

// Population describes the habits if they are not the default, and is "" otherwise.
func (s Scope) Population() string {
	if s.Habits == nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(fmt.Sprintf("%+v", *s.Habits), "{_:{} "), "}")
}

// Full lists the strategies that run on the full population.
func (s Scope) Full() []catalogue.Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e catalogue.Entry) bool { return e.Lives != "" })
}

// Entry returns the strategy of a name, and whether it runs.
func (s Scope) Entry(name string) (catalogue.Entry, bool) {
	i := slices.IndexFunc(s.Entries, func(e catalogue.Entry) bool { return e.Name == name })
	if i < 0 {
		return catalogue.Entry{}, false
	}
	return s.Entries[i], true
}

// A Run makes measurements, one after the other, and keeps them. One goroutine uses it.
type Run struct {
	Scope
	Options     measure.Options // its Progress is the run's
	Out         string          // directory; "" keeps measurements in memory
	Program     string          // see Program; another program, other measurements
	Environment results.Environment
	Again       bool           // saved measurements are not reused
	Reused      int            // number of saved measurements that were reused
	Shards      []results.Part // to be merged: nothing is measured, their measurements are added up
	Costs       []results.Cost // of the measurements, in the order in which they were first asked for

	ctx      context.Context
	progress *Progress
	made     map[string]any
	memos    map[string]any
	bytes    int64 // the most bytes of histories of the measurement being made
}

// New returns a run of a scope that reports to p. Its other exported fields are set before the first measurement.
func New(ctx context.Context, scope Scope, p *Progress) *Run {
	return &Run{
		Scope: scope, Options: measure.Options{Progress: p.Add}, ctx: ctx, progress: p,
		made: map[string]any{}, memos: map[string]any{},
	}
}

// Context returns a context that ends when the run is interrupted.
func (r *Run) Context() context.Context { return r.ctx }

// Progress returns the progress that the run reports to.
func (r *Run) Progress() *Progress { return r.progress }

// Expect sets the number of users of the measurement that is being made.
func (r *Run) Expect(users int) { r.progress.Expect(users) }

// Bytes notes how many bytes of histories are alive in the measurement that is being made. The most counts.
func (r *Run) Bytes(n int64) { r.bytes = max(r.bytes, n) }

// Memo returns what make makes, once in a run. It is for values too quick to save and too slow to compute repeatedly.
func Memo[T any](r *Run, name string, make func() (T, error)) (T, error) {
	if v, ok := r.memos[name].(T); ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		r.memos[name] = v
	}
	return v, err
}

// Subject returns an entry's strategy and theory for measuring, constructed once.
func (r *Run) Subject(e catalogue.Entry) measure.Subject {
	return catalogue.Must(Memo(r, "subject "+e.Name, func() (measure.Subject, error) { return e.Subject(), nil }))
}

func (r *Run) keep(value any, cost results.Cost) {
	r.made[cost.Name] = value
	r.Costs = append(r.Costs, cost)
}
