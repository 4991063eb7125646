package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/results"
)

// A part is a measured shard: its directory, and what its manifest says.
type part struct {
	dir string
	results.Manifest
}

func (p part) manifest() string { return filepath.Join(p.dir, results.ManifestName) }

// again says how what is missing of the shard is made.
func (p part) again() string {
	return fmt.Sprintf("the command that measured shard %v makes it again, and that alone: experiments %s",
		p.Shard, strings.Join(p.Args, " "))
}

// run makes one run of shards. Counts are summed, and the rows computed from
// them as those of a whole run are. Bytes and seconds of simulation are sums as
// well, as over the parts of a run; the times of requests are the first shard's.
func (c *mergeCommand) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	dirs := c.Dirs
	if len(dirs) == 0 {
		dirs = []string{c.Out}
	}
	parts, err := findParts(dirs)
	if err != nil {
		return err
	}
	if err := checkParts(parts, programDigest()); err != nil {
		return err
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	first := parts[0]
	s := &suite{
		ctx: ctx, users: first.Users, seed: first.Seed, out: c.Out, again: true,
		program: first.Program, made: map[string]any{}, parts: parts, progress: newProgress(stderr, nil),
	}
	fmt.Fprintf(stderr, "%d shards, %d users, seed %d, results in %s\n", len(parts), s.users, s.seed, c.Out)
	for _, p := range parts {
		if !p.Environment.Same(first.Environment) {
			fmt.Fprintf(stderr, "%s: shard %v ran on %v, shard %v on %v: times of requests are those of shard %v alone\n",
				p.manifest(), p.Shard, p.Environment, first.Shard, first.Environment, first.Shard)
		}
	}
	var chosen []experiment
	for _, status := range first.Experiments {
		x, _ := experimentNamed(status.Name) // the same program ran it
		chosen = append(chosen, x)
	}
	// All faults in what was measured are told before anything is reported.
	var faults []error
	for _, m := range s.plan(chosen) {
		faults = append(faults, m.make())
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	manifest := s.manifest(args)
	manifest.Environment = first.Environment
	for _, p := range parts {
		manifest.Seconds += p.Seconds
		manifest.Shards = append(manifest.Shards, p.Manifest)
	}
	if _, err := s.run(chosen, manifest); err != nil {
		return err
	}
	return report(c.Out, stdout)
}

// findParts finds the shards in directories that are those of shards, or hold
// them.
func findParts(dirs []string) (parts []part, err error) {
	for _, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			return nil, usagef("%w", err)
		}
		below, _ := filepath.Glob(filepath.Join(dir, "shard-*-of-*"))
		found := 0
		for _, d := range append([]string{dir}, below...) {
			run, err := results.ReadDir(d)
			if err != nil {
				return nil, err
			}
			m := run.Manifest
			if d == dir && m.Shard == (results.Shard{}) {
				continue // a run, perhaps
			}
			parts = append(parts, part{d, m})
			found++
		}
		if found == 0 {
			return nil, usagef("there is no shard in %s; 'run --shard' makes them", dir)
		}
	}
	return parts, nil
}

// checkParts makes sure that the shards are those of one run, each of them once,
// and puts them in their order. It tells all that is wrong.
func checkParts(parts []part, program string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	finished := slices.IndexFunc(parts, func(p part) bool { return p.Shard.Of > 0 })
	at := map[int]string{}
	for _, p := range parts {
		if p.Shard.Of == 0 {
			fault("%s is missing: the shard is not finished, and the command that began it goes on where it stopped", p.manifest())
			continue
		}
		first := parts[finished]
		differ := func(what string, got, want any) {
			if got != want {
				fault("%s: %s is %v, in %s it is %v: not of the same run", p.manifest(), what, got, first.dir, want)
			}
		}
		differ("the number of shards", p.Shard.Of, first.Shard.Of)
		differ("users", p.Users, first.Users)
		differ("seed", p.Seed, first.Seed)
		differ("what was measured", measuredIn(p.Manifest), measuredIn(first.Manifest))
		if p.Program != program {
			fault("%s: program is %s, this one is %s: another build. 'go build -trimpath' gives the same of the same source "+
				"everywhere; merge with the build that measured, or measure again", p.manifest(), p.Program, program)
		}
		if err := failures(p.Manifest); err != nil {
			fault("%s: %w", p.manifest(), err)
		}
		if other, ok := at[p.Shard.Index]; ok {
			fault("shard %v is there twice, in %s and %s", p.Shard, other, p.dir)
		}
		at[p.Shard.Index] = p.dir
	}
	if len(faults) == 0 {
		first := parts[0]
		for i := range first.Shard.Of {
			if _, ok := at[i]; !ok {
				first.Shard.Index = i
				fault("shard %v is missing: 'run --shard %v --users %d --seed %d' measures it", first.Shard, first.Shard, first.Users, first.Seed)
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return a.Shard.Index - b.Shard.Index })
	return errors.Join(faults...)
}

// measuredIn names the experiments whose measurements a shard has.
func measuredIn(m results.Manifest) string {
	var names []string
	for _, s := range m.Experiments {
		names = append(names, s.Name)
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}

// summed is the sum of what the shards measured under that name.
func summed[T summable[T]](s *suite, name string) (sum T, err error) {
	var faults []error
	for i, p := range s.parts {
		path, key := measurementPath(p.dir, name), s.key()
		key.Shard = p.Shard
		value, err := readMeasurement[T](path, key)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w; %s", path, err, p.again()))
			continue
		}
		if i == 0 {
			sum = value
		} else {
			sum = sum.plus(value)
		}
	}
	return sum, errors.Join(faults...)
}
