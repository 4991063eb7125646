package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"dejavu/experiments/choose"
	"dejavu/experiments/describe"
	"dejavu/experiments/engine"
	"dejavu/experiments/replay"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/store"
)

type chooseCommand struct {
	Users          *int           `help:"${chooseUsers}"`
	Window         *int           `help:"${chooseWindow}"`
	FPR            float64        `name:"fpr" default:"0.02" help:"${chooseFPR}"`
	Memory         size           `help:"${chooseMemory}" placeholder:"SIZE"`
	Articles       int            `help:"${chooseArticles}"`
	Numbered       bool           `help:"${chooseNumbered}"`
	Paper          bool           `help:"Only the four strategies of the paper, not the structures beyond it."`
	Markdown       bool           `xor:"form" help:"Print Markdown."`
	JSON           bool           `xor:"form" name:"json" help:"Print JSON."`
	All            bool           `help:"${chooseAll}"`
	Log            []string       `sep:"none" group:"Of a log:" help:"${chooseLog}" placeholder:"FILE"`
	Repeats        *float64       `group:"Of a log:" help:"${chooseRepeats}"`
	Idle           *time.Duration `group:"Of a log:" help:"${chooseIdle}"`
	replay.Reading `embed:"" group:"Of a log:"`
	Workers        int    `group:"Of a log:" help:"${workers}"`
	Out            string `group:"Of a log:" help:"${chooseOut}" placeholder:"DIR"`
}

// ofLog is the group of the flags for a log only.
const ofLog = "Of a log:"

// errNothingFits ends the command with a status that a script can ask for.
var errNothingFits = errors.New(
	"nothing meets all of --users, --window, --fpr and --memory: relax one, as suggested above")

// Run prints the strategies that fit, and which constraint to relax for the others.
func (c *chooseCommand) Run(ctx context.Context, p process, parsed *kong.Context) error {
	if len(c.Log) > 0 {
		return c.ofLog(ctx, p)
	}
	for _, f := range given(parsed) {
		if f.Group != nil && f.Group.Key == ofLog {
			return usage.Errorf("--%s needs --log FILE", f.Name)
		}
	}
	n := c.need(choose.Need{Users: 10_000_000, Window: choose.DefaultWindow})
	if err := n.Check(); err != nil {
		return usage.Of(err)
	}
	all, err := choose.Offers(n)
	if err != nil {
		return err
	}
	return c.print(p.stdout, n, all, nil)
}

// need returns the user's needs: n, with the flags that are set.
func (c *chooseCommand) need(n choose.Need) choose.Need {
	n.FPR, n.Memory, n.MemoryTyped = c.FPR, c.Memory.bytes, c.Memory.typed
	n.Numbered, n.Paper = c.Numbered, c.Paper
	n.Articles = cmp.Or(c.Articles, n.Articles)
	n.Users, n.Window = flagOr(c.Users, n.Users), flagOr(c.Window, n.Window)
	return n
}

// flagOr returns the flag's value, or otherwise if the flag is not set.
func flagOr[T any](flag *T, otherwise T) T {
	if flag == nil {
		return otherwise
	}
	return *flag
}

func (c *chooseCommand) print(stdout io.Writer, n choose.Need, all []choose.Offer, log *choose.Log) (err error) {
	switch {
	case c.JSON:
		err = choose.WriteJSON(stdout, n, all, log)
	default:
		answer := choose.Answer(n, all, log, c.All)
		if c.Markdown {
			_, err = io.WriteString(stdout, document.Markdown(answer...))
			break
		}
		if c.All { // a terminal shows the end
			answer = append(answer, choose.Answer(n, all, log, false)...)
		}
		err = show(stdout, answer...)
	}
	if err == nil && choose.Fitting(all) == 0 {
		err = errNothingFits
	}
	return err
}

// ofLog chooses for a log's users, and sees how what the log's first part recommends fares on the rest.
func (c *chooseCommand) ofLog(ctx context.Context, p process) error {
	if err := c.checkLog(); err != nil {
		return usage.Of(err)
	}
	files := &logFlags{Files: c.Log, Reading: c.Reading, Workers: c.Workers}
	remove, err := files.find(ctx)
	defer remove()
	if err != nil {
		return usage.Of(err)
	}
	l, from, err := c.recommend(ctx, p, files, 0, 0)
	if err != nil {
		return err
	}
	if l.Seen != nil && l.Days > 0 {
		first, _, err := c.recommend(ctx, p, files, l.Needed.Users, from)
		switch {
		case err == nil:
			l.HeldOut(from, first)
		case errors.As(err, new(usage.Error)):
			l.Held = &choose.Held{From: from, Why: err.Error()}
		default:
			return err
		}
	}
	if c.Out != "" {
		if err := l.Save(c.Out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return c.print(p.stdout, l.Needed, l.Offers, l)
}

// recommend describes the log, sizes the strategies for it, and replays the log with the recommended one. If until is
// not 0, the description covers only the log before it, for the given users. The replay counts apart from until on, or
// for the last fifth of the log's time.
func (c *chooseCommand) recommend(
	ctx context.Context, p process, files *logFlags, users int, until int64,
) (l *choose.Log, from int64, err error) {
	o := measure.Options{Workers: c.Workers}
	idle := flagOr(c.Idle, -time.Second) // below 0 if not asked for
	config := describe.Config{Idle: store.Timestamp(max(idle, 0) / time.Second), Until: until}
	var d *describe.Description
	var seen results.Log
	err = files.read(ctx, results.Describe, p.stderr, func(log *reading) (err error) {
		config.Progress = log.at
		if d, err = config.Run(ctx, log, o); err != nil {
			return err
		}
		seen.Warnings = log.Warnings()
		log.note(logText(replay.Log(c.Log, log.Decided(), c.Order, d.Facts)))
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if until == 0 {
		said := p.stdout
		if c.JSON {
			said = p.stderr
		}
		if err := show(said, paragraphs(warnings(&seen))...); err != nil {
			return nil, 0, err
		}
	}
	l, err = choose.Ask(c.need(choose.Need{Users: users}), d, flagOr(c.Repeats, 0.99), int64(idle/time.Second))
	if err = cmp.Or(err, l.Needed.Check()); err != nil {
		return nil, 0, usage.Of(err)
	}
	l.Files, from = c.Log, cmp.Or(until, choose.HeldFrom(d))
	if fits, err := l.Recommend(); !fits || err != nil {
		return l, from, err
	}
	settings := replay.Settings{
		Strategies: []string{l.Spec}, Idle: time.Duration(l.Idle) * time.Second,
	}
	subjects, err := settings.Subjects()
	if err != nil {
		return nil, 0, err
	}
	err = files.read(ctx, results.Replay, p.stderr, func(log *reading) error {
		r := settings.Config()
		r.Progress, r.From = log.at, from
		tally, err := r.Run(ctx, subjects, log, o)
		if err != nil {
			return err
		}
		if l.Replayed(tally); until == 0 && tally.Log.Exposures != d.Exposures {
			log.note(fmt.Sprintf("the log changed meanwhile: it had %s, and now %d",
				plural.Of(d.Exposures, "exposure", "exposures"), tally.Log.Exposures))
		}
		l.Read = logText(replay.Log(c.Log, log.Decided(), c.Order, tally.Log))
		return nil
	})
	return l, from, err
}

// checkLog returns an error for wrong flags of a log.
func (c *chooseCommand) checkLog() error {
	share, settings := flagOr(c.Repeats, 1), replay.Settings{Idle: flagOr(c.Idle, 0)}
	if !(share > 0 && share <= 1) {
		return fmt.Errorf("--repeats is %v, want above 0 and up to 1", share)
	}
	if c.Out != "" {
		if err := usage.Of(engine.Writable("--out", c.Out)); err != nil {
			return err
		}
	}
	return cmp.Or(settings.Check(), c.need(choose.Need{Users: 1, Window: 1}).Check())
}
