package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"dejavu/internal/plural"
)

// A Run holds everything that one run of the experiments left in its directory.
type Run struct {
	Manifest Manifest
	Rows     []Row // deterministic: they follow from the seed and the number of users
	Timing   []Row // dependent on the machine
}

// All returns the deterministic rows and then the others, as a new slice.
func (r *Run) All() []Row { return slices.Concat(r.Rows, r.Timing) }

// DropUnfinished drops the rows of experiments that the manifest does not list as done: files that a run of another
// population, or a failed run, left in the directory. Rows without a manifest are another tool's, and stay.
func (r *Run) DropUnfinished() {
	if len(r.Manifest.Experiments) == 0 {
		return
	}
	done := map[string]bool{}
	for _, s := range r.Manifest.Experiments {
		done[s.Name] = s.Status == Done
	}
	unfinished := func(row Row) bool { return !done[row.Experiment] }
	r.Rows = slices.DeleteFunc(r.Rows, unfinished)
	r.Timing = slices.DeleteFunc(r.Timing, unfinished)
}

// Names returns the experiments that were run, in alphabetical order.
func (m Manifest) Names() (all []string) {
	for _, s := range m.Experiments {
		all = append(all, s.Name)
	}
	return slices.Sorted(slices.Values(all))
}

// A Manifest says what was run, on which code and machine, and how it went.
type Manifest struct {
	Seed        uint64      `json:"seed"`
	Users       int         `json:"users"`   // simulated, or of Log
	Args        []string    `json:"args"`    // the command line after the program's name
	Commit      string      `json:"commit"`  // see Commit; empty where unknown
	Started     string      `json:"started"` // RFC 3339
	Seconds     float64     `json:"seconds"`
	Environment Environment `json:"environment"`          // merged shards have the first one's, which takes the times
	Experiments []Status    `json:"experiments"`          // in the order in which they ran
	Costs       []Cost      `json:"costs,omitempty"`      // of the measurements that they needed
	Program     string      `json:"program,omitempty"`    // the digest of the program that ran; empty in old manifests
	Shard       Shard       `json:"shard,omitzero"`       // the share of the users measured, if not all
	Shards      []Manifest  `json:"shards,omitempty"`     // those that were merged into this run, in their order
	Runs        []string    `json:"runs,omitempty"`       // when those started that its timings are pooled of (Pool)
	Population  string      `json:"population,omitempty"` // the habits of the daily users, where not the default
	Unreported  string      `json:"unreported,omitempty"` // why there is no report of these results; empty if there is
	Log         *Log        `json:"log,omitempty"`        // the log that was replayed, nil for simulated users
}

// The values of Status.Status.
const (
	Done     = "done"
	Failed   = "failed"
	Measured = "measured" // in a shard: rows need the other shards
)

// A Status says how one experiment went.
type Status struct {
	Name        string       `json:"name"`
	Status      string       `json:"status"` // Done, Failed or Measured
	Error       string       `json:"error,omitempty"`
	Seconds     float64      `json:"seconds"`
	Merged      bool         `json:"merged,omitempty"`      // summed over Manifest.Shards
	Files       []Sum        `json:"files,omitempty"`       // what it wrote
	Environment *Environment `json:"environment,omitempty"` // where it ran, if not where the manifest says
}

// A Cost is what a measurement took when it was made, in this run or an earlier one; of shards, in all of them.
type Cost struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes,omitempty"` // of the histories alive at once, at most
}

// WriteManifest writes m to run.json in dir, whole or not at all.
func WriteManifest(dir string, m Manifest) error {
	return Replace(filepath.Join(dir, ManifestName), func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		return out.Encode(m)
	})
}

// ReadDir reads every file of rows in dir, and run.json. A directory without run.json gives the zero Manifest:
// rows that somebody else's tool wrote can be drawn too. Files that are neither are passed over, and so are the
// ledger of claims and files whose names start with a dot. Rows must be in the file that their experiment names.
func ReadDir(dir string) (*Run, error) { return readFS(os.DirFS(dir), dir) }

func readFS(dir fs.FS, name string) (run *Run, err error) {
	defer func() {
		if err != nil {
			run, err = nil, fmt.Errorf("%s: %w", name, err)
		}
	}()
	entries, err := fs.ReadDir(dir, ".") // sorted by name, so the rows have one order
	if err != nil {
		return nil, err
	}
	run = &Run{}
	for _, e := range entries {
		if e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		experiment, timing, ok := splitName(e.Name())
		if !ok || experiment == Claims {
			continue
		}
		rows, err := readRows(dir, e.Name(), experiment)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if timing {
			run.Timing = append(run.Timing, rows...)
		} else {
			run.Rows = append(run.Rows, rows...)
		}
	}
	run.Manifest, err = readManifest(dir)
	return run, err
}

// ReadExperiment adds the rows in an experiment's files in dir to the run. Faults tells of a file that is missing.
func (r *Run) ReadExperiment(dir, experiment string) error {
	for _, file := range []struct {
		name string
		rows *[]Row
	}{{FileName(experiment), &r.Rows}, {TimingFileName(experiment), &r.Timing}} {
		rows, err := readRows(os.DirFS(dir), file.name, experiment)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", filepath.Join(dir, file.name), err)
		}
		*file.rows = append(*file.rows, rows...)
	}
	return nil
}

// ReadManifest reads run.json in dir; if there is none it returns the zero Manifest.
func ReadManifest(dir string) (Manifest, error) {
	m, err := readManifest(os.DirFS(dir))
	if err != nil {
		return m, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

func readManifest(dir fs.FS) (m Manifest, err error) {
	data, err := fs.ReadFile(dir, ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%s: %w", ManifestName, err)
	}
	return m, nil
}

func readRows(dir fs.FS, name, experiment string) ([]Row, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := Read(f)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		if r.Experiment != experiment {
			return nil, fmt.Errorf("row %d: experiment %q: want %q, as the file's name says", i+1, r.Experiment, experiment)
		}
	}
	return rows, nil
}

// Failures is the error of the experiments that failed, and of a report that could not be written, or nil.
func (m Manifest) Failures() error {
	var failed []string
	for _, s := range m.Experiments {
		if s.Status == Failed {
			failed = append(failed, s.Name+": "+s.Error)
		}
	}
	var faults []error
	if len(failed) > 0 {
		faults = append(faults, fmt.Errorf("%d of the experiments failed: %s", len(failed), strings.Join(failed, "; ")))
	}
	if m.Unreported != "" {
		faults = append(faults, fmt.Errorf("there is no report of these results: %s; 'plot' makes it again", m.Unreported))
	}
	return errors.Join(faults...)
}

// A Shard is the Index-th, from 0, of Of consecutive ranges of a run's users. The zero Shard is a whole run.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// String is the shard as the command line has it, "2/7".
func (s Shard) String() string {
	if s == (Shard{}) {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// An Environment is the machine that a run's times belong to; package sysinfo finds it out.
type Environment struct {
	Go          string `json:"go"` // "go1.26.0"
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu"`               // the processor's name; empty where the system does not tell
	Vectors     string `json:"vectors,omitempty"` // that queries use (bloom.Vectors); empty in runs of old
	CPUs        int    `json:"cpus"`              // logical processors usable by the process
	GOMAXPROCS  int    `json:"gomaxprocs"`        // how many of them Go uses at once
	MemoryBytes int64  `json:"memory_bytes"`      // what the process may use; 0 where the system does not tell
}

// Differences says, a line each, in what e is not as other, memory too: field, value and the other's value.
func (e Environment) Differences(other Environment) (lines []string) {
	got, want := reflect.ValueOf(e), reflect.ValueOf(other)
	for i := range got.NumField() {
		name, _, _ := strings.Cut(got.Type().Field(i).Tag.Get("json"), ",")
		if !got.Field(i).Equal(want.Field(i)) {
			is, was := fmt.Sprint(got.Field(i)), fmt.Sprint(want.Field(i))
			lines = append(lines, fmt.Sprintf("%s is %q, reference %q", name, is, was))
		}
	}
	return lines
}

// Same reports whether times measured in both can be compared. How much memory there is does not matter to them.
func (e Environment) Same(other Environment) bool {
	e.MemoryBytes, other.MemoryBytes = 0, 0
	return e == other
}

// String names the machine in a few words.
func (e Environment) String() string {
	vectors := "no vectors"
	if e.Vectors != "" && e.Vectors != "none" {
		vectors = e.Vectors
	}
	return fmt.Sprintf("%q (%s, %d of %s, %s, %s/%s)", e.CPU, vectors, e.GOMAXPROCS,
		plural.Of(e.CPUs, "processor", "processors"), e.Go, e.OS, e.Arch)
}
