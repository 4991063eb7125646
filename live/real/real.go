// Package real takes for real what the experiments pipeline and ship of the suite
// simulate, and leaves rows that stand beside theirs: how long after a show its articles
// are filtered, and the bytes and times of a history that is shipped or asked. The service
// is a process of its own, callers are this one, and all of it is one machine's.
package real

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"dejavu/live/client"
	"dejavu/live/elsewhere"
	"dejavu/live/instance"
	"dejavu/live/layout"
	"dejavu/live/servers"
	"dejavu/results"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/sysinfo"
	"dejavu/workload"
)

// Options are those of Run.
type Options struct {
	_ struct{}

	Rows     string    // folder for the rows
	Program  string    // the service's
	Jars     string    // of Kafka; fetched by Maven where it is empty
	Times    int       // requests of a kind in each of stopwatch.Rounds turns
	Args     []string  // of the command, for the manifest
	Progress io.Writer // also of what is left out

	withoutKafka bool
}

// Whose histories are shipped, how many users there are, and how many articles a full
// history was shown, as in ship.
const (
	strategy = "chain"
	people   = 32
	full     = 600
)

// A site is services that were started, and what their callers need.
type site struct {
	Options
	dir       string
	layout    layout.Layout
	secret    strategies.Secret
	processes []*servers.Process
	at        map[string]*servers.Process // instances, by results.LiveLogs
	redis     *servers.Process            // nil: there is none
}

// Run starts the services, measures, and writes the rows.
func Run(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "dejavu-real-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	s := &site{Options: o, dir: dir, at: map[string]*servers.Process{}}
	defer func() {
		for _, p := range s.processes {
			_ = p.Kill()
		}
	}()
	if err := s.start(ctx); err != nil {
		return err
	}
	run := &results.Run{}
	for _, measure := range []func(context.Context) ([]results.Row, error){s.pipeline, s.ship} {
		rows, err := measure(ctx)
		if err != nil {
			return err
		}
		run.Timing = append(run.Timing, rows...)
	}
	run.Manifest = results.Manifest{
		Users: people, Args: o.Args, Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339),
		Seconds: math.Round(time.Since(began).Seconds()), Environment: sysinfo.Environment(),
	}
	return s.save(run)
}

// save writes a run as the experiments do.
func (s *site) save(run *results.Run) error {
	if err := os.MkdirAll(s.Rows, 0o777); err != nil {
		return err
	}
	for _, experiment := range []string{results.Pipeline, results.Ship} {
		var rows []results.Row
		for _, r := range run.Timing {
			if r.Experiment == experiment {
				rows = append(rows, r)
			}
		}
		if err := results.WriteFile(filepath.Join(s.Rows, results.TimingFileName(experiment)), rows); err != nil {
			return err
		}
		run.Manifest.Experiments = append(run.Manifest.Experiments, results.Status{Name: experiment, Status: results.Done})
	}
	return results.WriteManifest(s.Rows, run.Manifest)
}

// start starts an instance on each log that there is, and Redis.
func (s *site) start(ctx context.Context) (err error) {
	if s.layout, err = layout.Make(layout.Choice{Name: strategy}); err != nil {
		return err
	}
	secret := filepath.Join(s.dir, "secret")
	if s.secret, err = instance.Secret(secret); err != nil {
		return err
	}
	configs := map[string]string{results.LiveLogs[0]: "log: embedded\n"}
	if !s.withoutKafka {
		broker, err := servers.StartKafka(ctx, s.dir, s.Jars, s.Progress)
		if err == nil {
			s.processes = append(s.processes, broker)
			configs[results.LiveLogs[1]] = fmt.Sprintf("log: kafka\nkafka: {brokers: [%q]}\n", broker.Address)
		} else if !errors.Is(err, servers.ErrNoKafka) {
			return err
		} else {
			fmt.Fprintln(s.Progress, "left out:", err)
		}
	}
	s.redis, err = servers.StartRedis(ctx, s.dir)
	if err == nil {
		s.processes = append(s.processes, s.redis)
		configs[results.ByRedis] = fmt.Sprintf("histories: redis\nredis: {address: %q}\n", s.redis.Address)
	} else if !errors.Is(err, servers.ErrNoRedis) {
		return err
	} else {
		fmt.Fprintln(s.Progress, "left out:", err)
	}
	for i, log := range results.LiveLogs {
		config, ok := configs[log]
		if !ok {
			continue
		}
		name := fmt.Sprintf("instance-%d", i)
		config = fmt.Sprintf("strategy: %s\nsecret_file: %s\ndata: %s\npartitions: 16\n%s", strategy, secret, filepath.Join(s.dir, name), config)
		p, err := servers.NewInstance(s.Program, s.dir, name, config)
		if err != nil {
			return err
		}
		if err := p.Start(); err != nil {
			return err
		}
		s.processes, s.at[log] = append(s.processes, p), p
		if err := p.AwaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// histories are those in Redis, without the service.
func (s *site) histories(ctx context.Context, address string) (*elsewhere.Redis, error) {
	return elsewhere.NewRedis(ctx, elsewhere.Options{Address: address, Histories: elsewhere.Histories{
		Layout: s.layout, Secret: s.secret, Idle: 24 * time.Hour,
		Clock: func() store.Timestamp { return store.Timestamp(time.Now().Unix()) },
	}})
}

// caller is a caller of an instance, by Connect over HTTP/1.1 or by gRPC.
func caller(address string, grpc bool) (*client.Client, error) {
	return client.New(client.Options{Addresses: []string{address}, HTTP1: !grpc, GRPC: grpc})
}

func userName(n int) string { return fmt.Sprintf("user-%d", n) }

// articles are some of a user's own order, from one on.
func articles(population workload.Full, user, from, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	population.Reader(user).IDs(ids, from)
	return ids
}
