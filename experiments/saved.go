package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"

	"dejavu/results"
)

// A measurementKey says of what a saved measurement is one. Another program may
// measure something else under the same name, so its digest belongs to it.
type measurementKey struct {
	Program string        `json:"program"`
	Users   int           `json:"users"`
	Seed    uint64        `json:"seed"`
	Shard   results.Shard `json:"shard,omitzero"`

	// Population is the habits of the daily readers, where they are not the default.
	Population string `json:"population,omitempty"`
}

// differs says in what k is not the key that is wanted, or "".
func (k measurementKey) differs(want measurementKey) string {
	switch {
	case k.Program != want.Program:
		return fmt.Sprintf("program is %s, want %s: another build", k.Program, want.Program)
	case k.Users != want.Users:
		return fmt.Sprintf("users is %d, want %d", k.Users, want.Users)
	case k.Seed != want.Seed:
		return fmt.Sprintf("seed is %d, want %d", k.Seed, want.Seed)
	case k.Population != want.Population:
		return fmt.Sprintf("population is %q, want %q", k.Population, want.Population)
	case k.Shard != want.Shard:
		return fmt.Sprintf("shard is %v, want %v", k.Shard, want.Shard)
	}
	return ""
}

// saved is a measurement on disk. Its checksum is that of the file with an empty
// checksum, so that a changed digit is found out, and not only a lost bracket.
type saved struct {
	measurementKey
	Checksum string          `json:"checksum"`
	Value    json.RawMessage `json:"value"`
}

func (s saved) checksum() (string, error) {
	s.Checksum = ""
	data, err := json.Marshal(s)
	return fmt.Sprintf("%016x", xxhash.Sum64(data)), err
}

// measurementPath is where a run in dir saves the measurement of that name.
func measurementPath(dir, name string) string {
	return filepath.Join(dir, "measurements", name+".json")
}

// writeMeasurement saves a measurement.
func writeMeasurement(path string, key measurementKey, value any) (err error) {
	s := saved{measurementKey: key}
	if s.Value, err = json.Marshal(value); err != nil {
		return err
	}
	if s.Checksum, err = s.checksum(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return results.Replace(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// errOther is the error of readMeasurement where a measurement is sound, but another one.
var errOther = errors.New("another measurement")

// readMeasurement reads the measurement of that key. It is for the caller to name
// the file.
func readMeasurement[T any](path string, key measurementKey) (value T, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return value, fmt.Errorf("byte %d of %d: %w", syntax.Offset, len(data), err)
		}
		return value, err
	}
	if reason := s.differs(key); reason != "" {
		return value, fmt.Errorf("%w: %s", errOther, reason)
	}
	if sum, err := s.checksum(); err != nil || sum != s.Checksum {
		return value, fmt.Errorf("checksum is %s, the file says %q: something in it was changed", sum, s.Checksum)
	}
	if err := json.Unmarshal(s.Value, &value); err != nil {
		return value, fmt.Errorf("value: %w", err)
	}
	return value, nil
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
