package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sync/errgroup"

	"dejavu/live/client"
	"dejavu/live/exposure"
	"dejavu/strategies"
)

// What the log does with records.
const synced, unsynced, none, database = "durable", "written, not synced", "no log", "as the database is"

// A kind of call, and what came of it in each of the turns.
type kind struct {
	name    string
	to      *client.Client // nil: the keeper, without a network
	batch   int            // requests in a call; 0: a history is fetched
	durable string
	outcome
}

// An outcome is what came of calls, in each of the turns.
type outcome struct {
	rates, costs []float64 // requests a second; microseconds of all processors a request
	times        *hdrhistogram.Histogram
}

func (b *bench) kinds(http1, http2 *client.Client) (all []*kind) {
	modes := []string{database}
	if b.log != nil {
		modes = []string{synced, none}
	}
	const most = "show all, 200 a call"
	for _, durable := range modes {
		all = append(all,
			&kind{name: "show, HTTP/2", to: http2, batch: 1, durable: durable},
			&kind{name: "show, HTTP/1.1", to: http1, batch: 1, durable: durable},
			&kind{name: "show all, 50 a call", to: http1, batch: 50, durable: durable},
			&kind{name: most, to: http1, batch: 200, durable: durable},
			&kind{name: "the keeper, no network", batch: 50, durable: durable},
		)
	}
	if b.log != nil {
		all = append(all, &kind{name: most, to: http1, batch: 200, durable: unsynced})
	}
	return append(all, &kind{name: "vector, HTTP/1.1", to: http1})
}

func (b *bench) measure(ctx context.Context, all []*kind) error {
	for turn := range b.Turns {
		for _, k := range all {
			b.durable(k.durable)
			if err := b.run(ctx, k, turn); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	b.durable(synced)
	b.report(all)
	return nil
}

func (b *bench) durable(how string) {
	if b.log != nil {
		b.log.off.Store(how == none)
		b.log.Sync(how == synced)
	}
}

func (b *bench) report(all []*kind) {
	fmt.Fprintf(b.out, "%d callers at once, %d candidates and %d shown a request, %d turns of %v each\n\n",
		b.Callers, perRequest, perPage, b.Turns, b.For)
	fmt.Fprintf(b.out, "%-24s %-20s %12s %10s %10s %10s %16s\n",
		"", "", "requests/s", "p50 ms", "p99 ms", "p99.9 ms", "processor us")
	for _, k := range all {
		fmt.Fprintf(b.out, "%-24s %-20s %12.0f %10.3f %10.3f %10.3f %16.1f\n",
			k.name, k.durable, median(k.rates), k.ms(50), k.ms(99), k.ms(99.9), median(k.costs))
	}
	fmt.Fprintln(b.out)
	for _, with := range all {
		for _, without := range all {
			if without.name == with.name && with.durable == synced && without.durable == none {
				fmt.Fprintf(b.out, "what durability costs, %s: %.2f times as many requests a second without, "+
					"%.2f times the processor with\n",
					with.name, ratio(without.rates, with.rates), ratio(with.costs, without.costs))
			}
		}
	}
	if b.log == nil {
		return
	}
	m := &b.log.Meter
	if n := m.Commits.Load(); n > 0 {
		fmt.Fprintf(b.out, "commits of the log: %d, of %.1f records and %.2f ms each\n",
			n, float64(m.Records.Load())/float64(n), float64(m.Nanos.Load())/float64(n)/1e6)
	}
}

// ms is how long a share of the calls took at most, in milliseconds.
func (o *outcome) ms(percent float64) float64 { return float64(o.times.ValueAtQuantile(percent)) / 1e6 }

// ratio is the median of what two kinds had in the same turns.
func ratio(of, over []float64) float64 {
	ratios := make([]float64, len(of))
	for turn := range of {
		ratios[turn] = of[turn] / over[turn]
	}
	return median(ratios)
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }

// call makes a call of a kind, with requests whose memory is used again.
func (b *bench) call(ctx context.Context, k *kind, random *rand.Rand, requests []exposure.Show) (err error) {
	for i := range requests {
		r := &requests[i]
		if r.Candidates == nil {
			r.Candidates, r.Limit = make([]strategies.ID, perRequest), perPage
		}
		for j := range r.Candidates {
			r.Candidates[j] = strategies.ID(random.Uint64())
		}
		r.User, r.Request, r.Shown = userName(random.IntN(b.Users)), 0, nil
	}
	one := &requests[0]
	switch {
	case k.to == nil:
		err = b.histories.ShowAll(ctx, requests)
	case k.batch == 0:
		_, err = k.to.Vector(ctx, one.User)
	case k.batch == 1:
		_, err = k.to.Show(ctx, one.User, one.Candidates, one.Limit)
	default:
		err = k.to.ShowAll(ctx, requests)
	}
	return err
}

func (b *bench) run(ctx context.Context, k *kind, turn int) error {
	return k.turn(ctx, b.Callers, b.For, max(k.batch, 1), processor, func(i int) func() error {
		random := rand.New(rand.NewPCG(uint64(turn)<<32|uint64(i), uint64(len(k.name))))
		requests := make([]exposure.Show, max(k.batch, 1))
		return func() error { return b.call(ctx, k, random, requests) }
	})
}

// turn has callers make calls for a while, one after the other each, and adds what came of it. Each call is of so many
// requests; spent is the time of processors until now, and caller makes the calls of one.
func (o *outcome) turn(
	ctx context.Context, callers int, during time.Duration, requests int, spent func() time.Duration,
	caller func(i int) (call func() error),
) error {
	var group errgroup.Group
	histograms := make([]*hdrhistogram.Histogram, callers)
	before, began := spent(), time.Now()
	for i := range histograms {
		h := hdrhistogram.New(1000, int64(time.Minute), 3)
		histograms[i] = h
		group.Go(func() error {
			call := caller(i)
			for start := began; start.Sub(began) < during && ctx.Err() == nil; start = time.Now() {
				if err := call(); err != nil {
					return err
				}
				_ = h.RecordValue(int64(time.Since(start))) // a minute at most
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	took, cost := time.Since(began), spent()-before
	if err != nil {
		return err
	}
	if o.times == nil {
		o.times = hdrhistogram.New(1000, int64(time.Minute), 3)
	}
	calls := int64(0)
	for _, h := range histograms {
		calls += h.TotalCount()
		o.times.Merge(h)
	}
	all := float64(calls) * float64(requests)
	o.rates = append(o.rates, all/took.Seconds())
	o.costs = append(o.costs, cost.Seconds()*1e6/all)
	return nil
}

// processor is the time that the process has had of all processors, which hardly depends on other load as a rate does.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for other arguments only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
