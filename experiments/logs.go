package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/describe"
	"dejavu/experiments/engine"
	"dejavu/experiments/replay"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/measure/deal"
	"dejavu/results"
	"dejavu/workload/logs"
)

// logFlags select a log, and how to read it.
type logFlags struct {
	Files          []string `arg:"" name:"file" help:"${logFiles}"`
	replay.Reading `embed:""`
	Workers        int `help:"${workers}"`

	found []logs.File // Files, with pipes copied
	shown bool        // that the user was shown how the log is read
	quiet bool
}

type reading struct {
	*logs.Log
	progress *engine.Progress
	read     int64
	faults   int
}

// at shows how far the reading is.
func (r *reading) at(p logs.Position) {
	if p.Total > 0 {
		r.progress.Add(int(p.Read - r.read))
	}
	r.read = p.Read
}

// shownFaults limits how many unreadable lines are reported one by one.
const shownFaults = 10

// fault reports a line that cannot be read.
func (r *reading) fault(f logs.Fault) {
	if r.faults++; r.faults <= shownFaults {
		r.progress.Note("%v", f)
	} else if r.faults == shownFaults+1 {
		r.progress.Note("further unreadable lines are counted, and not shown")
	}
}

// note prints a text, if there is one.
func (r *reading) note(text string) {
	if text != "" {
		r.progress.Note("%s", text)
	}
}

// read opens the log, has something read it, and closes it.
func (f *logFlags) read(ctx context.Context, what string, stderr io.Writer, do func(log *reading) error) error {
	o, err := f.Options()
	if err != nil {
		return usage.Of(err)
	}
	r := &reading{progress: engine.NewProgress(stderr)}
	o.OnFault = r.fault
	remove, err := f.find(ctx)
	defer remove()
	if ctx.Err() != nil {
		return interrupted(ctx.Err())
	}
	if err != nil {
		return usage.Of(err)
	}
	if err := f.open(ctx, o, r); err != nil {
		return usage.Of(err)
	}
	defer r.Close()
	r.progress.Start([]engine.Planned{{Name: what, Cost: 1 + float64(r.Position().Total)/20}}) // 20 MB a second
	r.progress.Begin(what, int(r.Position().Total))
	if err = cmp.Or(r.Begin(), usage.Of(r.Doubt())); err == nil {
		if !f.shown && !f.quiet {
			r.note(strings.Join(r.understood(), "\n"))
		}
		f.shown = true
		err = cmp.Or(do(r), usage.Of(r.Doubt()))
	}
	r.progress.Finish()
	switch {
	case errors.Is(err, context.Canceled):
		return interrupted(err)
	case errors.Is(err, deal.ErrNoExposure):
		l := replay.Log(f.Files, r.Decided(), f.Order, deal.Facts{Read: r.Counts()})
		return fmt.Errorf("%s: %w: %s%s", what, err, plural.Of(l.Lines, "line", "lines"), exceptions(l))
	case err != nil && !errors.As(err, new(usage.Error)):
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// interrupted returns the error of a verb that a signal ended before it wrote anything.
func interrupted(err error) error { return fmt.Errorf("interrupted; nothing was written: %w", err) }

// find looks for the files, and copies pipes, unless a caller did. The caller calls remove, also after an error.
func (f *logFlags) find(ctx context.Context) (remove func(), err error) {
	if f.found != nil {
		return func() {}, nil
	}
	f.found, remove, err = logs.Files(ctx, f.Files...)
	return remove, err
}

// understood says how the log is read, and what its first events are.
func (r *reading) understood() []string {
	if r.Decided().Format == "" { // nothing was read
		return r.Said()
	}
	return append([]string{"Read as " + r.Decided().Layout() + "."}, r.Said()...)
}

// open opens the log in the order that is asked for.
func (f *logFlags) open(ctx context.Context, o logs.Options, r *reading) (err error) {
	if r.Log, err = logs.Open(ctx, o, f.found); err != nil {
		return err
	}
	sorting := sync.OnceFunc(func() { r.progress.Note("sorting the log by time; --order file reads it as it is") })
	r.OnSort = func(p logs.Position) {
		sorting()
		r.at(p)
	}
	return nil
}

type describeCommand struct {
	logFlags `embed:""`
	Session  time.Duration `default:"30m" help:"${describeSession}"`
	Check    bool          `help:"Only say how the log is read, and what its first events are."`
	Fit      string        `help:"${describeFit}" placeholder:"FILE"`
	Markdown bool          `help:"Print Markdown."`
}

// Run describes a log.
func (c *describeCommand) Run(ctx context.Context, p process) error {
	if c.Session < time.Second || c.Session > 24*time.Hour || c.Session%time.Second != 0 {
		return usage.Errorf("--session is %v, want whole seconds from 1s to 24h", c.Session)
	}
	if c.Fit != "" {
		if err := engine.Writable("--fit", filepath.Dir(c.Fit)); err != nil {
			return usage.Of(err)
		}
	}
	var d *describe.Description
	var m *results.Log
	c.quiet = c.Check
	err := c.read(ctx, results.Describe, p.stderr, func(log *reading) (err error) {
		if c.Check {
			return show(p.stdout, paragraphs(append(log.understood(), warnings(&results.Log{Warnings: log.Warnings()})...))...)
		}
		config := describe.Config{Session: int(c.Session / time.Second), Progress: log.at}
		if d, err = config.Run(ctx, log, measure.Options{Workers: c.Workers}); err == nil {
			m = replay.Log(c.Files, log.Decided(), c.Order, d.Facts)
			m.Warnings, m.Said = log.Warnings(), log.Said()
		}
		return err
	})
	if err != nil || c.Check {
		return err
	}
	blocks, failed := c.describe(d, m)
	if c.Markdown {
		_, err = io.WriteString(p.stdout, document.Markdown(blocks...))
	} else {
		err = show(p.stdout, blocks...)
	}
	return errors.Join(err, failed)
}

// describe returns the description of a log, and an error if its population was not written.
func (c *describeCommand) describe(d *describe.Description, m *results.Log) (blocks []document.Block, failed error) {
	say := func(line string) { blocks = append(blocks, document.Paragraph(document.Literal(line))) }
	fit, err := describe.FitDaily(d)
	blocks = append(paragraphs(append(warnings(m), logText(m))), document.Tables(describe.Tables(d, fit)...)...)
	switch {
	case err != nil && c.Fit != "":
		return blocks, fmt.Errorf("--fit: nothing was written: %w", err)
	case err != nil:
		say(fmt.Sprintf("No population: %v.", err))
	case fit.Poor() != "":
		say(fit.Poor())
	}
	if c.Fit == "" {
		return blocks, nil
	}
	fit.Log = m
	if err := fit.Write(c.Fit); err != nil {
		return blocks, fmt.Errorf("--fit: %w", err)
	}
	say(fmt.Sprintf("The population is in %s: 'experiments --population %[1]s --users N' runs the experiments with N such users.",
		c.Fit))
	return blocks, nil
}

type replayCommand struct {
	logFlags        `embed:""`
	replay.Settings `embed:""`
	Out             string `default:"out/replay" help:"${outDir}" placeholder:"DIR"`
	Force           bool   `help:"${force}"`
}

// Run replays a log and reports.
func (c *replayCommand) Run(ctx context.Context, p process, parsed *kong.Context) error {
	if err := c.Check(); err != nil {
		return usage.Of(err)
	}
	subjects, err := c.Subjects()
	if err != nil {
		return err
	}
	asked := replay.Asked(parsed)
	m := results.Manifest{Log: &results.Log{Files: c.Files, Asked: asked}}
	var tally replay.Tally
	begin := time.Now()
	err = c.read(ctx, results.Replay, p.stderr, func(log *reading) error {
		if err := usage.Of(engine.Vacant(c.Out, m, []string{results.Replay}, c.Force)); err != nil {
			return err
		}
		r := c.Config()
		r.Progress = log.at
		tally, err = r.Run(ctx, subjects, log, measure.Options{Workers: c.Workers})
		m.Log = c.Settings.Log(c.Files, log.Decided(), c.Order, tally.Log)
		m.Log.Asked, m.Log.Warnings, m.Log.Said = asked, log.Warnings(), log.Said()
		return err
	})
	if err != nil {
		return err
	}
	rows, timing := replay.Rows(subjects, tally)
	m.Users, m.Args, m.Environment = int(tally.Log.Users), p.args, sysinfo.Environment()
	m.Commit, m.Program = sysinfo.Commit(), engine.Program()
	m.Started, m.Seconds = begin.UTC().Format(time.RFC3339), suite.Seconds(time.Since(begin).Seconds())
	run, err := replay.Save(c.Out, m, rows, timing)
	if err != nil {
		return err
	}
	return cmp.Or(writeReport(c.Out, run, p.stdout, true), replay.Broken(rows))
}
