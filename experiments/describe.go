package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dejavu/experiments/describe"
	"dejavu/experiments/replay"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload/logs"
)

type describeCommand struct {
	logFlags `embed:""`
	Session  time.Duration `default:"30m" help:"${describeSession}"`
	MaxUsers int           `default:"${maxUsers}" help:"Users that the log may have, 1 to ${maxUsers}."`
	Fit      string        `help:"${describeFit}" placeholder:"FILE"`
	Markdown bool          `help:"Print Markdown."`
	Profile  string        `name:"cpuprofile" help:"${describeProfile}" placeholder:"FILE"`
}

// Run describes a log.
func (c *describeCommand) Run(ctx context.Context, p process) error {
	stdout := p.stdout
	switch {
	case c.Session < time.Second || c.Session > 24*time.Hour || c.Session%time.Second != 0:
		return usage.Errorf("--session is %v, want whole seconds from 1s to 24h", c.Session)
	case c.MaxUsers < 1 || c.MaxUsers > logs.MaxUsers:
		return usage.Errorf("--max-users is %d, want 1 to %d", c.MaxUsers, logs.MaxUsers)
	}
	log, err := c.open(ctx, results.Describe, p.stderr)
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
	say := func(line string) document.Block { return document.Paragraph(document.Literal(line)) }
	blocks := append([]document.Block{say(logText(m))}, document.Tables(describe.Tables(d, population)...)...)
	if poor := fit.Poor(); poor != "" {
		blocks = append(blocks, say(poor))
	}
	var failed error
	switch {
	case fault != nil && c.Fit != "":
		failed = fmt.Errorf("--fit: nothing was written: %w", fault)
	case fault != nil:
		blocks = append(blocks, say(fmt.Sprintf("No population: %v.", fault)))
	case c.Fit != "":
		if err := (describe.Fitted{Fit: fit, Log: m}).Write(c.Fit); err != nil {
			failed = fmt.Errorf("--fit: %w", err)
			break
		}
		blocks = append(blocks, say(fmt.Sprintf(
			"The population is in %s: 'experiments daily --population %[1]s --users N' simulates N such users.", c.Fit)))
	}
	if c.Markdown {
		_, err = io.WriteString(stdout, document.Markdown(blocks...))
	} else {
		err = show(stdout, blocks...)
	}
	return errors.Join(err, failed)
}
