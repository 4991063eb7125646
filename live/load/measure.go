package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dejavu/live/exposure"
	"dejavu/strategies"
)

// A kind of measurement.
type kind struct {
	name    string
	batch   int // requests in a call
	durable string
	call    func(context.Context, *caller) error
}

const (
	synced   = "durable"
	unsynced = "written, not synced"
	none     = "no log"
)

// measure takes turns of everything.
func (b *bench) measure(ctx context.Context) error {
	var kinds []kind
	over := func(protocol string, batch int) func(context.Context, *caller) error {
		to := b.clients[protocol]
		if batch == 1 {
			return func(ctx context.Context, c *caller) error {
				c.draw(1)
				_, err := to.Show(ctx, c.requests[0].User, c.requests[0].Candidates, perPage)
				return err
			}
		}
		return func(ctx context.Context, c *caller) error { c.draw(batch); return to.ShowAll(ctx, c.requests) }
	}
	modes := []string{synced, none}
	if b.keeper == nil {
		modes = []string{"as the database is"}
	}
	for _, durable := range modes {
		kinds = append(kinds,
			kind{"show, HTTP/2", 1, durable, over("HTTP/2", 1)},
			kind{"show, HTTP/1.1", 1, durable, over("HTTP/1.1", 1)},
			kind{"show all, 50 a call", 50, durable, over("HTTP/1.1", 50)},
			kind{"show all, 200 a call", 200, durable, over("HTTP/1.1", 200)},
			kind{"the keeper, no network", 50, durable, func(ctx context.Context, c *caller) error { c.draw(50); return b.histories.ShowAll(ctx, c.requests) }},
		)
	}
	if b.keeper != nil {
		kinds = append(kinds, kind{"show all, 200 a call", 200, unsynced, over("HTTP/1.1", 200)})
	}
	kinds = append(kinds,
		kind{"vector, HTTP/1.1", 1, "", func(ctx context.Context, c *caller) error {
			c.draw(1)
			_, err := b.clients["HTTP/1.1"].Vector(ctx, c.requests[0].User)
			return err
		}})
	type result struct {
		rates, costs []float64
		times        *hdrhistogram.Histogram
	}
	results := make([]result, len(kinds))
	for turn := range b.Turns {
		for i, k := range kinds {
			b.durable(k.durable)
			before := processor()
			rate, times, err := b.run(ctx, k, turn)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			results[i].rates = append(results[i].rates, rate)
			results[i].costs = append(results[i].costs, (processor()-before).Seconds()*1e6/float64(times.TotalCount())/float64(k.batch))
			if results[i].times == nil {
				results[i].times = times
			} else {
				results[i].times.Merge(times)
			}
		}
	}
	b.durable(synced)
	fmt.Fprintf(b.Out, "%d callers at once, %d candidates and %d shown a request, %d turns of %v each\n\n", b.Callers, perRequest, perPage, b.Turns, b.For)
	fmt.Fprintf(b.Out, "%-24s %-20s %12s %10s %10s %10s %16s\n", "", "", "requests/s", "p50 ms", "p99 ms", "p99.9 ms", "processor us")
	for i, k := range kinds {
		r := results[i]
		at := func(q float64) float64 { return float64(r.times.ValueAtQuantile(q)) / 1e6 }
		fmt.Fprintf(b.Out, "%-24s %-20s %12.0f %10.3f %10.3f %10.3f %16.1f\n", k.name, k.durable, median(r.rates), at(50), at(99), at(99.9), median(r.costs))
	}
	fmt.Fprintln(b.Out)
	for i, k := range kinds {
		for j, other := range kinds {
			if other.name == k.name && k.durable == synced && other.durable == none {
				var ratios, costs []float64
				for turn := range results[i].rates {
					ratios = append(ratios, results[j].rates[turn]/results[i].rates[turn])
					costs = append(costs, results[i].costs[turn]/results[j].costs[turn])
				}
				fmt.Fprintf(b.Out, "what durability costs, %s: %.2f times as many requests a second without, %.2f times the processor with\n", k.name, median(ratios), median(costs))
			}
		}
	}
	if b.log == nil {
		return nil
	}
	m := b.log.Meter()
	if n := m.Commits.Load(); n > 0 {
		fmt.Fprintf(b.Out, "commits of the log: %d, of %.1f records and %.2f ms each\n", n, float64(m.Records.Load())/float64(n), float64(m.Nanos.Load())/float64(n)/1e6)
	}
	return nil
}

// durable sets what the log does from now on.
func (b *bench) durable(how string) {
	if b.log != nil {
		b.log.off.Store(how == none)
		b.log.Sync(how == synced)
	}
}

// A caller makes calls, one after the other.
type caller struct {
	random   *rand.Rand
	users    int
	requests []exposure.Show
	ids      []strategies.ID
}

// draw makes requests of random users.
func (c *caller) draw(n int) {
	if len(c.requests) != n {
		c.requests, c.ids = make([]exposure.Show, n), make([]strategies.ID, n*perRequest)
	}
	for i := range c.ids {
		c.ids[i] = strategies.ID(c.random.Uint64())
	}
	for i := range c.requests {
		c.requests[i] = exposure.Show{User: userName(c.random.IntN(c.users)), Candidates: c.ids[i*perRequest:][:perRequest], Limit: perPage}
	}
}

// run is one measurement: requests a second, and the times of calls.
func (b *bench) run(ctx context.Context, k kind, turn int) (float64, *hdrhistogram.Histogram, error) {
	var group sync.WaitGroup
	histograms := make([]*hdrhistogram.Histogram, b.Callers)
	errs := make([]error, b.Callers)
	began := time.Now()
	end := began.Add(b.For)
	for i := range b.Callers {
		h := hdrhistogram.New(1000, int64(time.Minute), 3)
		histograms[i] = h
		group.Go(func() {
			c := &caller{random: rand.New(rand.NewPCG(uint64(turn)<<32|uint64(i), uint64(len(k.name)))), users: b.Users}
			for time.Now().Before(end) && errs[i] == nil {
				start := time.Now()
				errs[i] = k.call(ctx, c)
				_ = h.RecordValue(int64(time.Since(start))) // a minute at most
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	calls := int64(0)
	for i, h := range histograms {
		if errs[i] != nil {
			return 0, nil, errs[i]
		}
		calls += h.TotalCount()
		if i > 0 {
			histograms[0].Merge(h)
		}
	}
	return float64(calls) * float64(k.batch) / took.Seconds(), histograms[0], nil
}

func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
