package instance

import (
	"context"
	"log/slog"
	"time"

	"dejavu/live/config"
	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/embedded"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
)

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
