package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dejavu/results"
	"dejavu/workload/logs"
)

// logFlags say which log is read, and how.
type logFlags struct {
	Files    []string          `arg:"" name:"file" help:"The log: one or more files or patterns, in order; packed with gzip or zstd too; - is the standard input."`
	Format   string            `default:"auto" help:"mind, kuairand, otto, adressa, csv, or auto: the first line tells." placeholder:"FORMAT"`
	Columns  map[string]string `mapsep:"," help:"Of a CSV: which column holds what, of user, article, time, clicked and request, as user=reader_id,article=item. Numbers with --no-header." placeholder:"WHAT=COLUMN"`
	Comma    string            `default:"," help:"Of a CSV: what stands between its fields; tab is a tab." placeholder:"CHARACTER"`
	Clock    string            `default:"auto" help:"How times are written: s or ms since 1970, rfc3339, or auto: the format's own." placeholder:"CLOCK"`
	NoHeader bool              `help:"Of a CSV: the first line is data."`
	Faults   int               `default:"1000" help:"Lines that may be unreadable, 0 or more; the next ends the command."`
	Share    float64           `default:"0.1" help:"Share of the lines that may be unreadable, above 0 and up to 1, looked at when the log ends."`
	Workers  int               `help:"Goroutines that read, and as many that count, 1 to 1024 (default: one per processor)."`
}

// options checks the flags.
func (f *logFlags) options() (logs.Options, error) {
	o := logs.Options{NoHeader: f.NoHeader, MaxFaults: f.Faults, MaxShare: f.Share, Workers: f.Workers}
	if f.Format != "auto" {
		format, err := logs.ParseFormat(f.Format)
		if err != nil {
			return o, usagef("--format is %q, want auto or one of %v", f.Format, logs.Formats())
		}
		o.Format = format
	}
	places := map[string]*string{
		"user": &o.Columns.User, "article": &o.Columns.Article, "time": &o.Columns.Time,
		"clicked": &o.Columns.Clicked, "request": &o.Columns.Request,
	}
	for what, column := range f.Columns {
		place, ok := places[what]
		switch {
		case !ok:
			return o, usagef("--columns has %q, want user, article, time, clicked or request", what)
		case column == "":
			return o, usagef("--columns gives %s no column", what)
		}
		*place = column
	}
	switch {
	case f.Comma == "tab" || f.Comma == `\t`:
		o.Comma = '\t'
	case len(f.Comma) == 1:
		o.Comma = f.Comma[0]
	default:
		return o, usagef("--comma is %q, want one ASCII character, or tab", f.Comma)
	}
	if f.Clock != "auto" {
		if o.Clock = logs.Clock(f.Clock); !slices.Contains([]logs.Clock{logs.Seconds, logs.Millis, logs.RFC3339}, o.Clock) {
			return o, usagef("--clock is %q, want auto, s, ms or rfc3339", f.Clock)
		}
	}
	switch {
	case f.Faults < 0:
		return o, usagef("--faults is %d, want 0 or more", f.Faults)
	case !(f.Share > 0 && f.Share <= 1):
		return o, usagef("--share is %v, want above 0 and up to 1", f.Share)
	case f.Workers < 0 || f.Workers > 1024:
		return o, usagef("--workers is %d, want 1 to 1024", f.Workers)
	}
	if f.Faults == 0 {
		o.MaxFaults = -1
	}
	return o, nil
}

// shownFaults is how many lines that cannot be read are told one by one.
const shownFaults = 10

// A reading is a log being read, with its progress.
type reading struct {
	*logs.Log
	progress *progress
	read     int64
	faults   int
}

// open opens the log. The caller calls close.
func (f *logFlags) open(what string, stderr interface{ Write([]byte) (int, error) }) (*reading, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	r := &reading{}
	o.OnFault = func(fault logs.Fault) {
		if r.faults++; r.faults <= shownFaults {
			r.progress.note("%v", fault)
		} else if r.faults == shownFaults+1 {
			r.progress.note("more lines cannot be read; they are counted")
		}
	}
	if r.Log, err = logs.Open(o, f.Files...); err != nil {
		return nil, usageError{err}
	}
	total := r.Position().Total
	r.progress = newProgress(stderr, []planned{{name: what, cost: 1}})
	r.progress.begin(what)
	r.progress.expect(int(total))
	return r, nil
}

// at shows how far the reading is.
func (r *reading) at(p logs.Position) {
	if p.Total > 0 {
		r.progress.add(int(p.Read - r.read))
	}
	r.read = p.Read
}

// done ends the reading. An interrupt has left the disk as it was.
func (r *reading) done(what string, err error) error {
	r.progress.finish()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted; nothing was written: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// close ends the reading of a log: at once, unless a pipe keeps it waiting.
func (r *reading) close() { _ = r.Log.Close() } // its error was Err's

// logText is a line on the log that was read.
func logText(l *results.Log) string {
	s := fmt.Sprintf("%s, %s to %s: %d lines, %d exposures",
		strings.Join(l.Files, " "), l.First, l.Last, l.Lines, l.Exposures)
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
	return s + "."
}

// brief is a duration without units that are nothing: 24h, 90m0s as 1h30m.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func date(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

// simulated is the error of writing into a directory that holds a simulated run.
func simulated(out string) error {
	m, err := results.ReadManifest(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && (m.Log != nil || m.Started == "") {
		return nil
	}
	if err != nil {
		return usagef("--out: %w", err)
	}
	return usagef("--out: %s holds a run of %d simulated users, whose manifest this would replace: name another directory", out, m.Users)
}
