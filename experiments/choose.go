package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/choice"
	"dejavu/experiments/describe"
	"dejavu/experiments/replay"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload/logs"
)

type chooseCommand struct {
	Users          *int           `help:"${chooseUsers}"`
	Window         *int           `help:"${chooseWindow}"`
	FPR            float64        `name:"fpr" default:"0.02" help:"${chooseFPR}"`
	Memory         size           `help:"${chooseMemory}" placeholder:"SIZE"`
	Articles       int            `help:"${chooseArticles}"`
	Paper          bool           `help:"Only the four strategies of the paper, not the structures beyond it."`
	Markdown       bool           `xor:"form" help:"Print Markdown."`
	CSV            bool           `xor:"form" name:"csv" help:"${chooseCSV}"`
	JSON           bool           `xor:"form" name:"json" help:"Print JSON."`
	Log            []string       `sep:"none" group:"Of a log:" help:"${chooseLog}" placeholder:"FILE"`
	Repeats        *float64       `group:"Of a log:" help:"${chooseRepeats}"`
	Idle           *time.Duration `group:"Of a log:" help:"${chooseIdle}"`
	replay.Reading `embed:"" group:"Of a log:"`
	Workers        int `group:"Of a log:" help:"${workers}"`
}

// ofLog is the group of the flags that a log alone has.
const ofLog = "Of a log:"

// errNothingFits ends the command with a status that a script can ask for.
var errNothingFits = errors.New("no strategy fits; what is printed says which constraint to relax")

// Run prints the strategies that fit, and which constraint to relax for the others.
func (c *chooseCommand) Run(ctx context.Context, p process, parsed *kong.Context) error {
	if len(c.Log) > 0 {
		return c.ofLog(ctx, p)
	}
	for _, f := range given(parsed) {
		if f.Group != nil && f.Group.Key == ofLog {
			return usage.Errorf("--%s is of a log, which needs --log FILE", f.Name)
		}
	}
	n := c.need(choice.Need{Users: 10_000_000, Window: choice.DefaultWindow})
	if err := n.Check(); err != nil {
		return usage.Of(err)
	}
	all, err := choice.Offers(n)
	if err != nil {
		return err
	}
	return c.print(p.stdout, n, all, nil)
}

// need is what the flags ask for, and otherwise what is given.
func (c *chooseCommand) need(n choice.Need) choice.Need {
	n.FPR, n.Memory, n.Paper = c.FPR, int64(c.Memory), c.Paper
	n.Articles = cmp.Or(c.Articles, n.Articles)
	n.Users, n.Window = flagOr(c.Users, n.Users), flagOr(c.Window, n.Window)
	return n
}

// flagOr is what a flag says, and where it was not given something else.
func flagOr[T any](flag *T, otherwise T) T {
	if flag == nil {
		return otherwise
	}
	return *flag
}

// print prints the offers, and of a log what it says.
func (c *chooseCommand) print(stdout io.Writer, n choice.Need, all []choice.Offer, log *choice.Log) (err error) {
	switch {
	case c.CSV:
		err = choice.WriteCSV(stdout, all)
	case c.JSON:
		err = choice.WriteJSON(stdout, n, all, log)
	default:
		width := columns(stdout)
		answer := choice.Text(n, all, log, c.Markdown, width)
		if !c.Markdown {
			answer = document.Wrap(answer, width, "    ") // lines of Go are broken where a terminal is narrower
		}
		_, err = io.WriteString(stdout, answer)
	}
	if err == nil && choice.Fitting(all) == 0 {
		err = errNothingFits
	}
	return err
}

// ofLog chooses for a log's users: it describes the log, sizes the strategies for what
// that says, and replays the log with the one that is recommended.
func (c *chooseCommand) ofLog(ctx context.Context, p process) error {
	share, idle, err := c.checkLog()
	if err != nil {
		return usage.Of(err)
	}
	files := logFlags{Files: c.Log, Reading: c.Reading, Workers: c.Workers}
	o := measure.Options{Workers: c.Workers}
	var d *describe.Description
	err = files.read(ctx, results.Describe, p.stderr, "", func(log *reading) (err error) {
		d, err = describe.Config{Idle: store.Timestamp(max(idle, 0) / time.Second), Progress: log.at}.Run(ctx, log, o)
		if err != nil {
			return err
		}
		if doubt := files.doubt(log.Decided(), d.Facts); doubt != "" {
			return usage.Errorf("%s", doubt)
		}
		return nil
	})
	if err != nil {
		return err
	}
	n, asked, err := choice.Ask(c.need(choice.Need{}), d, share, int64(idle/time.Second))
	if err == nil {
		err = n.Check()
	}
	if err != nil {
		return usage.Of(err)
	}
	asked.Files = c.Log
	all, err := choice.Offers(n)
	if err != nil {
		return err
	}
	if !asked.Recommend(n, all) || c.CSV {
		return c.print(p.stdout, n, all, asked)
	}
	settings := replay.Settings{
		Strategies: []string{asked.Spec}, Idle: time.Duration(asked.Idle) * time.Second, MaxUsers: logs.MaxUsers,
	}
	subjects, err := settings.Subjects()
	if err != nil {
		return err
	}
	err = files.read(ctx, results.Replay, p.stderr, "", func(log *reading) error {
		r := settings.Config()
		r.Progress = log.at
		tally, err := r.Run(ctx, subjects, log, o)
		if err != nil {
			return err
		}
		asked.Replayed(tally)
		asked.Read = logText(replay.Log(c.Log, log.Decided(), c.Order, tally.Log))
		return nil
	})
	if err != nil {
		return err
	}
	return c.print(p.stdout, n, all, asked)
}

// checkLog says what is wrong with the flags of a log, and which they are; idle is below 0 where nobody asked for one.
func (c *chooseCommand) checkLog() (share float64, idle time.Duration, err error) {
	share, idle = flagOr(c.Repeats, 0.99), flagOr(c.Idle, -time.Second)
	settings := replay.Settings{MaxUsers: logs.MaxUsers, Idle: flagOr(c.Idle, 0)}
	switch {
	case !(share > 0 && share <= 1):
		err = fmt.Errorf("--repeats is %v, want above 0 and up to 1", share)
	case slices.Contains(c.Log, "-"):
		err = errors.New("--log is -, the standard input, which can be read once: a log is read twice, name a file")
	default:
		err = cmp.Or(settings.Check(), c.need(choice.Need{Users: 1, Window: 1}).Check())
	}
	return share, idle, err
}
