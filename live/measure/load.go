// Package measure is what the service is measured and proven by: Load counts requests a second, Prove kills the service
// while an exact model watches, Rows takes for real what the suite simulates. They are verbs of the program.
package measure

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
	"runtime/pprof"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"dejavu/internal/sysinfo"
	"dejavu/live/client"
	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/keyvalue"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/journal"
	"dejavu/live/partition"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
)

// Load measures the service and its callers in one process over loopback: what it takes is what both sides take.
type Load struct {
	Users    int           `help:"Users who have a history." default:"1000000"`
	Articles int           `help:"Articles that each user was shown before." default:"500"`
	Strategy string        `help:"A strategy of the catalogue." default:"chain"`
	For      time.Duration `help:"Time of each measurement." default:"2s"`
	Turns    int           `help:"How often each measurement is made, in turn." default:"3"`
	Callers  int           `help:"Calls at once." default:"64"`
	Dir      string        `help:"Folder for what is written; a temporary one by default." type:"path"`
	Redis    string        `help:"Address of a Redis that holds the histories, in place of memory." placeholder:"ADDRESS"`
	Profile  string        `help:"File for a profile of the processor." type:"path"`
}

// A switched log can leave durability out, to see what it costs.
type switched struct {
	*journal.Log
	off  atomic.Bool
	last atomic.Int64 // offset; those of a partition must not descend
}

// Append appends, or only says so.
func (s *switched) Append(partition int, record []byte) (log.Offset, *log.Ticket, error) {
	last := s.last.Load()
	if s.off.Load() {
		return log.Offset(last), nil, nil
	}
	at, ticket, err := s.Log.Append(partition, record)
	for int64(at) > last && !s.last.CompareAndSwap(last, int64(at)) {
		last = s.last.Load()
	}
	return at, ticket, err
}

type bench struct {
	Load
	out       io.Writer
	layout    layout.Layout
	config    config.Config
	histories exposure.Keeper
	log       *switched // nil where they are in Redis
}

var loadSecret, _ = strategies.NewSecret([]byte("a load test has no secrets"))

func clock() store.Timestamp { return store.Timestamp(time.Now().Unix()) }

// Run measures, and prints.
func (l *Load) Run(ctx context.Context, out io.Writer) (err error) {
	if l.Profile != "" {
		f, err := os.Create(l.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	b := &bench{Load: *l, out: out}
	if b.Dir == "" {
		if b.Dir, err = os.MkdirTemp("", "dejavu-load-"); err != nil {
			return err
		}
		defer os.RemoveAll(b.Dir)
	}
	if b.layout, err = layout.Make(layout.Choice{Name: b.Strategy}); err != nil {
		return err
	}
	if b.config, err = config.Read(); err != nil {
		return err
	}
	b.config.Limits.RequestsAtOnce = max(b.config.Limits.RequestsAtOnce, 2*b.Callers)
	if b.Redis == "" {
		return b.overMemory(ctx)
	}
	return b.overRedis(ctx)
}

func (b *bench) overRedis(ctx context.Context) error {
	r, err := keyvalue.NewRedis(ctx, keyvalue.RedisOptions{Address: b.Redis, Idle: b.config.Idle})
	if err != nil {
		return err
	}
	h := keyvalue.Histories{Layout: b.layout, Secret: loadSecret, Idle: b.config.Idle, Clock: clock}
	k, err := keyvalue.New(ctx, r, h)
	if err != nil {
		return err
	}
	defer k.Close()
	b.histories = k
	if err := b.fill(ctx, b.Callers); err != nil { // who wait for another process
		return err
	}
	bytes, err := r.Bytes(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "bytes a user: %.1f (used_memory of Redis)\n", float64(bytes)/float64(b.Users))
	return b.serve(ctx)
}

func (b *bench) overMemory(ctx context.Context) error {
	on, err := journal.OpenOrBegin(filepath.Join(b.Dir, "log"), b.config.Partitions)
	if err != nil {
		return err
	}
	defer on.Close()
	b.log = &switched{Log: on}
	var all []int
	for n := range b.config.Partitions {
		all = append(all, n)
	}
	c := keeper.Config{
		Config: partition.Config{
			Of: len(all), Layout: b.layout, Secret: loadSecret, Idle: store.Day, Retries: b.config.Retries,
			Log: b.log, Dir: filepath.Join(b.Dir, "snapshots"),
		},
		Every: time.Hour, Logger: slog.New(slog.DiscardHandler), Clock: clock,
	}
	k := keeper.New(c)
	if err := k.Take(ctx, all); err != nil {
		return err
	}
	b.histories = k
	b.log.off.Store(true)
	if err := b.fill(ctx, runtime.GOMAXPROCS(0)); err != nil {
		return err
	}
	stats, count := k.Stats()
	users := float64(stats.Users)
	fmt.Fprintf(b.out, "%d users in %d partitions; bytes a user: history %.1f, store %.1f, "+
		"resident %.1f (the process, callers included)\n",
		stats.Users, count, float64(stats.Payload)/users, float64(stats.Slabs+stats.Bookkeeping)/users,
		float64(sysinfo.Resident())/users)
	if err := b.serve(ctx); err != nil {
		return err
	}
	// How long a snapshot of all takes, and a start from it.
	began := time.Now()
	if err := k.Save(ctx); err != nil {
		return err
	}
	saved, bytes := time.Since(began), k.Meter.SavedBytes.Load()
	k.Drop(ctx, all, false)
	again := keeper.New(c)
	began = time.Now()
	if err := again.Take(ctx, all); err != nil {
		return err
	}
	stats, _ = again.Stats()
	fmt.Fprintf(b.out, "snapshots of all partitions: %.1f s, %.2f GB; a start from them, %d users: %.1f s\n",
		saved.Seconds(), float64(bytes)/1e9, stats.Users, time.Since(began).Seconds())
	return nil
}

func (b *bench) fill(ctx context.Context, workers int) error {
	began := time.Now()
	var group errgroup.Group
	for w := range workers {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			ids := make([]strategies.ID, b.Articles)
			for n := w; n < b.Users; n += workers {
				for i := range ids {
					ids[i] = strategies.ID(random.Uint64())
				}
				if err := b.histories.Record(ctx, userName(n), 0, ids); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	fmt.Fprintf(b.out, "%d users, %d articles each, strategy %s, filled in %.0f s\n",
		b.Users, b.Articles, b.Strategy, time.Since(began).Seconds())
	return err
}

func (b *bench) serve(ctx context.Context) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	in := traffic.New(b.config.Limits, "")
	s := &service.Service{Keeper: b.histories, Layout: b.layout, Secret: loadSecret, Traffic: in}
	go func() { ended <- service.Serve(serving, listener, s.Handler(), in, nil) }()
	http1 := calling(client.Options{HTTP1: true, Once: true}, listener.Addr().String())
	http2 := calling(client.Options{Once: true}, listener.Addr().String())
	if err := b.measure(ctx, b.kinds(http1, http2)); err != nil {
		return err
	}
	stop()
	return <-ended
}
