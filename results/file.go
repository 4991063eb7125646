package results

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
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
func WriteFile(path string, rows []Row) error {
	return Replace(path, func(w io.Writer) error { return Write(w, rows) })
}

// Replace makes path hold what write writes, or leaves it as it was. The bytes go
// to a new file in the same directory, reach the disk, and only then take the
// name, so nobody ever finds half a file, not even after a crash. After an error the
// new file is gone. The file is readable by all (0644).
func Replace(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "." // CreateTemp would take "" for the system's temporary directory
	}
	f, err := os.CreateTemp(dir, "."+base+".*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	renamed := false
	// Deferred, so that a write that panics leaves nothing behind either.
	defer func() {
		if !renamed {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffered := bufio.NewWriterSize(f, 1<<16)
	steps := []func() error{
		func() error { return write(buffered) },
		buffered.Flush,
		func() error { return f.Chmod(0o644) },
		f.Sync,
		f.Close,
		func() error { return os.Rename(f.Name(), path) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	renamed = true
	// A rename survives a power cut once the directory is synced. Some systems cannot
	// do that; the file is complete all the same, so it is not an error. (A nil file
	// answers with an error, too.)
	d, _ := os.Open(dir)
	_ = d.Sync()
	d.Close()
	return nil
}
