// Package load measures the service: one process with the service and its callers, over
// loopback, so that anybody can run it. What it takes is what both sides take together.
package load

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/embedded"
	"dejavu/live/service"
	"dejavu/store"
	"dejavu/strategies"
)

// Options are those of Run.
type Options struct {
	_ struct{}

	Users    int
	Articles int // that every user was shown before
	Strategy string
	For      time.Duration // of each measurement
	Turns    int           // of all measurements, one after the other
	Callers  int           // at once
	Dir      string
	Out      io.Writer
}

const (
	perRequest = 40
	perPage    = 10
)

// A switched log can leave durability out, to see what it costs.
type switched struct {
	*embedded.Log
	off atomic.Bool
	at  atomic.Int64
}

var settled = func() *log.Ticket {
	t := log.NewTicket()
	t.Settle(nil)
	return t
}()

// Append appends, or only says so.
func (s *switched) Append(partition int, record []byte) (log.Offset, *log.Ticket, error) {
	if s.off.Load() {
		return log.Offset(s.at.Add(1)), settled, nil
	}
	return s.Log.Append(partition, record)
}

// A bench is a service under load.
type bench struct {
	Options
	keeper  *keeper.Keeper
	log     *switched
	limits  config.Limits
	clients map[string]*client.Client
}

// Run measures and prints.
func Run(ctx context.Context, o Options) (err error) {
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "dejavu-load-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Dir)
	}
	b := &bench{Options: o, clients: map[string]*client.Client{}}
	l, err := layout.Make(layout.Choice{Name: o.Strategy})
	if err != nil {
		return err
	}
	c, err := config.Read()
	if err != nil {
		return err
	}
	b.limits = c.Limits
	b.limits.RequestsAtOnce = max(b.limits.RequestsAtOnce, 2*o.Callers)
	on, err := embedded.Open(filepath.Join(o.Dir, "log"), embedded.Options{})
	if err != nil {
		return err
	}
	defer on.Close()
	b.log = &switched{Log: on}
	made := func() *keeper.Keeper {
		return keeper.New(keeper.Config{
			Layout: l, Secret: secret, Idle: store.Day, Partitions: c.Partitions, Retries: c.Retries, Log: b.log,
			Dir: filepath.Join(o.Dir, "snapshots"), Every: time.Hour, Logger: slog.New(slog.DiscardHandler), Clock: clock,
		})
	}
	b.keeper = made()
	all := make([]int, c.Partitions)
	for n := range all {
		all[n] = n
	}
	if err := b.keeper.Take(ctx, all); err != nil {
		return err
	}
	if err := b.fill(ctx); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		s := service.New(b.keeper, l, secret, b.limits)
		ended <- service.Serve(serving, listener, service.Handler(s, service.Options{Limits: b.limits, Registry: service.NewRegistry()}), b.limits, nil)
	}()
	defer stop()
	for name, http1 := range map[string]bool{"HTTP/1.1": true, "HTTP/2": false} {
		if b.clients[name], err = client.New(client.Options{Addresses: []string{listener.Addr().String()}, HTTP1: http1, Once: true}); err != nil {
			return err
		}
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	// How long a snapshot of all takes, and a start from it.
	began := time.Now()
	if err := b.keeper.Save(ctx); err != nil {
		return err
	}
	saved := time.Since(began)
	bytes := b.keeper.Meter().SavedBytes.Load()
	b.keeper.Drop(ctx, all, false)
	b.keeper = made()
	began = time.Now()
	if err := b.keeper.Take(ctx, all); err != nil {
		return err
	}
	stats, _ := b.keeper.Stats()
	fmt.Fprintf(o.Out, "snapshots of all partitions: %.1f s, %.2f GB; a start from them, %d users: %.1f s\n",
		saved.Seconds(), float64(bytes)/1e9, stats.Users, time.Since(began).Seconds())
	return nil
}

var secret, _ = strategies.NewSecret([]byte("a load test has no secrets"))

func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

func userName(n int) string { return fmt.Sprintf("user-%d", n) }

// fill gives every user a history, without the log.
func (b *bench) fill(ctx context.Context) error {
	b.log.off.Store(true)
	began := time.Now()
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			ids := make([]strategies.ID, b.Articles)
			for n := w; n < b.Users; n += workers {
				for i := range ids {
					ids[i] = strategies.ID(random.Uint64())
				}
				if err := b.keeper.Record(ctx, userName(n), 0, ids); err != nil {
					failed.Store(&err)
					return
				}
			}
		})
	}
	group.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	stats, partitions := b.keeper.Stats()
	fmt.Fprintf(b.Out, "%d users in %d partitions, %d articles each, strategy %s, filled in %.0f s\n", stats.Users, partitions, b.Articles, b.Strategy, time.Since(began).Seconds())
	users := float64(stats.Users)
	fmt.Fprintf(b.Out, "bytes a user: history %.1f, store %.1f, resident %.1f (the process, callers included)\n",
		float64(stats.Payload)/users, float64(stats.Slabs+stats.Bookkeeping)/users, float64(resident())/users)
	return nil
}

// resident is the memory of the process.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	var size, pages int64
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

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
	for _, durable := range []string{synced, none} {
		kinds = append(kinds,
			kind{"show, HTTP/2", 1, durable, over("HTTP/2", 1)},
			kind{"show, HTTP/1.1", 1, durable, over("HTTP/1.1", 1)},
			kind{"show all, 50 a call", 50, durable, over("HTTP/1.1", 50)},
			kind{"show all, 200 a call", 200, durable, over("HTTP/1.1", 200)},
			kind{"the keeper, no network", 50, durable, func(ctx context.Context, c *caller) error { c.draw(50); return b.keeper.ShowAll(ctx, c.requests) }},
		)
	}
	kinds = append(kinds,
		kind{"show all, 200 a call", 200, unsynced, over("HTTP/1.1", 200)},
		kind{"vector, HTTP/1.1", 1, none, func(ctx context.Context, c *caller) error {
			c.draw(1)
			_, err := b.clients["HTTP/1.1"].Vector(ctx, c.requests[0].User)
			return err
		}})
	type result struct {
		rates []float64
		times *hdrhistogram.Histogram
	}
	results := make([]result, len(kinds))
	for turn := range b.Turns {
		for i, k := range kinds {
			b.log.off.Store(k.durable == none)
			b.log.Sync(k.durable == synced)
			rate, times, err := b.run(ctx, k, turn)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			results[i].rates = append(results[i].rates, rate)
			if results[i].times == nil {
				results[i].times = times
			} else {
				results[i].times.Merge(times)
			}
		}
	}
	b.log.off.Store(false)
	b.log.Sync(true)
	fmt.Fprintf(b.Out, "%d callers at once, %d candidates and %d shown a request, %d turns of %v each\n\n", b.Callers, perRequest, perPage, b.Turns, b.For)
	fmt.Fprintf(b.Out, "%-24s %-20s %12s %10s %10s %10s\n", "", "", "requests/s", "p50 ms", "p99 ms", "p99.9 ms")
	for i, k := range kinds {
		r := results[i]
		at := func(q float64) float64 { return float64(r.times.ValueAtQuantile(q)) / 1e6 }
		fmt.Fprintf(b.Out, "%-24s %-20s %12.0f %10.3f %10.3f %10.3f\n", k.name, k.durable, median(r.rates), at(50), at(99), at(99.9))
	}
	fmt.Fprintln(b.Out)
	for i, k := range kinds {
		for j, other := range kinds {
			if other.name == k.name && k.durable == synced && other.durable == none {
				var ratios []float64
				for turn := range results[i].rates {
					ratios = append(ratios, results[j].rates[turn]/results[i].rates[turn])
				}
				fmt.Fprintf(b.Out, "what durability costs, %s: %.2f times as many requests without\n", k.name, median(ratios))
			}
		}
	}
	m := b.log.Meter()
	if n := m.Commits.Load(); n > 0 {
		fmt.Fprintf(b.Out, "commits of the log: %d, of %.1f records and %.2f ms each\n", n, float64(m.Records.Load())/float64(n), float64(m.Nanos.Load())/float64(n)/1e6)
	}
	return nil
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
