package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"dejavu/measure"
	"dejavu/results"
)

// A suite runs experiments: it makes each measurement once, however many
// experiments ask for it, and saves it, so that an interrupted run goes on
// where it stopped.
type suite struct {
	ctx      context.Context
	users    int
	seed     uint64
	out      string
	again    bool
	options  measure.Options
	progress *progress
	program  string         // digest of this program: other code, other measurements
	made     map[string]any // measurements of this run, by name
}

// share is which of so many readers, or filters, this run measures.
func (s *suite) share(of int) measure.Range { return measure.Range{To: of} }

// saved is a measurement on disk.
type saved[T any] struct {
	Program string `json:"program"`
	Users   int    `json:"users"`
	Seed    uint64 `json:"seed"`
	Value   T      `json:"value"`
}

// measured returns the measurement of that name: made before in this run, saved
// by an earlier run of the same program with the same users and seed, or made
// now. The measurement reports its progress by s.options.
func measured[T any](s *suite, name string, work func() (T, error)) (T, error) {
	if v, ok := s.made[name]; ok {
		return v.(T), nil
	}
	path := filepath.Join(s.out, "measurements", name+".json")
	key := saved[T]{Program: s.program, Users: s.users, Seed: s.seed}
	if !s.again {
		old, err := load[T](path)
		if err == nil && old.Program == key.Program && old.Users == key.Users && old.Seed == key.Seed {
			s.progress.skip(name)
			s.made[name] = old.Value
			return old.Value, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.progress.note("%s cannot be used and is measured again: %v", path, err)
		}
	}
	var err error
	s.progress.begin(name)
	if key.Value, err = work(); err != nil {
		var none T
		return none, fmt.Errorf("measuring %s: %w", name, err)
	}
	s.progress.end(name)
	s.made[name] = key.Value
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return key.Value, err
	}
	return key.Value, results.Replace(path, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(key)
	})
}

func load[T any](path string) (v saved[T], err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(data, &v)
}

// savedNames is which measurements an earlier run has left for this one.
func (s *suite) savedNames() map[string]bool {
	names := map[string]bool{}
	if s.again {
		return names
	}
	files, _ := filepath.Glob(filepath.Join(s.out, "measurements", "*.json"))
	for _, path := range files {
		old, err := load[json.RawMessage](path)
		if err == nil && old.Program == s.program && old.Users == s.users && old.Seed == s.seed {
			names[strings.TrimSuffix(filepath.Base(path), ".json")] = true
		}
	}
	return names
}

// programDigest is the digest of the running program's own file. Where that
// cannot be read nothing is taken over from earlier runs.
var programDigest = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	d := xxhash.New()
	if _, err := io.Copy(d, f); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%016x", d.Sum64())
})
