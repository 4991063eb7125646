package results

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dejavu/internal/atomicfile"
)

//go:embed reference
var committed embed.FS

// Defaults of a run, used by the largest committed one.
const (
	DefaultUsers = 10_000_000
	DefaultSeed  = 2016
)

// Reference returns the committed run of this number of users and this seed, reference/<users>/, if there is one.
func Reference(users int, seed uint64) (*Run, bool) {
	run, err := Committed(strconv.Itoa(users)) // a test reads every committed run
	return run, err == nil && run.Manifest.Users == users && run.Manifest.Seed == seed
}

// PeersDir is the directory with a run of other libraries, in the reference and in a run of the experiments.
const PeersDir = "peers"

// Beside returns another program's run: from the folder of that name in a run's directory (own), or the committed one.
func Beside(out, name string) (run *Run, own bool, err error) {
	dir := filepath.Join(out, name)
	if _, err := os.Stat(dir); err != nil {
		run, err = Committed(name)
		return run, false, err
	}
	run, err = ReadDir(dir)
	return run, true, err
}

// Committed reads a committed run by the name of its directory: PeersDir, or "plain" for Latency by plain kernels.
func Committed(name string) (*Run, error) {
	dir := path.Join("reference", name)
	sub, err := fs.Sub(committed, dir)
	if err != nil {
		return nil, err
	}
	return readFS(sub, dir)
}

const (
	timingSuffix = ".timing.csv"
	rowsSuffix   = ".csv"

	// ManifestName is the file that says what was run, and where.
	ManifestName = "run.json"
)

// FileName returns the name of the file of an experiment's deterministic rows.
func FileName(experiment string) string { return experiment + rowsSuffix }

// TimingFileName returns the name of the file of the rows that depend on the machine: times, resident memory.
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

// AsWritten returns rows with the digits that Write writes: the rows that Read reads back.
func AsWritten(rows []Row) []Row {
	rows = slices.Clone(rows)
	for i := range rows {
		r := &rows[i]
		for _, n := range []*Number{&r.Value, &r.Low, &r.High, &r.Paper} {
			n.round(valueDigits)
		}
		r.Theory.round(theoryDigits)
	}
	return rows
}

func (n *Number) round(digits int) {
	if rounded, err := parseNumber("", n.format(digits)); err == nil {
		*n = rounded
	}
}

// Replace makes path contain what write writes, readable by all, or leaves it as it was (atomicfile.Replace).
func Replace(path string, write func(io.Writer) error) error {
	if err := atomicfile.Replace(context.Background(), path, 0o644, write); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

const machinesDir = "machines"

// Machines returns the committed runs on other machines than the reference's, which contain only times, by folder.
func Machines() (runs []*Run, err error) {
	dirs, err := fs.ReadDir(committed, path.Join("reference", machinesDir))
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		run, err := Committed(path.Join(machinesDir, d.Name()))
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// OverMachines returns a row of times with the range over all machines as its interval, and how many measured it.
func OverMachines(r Row, others []*Run) (Row, int) {
	n, low, high := 1, r.Value.Or(0), r.Value.Or(0)
	for _, run := range others {
		for _, o := range run.Timing {
			if v, ok := o.Value.Get(); ok && o.Name() == r.Name() {
				n, low, high = n+1, min(low, v), max(high, v)
			}
		}
	}
	r.Low, r.High = Num(low), Num(high)
	return r, n
}

// Widen returns ratios of times with intervals that include the values on other machines. Other rows stay as they are.
func Widen(rows []Row, others []*Run) []Row {
	all := make([]Row, len(rows))
	for i, r := range rows {
		all[i] = r
		if over, n := OverMachines(r, others); r.Unit == Ratio && n > 1 {
			all[i].Low = Num(min(r.Low.Or(over.Low.Or(0)), over.Low.Or(0)))
			all[i].High = Num(max(r.High.Or(over.High.Or(0)), over.High.Or(0)))
		}
	}
	return all
}
