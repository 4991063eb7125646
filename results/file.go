package results

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dejavu/internal/atomicfile"
)

const (
	timingSuffix = ".timing.csv"
	rowsSuffix   = ".csv"

	// ManifestName is the file that says what was run, and where.
	ManifestName = "run.json"
)

// FileName returns the name of the file of an experiment's deterministic rows.
func FileName(experiment string) string { return experiment + rowsSuffix }

// TimingFileName returns the name of the file of the rows that depend on the
// machine: times, resident memory.
func TimingFileName(experiment string) string { return experiment + timingSuffix }

// splitName is the inverse of the two above; ok is false for other files.
func splitName(name string) (experiment string, timing, ok bool) {
	if experiment, ok = strings.CutSuffix(name, timingSuffix); ok {
		return experiment, true, experiment != ""
	}
	experiment, ok = strings.CutSuffix(name, rowsSuffix)
	return experiment, false, ok && experiment != ""
}

// WriteFile writes rows to the file path, which appears whole or not at all.
func WriteFile(path string, dimensions []Dimension, rows []Row) error {
	return Replace(path, func(w io.Writer) error { return Write(w, dimensions, rows) })
}

// Replace makes path hold what write writes, or leaves it as it was (atomicfile.Replace).
// A new file is readable by all.
func Replace(path string, write func(io.Writer) error) error {
	if err := atomicfile.Replace(context.Background(), path, 0o644, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
