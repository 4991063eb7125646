package instance

import (
	"context"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/keyvalue"
	"dejavu/live/log"
	"dejavu/live/log/embedded"
	"dejavu/live/log/kafka"
	"dejavu/live/partition"
	"dejavu/store"
)

// leftoverAge is after how long nobody is writing to a snapshot any more, where other instances may.
const leftoverAge = time.Hour

// keeper is one in memory, behind a log which is closed where that fails.
func (i *instance) keeper(on log.Log, leftovers time.Duration) (*keeper.Keeper, error) {
	if err := partition.RemoveLeftovers(i.Snapshots.Folder, leftovers); err != nil {
		_ = on.Close()
		return nil, err
	}
	k := keeper.New(keeper.Config{
		Config: partition.Config{
			Of: i.Partitions, Layout: i.layout, Secret: i.secret, Idle: store.Timestamp(i.Idle / time.Second),
			Retries: i.Retries, Log: on, Dir: i.Snapshots.Folder,
		},
		Every: i.Snapshots.Every, Logger: i.logger, Clock: clock,
	})
	i.registry.MustRegister(keeperMetrics(k))
	return k, nil
}

// closer saves a keeper's histories and closes its log, once what worked for it has ended.
func (i *instance) closer(k *keeper.Keeper, on log.Log, ended <-chan struct{}) closer {
	return func(ctx context.Context) error {
		<-ended
		if i.Snapshots.OnStop {
			if err := k.Save(ctx); err != nil {
				i.logger.Error("a snapshot failed, the log serves", "error", err)
			}
		}
		return on.Close()
	}
}

func (i *instance) keepByFile() (exposure.Keeper, closer, error) {
	on, err := embedded.Open(i.Embedded.File, i.Partitions)
	if err != nil {
		return nil, nil, err
	}
	on.Sync(i.Embedded.Synced)
	k, err := i.keeper(on, 0) // the log is locked: nobody else writes a snapshot
	if err != nil {
		return nil, nil, err
	}
	i.registry.MustRegister(logMetrics(on.Meter()))
	all := make([]int, i.Partitions)
	for n := range all {
		all[n] = n
	}
	k.Serve(all)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := k.Take(i.running, all); err != nil {
			i.fail(err) // what is wrong here is for the operator
			return
		}
		go k.Run(i.running)
		i.watch(on)
	}()
	return k, i.closer(k, on, ended), nil
}

// watch ends the process when its log has failed, a full disk, say: what it holds is then
// more than what is durable, and a start reads the log anew.
func (i *instance) watch(on *embedded.Log) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-i.running.Done():
			return
		case <-ticker.C:
			if err := on.Err(); err != nil {
				i.fail(err)
				return
			}
		}
	}
}

func (i *instance) keepByKafka(ctx context.Context) (exposure.Keeper, closer, error) {
	o, err := kafkaOptions(i.Kafka)
	if err != nil {
		return nil, nil, err
	}
	o.Partitions = i.Partitions
	ctx, cancel := context.WithTimeout(ctx, i.Kafka.Timeout)
	defer cancel()
	on, err := kafka.Open(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	k, err := i.keeper(on, leftoverAge)
	if err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i.running.Err() == nil {
			if err := i.join(on, k); err != nil && i.running.Err() == nil {
				i.logger.Error("the group is joined again", "error", err)
				time.Sleep(time.Second)
			}
		}
	}()
	go k.Run(i.running)
	go k.Maintain(i.running)
	return k, i.closer(k, on, ended), nil
}

// join serves the partitions that the group gives to this instance.
func (i *instance) join(on *kafka.Log, k *keeper.Keeper) error {
	drop := func(ctx context.Context, some []int, save bool) {
		if i.running.Err() == nil { // after the stop closer writes the snapshots
			ctx, cancel := context.WithTimeout(ctx, i.Kafka.Session)
			defer cancel()
			k.Drop(ctx, some, save)
		}
	}
	return on.Join(i.running, i.Kafka.Session,
		func(_ context.Context, some []int) { k.Serve(some) },
		func(ctx context.Context, some []int) { drop(ctx, some, true) },
		func(ctx context.Context, some []int) { drop(ctx, some, false) })
}

func (i *instance) keepInRedis(ctx context.Context) (exposure.Keeper, closer, error) {
	o, err := redisOptions(i.Config)
	if err != nil {
		return nil, nil, err
	}
	r, err := keyvalue.NewRedis(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	k, err := keyvalue.New(ctx, r, keyvalue.Histories{Layout: i.layout, Secret: i.secret, Idle: i.Idle, Clock: clock})
	if err != nil {
		return nil, nil, err
	}
	return k, func(context.Context) error { return k.Close() }, nil
}
