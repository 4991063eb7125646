// Package instance builds a running exposure service from a configuration, and starts and stops it.
package instance

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dejavu/internal/atomicfile"
	"dejavu/live/clock"
	"dejavu/live/config"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/journal"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
	"dejavu/live/service"
	"dejavu/live/traffic"
	"dejavu/store"
	"dejavu/strategies"
)

type instance struct {
	config.Config
	layout   layout.Layout
	secret   strategies.Secret
	logger   *slog.Logger
	registry prometheus.Registerer
	clock    *clock.Clock
	running  context.Context // until the stop
	fail     func(error)     // ends the process, with the reason

	folder    *partition.Folder // of snapshots
	found     journal.Found     // the embedded log
	reached   log.Offset        // by the snapshots
	other     int               // a partition with a snapshot of another strategy or secret, -1: there is none
	newSecret []byte            // for the secret's file, if there is none
}

// A closer ends a keeper, after the end of the context that it was running by.
type closer func(context.Context) error

// Run runs a service until the context is done, then stops it gracefully. While histories load, /readyz says so.
func Run(ctx context.Context, c config.Config, logger *slog.Logger) (err error) {
	i := &instance{Config: c, logger: logger, clock: clock.New(c.Clock.Jump, c.Clock.Hold, logger)}
	if c.ClockFile != "" {
		i.clock.Follow(c.ClockFile)
	}
	defer func() { i.folder.Close() }()
	if err = i.look(ctx); err != nil {
		return err
	}
	tokens, pair, err := credentials(c)
	if err != nil {
		return err
	}
	var held atomic.Pointer[tls.Certificate]
	held.Store(pair)
	secure, err := secured(c, &held)
	if err != nil {
		return err
	}
	in := traffic.New(c.Limits, tokens)
	i.registry = in.Registry
	i.registry.MustRegister(clockMetrics(i.clock))
	doors, err := i.open(!in.Open() && secure != nil)
	if err != nil {
		return err
	}
	defer doors.close()
	if err := atomicfile.MakeFolder(c.Data); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	ctx, i.fail = context.WithCancelCause(ctx)
	var stop func()
	i.running, stop = context.WithCancel(context.Background())
	defer stop()
	go i.renew(in, &held)
	keep := i.keepByFile
	if c.Log == "kafka" {
		keep = i.keepByKafka
	}
	keeper, end, err := keep(ctx)
	if err != nil {
		return err
	}
	defer func() {
		stop()
		ending, cancel := context.WithTimeout(context.Background(), c.Limits.StopTime)
		defer cancel()
		err = errors.Join(err, end(ending))
		logger.Info("stopped")
	}()
	warning := func() error { return errors.Join(keeper.Refuses(), i.clock.Warning()) }
	served := &service.Service{Keeper: keeper, Layout: i.layout, Secret: i.secret, Traffic: in, Warning: warning}
	logger.Info("listening", "address", c.Listen, "resp", c.RESP, "metrics", c.Metrics, "strategy", i.layout.Name,
		"window", i.layout.Promised, "fpr", fmt.Sprintf("%.3g", i.layout.Worst), "idle", c.Idle,
		"layout", fmt.Sprintf("%016x", i.layout.Digest))
	err = doors.serve(ctx, served, secure)
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// partition returns the configuration that all partitions share, without the log.
func (i *instance) partition() partition.Config {
	return partition.Config{
		Of: i.Partitions, Layout: i.layout, Secret: i.secret, Idle: store.Timestamp(i.Idle / time.Second),
		Retries: i.Retries, Logs: i.folder.Logs, Dir: i.Snapshots.Folder,
	}
}

// inMemory returns a keeper over a log, with its own partitions from the start; work runs until the stop.
func (i *instance) inMemory(
	on log.Log, leftovers time.Duration, own []int, work func(*keeper.Keeper),
) (*keeper.Keeper, closer, error) {
	if err := partition.RemoveLeftovers(i.Snapshots.Folder, leftovers); err != nil {
		return nil, nil, errors.Join(err, on.Close())
	}
	loaded := i.clock.Start
	if i.TrustClock {
		loaded = nil
	}
	c := i.partition()
	c.Log = on
	k := keeper.New(keeper.Config{
		Config: c,
		Every:  i.Snapshots.Every, Logger: i.logger, Clock: i.clock.Now, Loaded: loaded,
	})
	i.registry.MustRegister(keeperMetrics(k))
	k.Serve(own)
	var working sync.WaitGroup
	working.Go(func() { work(k) })
	return k, func(ctx context.Context) error {
		working.Wait()
		if i.Snapshots.OnStop {
			if err := k.Save(ctx); err != nil {
				i.logger.Error("a snapshot failed, the log serves", "error", err)
			}
		}
		return on.Close()
	}, nil
}

func (i *instance) keepByFile(context.Context) (*keeper.Keeper, closer, error) {
	if err := i.folder.Claim(); err != nil {
		return nil, nil, err
	}
	if !i.found.There {
		if err := journal.Begin(i.Embedded.Folder, i.reached); err != nil {
			return nil, nil, err
		}
	}
	on, err := journal.Open(i.Embedded.Folder, i.Partitions)
	if err != nil {
		return nil, nil, err
	}
	if err := i.settle(on.Identity, !i.found.Written); err != nil {
		return nil, nil, errors.Join(err, on.Close())
	}
	for _, what := range on.Mended {
		i.logger.Warn("the log was mended", "what", what)
	}
	on.Sync(i.Embedded.Synced)
	i.registry.MustRegister(logMetrics(on))
	all := make([]int, i.Partitions)
	for n := range all {
		all[n] = n
	}
	const leftovers = 0 // the log is locked: nobody else writes a snapshot
	return i.inMemory(on, leftovers, all, func(k *keeper.Keeper) {
		if err := k.Take(i.running, all); err != nil {
			i.fail(err) // what is wrong here is for the operator
			return
		}
		go k.Run(i.running)
		for before := error(nil); i.running.Err() == nil; {
			err := on.Err()
			if err != nil && before == nil {
				i.logger.Error("shows and records are refused until the log can be written, reads go on", "error", err)
			} else if err == nil && before != nil {
				i.logger.Info("the log is written again")
			}
			before = err
			time.Sleep(100 * time.Millisecond)
		}
	})
}

func (i *instance) keepByKafka(ctx context.Context) (*keeper.Keeper, closer, error) {
	login, err := i.Kafka.Options("kafka")
	if err != nil {
		return nil, nil, err
	}
	o := kafka.Options{
		Brokers: i.Kafka.Brokers, Access: login, Topic: i.Kafka.Topic,
		Timeout: i.Kafka.Timeout, Group: i.Kafka.Group,
		Kept: 2*i.Snapshots.Every + 24*time.Hour, // in which no instance may run
	}
	o.Begun, o.Partitions, o.Logger = i.folder.Partitions > 0, i.Partitions, i.logger
	ctx, cancel := context.WithTimeout(ctx, i.Kafka.Timeout)
	defer cancel()
	on, err := kafka.Open(ctx, o)
	if err != nil {
		return nil, nil, i.Kafka.Advise("kafka", err)
	}
	empty, err := on.Empty(ctx)
	if err = cmp.Or(err, i.settle(on.Identity, empty)); err != nil {
		return nil, nil, errors.Join(err, on.Close())
	}
	i.registry.MustRegister(kafkaMetrics(on))
	const leftovers = time.Hour // after which nobody is writing to a snapshot any more, where other instances may
	return i.inMemory(on, leftovers, nil, func(k *keeper.Keeper) {
		go k.Run(i.running)
		go k.Maintain(i.running)
		take := func(_ context.Context, some []int) { k.Serve(some) }
		drop := func(save bool) func(context.Context, []int) {
			return func(ctx context.Context, some []int) {
				if i.running.Err() == nil { // after the stop the closer writes the snapshots
					ctx, cancel := context.WithTimeout(ctx, i.Kafka.Session)
					defer cancel()
					k.Drop(ctx, some, save)
				}
			}
		}
		for i.running.Err() == nil {
			err := on.Join(i.running, i.Kafka.Session, take, drop(true), drop(false))
			if err != nil && i.running.Err() == nil {
				i.logger.Error("the group is joined again", "error", err)
				time.Sleep(time.Second)
			}
		}
	})
}

func emitter(to chan<- prometheus.Metric, kind prometheus.ValueType) func(name, help string, value float64) {
	return func(name, help string, value float64) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, nil, nil), kind, value)
	}
}

func keeperMetrics(k *keeper.Keeper) prometheus.Collector {
	return prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		gauge, counter := emitter(to, prometheus.GaugeValue), emitter(to, prometheus.CounterValue)
		s, partitions := k.Stats()
		gauge("dejavu_partitions", "Partitions served here.", float64(partitions))
		gauge("dejavu_users", "Users who have a history here.", float64(s.Users))
		gauge("dejavu_history_bytes", "Sum of the lengths of histories.", float64(s.Payload))
		gauge("dejavu_store_bytes", "Memory of histories and of what finds them.", float64(s.Slabs+s.Bookkeeping))
		counter("dejavu_candidates_total", "Candidates asked for since the partitions here were loaded.", float64(s.Asked))
		counter("dejavu_candidates_seen_total", "Candidates that were seen.", float64(s.Hits))
		counter("dejavu_articles_recorded_total", "Articles recorded, replayed ones included.", float64(s.Recorded))
		counter("dejavu_users_expired_total", "Users forgotten after the idle time.", float64(s.Expired))
		m := &k.Meter
		counter("dejavu_partitions_loaded_total", "Partitions loaded.", float64(m.Loads.Load()))
		counter("dejavu_records_replayed_total", "Records of the log replayed.", float64(m.Replayed.Load()))
		counter("dejavu_partition_failures_total", "Partitions that could not be loaded, or had to be read anew.",
			float64(m.Failures.Load()))
		counter("dejavu_snapshots_total", "Snapshots written.", float64(m.Saves.Load()))
		counter("dejavu_snapshot_errors_total", "Snapshots that failed.", float64(m.SaveErrors.Load()))
		counter("dejavu_snapshot_bytes_total", "Bytes of snapshots written.", float64(m.SavedBytes.Load()))
		counter("dejavu_snapshot_seconds_total", "Time spent on snapshots.", float64(m.SaveNanos.Load())/1e9)
	})
}

func logMetrics(l *journal.Log) prometheus.Collector {
	return prometheus.CollectorFunc(func(to chan<- prometheus.Metric) {
		gauge, counter := emitter(to, prometheus.GaugeValue), emitter(to, prometheus.CounterValue)
		refuses, m := map[bool]float64{true: 1}[l.Err() != nil], &l.Meter
		gauge("dejavu_refuses_records", "1 while the embedded log cannot be written, as on a full disk.", refuses)
		counter("dejavu_log_commits_total", "Commits of the embedded log, a sync of the disk each.",
			float64(m.Commits.Load()))
		counter("dejavu_log_records_total", "Records in them.", float64(m.Records.Load()))
		counter("dejavu_log_bytes_total", "Bytes of those.", float64(m.Bytes.Load()))
		counter("dejavu_log_commit_seconds_total", "Time spent on commits.", float64(m.Nanos.Load())/1e9)
	})
}
