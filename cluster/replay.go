package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dejavu/cluster/flink"
	"dejavu/cluster/internal/storage"
	"dejavu/cluster/replay"
)

// runReplay replays a log.
func runReplay(ctx context.Context, args []string) error {
	c := replay.Config{Args: append([]string{"replay"}, args...), Started: time.Now()}
	set := newFlags("replay")
	define(set, &c.Reading)
	define(set, &c.Settings)
	set.StringVar(&c.Out, "out", "out/replay", outHelp)
	set.IntVar(&c.Shards, "shards", 0,
		"shares of the users that are replayed apart (default: one for 32 MB of files, 4 at least, 10000 at most)")
	var err error
	if c.Named, err = parse(set, args); err != nil {
		return err
	}
	c.Asked = asked(set)
	local, err := begin(&c.Out)
	if err != nil {
		return err
	}
	if c, err = c.Find(ctx); err != nil { // before anything runs
		return usageError{err}
	}
	if c, err = c.Detect(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := replay.Replay(s, c); err != nil {
		return usageError{err}
	}
	fmt.Fprintf(os.Stderr, "%d files, the users in %d shards; results in %s\n", len(c.Files), c.Shards, c.Out)
	if err := flink.Run(ctx, p); err != nil {
		return err
	}
	if !local && !storage.IsRemote(c.Out) {
		const there = "Results are in %s of the worker that wrote them; `experiments plot --out` there makes the report.\n"
		fmt.Printf(there, c.Out)
		return nil
	}
	m, err := replay.Outcome(ctx, c.Out)
	if m.Log == nil {
		return err
	}
	fmt.Printf("%d exposures of %d users, %.3g s. Results are in %s;\n", m.Log.Exposures, m.Users, m.Seconds, c.Out)
	out := c.Out
	if storage.IsRemote(out) {
		out = "DIR, of a copy there"
	}
	fmt.Printf("the tables, the figures and the report: go run -C .. ./experiments plot --out %s\n", out)
	return err
}
