package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/live/keyvalue"
	"dejavu/results"
)

// Rows takes for real what the experiments pipeline and ship of the suite simulate, and
// leaves rows that stand beside theirs: how long after a show its articles are filtered,
// and the bytes and times of a history that is shipped or asked. The service is a process
// of its own, callers are this one, and all of it is one machine's.
type Rows struct {
	Out   string `help:"Folder for the rows." default:"../out/live" type:"path"`
	Times int    `help:"Requests of a kind in each of the turns." default:"200"`
	Jars  string `help:"Folder of Kafka's jars, in place of Maven." type:"existingdir"`

	withoutKafka bool
}

// Whose histories are shipped, how many users there are, and how many articles a full
// history was shown, as in ship.
const (
	rowsStrategy = "chain"
	people       = 32
	full         = 600
)

// logs are where the service keeps what was shown, by values of the dimension Log.
var logs = []string{byEmbedded, byKafka, byRedis}

const (
	byEmbedded = "embedded"
	byKafka    = "Kafka"
	byRedis    = "Redis" // also the protocol, without the service
)

// A site is services that were started, and what their callers need.
type site struct {
	*Rows
	*fleet
	out   io.Writer           // also of what is left out
	at    map[string]*Process // instances, by logs
	redis *Process            // nil: there is none
}

// Run starts the services, measures, and writes the rows.
func (r *Rows) Run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "dejavu-rows-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	s := &site{Rows: r, out: out, at: map[string]*Process{}}
	if s.fleet, err = newFleet(dir, rowsStrategy); err != nil {
		return err
	}
	defer s.kill()
	if err := s.start(ctx); err != nil {
		return err
	}
	pipeline, err := s.pipeline(ctx)
	if err != nil {
		return err
	}
	ship, err := s.ship(ctx)
	if err != nil {
		return err
	}
	return r.save(began, pipeline, ship)
}

// save writes the rows as the experiments do.
func (r *Rows) save(began time.Time, pipeline, ship []results.Row) error {
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return err
	}
	m := results.Manifest{
		Users: people, Args: os.Args[1:], Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339),
		Seconds: math.Round(time.Since(began).Seconds()), Environment: sysinfo.Environment(),
	}
	for _, of := range []struct {
		experiment string
		rows       []results.Row
	}{{results.Pipeline, pipeline}, {results.Ship, ship}} {
		path := filepath.Join(r.Out, results.TimingFileName(of.experiment))
		if err := results.WriteFile(path, results.Used(of.rows), of.rows); err != nil {
			return err
		}
		m.Experiments = append(m.Experiments, results.Status{Name: of.experiment, Status: results.Done})
	}
	return results.WriteManifest(r.Out, m)
}

// start starts an instance on each log that there is, and Redis.
func (s *site) start(ctx context.Context) error {
	configs := map[string]string{byEmbedded: "log: embedded\n"}
	if !s.withoutKafka {
		broker, err := startKafka(ctx, s.dir, s.Jars, s.out)
		switch {
		case err == nil:
			configs[byKafka] = fmt.Sprintf("log: kafka\nkafka: {brokers: [%q]}\n", s.add(broker).Address)
		case errors.Is(err, errNoKafka):
			fmt.Fprintln(s.out, "left out:", err)
		default:
			return err
		}
	}
	redis, err := StartRedis(ctx, s.dir)
	switch {
	case err == nil:
		s.redis = s.add(redis)
		configs[byRedis] = fmt.Sprintf("histories: redis\nredis: {address: %q}\n", redis.Address)
	case errors.Is(err, ErrNoRedis):
		fmt.Fprintln(s.out, "left out:", err)
	default:
		return err
	}
	for i, log := range logs {
		config, ok := configs[log]
		if !ok {
			continue
		}
		p, err := s.instance(fmt.Sprintf("instance-%d", i), "partitions: 16\n"+config)
		if err != nil {
			return err
		}
		s.at[log] = p
		if err := p.awaitReady(ctx); err != nil {
			return err
		}
	}
	return nil
}

// histories are those in Redis, without the service.
func (s *site) histories(ctx context.Context, dial dialer) (*keyvalue.Keeper, error) {
	const idle = 24 * time.Hour
	r, err := keyvalue.NewRedis(ctx, keyvalue.RedisOptions{Address: s.redis.Address, Idle: idle, Dial: dial})
	if err != nil {
		return nil, err
	}
	return keyvalue.New(ctx, r, keyvalue.Histories{Layout: s.layout, Secret: s.secret, Idle: idle, Clock: clock})
}
