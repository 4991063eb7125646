// Package measure has the verbs that measure and prove the service: Compare runs it beside Redis. Prove kills it, and
// does worse, while an exact model checks every answer.
package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"dejavu/internal/sysinfo"
	"dejavu/strategies"
)

// Compare measures the service beside Redis. Both are separate processes, which take turns; this process calls them.
type Compare struct {
	Users int           `help:"Number of users, each with a history." default:"30000"`
	For   time.Duration `help:"Time of each measurement." default:"3s"`
	Turns int           `help:"Rounds, in each of which all are measured once." default:"5"`
	Redis string        `help:"Address of an empty Redis to measure instead of starting one." placeholder:"HOST:PORT"`
}

var ( // tests take fewer
	filled   = 400           // articles that each user was shown before
	callers  = 32            // concurrent calls, each over its own connection
	eachCall = [2]int{1, 16} // shows of a call: alone, and in a pipeline
)

// Validate returns an error if there is nothing to measure with.
func (o *Compare) Validate() error {
	if least := callers * eachCall[1]; o.Turns < 1 || o.For <= 0 || o.Users < least {
		return fmt.Errorf("--turns is %d, --for %v and --users %d, want at least 1, more than 0s, and at least %d",
			o.Turns, o.For, o.Users, least)
	}
	return nil
}

// Run measures, durable and not, and prints a table for docs/live-inside.md.
func (o *Compare) Run(ctx context.Context, out io.Writer) error {
	e := sysinfo.Environment()
	table := fmt.Sprintf("\n%d users, %d articles each; %d callers, %d candidates of which %d seen, %d recorded; "+
		"%d turns of %v each. %s, %d processors, %s.\n",
		o.Users, filled, callers, perRequest, perRequest/2, perPage, o.Turns, o.For, e.CPU, e.CPUs, e.Go) + heading
	for _, durable := range []bool{true, false} {
		rows, err := o.compare(ctx, durable, out)
		if err != nil {
			return err
		}
		table += rows
	}
	_, err := fmt.Fprint(out, table)
	return err
}

// compare measures one kind of durability, and returns its rows.
func (o *Compare) compare(ctx context.Context, durable bool, out io.Writer) (rows string, err error) {
	f, err := newFleet()
	if err != nil {
		return "", err
	}
	defer func() { f.kill(); os.RemoveAll(f.dir) }()
	all, err := o.start(ctx, f, durable, out)
	defer func() { // the Redis may go on
		for _, k := range all {
			err = cmp.Or(err, k.client.FlushDB(context.WithoutCancel(ctx)).Err(), k.client.Close())
		}
	}()
	if err != nil {
		return "", err
	}
	for _, k := range all {
		if err := k.fill(ctx, out); err != nil {
			return "", fmt.Errorf("%s: %w", k.name, err)
		}
	}
	for turn := range o.Turns {
		for _, k := range all {
			for i, each := range eachCall {
				if err := k.turn(ctx, &k.outcomes[i], turn, each); err != nil {
					return "", fmt.Errorf("%s: %w", k.name, err)
				}
			}
		}
	}
	return o.rows(map[bool]string{true: "durable", false: "synced later"}[durable], all), nil
}

// A contender is a server that, by one command, shows each user unseen articles and records them.
type contender struct {
	*Compare
	name        string
	client      *redis.Client
	show        []any   // the command's words before the key, the limit and the articles
	next        []int   // how far each user has come in the user's own order
	empty, full float64 // bytes of memory before and after the histories are filled
	outcomes    [2]outcome
}

// An outcome holds each turn's shows a second and processor microseconds a show, and all calls' times.
type outcome struct {
	rates, costs []float64
	times        []time.Duration
}

// Redis carries out a script as one command. Articles are numbers, which its sets keep in the least room.
const script = `local seen, out = redis.call(%s, KEYS[1], unpack(ARGV, 2)), {}
for i, s in ipairs(seen) do if s == 0 and #out < tonumber(ARGV[1]) then out[#out + 1] = ARGV[i + 1] end end
if #out > 0 then redis.call(%s, unpack(out)) end
redis.call('EXPIRE', KEYS[1], 86400)
return out`

// start starts the servers. A Redis that is not installed is left out.
func (o *Compare) start(ctx context.Context, f *fleet, durable bool, out io.Writer) (all []*contender, err error) {
	address := o.Redis
	if address == "" {
		address, err = f.redis(ctx)
	}
	if err == nil {
		all, err = o.redis(ctx, address, durable)
	}
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(out, "left out:", err)
	} else if err != nil {
		return nil, fmt.Errorf("redis %s: %w", address, err)
	}
	p, err := f.instance("service", fmt.Sprintf("embedded: {synced: %v}\n", durable))
	if err == nil {
		all, err = append(all, o.contender(p.door, "Dejavu", "SHOW")), p.awaitReady(ctx)
	}
	return all, err
}

// redis returns what a Redis can do: sets, and filters if it has the Bloom module.
func (o *Compare) redis(ctx context.Context, address string, durable bool) (all []*contender, err error) {
	set := o.contender(address, "Redis, SET", "")
	keys, err := set.client.DBSize(ctx).Result()
	if err == nil && keys > 0 {
		err = fmt.Errorf("it has %d keys, want an empty server: compare writes to it, and flushes it", keys)
	}
	sync := map[bool]string{true: "always", false: "everysec"}[durable]
	for key, value := range map[string]string{
		"appendonly": "yes", "appendfsync": sync, "save": "", "set-max-intset-entries": "4096",
	} {
		err = cmp.Or(err, set.client.ConfigSet(ctx, key, value).Err())
	}
	bloom := o.contender(address, "RedisBloom", "")
	for k, calls := range map[*contender][2]string{
		set:   {"'SMISMEMBER'", "'SADD', KEYS[1]"},
		bloom: {"'BF.MEXISTS'", "'BF.INSERT', KEYS[1], 'CAPACITY', 400, 'ERROR', 0.02, 'ITEMS'"},
	} {
		sha, wrong := set.client.ScriptLoad(ctx, fmt.Sprintf(script, calls[0], calls[1])).Result()
		k.show, err = []any{"EVALSHA", sha, 1}, cmp.Or(err, wrong)
	}
	if err != nil {
		return nil, err
	}
	all = []*contender{set}
	if known := set.client.Do(ctx, "BF.EXISTS", "nobody", "nothing").Err(); known == nil {
		all = append(all, bloom)
	}
	return all, nil
}

func (o *Compare) contender(address, name string, show ...any) *contender {
	return &contender{
		Compare: o, name: name, show: show, next: make([]int, o.Users), client: redis.NewClient(&redis.Options{
			Addr: address, PoolSize: callers, MaxRetries: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		}),
	}
}

// used returns the sum of some fields of a section of INFO.
func (k *contender) used(ctx context.Context, section string, fields ...string) (sum float64, err error) {
	info, err := k.client.InfoMap(ctx, section).Result()
	for _, field := range fields {
		n, wrong := strconv.ParseFloat(info[section][field], 64)
		sum, err = sum+n, cmp.Or(err, wrong)
	}
	return sum, err
}

// article returns the n-th of a user's own order, an integer for Redis.
func article(user, n int) uint64 {
	return uint64(strategies.Number(uint64(user)<<24|uint64(n))) >> 1
}

// A refresh asks for articles to show a user: candidates are of the user's own order.
type refresh struct {
	user, limit int
	candidates  []int
}

// ask makes refreshes together, and returns how many articles are shown.
func (k *contender) ask(ctx context.Context, all []refresh) (shown int, err error) {
	answers := make([]*redis.Cmd, len(all))
	pipe := k.client.Pipeline()
	for i, r := range all {
		words := append(slices.Clip(k.show), k.name+userName(r.user), r.limit)
		for _, n := range r.candidates {
			words = append(words, article(r.user, n))
		}
		answers[i] = pipe.Do(ctx, words...)
	}
	_, _ = pipe.Exec(ctx) // each has its error
	for i, answer := range answers {
		words, err := answer.StringSlice()
		if err != nil {
			return 0, err
		}
		shown += len(words)
		for _, n := range all[i].candidates {
			if len(words) > 0 && words[0] == strconv.FormatUint(article(all[i].user, n), 10) {
				words = words[1:]
				k.next[all[i].user] = max(k.next[all[i].user], n+1)
			}
		}
	}
	return shown, nil
}

// fill shows every user the first articles of the user's order.
func (k *contender) fill(ctx context.Context, out io.Writer) (err error) {
	if k.empty, err = k.used(ctx, "Memory", "used_memory_rss"); err != nil {
		return err
	}
	began := time.Now()
	const together = 100 // users of a pipeline, and articles of each
	for from := 0; from < k.Users; from += together {
		for n := 0; n < filled; n += together {
			var all []refresh
			for user := from; user < min(from+together, k.Users); user++ {
				r := refresh{user: user, limit: together}
				for i := range together {
					r.candidates = append(r.candidates, n+i)
				}
				all = append(all, r)
			}
			if _, err := k.ask(ctx, all); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%s: filled in %.0f s\n", k.name, time.Since(began).Seconds())
	k.full, err = k.used(ctx, "Memory", "used_memory_rss")
	return err
}

// turn runs callers for a while, each one call at a time, and adds up the outcome. Contenders must do the same work: a
// show of less than a page, on average, is an error.
func (k *contender) turn(ctx context.Context, o *outcome, turn, each int) error {
	before, err := k.used(ctx, "CPU", "used_cpu_user", "used_cpu_sys")
	if err != nil {
		return err
	}
	var group errgroup.Group
	shown, times := make([]int, callers), make([][]time.Duration, callers)
	began := time.Now()
	for i := range callers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(turn), uint64(i)))
			for start := began; start.Sub(began) < k.For && ctx.Err() == nil; start = time.Now() {
				n, err := k.ask(ctx, k.refreshes(i, random, each))
				if err != nil {
					return err
				}
				shown[i] += n
				times[i] = append(times[i], time.Since(start))
			}
			return ctx.Err()
		})
	}
	err = group.Wait()
	took := time.Since(began)
	after, wrong := k.used(ctx, "CPU", "used_cpu_user", "used_cpu_sys")
	if err := cmp.Or(err, wrong); err != nil {
		return err
	}
	calls, articles := slices.Concat(times...), 0
	for _, n := range shown {
		articles += n
	}
	all := float64(len(calls) * each)
	if mean := float64(articles) / all; mean < 0.98*perPage {
		return fmt.Errorf("a show shows %.2f articles, want %d", mean, perPage)
	}
	o.times = append(o.times, calls...)
	o.rates, o.costs = append(o.rates, all/took.Seconds()), append(o.costs, (after-before)*1e6/all)
	return nil
}

// refreshes draws a call of caller i, for different users, for whom nobody else calls. Each is asked about articles
// shown lately and about the next ones.
func (k *contender) refreshes(i int, random *rand.Rand, each int) []refresh {
	mine := (k.Users - i + callers - 1) / callers
	first, all := random.IntN(mine), make([]refresh, each)
	for at := range all {
		r := &all[at]
		r.user, r.limit = i+callers*((first+at*(mine/each))%mine), perPage
		next := k.next[r.user]
		for n := range perRequest / 2 {
			r.candidates = append(r.candidates, next-1-random.IntN(200), next+n)
		}
	}
	return all
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// ratio returns the median of the quotients of two contenders in the same turns.
func ratio(of, over []float64) float64 {
	ratios := make([]float64, len(of))
	for turn := range of {
		ratios[turn] = of[turn] / over[turn]
	}
	return median(ratios)
}

// heading begins the table that rows continue.
const heading = "\n| answers | a call | server | shows/s | ratio | p50 ms | p99 ms | p99.9 ms | " +
	"processor, µs a show | ratio | bytes a user |\n|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"

// rows returns the rows of one kind of durability. Ratios are to the first contender.
func (o *Compare) rows(how string, all []*contender) string {
	var b strings.Builder
	for i, each := range eachCall {
		first := &all[0].outcomes[i]
		for _, k := range all {
			of := &k.outcomes[i]
			slices.Sort(of.times)
			ms := func(permille int) float64 { return of.times[len(of.times)*permille/1000].Seconds() * 1e3 }
			fmt.Fprintf(&b, "| %s | %d | %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.0f |\n", how, each, k.name,
				median(of.rates), ratio(of.rates, first.rates), ms(500), ms(990), ms(999), median(of.costs),
				ratio(of.costs, first.costs), (k.full-k.empty)/float64(o.Users))
		}
	}
	return b.String()
}
