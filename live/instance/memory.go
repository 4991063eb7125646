package instance

import (
	"context"
	"crypto/tls"
	"log/slog"
	"time"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/embedded"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
)

// leftoverAge is after how long nobody is writing to a snapshot any more, where other
// instances may.
const leftoverAge = time.Hour

func keepInMemory(ctx context.Context, c config.Config, l layout.Layout, secret strategies.Secret, logger *slog.Logger, registry registerer) (exposure.Keeper, starter, error) {
	kc := keeper.Config{
		Layout: l, Secret: secret, Idle: store.Timestamp(c.Idle / time.Second), Partitions: c.Partitions, Retries: c.Retries,
		Dir: c.Snapshots.Folder, Every: c.Snapshots.Every, Logger: logger, Clock: clock,
	}
	end := func(ctx context.Context, k *keeper.Keeper, on log.Log) error {
		if c.Snapshots.OnStop {
			if err := k.Save(ctx); err != nil {
				logger.Error("a snapshot failed, the log serves", "error", err)
			}
		}
		return on.Close()
	}
	if c.Log == "kafka" {
		return keepByKafka(ctx, c, kc, end, registry)
	}
	on, err := embedded.Open(c.Embedded.File, embedded.Options{Unsynced: !c.Embedded.Synced})
	if err != nil {
		return nil, nil, err
	}
	if err := partition.RemoveLeftovers(c.Snapshots.Folder, 0); err != nil { // the log is locked
		on.Close()
		return nil, nil, err
	}
	on.Own(c.Partitions)
	kc.Log = on
	k := keeper.New(kc)
	registerKeeper(registry, k)
	registerLog(registry, on)
	return k, func(run context.Context, fail func(error)) func(context.Context) error {
		all, taken := make([]int, c.Partitions), make(chan struct{})
		for n := range all {
			all[n] = n
		}
		k.Expect(all)
		go func() {
			defer close(taken)
			if err := k.Take(run, all); err != nil {
				fail(err) // what is wrong here is for the operator
				return
			}
			go k.Run(run)
			watch(run, on, fail)
		}()
		return func(ctx context.Context) error {
			<-taken
			return end(ctx, k, on)
		}
	}, nil
}

// watch ends the process when its log has failed, a full disk, say: what it holds is then
// more than what is durable, and a start reads the log anew.
func watch(run context.Context, on *embedded.Log, fail func(error)) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-run.Done():
			return
		case <-ticker.C:
			if err := on.Err(); err != nil {
				fail(err)
				return
			}
		}
	}
}

func keepByKafka(ctx context.Context, c config.Config, kc keeper.Config, end func(context.Context, *keeper.Keeper, log.Log) error, registry registerer) (exposure.Keeper, starter, error) {
	o := kafka.Options{
		Brokers: c.Kafka.Brokers, Topic: c.Kafka.Topic, Partitions: c.Partitions, Replicas: c.Kafka.Replicas,
		Timeout: c.Kafka.Timeout, Group: c.Kafka.Group,
	}
	if c.Kafka.TLS {
		o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	open, cancel := context.WithTimeout(ctx, c.Kafka.Timeout)
	defer cancel()
	on, err := kafka.Open(open, o)
	if err != nil {
		return nil, nil, err
	}
	if err := partition.RemoveLeftovers(c.Snapshots.Folder, leftoverAge); err != nil {
		on.Close()
		return nil, nil, err
	}
	kc.Log = on
	k := keeper.New(kc)
	registerKeeper(registry, k)
	return k, func(run context.Context, _ func(error)) func(context.Context) error {
		left := make(chan struct{})
		go func() {
			defer close(left)
			for run.Err() == nil {
				drop := func(ctx context.Context, some []int, save bool) {
					if run.Err() == nil { // after the stop end writes the snapshots
						ctx, cancel := context.WithTimeout(ctx, c.Kafka.Session)
						defer cancel()
						k.Drop(ctx, some, save)
					}
				}
				err := on.Join(run, c.Kafka.Session,
					func(_ context.Context, some []int) { k.Serve(run, some) },
					func(ctx context.Context, some []int) { drop(ctx, some, true) },
					func(ctx context.Context, some []int) { drop(ctx, some, false) })
				if err != nil && run.Err() == nil {
					kc.Logger.Error("the group is joined again", "error", err)
					time.Sleep(time.Second)
				}
			}
		}()
		go k.Run(run)
		return func(ctx context.Context) error {
			<-left
			return end(ctx, k, on)
		}
	}, nil
}
