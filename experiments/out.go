package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/experiments/engine"
	"dejavu/experiments/usage"
	"dejavu/results"
)

// vacant makes sure, before hours are spent, that the results of a run may go to out: nothing of another run
// lies there, unless that may be replaced, nothing that is no result under the name of one, and files can be
// made there. The experiments named are those that the run writes.
func vacant(out string, wanted results.Manifest, names []string, force bool) error {
	if is, err := os.Stat(out); err != nil || !is.IsDir() {
		return writable(out) // which makes it, or says why not
	}
	there, fault := results.ReadManifest(out)
	if there.Started == "" && fault == nil {
		there, fault = engine.Left(out) // a run that was killed leaves no manifest
	}
	switch {
	case force:
	case fault != nil:
		return usage.Errorf("--out: %w: name another directory, or --force to replace what is there", fault)
	default:
		if err := other(out, there, wanted); err != nil {
			return err
		}
	}
	mended := func(experiment string) bool {
		known := slices.ContainsFunc(there.Experiments, func(s results.Status) bool { return s.Name == experiment })
		return (known || force) && slices.Contains(names, experiment)
	}
	faults := results.Foreign(out, mended)
	for _, name := range []string{"measurements", "figures"} {
		if is, err := os.Stat(filepath.Join(out, name)); err == nil && !is.IsDir() {
			faults = append(faults, fmt.Errorf("%s is a file, want a directory", name))
		}
	}
	if faults != nil {
		return usage.Errorf("--out: %s: %w: move it away, or name another directory", out, errors.Join(faults...))
	}
	return writable(out)
}

// other is the error of a directory that holds another run's results than are wanted.
func other(out string, there, wanted results.Manifest) error {
	why := there.Differs(wanted)
	if there.Started == "" && there.Users == 0 || why == "" {
		return nil
	}
	command := fmt.Sprintf("--users %d --seed %d --out %s", there.Users, there.Seed, out)
	if there.Started != "" {
		command = strings.Join(there.Args, " ")
	}
	return usage.Errorf("--out: %s holds another run's results (%s): '%s' goes on with that run; "+
		"for this one name another directory, or --force to replace them",
		out, why, strings.TrimSpace("experiments "+command))
}

// writable makes sure that files can be made in dir.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage.Errorf("--out: %w", err)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return usage.Errorf("--out: cannot write to %s: %w", dir, err)
	}
	name := probe.Name()
	return errors.Join(probe.Close(), os.Remove(name))
}
