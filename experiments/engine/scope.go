// Package engine is the engine of a run of experiments: it makes each measurement once, however many
// experiments ask for it, saves it, and adds up those that were made elsewhere. It knows no experiment.
//
// A measurement is one of two kinds. It is counted over a range of users, and ranges add up in any order and
// grouping, so that parts, shards and clusters give the same sum. Or it is a timing, which depends on the
// machine and adds up with nothing: it is made once, and saved with the environment it was taken in.
//
// The guarantee: a measurement that an earlier run left in the same directory is taken over only if it is of
// the same program, users, seed, shard and population, if its checksum is right and, where the machine has a
// say in it, if the machine is the same. Otherwise it is made again. A file appears whole or not at all.
//
// The cost is that of what is measured. A saved measurement is a file of JSON of some kilobytes.
package engine

import (
	"fmt"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// A Scope is what a run is of.
type Scope struct {
	Users int    // simulated, at least 1
	Seed  uint64 // of everything random
	Shard results.Shard

	Entries []catalogue.Entry // the strategies that run

	// Habits are those of the daily users; nil for the default.
	Habits *workload.DailyConfig
}

// Share is which of so many users, or filters, this run measures: all of them, or the part that belongs to
// its shard.
func (s Scope) Share(of int) measure.Range {
	all := measure.Range{To: of}
	if s.Shard == (results.Shard{}) {
		return all
	}
	return all.Part(s.Shard.Index, s.Shard.Of)
}

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
func (s Scope) Full() (full []catalogue.Entry) {
	for _, e := range s.Entries {
		if e.Lives == "" {
			full = append(full, e)
		}
	}
	return full
}

// Entry is the strategy of that name, and whether it runs.
func (s Scope) Entry(name string) (catalogue.Entry, bool) {
	for _, e := range s.Entries {
		if e.Name == name {
			return e, true
		}
	}
	return catalogue.Entry{}, false
}
