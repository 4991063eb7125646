package main

import (
	"context"
	"io"
	"time"

	"dejavu/experiments/replay"
	engine "dejavu/experiments/run"
	"dejavu/experiments/suite"
	"dejavu/experiments/usage"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/sysinfo"
)

type replayCommand struct {
	logFlags        `embed:""`
	replay.Settings `embed:""`
	Out             string `default:"out/replay" help:"Directory for results, figures and the report." placeholder:"DIR"`
	Force           bool   `help:"Replace what another run has left in --out."`
	Profile         string `name:"cpuprofile" help:"Write a CPU profile to this file, for go tool pprof." placeholder:"FILE"`
}

// run replays a log and reports.
func (c *replayCommand) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	if err := c.Check(); err != nil {
		return usage.Of(err)
	}
	log, err := c.open(ctx, results.Replay, stderr)
	if err != nil {
		return err
	}
	defer log.close()
	wanted := results.Manifest{Log: &results.Log{Files: c.Files}}
	if err := vacant(c.Out, wanted, []string{results.Replay}, c.Force); err != nil {
		return err
	}
	stop, err := profile(c.Profile)
	if err != nil {
		return err
	}
	defer stop()
	subjects, err := c.Subjects()
	if err != nil {
		return err
	}
	begin := time.Now()
	r := c.Config()
	r.Progress = log.at
	tally, err := r.Run(ctx, subjects, log, measure.Options{Workers: c.Workers})
	if err := log.done(results.Replay, err); err != nil {
		return err
	}
	rows, timing := replay.Rows(subjects, tally)
	m := results.Manifest{
		Users: int(tally.Log.Users), Args: args, Commit: sysinfo.Commit(), Program: engine.Program(),
		Started: begin.UTC().Format(time.RFC3339), Seconds: suite.Seconds(time.Since(begin).Seconds()), Environment: sysinfo.Environment(),
		Log: c.Settings.Log(c.Files, log.Format(), c.Order, tally.Log),
	}
	m.Log.Layout = log.Decided().Layout()
	if err := replay.Save(c.Out, m, rows, timing); err != nil {
		return err
	}
	if err := reportReplay(c.Out, stdout); err != nil {
		return err
	}
	return replay.Broken(rows)
}
