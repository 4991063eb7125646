// Package measure is what the service is measured and proven by: Compare takes turns between it and what people would
// use in its place, Prove kills it, and worse, while an exact model watches, Rows takes for real what the suite
// simulates. They are verbs of the program.
package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/strategies"
)

// Compare measures the service beside what people would use in its place: Redis with a set for each user, by a script,
// and a table of PostgreSQL. Each server is a process of its own on this machine, which is
// started here; callers are this process. The contenders take turns.
type Compare struct {
	Users    int           `help:"Number of users, each with a history." default:"30000"`
	Articles int           `help:"Articles that each user was shown before." default:"400"`
	For      time.Duration `help:"Time of each measurement." default:"3s"`
	Turns    int           `help:"Rounds, in each of which all are measured once." default:"5"`
	Callers  int           `help:"Concurrent calls, each over its own connection." default:"32"`
	Pipeline int           `help:"Refreshes sent together in the second table." default:"16"`
	Only     []string      `help:"Only contenders whose name contains one of these; the first is always measured."`
	Dir      string        `help:"Folder for the files (default: a temporary one)." type:"path"`
	Restart  bool          `help:"Measure only how long the service takes to start after a kill."`
}

// comparison is of one kind of durability.
type comparison struct {
	*Compare
	*fleet
	durable    bool
	out        io.Writer
	contenders []*contender
}

// Run measures, durable and not, and prints.
func (o *Compare) Run(ctx context.Context, out io.Writer) error {
	if o.Restart {
		return o.restarts(ctx, out)
	}
	fmt.Fprintf(out, "%d users, %d articles each; %d callers, %d candidates of which %d seen, %d recorded; "+
		"%d turns of %v each\n\n", o.Users, o.Articles, o.Callers, perRequest, perRequest/2, perPage, o.Turns, o.For)
	for _, durable := range []bool{true, false} {
		if err := o.compare(ctx, durable, out); err != nil {
			return err
		}
	}
	return nil
}

func (o *Compare) compare(ctx context.Context, durable bool, out io.Writer) error {
	c, end, err := o.begin(durable, out)
	if err != nil {
		return err
	}
	defer end()
	if err := c.start(ctx); err != nil {
		return err
	}
	for turn := range o.Turns {
		for _, k := range c.contenders {
			for _, kind := range []struct {
				*outcome
				each int
			}{{&k.outcome, 1}, {&k.piped, o.Pipeline}} {
				err := kind.turn(ctx, o.Callers, o.For, kind.each, k.server.spent, func(i int) func() error {
					return c.caller(ctx, k, i, turn, kind.each)
				})
				if err != nil {
					return fmt.Errorf("%s: %w", k.name, err)
				}
			}
		}
	}
	return c.report(ctx)
}

// begin makes the folder of a comparison, and end ends all that it has started.
func (o *Compare) begin(durable bool, out io.Writer) (c *comparison, end func(), err error) {
	dir, err := os.MkdirTemp(o.Dir, "dejavu-compare-")
	if err == nil {
		err = os.Chmod(dir, 0o711) // a server may run as another user
	}
	c = &comparison{Compare: o, durable: durable, out: out}
	if err == nil {
		c.fleet, err = newFleet(dir, "chain")
	}
	return c, func() { c.kill(); os.RemoveAll(dir) }, err
}

// start starts the contenders that are to be had, one after the other, and fills each.
func (c *comparison) start(ctx context.Context) error {
	one := func(k *contender, err error) ([]*contender, error) { return []*contender{k}, err }
	for i, of := range []struct {
		names string
		start func() ([]*contender, error)
	}{
		{"Redis, SET", func() ([]*contender, error) { return one(c.redisSet(ctx)) }},
		{"Dejavu", func() ([]*contender, error) {
			byRESP, byHTTP, err := c.service(ctx, "")
			return []*contender{byRESP, byHTTP}, err
		}},
		{"PostgreSQL", func() ([]*contender, error) { return one(c.postgres(ctx)) }},
	} {
		only := func(name string) bool { return strings.Contains(of.names, name) }
		if i > 0 && len(c.Only) > 0 && !slices.ContainsFunc(c.Only, only) {
			continue
		}
		some, err := of.start()
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintln(c.out, "left out:", err)
			continue
		}
		if err != nil {
			return err
		}
		if err := c.fill(ctx, some[0]); err != nil {
			return fmt.Errorf("%s: %w", some[0].name, err)
		}
		for _, k := range some[1:] {
			k.empty, k.full, k.next = some[0].empty, some[0].full, some[0].next
		}
		c.contenders = append(c.contenders, some...)
	}
	return nil
}

// article is the n-th of a user's own order, a number that fits what Redis and SQL call an integer.
func article(user, n int) uint64 {
	return uint64(strategies.Number(uint64(user)<<24|uint64(n))) >> 1
}

func (c *comparison) fill(ctx context.Context, k *contender) (err error) {
	k.next = make([]int, c.Users)
	if k.empty, err = k.server.memory(); err != nil {
		return err
	}
	began := time.Now()
	for n := 0; n < c.Articles; n += atOnce {
		if err := c.record(ctx, k, n, min(atOnce, c.Articles-n), 1); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "%s: filled in %.0f s\n", k.name, time.Since(began).Seconds())
	k.full, err = k.server.memory()
	return err
}

const together, atOnce = 100, 100 // users of a call that fills histories, and articles of each; a script takes no more

// record has a contender record the next articles of one user in so many.
func (c *comparison) record(ctx context.Context, k *contender, n, articles, of int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for from := 0; from < c.Users && ctx.Err() == nil; from += together * of {
		group.Go(func() error {
			var all []refresh
			for user := from; user < min(from+together*of, c.Users); user += of {
				r := refresh{user: user, candidates: make([]uint64, articles)}
				for i := range r.candidates {
					r.candidates[i] = article(user, n+i)
				}
				all = append(all, r)
			}
			return k.record(ctx, all)
		})
	}
	return group.Wait()
}

// caller makes the calls of one, for users whom no other calls for. Each user is asked about articles that were shown
// lately and about the next ones; every answer is to be a full page.
func (c *comparison) caller(ctx context.Context, k *contender, i, turn, each int) func() error {
	random := rand.New(rand.NewPCG(uint64(turn), uint64(i)))
	mine := (c.Users - i + c.Callers - 1) / c.Callers
	all := make([]refresh, each)
	return func() error {
		for at := range all {
			r := &all[at]
			r.user, r.candidates, r.shown = i+c.Callers*random.IntN(mine), r.candidates[:0], nil
			shown := c.Articles + k.next[r.user]
			for n := range perRequest / 2 {
				r.candidates = append(r.candidates, article(r.user, shown-1-random.IntN(min(shown, 200))), article(r.user, shown+n))
			}
		}
		if err := k.show(ctx, all); err != nil {
			return err
		}
		for _, r := range all {
			k.shows.Add(1)
			k.shown.Add(int64(len(r.shown)))
			last := -1 // of those that were next
			for _, a := range r.shown {
				last = max(last, slices.Index(r.candidates, a))
			}
			k.next[r.user] += (last + 1) / 2
		}
		return nil
	}
}

// report prints the two tables, and what a user takes.
func (c *comparison) report(ctx context.Context) error {
	how := map[bool]string{true: "durable before answered", false: "written, synced later"}[c.durable]
	for _, table := range []struct {
		of   func(*contender) *outcome
		each int
	}{
		{func(k *contender) *outcome { return &k.outcome }, 1}, {func(k *contender) *outcome { return &k.piped }, c.Pipeline},
	} {
		fmt.Fprintf(c.out, "\n%s, %d a call\n\n%-26s %9s %6s %9s %9s %9s %9s %6s\n", how, table.each,
			"", "shows/s", "ratio", "p50 ms", "p99 ms", "p99.9 ms", "cpu us", "ratio")
		first := table.of(c.contenders[0])
		for _, k := range c.contenders {
			o := table.of(k)
			fmt.Fprintf(c.out, "%-26s %9.0f %6.2f %9.2f %9.2f %9.2f %9.1f %6.2f\n", k.name, median(o.rates),
				ratio(o.rates, first.rates), o.ms(50), o.ms(99), o.ms(99.9), median(o.costs), ratio(o.costs, first.costs))
		}
	}
	fmt.Fprintf(c.out, "\n%-26s %12s %12s %12s %12s\n", "bytes a user", "anonymous", "resident", "disk", "shown a show")
	for _, k := range c.contenders {
		each := func(bytes int64) float64 { return float64(bytes) / float64(c.Users) }
		disk := "-"
		if k.disk != nil {
			bytes, err := k.disk(ctx)
			if err != nil {
				return err
			}
			disk = fmt.Sprintf("%.0f", each(bytes))
		}
		fmt.Fprintf(c.out, "%-26s %12.0f %12.0f %12s %12.2f\n", k.name, each(k.full.anonymous-k.empty.anonymous),
			each(k.full.resident), disk, float64(k.shown.Load())/float64(k.shows.Load()))
	}
	return nil
}
