// Package measure has the program's verbs that measure and prove the service: Compare runs it beside Redis, Prove kills
// it, and does worse, while an exact model checks every answer.
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

	"dejavu/internal/sysinfo"
	"dejavu/strategies"
)

// Compare measures the service beside Redis with a set for each user, by a script. Both are started here, as processes of
// their own; callers are this process. The contenders take turns. docs/live-inside.md says how to add another.
type Compare struct {
	Users    int           `help:"Number of users, each with a history." default:"30000"`
	Articles int           `help:"Articles that each user was shown before." default:"400"`
	For      time.Duration `help:"Time of each measurement." default:"3s"`
	Turns    int           `help:"Rounds, in each of which all are measured once." default:"5"`
	Callers  int           `help:"Concurrent calls, each over its own connection." default:"32"`
	Pipeline int           `help:"Refreshes sent together in the second table." default:"16"`
	Dir      string        `help:"Folder for the files (default: a temporary one)." type:"path"`
	Into     string        `help:"Document to put the tables into, as docs/live-inside.md." type:"existingfile"`
}

// comparison is of one kind of durability.
type comparison struct {
	*Compare
	*fleet
	durable    bool
	out        io.Writer
	contenders []*contender
}

// The tables lie between these lines of a document.
const beginTables, endTables = "<!-- compare -->\n", "<!-- end compare -->\n"

// Run measures, durable and not, and prints.
func (o *Compare) Run(ctx context.Context, out io.Writer) error {
	e := sysinfo.Environment()
	tables := fmt.Sprintf("%d users, %d articles each; %d callers, %d candidates of which %d seen, %d recorded; "+
		"%d turns of %v each. %s, %d processors, %s.\n",
		o.Users, o.Articles, o.Callers, perRequest, perRequest/2, perPage, o.Turns, o.For, e.CPU, e.CPUs, e.Go)
	for _, durable := range []bool{true, false} {
		more, err := o.compare(ctx, durable, out)
		if err != nil {
			return err
		}
		tables += more
	}
	if o.Into == "" {
		_, err := fmt.Fprintf(out, "\n%s", tables)
		return err
	}
	b, err := os.ReadFile(o.Into)
	before, rest, begins := strings.Cut(string(b), beginTables)
	_, after, ends := strings.Cut(rest, endTables)
	if err == nil && !(begins && ends) {
		err = fmt.Errorf("--into %s: it has no lines %q and %q to put the tables between", o.Into, beginTables, endTables)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(o.Into, []byte(before+beginTables+tables+endTables+after), 0o666)
}

// compare returns the tables of one kind of durability.
func (o *Compare) compare(ctx context.Context, durable bool, out io.Writer) (tables string, err error) {
	c, end, err := o.begin(durable, out)
	if err != nil {
		return "", err
	}
	defer end()
	if err := c.start(ctx); err != nil {
		return "", err
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
					return "", fmt.Errorf("%s: %w", k.name, err)
				}
			}
		}
	}
	return c.tables(), nil
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

// start starts the contenders, one after the other, and fills each. A Redis that is not installed is left out.
func (c *comparison) start(ctx context.Context) error {
	redis, err := c.redisSet(ctx)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintln(c.out, "left out:", err)
	case err != nil:
		return err
	default:
		if err := c.fill(ctx, redis); err != nil {
			return fmt.Errorf("%s: %w", redis.name, err)
		}
		c.contenders = append(c.contenders, redis)
	}
	byRESP, byHTTP, err := c.service(ctx)
	if err == nil {
		err = c.fill(ctx, byRESP)
	}
	if err != nil {
		return fmt.Errorf("the service: %w", err)
	}
	byHTTP.empty, byHTTP.full, byHTTP.next = byRESP.empty, byRESP.full, byRESP.next
	c.contenders = append(c.contenders, byRESP, byHTTP)
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
		if err := c.record(ctx, k, n, min(atOnce, c.Articles-n)); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.out, "%s: filled in %.0f s\n", k.name, time.Since(began).Seconds())
	k.full, err = k.server.memory()
	return err
}

const together, atOnce = 100, 100 // users of a call that fills histories, and articles of each; a script takes no more

// record has a contender record articles of every user, from the n-th of each on.
func (c *comparison) record(ctx context.Context, k *contender, n, articles int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for from := 0; from < c.Users && ctx.Err() == nil; from += together {
		group.Go(func() error {
			var all []refresh
			for user := from; user < min(from+together, c.Users); user++ {
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

// tables returns two tables of calls, and one of what a user takes.
func (c *comparison) tables() string {
	var b strings.Builder
	how := map[bool]string{true: "durable before answered", false: "written, synced later"}[c.durable]
	for _, table := range []struct {
		of   func(*contender) *outcome
		each int
	}{
		{func(k *contender) *outcome { return &k.outcome }, 1}, {func(k *contender) *outcome { return &k.piped }, c.Pipeline},
	} {
		fmt.Fprintf(&b, "\n| %s, %d a call | shows/s | ratio | p50 ms | p99 ms | p99.9 ms | processor, µs a show | ratio |\n"+
			"|---|---:|---:|---:|---:|---:|---:|---:|\n", how, table.each)
		first := table.of(c.contenders[0])
		for _, k := range c.contenders {
			o := table.of(k)
			fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f |\n", k.name, median(o.rates),
				ratio(o.rates, first.rates), o.ms(50), o.ms(99), o.ms(99.9), median(o.costs), ratio(o.costs, first.costs))
		}
	}
	fmt.Fprintf(&b, "\n| %s | bytes a user, anonymous | resident | shown a show |\n|---|---:|---:|---:|\n", how)
	for _, k := range c.contenders {
		each := func(bytes int64) float64 { return float64(bytes) / float64(c.Users) }
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.2f |\n", k.name, each(k.full.anonymous-k.empty.anonymous),
			each(k.full.resident), float64(k.shown.Load())/float64(k.shows.Load()))
	}
	return b.String()
}
