package main

import (
	"errors"
	"fmt"
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

// file is the path of its manifest.
func (p part) file() string { return filepath.Join(p.dir, results.ManifestName) }

// again says how what is missing of the shard is made.
func (p part) again() string {
	return fmt.Sprintf("the command that measured shard %v makes this again, and nothing else: experiments %s",
		p.Shard, strings.Join(p.Args, " "))
}

// measured names the experiments whose measurements a shard has.
func (p part) measured() string {
	names := []string{}
	for _, s := range p.Experiments {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// findParts finds the shards in directories that are those of shards, or hold
// such.
func findParts(dirs []string) (parts []part, err error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, usagef("no shards: %w", err)
		}
		before := len(parts)
		self, err := results.ReadManifest(dir)
		if err != nil {
			return nil, err
		}
		if self.Shard.Of > 0 {
			parts = append(parts, part{dir, self})
		}
		for _, e := range entries {
			if !e.IsDir() || !strings.HasPrefix(e.Name(), shardPrefix) {
				continue
			}
			below := filepath.Join(dir, e.Name())
			m, err := results.ReadManifest(below)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{below, m})
		}
		if len(parts) == before {
			return nil, usagef("no shards in %s; 'run --shard' makes them", dir)
		}
	}
	return parts, nil
}

// checkParts makes sure that the shards are those of one run of this program,
// each of them once, and puts them in their order. It tells all that is wrong.
func checkParts(parts []part, program string) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	finished := parts[:0:0]
	for _, p := range parts {
		if p.Shard.Of == 0 {
			fault("%s is missing: the shard is not finished; the command that began it goes on from there", p.file())
			continue
		}
		finished = append(finished, p)
	}
	at := map[int]string{}
	for _, p := range finished {
		first := finished[0]
		differ := func(what string, got, want any) {
			if got != want {
				fault("%s: %s is %v, but %v in %s: not of one run; name the directories to merge", p.file(), what, got, want, first.file())
			}
		}
		differ("the number of shards", p.Shard.Of, first.Shard.Of)
		differ("users", p.Users, first.Users)
		differ("seed", p.Seed, first.Seed)
		if got, want := p.measured(), first.measured(); got != want {
			fault("%s: experiments measured are %q, but %q in %s; shard %v lacks some, or the other: 'run --shard' adds them",
				p.file(), got, want, first.file(), p.Shard)
		}
		if p.Program != program {
			fault("%s: program is %s, but this one is %s: another build. 'go build -trimpath' makes the same of the same "+
				"source anywhere; merge with the build that measured, or measure again", p.file(), p.Program, program)
		}
		if err := failures(p.Manifest); err != nil {
			fault("%s: %w", p.file(), err)
		}
		if other, ok := at[p.Shard.Index]; ok {
			fault("%s: shard %v is in %s already", p.file(), p.Shard, other)
		}
		at[p.Shard.Index] = p.dir
	}
	if len(faults) == 0 {
		faults = missing(finished[0], at)
	}
	slices.SortFunc(parts, func(a, b part) int { return a.Shard.Index - b.Shard.Index })
	return errors.Join(faults...)
}

// missing tells which shards are not there beside a first one.
func missing(first part, at map[int]string) (faults []error) {
	for i := range first.Shard.Of {
		if _, ok := at[i]; !ok {
			lost := results.Shard{Index: i, Of: first.Shard.Of}
			faults = append(faults, fmt.Errorf("shard %v is missing: '--shard %v --users %d --seed %d' measures it",
				lost, lost, first.Users, first.Seed))
		}
	}
	return faults
}
