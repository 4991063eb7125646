// Package replay is what a replay of a log asks for and what it leaves, wherever the log is replayed: the
// flags and their checks, the rows, and the manifest. Between them is package replayer, in one process or in
// parts on many machines; that both leave the same bytes is because both begin and end here.
//
// A replay's directory has replay.csv, which follows from the log and the flags alone; replay.timing.csv,
// which depends on the machine; and run.json, which vouches for both and is written last.
package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/workload/logs"
)

// Log says which log was read: the files as they were named, how they turned out to be
// written, the order of the requests, and what was found in them.
func Log(files []string, decided logs.Options, order string, facts deal.Facts) *results.Log {
	n := facts.Read
	return &results.Log{
		Files: files, Format: string(decided.Format), Layout: decided.Layout(),
		Order: order, OutOfOrder: n.OutOfOrder,
		Lines: n.Lines, Faults: n.Faults, Passed: n.Passed, Blank: n.Blank, Events: n.Events,
		Exposures: facts.Exposures, Twice: facts.Twice, NotShown: facts.NotShown, Strayed: facts.Strayed,
		First: date(facts.First), Last: date(facts.Last),
	}
}

// Log is the package's, and how the log was replayed.
func (s Settings) Log(files []string, decided logs.Options, order string, facts deal.Facts) *results.Log {
	l := Log(files, decided, order, facts)
	l.Idle = text.Duration(s.Idle)
	if s.Idle == 0 {
		l.Idle = "never"
	}
	l.Record = "all that was shown"
	if s.Passed {
		l.Record = "what was reported as unseen"
	}
	if s.Show > 0 {
		l.Record += fmt.Sprintf(", the first %d of a request", s.Show)
	}
	return l
}

// Save writes rows into a directory and, last, the manifest, of which it fills in
// the files. Each is there whole or not at all.
func Save(dir string, m results.Manifest, rows, timing []results.Row) error {
	if err := results.WriteFile(filepath.Join(dir, results.FileName(results.Replay)), Dimensions, rows); err != nil {
		return err
	}
	times := filepath.Join(dir, results.TimingFileName(results.Replay))
	if err := results.WriteFile(times, Dimensions, timing); err != nil {
		return err
	}
	files, err := results.Sums(dir, results.Replay)
	if err != nil {
		return err
	}
	m.Experiments = []results.Status{{Name: results.Replay, Status: results.Done, Seconds: m.Seconds, Files: files}}
	return results.WriteManifest(dir, m)
}

// Overwrites is the error of a replay into a directory with this manifest, or what
// reading it came to: nil where there is none, or a replay's.
func Overwrites(dir string, m results.Manifest, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && (m.Log != nil || m.Started == ""):
		return nil
	case err != nil:
		return fmt.Errorf("--out: %w", err)
	}
	return fmt.Errorf("--out: %s holds a run of %d simulated users, whose manifest this would replace: "+
		"name another directory", dir, m.Users)
}

// Broken is the error of promises that were not kept, as the rows of a replay say.
func Broken(rows []results.Row) error {
	var broken []string
	for _, r := range rows {
		if n := r.Value.Or(0); r.Quantity == results.QInside && n > 0 {
			broken = append(broken, fmt.Sprintf("%s let %.0f of %d through", r.Strategy, n, r.Count))
		}
	}
	if broken == nil {
		return nil
	}
	return fmt.Errorf("repeats were shown inside the guaranteed window: %s", strings.Join(broken, ", "))
}

func date(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }
