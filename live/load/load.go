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
	"sync"
	"sync/atomic"
	"time"

	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/elsewhere"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/embedded"
	"dejavu/live/service"
	"dejavu/store"
	"dejavu/strategies"
)

// Flags are those of the options that a command line has.
type Flags struct {
	Users    int           `help:"Users who have a history." default:"1000000"`
	Articles int           `help:"Articles that each user was shown before." default:"500"`
	Strategy string        `help:"A strategy of the catalogue." default:"chain"`
	For      time.Duration `help:"Time of each measurement." default:"2s"`
	Turns    int           `help:"How often each measurement is made, in turn." default:"3"`
	Callers  int           `help:"Calls at once." default:"64"`
	Dir      string        `help:"Folder for what is written; a temporary one by default." type:"path"`
}

// Options are those of Run.
type Options struct {
	_ struct{}

	Flags
	Out io.Writer

	// Elsewhere opens histories in another database, which may use a folder; nil: in
	// memory. Bytes is what they take there, and of what that is a measure.
	Elsewhere func(ctx context.Context, dir string, h elsewhere.Histories) (d Database, bytes func(context.Context) (int64, string, error), err error)
}

// A Database keeps histories, and is closed.
type Database interface {
	exposure.Keeper
	io.Closer
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
	histories exposure.Keeper
	keeper    *keeper.Keeper // where they are in memory
	bytes     func(context.Context) (int64, string, error)
	log       *switched
	limits    config.Limits
	clients   map[string]*client.Client
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
	if o.Elsewhere != nil {
		h := elsewhere.Histories{Layout: l, Secret: secret, Idle: c.Idle, Clock: clock}
		d, bytes, err := o.Elsewhere(ctx, o.Dir, h)
		if err != nil {
			return err
		}
		defer d.Close()
		b.histories, b.bytes = d, bytes
	} else if err := b.inMemory(ctx, l, c); err != nil {
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
		s := service.New(b.histories, l, secret, b.limits)
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
	if b.keeper == nil {
		return nil
	}
	return b.restart(ctx, l, c)
}

// made is a keeper in memory.
func (b *bench) made(l layout.Layout, c config.Config) *keeper.Keeper {
	return keeper.New(keeper.Config{
		Layout: l, Secret: secret, Idle: store.Day, Partitions: c.Partitions, Retries: c.Retries, Log: b.log,
		Dir: filepath.Join(b.Dir, "snapshots"), Every: time.Hour, Logger: slog.New(slog.DiscardHandler), Clock: clock,
	})
}

func numbersTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func (b *bench) inMemory(ctx context.Context, l layout.Layout, c config.Config) error {
	on, err := embedded.Open(filepath.Join(b.Dir, "log"), embedded.Options{})
	if err != nil {
		return err
	}
	b.log = &switched{Log: on}
	b.keeper = b.made(l, c)
	b.histories = b.keeper
	return b.keeper.Take(ctx, numbersTo(c.Partitions))
}

// restart says how long a snapshot of all takes, and a start from it.
func (b *bench) restart(ctx context.Context, l layout.Layout, c config.Config) error {
	defer b.log.Close()
	began := time.Now()
	if err := b.keeper.Save(ctx); err != nil {
		return err
	}
	saved, bytes, all := time.Since(began), b.keeper.Meter().SavedBytes.Load(), numbersTo(c.Partitions)
	b.keeper.Drop(ctx, all, false)
	again := b.made(l, c)
	began = time.Now()
	if err := again.Take(ctx, all); err != nil {
		return err
	}
	stats, _ := again.Stats()
	fmt.Fprintf(b.Out, "snapshots of all partitions: %.1f s, %.2f GB; a start from them, %d users: %.1f s\n",
		saved.Seconds(), float64(bytes)/1e9, stats.Users, time.Since(began).Seconds())
	return nil
}

var secret, _ = strategies.NewSecret([]byte("a load test has no secrets"))

func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

func userName(n int) string { return fmt.Sprintf("user-%d", n) }

// fill gives every user a history, without the log.
func (b *bench) fill(ctx context.Context) error {
	began := time.Now()
	var group sync.WaitGroup
	var failed atomic.Pointer[error]
	workers := runtime.GOMAXPROCS(0)
	if b.keeper == nil {
		workers = b.Callers // who wait for another process
	} else {
		b.log.off.Store(true)
	}
	for w := range workers {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			ids := make([]strategies.ID, b.Articles)
			for n := w; n < b.Users; n += workers {
				for i := range ids {
					ids[i] = strategies.ID(random.Uint64())
				}
				if err := b.histories.Record(ctx, userName(n), 0, ids); err != nil {
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
	fmt.Fprintf(b.Out, "%d users, %d articles each, strategy %s, filled in %.0f s\n", b.Users, b.Articles, b.Strategy, time.Since(began).Seconds())
	if b.keeper == nil {
		bytes, what, err := b.bytes(ctx)
		fmt.Fprintf(b.Out, "bytes a user: %.1f (%s)\n", float64(bytes)/float64(b.Users), what)
		return err
	}
	stats, partitions := b.keeper.Stats()
	users := float64(stats.Users)
	fmt.Fprintf(b.Out, "%d users in %d partitions; bytes a user: history %.1f, store %.1f, resident %.1f (the process, callers included)\n",
		stats.Users, partitions, float64(stats.Payload)/users, float64(stats.Slabs+stats.Bookkeeping)/users, float64(resident())/users)
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
