package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/results"
)

// Vacant returns nil if a run of the named experiments may write its results to the directory out, which it makes if
// it is missing. An error that names --out means that out holds another run's results and force is false, that a
// file there has a result's name but is none, or that no file can be made there.
func Vacant(out string, wanted results.Manifest, names []string, force bool) error {
	if is, err := os.Stat(out); err != nil || !is.IsDir() {
		return Writable("--out", out) // which makes it, or says why not
	}
	there, fault := results.ReadManifest(out)
	if there.Started == "" && fault == nil {
		there, fault = Left(out) // a run that was killed leaves no manifest
	}
	if err := Other(out, there, fault, wanted); err != nil && !force {
		return err
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
		return fmt.Errorf("--out: %s: %w: move it away, or name another directory", out, errors.Join(faults...))
	}
	return Writable("--out", out)
}

// Other returns an error if the manifest of out, or the fault of reading it, is not of the wanted run.
func Other(out string, there results.Manifest, fault error, wanted results.Manifest) error {
	if fault != nil {
		return fmt.Errorf("--out: %w: name another directory, or --force to replace what is there", fault)
	}
	why := there.Differs(wanted)
	if there.Started == "" && there.Users == 0 || why == "" {
		return nil
	}
	line := fmt.Sprintf("--users %d --seed %d --out %s", there.Users, there.Seed, out)
	if there.Started != "" {
		line = strings.Join(there.Args, " ")
	}
	if !strings.HasPrefix(line, "cluster ") {
		line = strings.TrimSpace("experiments " + line)
	}
	return fmt.Errorf("--out: %s holds another run's results (%s): '%s' goes on with that run; "+
		"for this one name another directory, or --force to replace them", out, why, line)
}

// Writable makes the directory dir if it is missing. It returns an error, which names the flag, if no file can be made in
// dir.
func Writable(flag, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w: name another directory", flag, err)
	}
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("%s: cannot write to %s: %w", flag, dir, err)
	}
	name := probe.Name()
	return errors.Join(probe.Close(), os.Remove(name))
}
