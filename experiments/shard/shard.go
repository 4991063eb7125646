// Package shard is the shares of a run's users that are measured apart: which one this process has, where its
// files lie, and how those of all are found, checked and handed to the engine, which sums them.
//
// The guarantee: shards are merged only where they are those of one run of one
// program, each of them once; all that is wrong is told before anything is written.
package shard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/engine"
	"dejavu/results"
)

// Most is how many shards a run may be divided into.
const Most = 10_000

// indexVariables are where an array job says which one of its tasks this is: Kubernetes' and Slurm's.
var indexVariables = []string{"JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"}

// Parse reads "2/7", or "auto/7" for the index of an array job. Variable looks into the environment.
func Parse(text string, variable func(name string) string) (shard results.Shard, err error) {
	index, of, found := strings.Cut(text, "/")
	if shard.Of, err = strconv.Atoi(of); err != nil || !found {
		return shard, fmt.Errorf(`%q, want i/n, "2/7" say, or "auto/7" for the index of an array job`, text)
	}
	if shard.Of < 1 || shard.Of > Most {
		return shard, fmt.Errorf("%q: n is %d, want 1 to %d", text, shard.Of, Most)
	}
	from := "i"
	if index == "auto" {
		if from, index, err = arrayIndex(variable); err != nil {
			return shard, fmt.Errorf(`%q: %w; "0/%d" to "%d/%d" name it`, text, err, shard.Of, shard.Of-1, shard.Of)
		}
	}
	if shard.Index, err = strconv.Atoi(index); err != nil || shard.Index < 0 || shard.Index >= shard.Of {
		// The arrays of Slurm start from wherever they are told to.
		return shard, fmt.Errorf("%q: %s is %q, want 0 to %d: shards are numbered from 0 (sbatch --array=0-%d)",
			text, from, index, shard.Of-1, shard.Of-1)
	}
	return shard, nil
}

// arrayIndex is the index that an array job gave to this process, and the variable that it is from.
func arrayIndex(variable func(name string) string) (from, index string, err error) {
	for _, name := range indexVariables {
		switch value := variable(name); {
		case value == "":
		case from != "" && value != index:
			return "", "", fmt.Errorf("%s is %q and %s is %q, which is the index?", from, index, name, value)
		default:
			from, index = name, value
		}
	}
	if from == "" {
		err = fmt.Errorf("neither %s is set", strings.Join(indexVariables, " nor "))
	}
	return from, index, err
}

// prefix is how the name of a shard's directory begins.
const prefix = "shard-"

// Dir is where a shard's files lie in the directory of its run: each in one of its own, so that shards can share it.
func Dir(out string, shard results.Shard) string {
	if shard == (results.Shard{}) {
		return out
	}
	return filepath.Join(out, fmt.Sprintf("%s%d-of-%d", prefix, shard.Index, shard.Of))
}

// A Part is a measured shard: its directory, and what its manifest says.
type Part struct {
	Dir string
	results.Manifest
}

func (p Part) file() string { return filepath.Join(p.Dir, results.ManifestName) }

// Saved is where the engine finds the parts' measurements, and how what is missing of one is made.
func Saved(parts []Part) (shards []engine.SavedShard) {
	for _, p := range parts {
		again := fmt.Sprintf("to redo only this, run the command that measured shard %v: experiments %s",
			p.Shard, strings.Join(p.Args, " "))
		shards = append(shards, engine.SavedShard{Dir: p.Dir, Shard: p.Shard, Again: again})
	}
	return shards
}

// ErrNone is the error of Find where a directory has no shards.
var ErrNone = errors.New("no shards")

// Find finds the shards in directories that are those of shards, or hold such.
func Find(dirs []string) (parts []Part, err error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNone, err)
		}
		before := len(parts)
		self, err := results.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if self.Shard.Of > 0 {
			parts = append(parts, Part{dir, self})
		}
		for _, e := range entries {
			if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
				continue
			}
			part := Part{Dir: filepath.Join(dir, e.Name())}
			if part.Manifest, err = results.ReadManifest(part.Dir); err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		if len(parts) == before {
			return nil, fmt.Errorf("%w in %s; 'run --shard' makes them", ErrNone, dir)
		}
	}
	return parts, nil
}

// Check makes sure that shards are those of one run of this program, each once, and orders them. It tells all faults.
func Check(parts []Part, program string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, p := range parts {
		if p.Shard.Of == 0 {
			fault("%s is missing: the shard is not finished; the command that began it goes on from there", p.file())
		}
	}
	at := map[int]string{}
	finished := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Shard.Of == 0 })
	for _, p := range finished {
		first := finished[0]
		differ := func(what string, got, want any) {
			if got != want {
				fault("%s: %s is %v, but %v in %s: not of one run; name the directories to merge",
					p.file(), what, got, want, first.file())
			}
		}
		differ("the number of shards", p.Shard.Of, first.Shard.Of)
		differ("users", p.Users, first.Users)
		differ("seed", p.Seed, first.Seed)
		if got, want := strings.Join(p.Names(), " "), strings.Join(first.Names(), " "); got != want {
			fault("%s: experiments measured are %q, but %q in %s; shard %v lacks some, or the other: 'run --shard' adds them",
				p.file(), got, want, first.file(), p.Shard)
		}
		if p.Program != program || program == "" {
			fault("%s: program is %q, but this one is %q: another build. 'go build -trimpath' makes the same of the same "+
				"source anywhere; merge with the build that measured, or measure again", p.file(), p.Program, program)
		}
		if err := p.Failures(); err != nil {
			fault("%s: %w", p.file(), err)
		}
		if other, ok := at[p.Shard.Index]; ok {
			fault("%s: shard %v is in %s already", p.file(), p.Shard, other)
		}
		at[p.Shard.Index] = p.Dir
	}
	if len(faults) == 0 {
		first := finished[0]
		for i := range first.Shard.Of {
			if s := (results.Shard{Index: i, Of: first.Shard.Of}); at[i] == "" {
				fault("shard %v is missing: '--shard %v --users %d --seed %d' measures it", s, s, first.Users, first.Seed)
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int { return a.Shard.Index - b.Shard.Index })
	return errors.Join(faults...)
}

// Provenance says of a merged run, and of one pooled of several, where the numbers are from that depend on the
// machine, and of any run whose users they are, where not the default ones.
func Provenance(m results.Manifest) (lines []string) {
	if m.Population != "" {
		lines = append(lines, "The daily users are not the default ones, and no verdict is asked of them "+
			"(--population): "+m.Population+".")
	}
	if n := len(m.Runs); n > 0 {
		lines = append(lines, fmt.Sprintf("Timings are means of %d runs; their intervals hold 95 of 100 further runs.", n))
	}
	if len(m.Shards) == 0 {
		return lines
	}
	first := m.Shards[0]
	text := fmt.Sprintf("Merged from %d shards: bytes, and seconds of simulation, are their sums; "+
		"times of requests are those of shard %v.", len(m.Shards), first.Shard)
	var here []string // run since the shards were merged
	for _, s := range m.Experiments {
		if !s.Merged {
			here = append(here, s.Name)
		}
	}
	if len(here) > 0 && len(here) < len(m.Experiments) {
		text += fmt.Sprintf(" Not merged but run here: %s.", strings.Join(here, ", "))
	}
	lines = append(lines, text)
	elsewhere := map[string][]string{}
	var order []string
	for _, s := range m.Shards {
		if where := s.Environment.String(); !s.Environment.Same(first.Environment) {
			if elsewhere[where] == nil {
				order = append(order, where)
			}
			elsewhere[where] = append(elsewhere[where], s.Shard.String())
		}
	}
	for _, where := range order {
		lines = append(lines, fmt.Sprintf("run.json: environments differ: shard %s ran on %s, shard %v on %v. "+
			"What follows from the seed is the same on both; sums of seconds compare with neither.",
			strings.Join(elsewhere[where], ", "), where, first.Shard, first.Environment))
	}
	return lines
}
