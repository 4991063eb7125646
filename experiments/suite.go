package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// A suite runs experiments: it makes each measurement once, however many
// experiments ask for it, and saves it, so that an interrupted run goes on
// where it stopped.
type suite struct {
	ctx      context.Context
	users    int
	seed     uint64
	shard    results.Shard // of the users, this run's
	out      string
	again    bool
	options  measure.Options
	progress *progress
	program  string         // digest of this program: other code, other measurements
	made     map[string]any // measurements of this run, by name
	parts    []part         // shards that are merged: nothing is measured, theirs are summed

	population *workload.DailyConfig // habits of the daily readers; nil for the default
}

// key is what measurements of this run are of.
func (s *suite) key() measurementKey {
	return measurementKey{Program: s.program, Users: s.users, Seed: s.seed, Shard: s.shard, Population: s.habitsText()}
}

// share is which of so many readers, or filters, this run measures.
func (s *suite) share(of int) measure.Range {
	all := measure.Range{To: of}
	if s.shard == (results.Shard{}) {
		return all
	}
	return all.Part(s.shard.Index, s.shard.Of)
}

// timed is whether this run takes the times: where there are shards, the first
// does, so that all are of one machine.
func (s *suite) timed() bool { return s.shard.Index == 0 }

// A summable measurement can be made of ranges of users. plus adds that of the
// users that come next; what does not add up, times, is the first one's.
type summable[T any] interface{ plus(next T) T }

// measured returns the measurement of that name: made before in this run, saved
// by an earlier run of the same program with the same users, seed and shard, or
// made now. The measurement reports its progress by s.options.
func measured[T summable[T]](s *suite, name string, work func() (T, error)) (T, error) {
	if v, ok := s.made[name]; ok {
		return v.(T), nil
	}
	path := measurementPath(s.out, name)
	if !s.again {
		old, err := readMeasurement[T](path, s.key())
		switch {
		case err == nil:
			s.progress.skip(name)
			s.made[name] = old
			return old, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errOther):
			s.progress.note("%s cannot be used and is measured again: %v", path, err)
		}
	}
	var value T
	var err error
	s.progress.begin(name)
	if s.parts != nil {
		value, err = summed[T](s, name)
	} else if value, err = work(); err != nil {
		err = fmt.Errorf("measuring %s: %w", name, err)
	}
	if err != nil {
		return value, err
	}
	s.progress.end(name)
	s.made[name] = value
	return value, writeMeasurement(path, s.key(), value)
}

// savedNames is which measurements an earlier run has left for this one.
func (s *suite) savedNames() map[string]bool {
	names := map[string]bool{}
	if s.again {
		return names
	}
	files, _ := filepath.Glob(measurementPath(s.out, "*"))
	for _, path := range files {
		if _, err := readMeasurement[json.RawMessage](path, s.key()); err == nil {
			names[strings.TrimSuffix(filepath.Base(path), ".json")] = true
		}
	}
	return names
}
