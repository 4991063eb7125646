package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload/logs"
)

type replayCommand struct {
	logFlags   `embed:""`
	Strategies []string      `help:"Strategies of the catalogue, or all (default: the paper's four, chain-sized, beyond/ring and beyond/daily); 'list' shows them." placeholder:"NAME"`
	Idle       time.Duration `default:"24h" help:"Time without an article recorded after which a history is forgotten, in whole seconds, as 24h or 90m; 0 is never."`
	Passed     bool          `help:"Record only what a strategy lets through, as a live system does, so that each has a past of its own (default: record all that the log says was shown, as theory has it)."`
	Show       int           `help:"With --passed: of a request at most so many are shown, 1 or more (default: all that are let through)." placeholder:"N"`
	MaxUsers   int           `default:"${maxUsers}" help:"Readers that the log may have, 1 to ${maxUsers}."`
	Out        string        `default:"out/replay" help:"Directory for results, figures and the report." placeholder:"DIR"`
	Profile    string        `name:"cpuprofile" help:"Write a CPU profile to this file, for go tool pprof." placeholder:"FILE"`
}

// replayed are the strategies that a log is replayed with where none is named:
// the paper's, one that keeps what the paper's chain was meant to, and of what it
// did not try the exact window and the one that forgets by the calendar.
var replayed = []string{"queue", "single", "dual", "chain", "chain-sized", results.Beyond + "ring", results.Beyond + "daily"}

// check returns the entries named, or a usage error.
func (c *replayCommand) check() ([]catalogue.Entry, error) {
	names := c.Strategies
	if len(names) == 0 {
		names = replayed
	}
	if slices.Equal(names, []string{"all"}) {
		names = entryNames()
	}
	var chosen []catalogue.Entry
	for i, name := range names {
		e, err := catalogue.Find(name)
		switch {
		case err != nil:
			return nil, usagef("--strategies: unknown strategy %q, want some of %s", name, strings.Join(catalogue.Names(), ", "))
		case slices.Contains(names[:i], name):
			return nil, usagef("--strategies: %q is named twice", name)
		}
		chosen = append(chosen, e)
	}
	const longest = time.Duration(1<<32-1) * time.Second
	switch {
	case c.Idle < 0 || c.Idle > longest || c.Idle%time.Second != 0:
		return nil, usagef("--idle is %v, want whole seconds from 0 to %v", c.Idle, longest)
	case c.Show < 0:
		return nil, usagef("--show is %d, want 1 or more", c.Show)
	case c.Show > 0 && !c.Passed:
		return nil, usagef("--show is %d, which needs --passed: otherwise all that the log says is recorded", c.Show)
	case c.MaxUsers < 1 || c.MaxUsers > logs.MaxUsers:
		return nil, usagef("--max-users is %d, want 1 to %d", c.MaxUsers, logs.MaxUsers)
	}
	return chosen, nil
}

// run replays a log and reports.
func (c *replayCommand) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	chosen, err := c.check()
	if err != nil {
		return err
	}
	log, err := c.open(results.Replay, stderr)
	if err != nil {
		return err
	}
	defer log.close()
	if err := simulated(c.Out); err != nil {
		return err
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	if c.Profile != "" {
		stop, err := profile(c.Profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	s := &suite{ctx: ctx, out: c.Out, made: map[string]any{}}
	var subjects []measure.Subject
	for _, e := range chosen {
		subject, err := s.subject(e)
		if err != nil {
			return err
		}
		subjects = append(subjects, subject)
	}
	begin := time.Now()
	r := measure.Replay{
		Idle: store.Clock(c.Idle / time.Second), Passed: c.Passed, Most: c.Show, MaxUsers: c.MaxUsers, Progress: log.at,
	}
	tally, err := r.Run(ctx, subjects, log.Log, measure.Options{Workers: c.Workers})
	if err := log.done(results.Replay, err); err != nil {
		return err
	}
	all, facts := tally.Strategies, tally.Log
	rows, timing := replayRows(subjects, all, facts, tally.Machine)
	m := results.Manifest{
		Users: int(facts.Users), Args: args, Commit: results.Commit(), Program: programDigest(),
		Started: begin.UTC().Format(time.RFC3339), Environment: results.CurrentEnvironment(),
		Log: c.manifest(log.Log, facts),
	}
	if err := c.save(m, begin, rows, timing); err != nil {
		return err
	}
	if err := reportReplay(c.Out, stdout); err != nil {
		return err
	}
	return windowFault(subjects, all)
}

// manifest says which log was read.
func (c *replayCommand) manifest(log *logs.Log, facts measure.ReplayedLog) *results.Log {
	l := logManifest(c.Files, log, facts)
	l.Idle = brief(c.Idle)
	if c.Idle == 0 {
		l.Idle = "never"
	}
	l.Record = "all that was shown"
	switch {
	case c.Passed && c.Show > 0:
		l.Record = fmt.Sprintf("what was let through, the first %d of a request", c.Show)
	case c.Passed:
		l.Record = "what was let through"
	}
	return l
}

func logManifest(files []string, log *logs.Log, facts measure.ReplayedLog) *results.Log {
	n := facts.Read
	return &results.Log{
		Files: files, Format: string(log.Format()), Lines: n.Lines, Faults: n.Faults, Passed: n.Passed, Blank: n.Blank,
		Events: n.Events, Exposures: facts.Exposures, Twice: facts.Twice, NotShown: facts.NotShown, Strayed: facts.Strayed,
		First: date(facts.First), Last: date(facts.Last),
	}
}

// save writes the rows and, last, the manifest that vouches for them.
func (c *replayCommand) save(m results.Manifest, begin time.Time, rows, timing []results.Row) error {
	if err := results.WriteFile(filepath.Join(c.Out, results.FileName(results.Replay)), rows); err != nil {
		return err
	}
	if err := results.WriteFile(filepath.Join(c.Out, results.TimingFileName(results.Replay)), timing); err != nil {
		return err
	}
	files, err := results.Sums(c.Out, results.Replay)
	if err != nil {
		return err
	}
	m.Seconds = seconds(time.Since(begin))
	m.Experiments = []results.Status{{Name: results.Replay, Status: results.Done, Seconds: m.Seconds, Files: files}}
	return results.WriteManifest(c.Out, m)
}

// windowFault is the error of a promise that was not kept.
func windowFault(subjects []measure.Subject, all []measure.Replayed) error {
	var broken []string
	for i, s := range subjects {
		if n := all[i].WindowMisses; n > 0 {
			broken = append(broken, fmt.Sprintf("%s let %d of %d through", s.Name, n, all[i].WindowChecks))
		}
	}
	if broken == nil {
		return nil
	}
	return fmt.Errorf("repeats inside the window that a strategy promises: %s", strings.Join(broken, ", "))
}
