package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay"
	"dejavu/experiments/usage"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload/logs"
)

type describeCommand struct {
	logFlags `embed:""`
	Session  time.Duration `default:"30m" help:"Refreshes of a user this long apart at most are of one session, whole seconds from 1s to 24h."`
	MaxUsers int           `default:"${maxUsers}" help:"Users that the log may have, 1 to ${maxUsers}."`
	Fit      string        `help:"Write the fitted population to this file, for 'daily --population'." placeholder:"FILE"`
	Markdown bool          `help:"Print Markdown."`
	Profile  string        `name:"cpuprofile" help:"Write a CPU profile to this file, for go tool pprof." placeholder:"FILE"`
}

// run describes a log.
func (c *describeCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case c.Session < time.Second || c.Session > 24*time.Hour || c.Session%time.Second != 0:
		return usage.Errorf("--session is %v, want whole seconds from 1s to 24h", c.Session)
	case c.MaxUsers < 1 || c.MaxUsers > logs.MaxUsers:
		return usage.Errorf("--max-users is %d, want 1 to %d", c.MaxUsers, logs.MaxUsers)
	}
	log, err := c.open(ctx, results.Describe, stderr)
	if err != nil {
		return err
	}
	defer log.close()
	stop, err := profile(c.Profile)
	if err != nil {
		return err
	}
	defer stop()
	d, err := describe.Config{Session: int(c.Session / time.Second), MaxUsers: c.MaxUsers, Progress: log.at}.
		Run(ctx, log, measure.Options{Workers: c.Workers})
	if err := log.done(results.Describe, err); err != nil {
		return err
	}
	m := replay.Log(c.Files, log.Format(), c.Order, d.Facts)
	m.Layout = log.Decided().Layout()
	var population *describe.Fit
	fit, fault := describe.FitDaily(d)
	if fault == nil {
		population = &fit
	}
	fmt.Fprintln(stdout, logText(m))
	for _, t := range describe.Tables(d, population) {
		if len(t.Rows) == 0 {
			continue
		}
		text := t.Within(columns(stdout))
		if c.Markdown {
			text = t.Markdown()
		}
		fmt.Fprintf(stdout, "\n%s", text)
	}
	if poor := fit.Poor(); poor != "" {
		fmt.Fprintf(stdout, "\n%s\n", poor)
	}
	switch {
	case fault != nil && c.Fit != "":
		return fmt.Errorf("--fit: nothing was written: %w", fault)
	case fault != nil:
		fmt.Fprintf(stdout, "\nNo population: %v.\n", fault)
	case c.Fit != "":
		if err := (describe.Fitted{Fit: fit, Log: m}).Write(c.Fit); err != nil {
			return fmt.Errorf("--fit: %w", err)
		}
		fmt.Fprintf(stdout, "\nThe population is in %s: 'experiments daily --population %s --users N' simulates N such users.\n", c.Fit, c.Fit)
	}
	return nil
}
