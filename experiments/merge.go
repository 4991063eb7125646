package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"dejavu/results"
)

// run makes one run of shards, and reports as a whole run does.
func (c *mergeCommand) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	if err := c.merge(ctx, stderr, args); err != nil {
		return err
	}
	return report(c.Out, stdout)
}

// merge makes one run of shards. Counts are summed, and the rows computed from
// them as those of a whole run are. Bytes and seconds of simulation are sums as
// well, as over the parts of a run; times that do not add up, those of requests
// above all, are the first shard's.
func (c *mergeCommand) merge(ctx context.Context, stderr io.Writer, args []string) error {
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
	manifest := s.manifest(args)
	manifest.Environment = first.Environment
	for _, p := range parts {
		manifest.Seconds += p.Seconds
		manifest.Shards = append(manifest.Shards, p.Manifest)
	}
	fmt.Fprintf(stderr, "%d shards, %d users, seed %d, results in %s\n", len(parts), s.users, s.seed, c.Out)
	for _, line := range mergedText(manifest) {
		fmt.Fprintln(stderr, line)
	}
	var chosen []experiment
	for _, x := range experiments {
		if mentions(first.Experiments, x.name) {
			chosen = append(chosen, x)
		}
	}
	// All that is wrong with what was measured is told before anything is reported.
	var faults []error
	for _, m := range s.plan(chosen) {
		faults = append(faults, m.make())
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	_, err = s.run(chosen, manifest)
	return err
}

// summed is the sum of what the shards measured under that name.
func summed[T summable[T]](s *suite, name string) (sum T, err error) {
	var faults []error
	for i, p := range s.parts {
		key := s.key()
		key.Shard = p.Shard
		path := measurementPath(p.dir, name)
		value, err := readMeasurement[T](path, key)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w; %s", path, err, p.again()))
		case i == 0:
			sum = value
		default:
			sum = sum.plus(value)
		}
	}
	return sum, errors.Join(faults...)
}

// mergedText says of a merged run where the numbers are from that depend on the
// machine, and of any run whose readers they are, where not the default ones.
func mergedText(m results.Manifest) (lines []string) {
	if m.Population != "" {
		lines = append(lines, "The daily readers are not the default ones, and no verdict is asked of them (--population): "+m.Population+".")
	}
	if len(m.Shards) == 0 {
		return lines
	}
	first := m.Shards[0]
	lines = append(lines, fmt.Sprintf("Merged from %d shards: bytes, and seconds of simulation, are their sums; times of requests are those of shard %v.",
		len(m.Shards), first.Shard))
	elsewhere := map[string][]string{}
	var order []string
	for _, s := range m.Shards {
		if s.Environment.Same(first.Environment) {
			continue
		}
		where := s.Environment.String()
		if elsewhere[where] == nil {
			order = append(order, where)
		}
		elsewhere[where] = append(elsewhere[where], s.Shard.String())
	}
	for _, where := range order {
		lines = append(lines, fmt.Sprintf("run.json: environments differ: shard %s ran on %s, shard %v on %v. "+
			"What follows from the seed is the same on both; sums of seconds compare with neither.",
			strings.Join(elsewhere[where], ", "), where, first.Shard, first.Environment))
	}
	return lines
}
