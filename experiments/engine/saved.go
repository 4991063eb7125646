package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"

	"dejavu/measure"
	"dejavu/results"
)

// A Measurement is counted over the users of a population, and its ranges add up (measure.Sum); or, without Users, it
// is a timing, which depends on the machine and is made once in a run, of shards by the first.
type Measurement[T any] struct {
	Name    string          // of its file, which may lie in a folder: "full-beyond/ring"
	Users   func(Scope) int // how many there are to be measured, at least 1; nil for a timing
	Cost    float64         // microseconds, about: of a user with one worker, of a timing in all
	Machine bool            // the machine has a say in a part of what is counted: another's is not taken over
	Along   *Task           // if not nil, makes this timing in passing (Keep), and is asked for first

	// Make measures a range of the users, of a timing none.
	Make func(ctx context.Context, r *Run, users measure.Range) (T, error)
}

// Of returns the measurement of the run's users: made before, saved, or made now.
func (m Measurement[T]) Of(r *Run) (T, error) {
	t := m.Task()
	return obtain(r, &t, func() (T, error) { return m.make(r.ctx, r, m.share(r.Scope)) })
}

// Keep is for the measurement that Along names: it makes value this run's timing.
func (m Measurement[T]) Keep(r *Run, value T) error {
	task := m.Task()
	return r.save(&task, value, results.Cost{Name: m.Name})
}

func (m Measurement[T]) make(ctx context.Context, r *Run, users measure.Range) (T, error) {
	r.Expect(users.Len())
	return m.Make(ctx, r, users)
}

func (m Measurement[T]) share(s Scope) (users measure.Range) {
	if m.Users != nil {
		users = s.Share(m.Users(s))
	}
	return users
}

func (m Measurement[T]) cost(s Scope) float64 {
	switch {
	case m.Users != nil:
		return m.Cost * float64(m.share(s).Len())
	case s.Timed():
		return m.Cost
	}
	return 0
}

// Task is the measurement for those who do not know its type.
func (m Measurement[T]) Task() Task {
	t := Task{
		Name: m.Name, Users: m.Users, Machine: m.Machine || m.Users == nil, Along: m.Along, Cost: m.cost,
		Ready: func(r *Run) (err error) {
			if m.Users != nil || r.Timed() {
				_, err = m.Of(r)
			}
			return err
		},
		Make: func(ctx context.Context, r *Run, users measure.Range) (json.RawMessage, error) {
			value, err := m.make(ctx, r, users)
			if err != nil {
				return nil, err
			}
			return json.Marshal(value)
		},
	}
	if m.Users != nil {
		t.Add = func(a, b json.RawMessage) (json.RawMessage, error) {
			var sum, more T
			if err := cmp.Or(json.Unmarshal(a, &sum), json.Unmarshal(b, &more)); err != nil {
				return nil, err
			}
			measure.Sum(&sum, more)
			return json.Marshal(sum)
		}
	}
	return t
}

// A Task is a measurement without its type, for a plan, a shard or a cluster. Values are the JSON of the type.
type Task struct {
	Name    string
	Users   func(Scope) int     // nil for a timing: it is made once
	Machine bool                // the machine has a say in it
	Along   *Task               // makes it in passing; nil for none
	Cost    func(Scope) float64 // in microseconds, about
	Ready   func(*Run) error    // makes it in a run, for later

	// Make measures some users, of a timing none. Add is nil for a timing.
	Make func(ctx context.Context, r *Run, users measure.Range) (json.RawMessage, error)
	Add  func(a, b json.RawMessage) (json.RawMessage, error)
}

// Kept is what the measurement that Along names has made of the task in this run, as Make gives it; nil for nothing.
func (t Task) Kept(r *Run) (json.RawMessage, error) {
	value, ok := r.made[t.Name]
	if !ok {
		return nil, nil
	}
	return json.Marshal(value)
}

// Save writes what Make and Add gave as the measurement of a whole run, which Of then takes over, with what it cost.
func (t Task) Save(r *Run, value json.RawMessage, cost results.Cost) error {
	return write(Path(r.Out, t.Name), r.key(&t), value, cost)
}

// A key says of what a saved measurement is one: of another program it may be something else under the same name.
type key struct {
	Program     string               `json:"program"`
	Users       int                  `json:"users"`
	Seed        uint64               `json:"seed"`
	Shard       results.Shard        `json:"shard,omitzero"`
	Population  string               `json:"population,omitempty"`  // the habits of the daily users, if not the default
	Environment *results.Environment `json:"environment,omitempty"` // where the machine has a say in it
}

func (r *Run) key(m *Task) key {
	k := key{Program: r.Program, Users: r.Users, Seed: r.Seed, Shard: r.Shard, Population: r.Population()}
	if m.Machine {
		k.Environment = &r.Environment
	}
	return k
}

// differs says in what k is not the key that is wanted, or "". Where no environment is wanted, any will do.
func (k key) differs(want key) string {
	switch {
	case k.Program != want.Program:
		return fmt.Sprintf("program is %s, want %s: another build", k.Program, want.Program)
	case want.Program == "":
		return "this program cannot be told from another build"
	case k.Users != want.Users:
		return fmt.Sprintf("users is %d, want %d", k.Users, want.Users)
	case k.Seed != want.Seed:
		return fmt.Sprintf("seed is %d, want %d", k.Seed, want.Seed)
	case k.Population != want.Population:
		return fmt.Sprintf("population is %q, want %q", k.Population, want.Population)
	case k.Shard != want.Shard:
		return fmt.Sprintf("shard is %v, want %v", k.Shard, want.Shard)
	case want.Environment != nil && (k.Environment == nil || !k.Environment.Same(*want.Environment)):
		return fmt.Sprintf("environment is %v, want %v", k.Environment, want.Environment)
	}
	return ""
}

// saved is a measurement on disk. Its checksum is that of the file without one, so that a changed digit is found out.
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

// Path is where a run in dir saves the measurement of that name.
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

// errOther is the error of read where a measurement is sound, but another one.
var errOther = errors.New("another measurement")

// read reads the measurement of that key, and what it cost. It is for the caller to name the file.
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

// Program is the digest of the running program's own file, "" where that cannot be read: nothing is taken over then.
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

// Left is what the measurements in dir are of, where a run that has left no manifest was killed; zero where none.
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
