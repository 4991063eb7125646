package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/engine"
	"dejavu/experiments/replay"
	"dejavu/experiments/suite"
	words "dejavu/experiments/text"
	"dejavu/experiments/usage"
	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/results"
)

type replayCommand struct {
	logFlags        `embed:""`
	replay.Settings `embed:""`
	Out             string `default:"out/replay" help:"Directory for results, figures and the report." placeholder:"DIR"`
	Force           bool   `help:"Replace what another run has left in --out."`
	Profile         string `name:"cpuprofile" help:"${replayProfile}" placeholder:"FILE"`
}

// Run replays a log and reports.
func (c *replayCommand) Run(ctx context.Context, p process, parsed *kong.Context) error {
	if err := c.Check(); err != nil {
		return usage.Of(err)
	}
	log, err := c.open(ctx, results.Replay, p.stderr)
	if err != nil {
		return err
	}
	defer log.close()
	wanted := results.Manifest{Log: &results.Log{Files: c.Files, Asked: asked(given(parsed))}}
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
		Users: int(tally.Log.Users), Args: p.args, Commit: sysinfo.Commit(), Program: engine.Program(),
		Started: begin.UTC().Format(time.RFC3339), Seconds: suite.Seconds(time.Since(begin).Seconds()),
		Environment: sysinfo.Environment(),
		Log:         c.Settings.Log(c.Files, log.Format(), c.Order, tally.Log),
	}
	m.Log.Layout, m.Log.Asked = log.Decided().Layout(), wanted.Log.Asked
	if err := replay.Save(c.Out, m, rows, timing); err != nil {
		return err
	}
	if err := reportReplay(c.Out, p.stdout); err != nil {
		return err
	}
	return replay.Broken(rows)
}

// asked are the flags that change what comes out of a replay, in the order of their names.
func asked(given []*kong.Flag) string {
	var flags []string
	for _, f := range given {
		switch f.Name {
		case "out", "force", "workers", "cpuprofile":
			continue
		}
		value := fmt.Sprint(f.Target.Interface())
		switch v := f.Target.Interface().(type) {
		case time.Duration:
			value = words.Duration(v)
		case []string:
			value = strings.Join(v, ",")
		case map[string]string:
			var pairs []string
			for what, column := range v {
				pairs = append(pairs, what+"="+column)
			}
			slices.Sort(pairs)
			value = strings.Join(pairs, ",")
		}
		if value != f.Default {
			flags = append(flags, fmt.Sprintf("--%s %s", f.Name, value))
		}
	}
	slices.Sort(flags)
	return strings.Join(slices.Compact(flags), " ")
}
