package engine

import (
	"cmp"
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

// A key identifies the run of a saved measurement. Another program may measure something else under the same name.
type key struct {
	Program     string               `json:"program"`
	Users       int                  `json:"users"`
	Seed        uint64               `json:"seed"`
	Shard       results.Shard        `json:"shard,omitzero"`
	Population  string               `json:"population,omitempty"`  // the habits of the daily users, if not the default
	Environment *results.Environment `json:"environment,omitempty"` // if the result depends on the machine
}

func (r *Run) key(p Planned) key {
	k := key{Program: r.Program, Users: r.Users, Seed: r.Seed, Shard: r.Shard, Population: r.Population()}
	if p.Machine {
		k.Environment = &r.Environment
	}
	return k
}

// differs returns the first difference between k and the wanted key, or "". Without a wanted environment any will do.
func (k key) differs(want key) string {
	switch {
	case k.Program != want.Program:
		return fmt.Sprintf("program is %s, want %s: another build", k.Program, want.Program)
	case want.Program == "":
		return "this program cannot be distinguished from another build"
	case k.Users != want.Users:
		return fmt.Sprintf("users is %d, want %d", k.Users, want.Users)
	case k.Seed != want.Seed:
		return fmt.Sprintf("seed is %d, want %d", k.Seed, want.Seed)
	case k.Population != want.Population:
		return fmt.Sprintf("population is %q, want %q", k.Population, want.Population)
	case k.Shard != want.Shard:
		return fmt.Sprintf("shard is %v, want %v", k.Shard, want.Shard)
	case want.Environment != nil && (k.Environment == nil || !k.Environment.Same(*want.Environment)):
		return "it was made on another machine"
	}
	return ""
}

// saved is a measurement on disk. Its checksum is computed over the file with an empty checksum.
type saved struct {
	key
	Cost     results.Cost    `json:"cost"`
	Checksum string          `json:"checksum"`
	Value    json.RawMessage `json:"value"`
}

func (s saved) checksum() (string, error) {
	s.Checksum = ""
	data, err := json.Marshal(s)
	return fmt.Sprintf("%016x", xxhash.Sum64(data)), err
}

// Path returns the file in which a run in dir saves a measurement.
func Path(dir, name string) string { return filepath.Join(dir, "measurements", name+".json") }

func write(path string, k key, value any, cost results.Cost) (err error) {
	s := saved{key: k, Cost: cost}
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

// errOther means that a measurement is sound, but belongs to another run.
var errOther = errors.New("another measurement")

// read returns the measurement of a key and its cost. Its errors do not name the file.
func read[T any](path string, want key) (value T, cost results.Cost, err error) {
	var s saved
	data, err := os.ReadFile(path)
	if err != nil {
		return value, cost, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("byte %d of %d: %w", syntax.Offset, len(data), err)
		}
		return value, cost, err
	}
	if reason := s.differs(want); reason != "" {
		return value, cost, fmt.Errorf("%w: %s", errOther, reason)
	}
	if sum, err := s.checksum(); err != nil || sum != s.Checksum {
		return value, cost, fmt.Errorf("checksum is %s, the file says %q: something in it was changed", sum, s.Checksum)
	}
	if err := json.Unmarshal(s.Value, &value); err != nil {
		return value, cost, fmt.Errorf("value: %w", err)
	}
	return value, s.Cost, nil
}

// Program returns the digest of the running program's file, or "" if the file cannot be read: then no saved measurement
// is reused.
var Program = sync.OnceValue(func() string {
	path, pathErr := os.Executable()
	f, err := os.Open(path)
	if cmp.Or(pathErr, err) != nil {
		return ""
	}
	defer f.Close()
	d := xxhash.New()
	if _, err := io.Copy(d, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%016x", d.Sum64())
})

// Left identifies an interrupted run in dir from its saved measurements. It returns a zero Manifest if there are none.
func Left(dir string) (m results.Manifest, err error) {
	paths, err := filepath.Glob(Path(dir, "*"))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		var k key
		if err == nil && json.Unmarshal(data, &k) == nil && k.Users > 0 {
			return results.Manifest{Users: k.Users, Seed: k.Seed, Shard: k.Shard, Population: k.Population}, nil
		}
	}
	return m, err
}
