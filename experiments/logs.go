package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dejavu/experiments/engine"
	"dejavu/experiments/replay"
	"dejavu/experiments/usage"
	"dejavu/results"
	"dejavu/workload/logs"
)

// logFlags say which log is read, and how.
type logFlags struct {
	Files          []string `arg:"" name:"file" help:"${logFiles}"`
	replay.Reading `embed:""`
	Workers        int `help:"Goroutines that read, and as many that count, 1 to 1024 (default: one per processor)."`
}

// shownFaults is how many lines that cannot be read are told one by one.
const shownFaults = 10

// A reading is a log being read, with its progress.
type reading struct {
	logs.Reader
	progress *engine.Progress
	read     int64
	faults   int
}

// open opens the log. The caller calls close.
func (f *logFlags) open(ctx context.Context, what string, stderr io.Writer) (*reading, error) {
	o, err := f.Options()
	switch {
	case err != nil:
		return nil, usage.Of(err)
	case f.Workers < 0 || f.Workers > 1024:
		return nil, usage.Errorf("--workers is %d, want 1 to 1024", f.Workers)
	}
	o.Workers = f.Workers
	r := &reading{progress: engine.NewProgress(stderr)}
	o.OnFault = func(fault logs.Fault) {
		if r.faults++; r.faults <= shownFaults {
			r.progress.Note("%v", fault)
		} else if r.faults == shownFaults+1 {
			r.progress.Note("further unreadable lines are counted, and not shown")
		}
	}
	if err := f.order(ctx, o, r); err != nil {
		return nil, usage.Of(err)
	}
	total := r.Position().Total
	r.progress.Start([]engine.Planned{{Name: what, Cost: 1}})
	r.progress.Begin(what, int(total))
	return r, nil
}

// read opens the log, has something read it, and closes it. It returns how the log was
// read.
func (f *logFlags) read(
	ctx context.Context, what string, stderr io.Writer, do func(log *reading) error,
) (logs.Options, error) {
	log, err := f.open(ctx, what, stderr)
	if err != nil {
		return logs.Options{}, err
	}
	defer log.close()
	err = log.done(what, do(log))
	return log.Decided(), err
}

// order opens the log in the order that is asked for.
func (f *logFlags) order(ctx context.Context, o logs.Options, r *reading) error {
	if f.Order == replay.ByFile {
		log, err := logs.Open(o, f.Files...)
		if err != nil {
			return err
		}
		log.Until(ctx)
		r.Reader = log
		return nil
	}
	log, err := logs.OpenOrdered(ctx, o, f.Files...)
	if err != nil {
		return err
	}
	told := false
	log.OnSort = func(p logs.Position) {
		if !told {
			told = true
			r.progress.Note("the log is sorted by time first; --order file takes it as it lies")
		}
		r.at(p)
	}
	r.Reader = log
	return nil
}

// at shows how far the reading is.
func (r *reading) at(p logs.Position) {
	if p.Total > 0 {
		r.progress.Add(int(p.Read - r.read))
	}
	r.read = p.Read
}

// done ends the reading. An interrupt has left the disk as it was.
func (r *reading) done(what string, err error) error {
	r.progress.Finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; nothing was written: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// close ends the reading of a log, at once.
func (r *reading) close() { _ = r.Close() } // its error was Err's

// logText is a line on the log that was read.
func logText(l *results.Log) string {
	names := make([]string, len(l.Files))
	for i, name := range l.Files {
		if names[i] = name; strconv.Quote(name) != `"`+name+`"` { // it would do something to a terminal
			names[i] = strconv.Quote(name)
		}
	}
	s := fmt.Sprintf("%s, %s to %s: %d lines, %d exposures",
		strings.Join(names, " "), l.First, l.Last, l.Lines, l.Exposures)
	for _, part := range []struct {
		n    int64
		what string
	}{
		{l.Faults, "%d lines cannot be read"},
		{l.Passed, "%d lines tell of no article"},
		{l.Twice, "%d articles are in their request already"},
		{l.NotShown, "%d events are acts on what was shown before"},
		{l.Strayed, "%d events lie more than 68 years from the first"},
	} {
		if part.n > 0 {
			s += ", " + fmt.Sprintf(part.what, part.n)
		}
	}
	s += fmt.Sprintf(", %d events out of order", l.OutOfOrder)
	if l.Order == replay.ByTime && l.OutOfOrder > 0 {
		s += ", taken in the order of their times"
	}
	if s += "."; l.Layout != "" {
		s += " Read as " + l.Layout + "."
	}
	return s
}
