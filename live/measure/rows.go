package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"dejavu/experiments/row"
	"dejavu/internal/sysinfo"
	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Rows takes for real what the experiments pipeline and ship of the suite simulate, and leaves rows that stand beside
// theirs: how long after a show its articles are filtered, and the bytes and times of a history that is shipped or
// asked. The service is a process of its own, callers are this one, and all of it is one machine's.
type Rows struct {
	Out   string `help:"Folder for the rows." default:"../out/live" type:"path"`
	Times int    `help:"Requests of each kind in a round." default:"200"`
	Jars  string `help:"Folder with Kafka's jars, instead of Maven." type:"existingdir"`
}

// Whose histories are shipped, how many users there are, and how many articles a full history was shown, as in ship.
const (
	rowsStrategy = "chain"
	people       = 32
	full         = 600
	byEmbedded   = "embedded"
	byKafka      = "Kafka"
)

// logs are where the service keeps what was shown, and sizes the candidates of a request, as ship has them.
var logs, sizes = []string{byEmbedded, byKafka}, []int{40, 400, 4000}

type site struct {
	*Rows
	*fleet
	out io.Writer           // also of what is left out
	at  map[string]*Process // instances by logs
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
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return err
	}
	m := results.Manifest{
		Users: people, Args: os.Args[1:], Commit: sysinfo.Commit(), Started: began.UTC().Format(time.RFC3339),
		Environment: sysinfo.Environment(),
	}
	for _, of := range []struct {
		experiment string
		rows       func(context.Context) ([]results.Row, error)
	}{{results.Pipeline, s.pipeline}, {results.Ship, s.ship}} {
		rows, err := of.rows(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", of.experiment, err)
		}
		path := filepath.Join(r.Out, results.TimingFileName(of.experiment))
		if err := results.WriteFile(path, results.Used(rows), rows); err != nil {
			return err
		}
		m.Experiments = append(m.Experiments, results.Status{Name: of.experiment, Status: results.Done})
	}
	m.Seconds = math.Round(time.Since(began).Seconds())
	return results.WriteManifest(r.Out, m)
}

func (s *site) start(ctx context.Context) error {
	for _, one := range []struct {
		log, config string
		needs       func() (*Process, error)
	}{
		{byEmbedded, "log: embedded", func() (*Process, error) { return &Process{}, nil }},
		{byKafka, "log: kafka\nkafka: {brokers: [NEEDED]}", func() (*Process, error) { return s.kafka(ctx, s.Jars, s.out) }},
	} {
		needed, err := one.needs()
		if errors.Is(err, exec.ErrNotFound) {
			fmt.Fprintln(s.out, "left out:", err)
			continue
		}
		if err != nil {
			return err
		}
		config := "partitions: 16\n" + strings.ReplaceAll(one.config, "NEEDED", needed.Address)
		p, err := s.instance("instance-"+one.log, config)
		if err == nil {
			err = p.awaitReady(ctx)
		}
		if err != nil {
			return err
		}
		s.at[one.log] = p
	}
	return nil
}

// calling is a client of instances; there is one wherever they have an address.
func calling(o client.Options, addresses ...string) *client.Client {
	o.Addresses = addresses
	c, _ := client.New(o)
	return c
}

// A way is one of several to do the same, whose times are taken in turns.
type way struct {
	where      []results.Condition
	candidates int
	once       func() error
	beside     func() (results.Row, error) // what else is known of it, when its times are taken
}

func (s *site) times(ctx context.Context, experiment, quantity string, ways []way) (rows []results.Row, err error) {
	var works []stopwatch.Work
	for _, w := range ways {
		works = append(works, stopwatch.Work{Candidates: w.candidates, Batch: 1, Turn: func(t *stopwatch.Timer) {
			for range s.Times {
				began := time.Now()
				if err == nil {
					err = w.once()
				}
				t.Record(time.Since(began))
			}
		}})
	}
	latencies, failed := stopwatch.Interleaved(ctx, works)
	if err := cmp.Or(err, failed); err != nil {
		return nil, err
	}
	for i, w := range ways {
		rows = append(rows, timed(experiment, quantity, latencies[i], w.where...)...)
		r, err := w.beside()
		if err != nil {
			return nil, err
		}
		rows = append(rows, r.With(w.where...))
	}
	return rows, nil
}

func timed(experiment, quantity string, l stopwatch.Latency, where ...results.Condition) []results.Row {
	median := row.Time(experiment, rowsStrategy, quantity, l, 1).With(by.Statistic.Is("p50"))
	late := median.With(by.Statistic.Is("p99"))
	late.Value, late.Low, late.High = results.Num(l.P99), results.Number{}, results.Number{}
	return []results.Row{median.With(where...), late.With(where...)}
}

// pipeline takes the time from the beginning of a show until another connection, asked after it, says all are seen.
func (s *site) pipeline(ctx context.Context) ([]results.Row, error) {
	population, err := workload.NewFull(results.DefaultSeed, people)
	if err != nil {
		return nil, err
	}
	var ways []way
	for _, log := range logs {
		p := s.at[log]
		if p == nil {
			continue
		}
		fmt.Fprintf(s.out, "pipeline: %s\n", log)
		o := client.Options{HTTP1: true}
		shower, asker := calling(o, p.Address), calling(o, p.Address)
		requests, all, missed := 0, int64(0), int64(0)
		once := func() error {
			user, from := requests%people, requests/people*perRequest
			requests++
			shown, err := shower.Show(ctx, userName(user), articles(population, user, from, perRequest), perPage)
			if err != nil {
				return err
			}
			seen := make([]bool, len(shown))
			if err := asker.Seen(ctx, userName(user), shown, seen); err != nil {
				return err
			}
			all += int64(len(shown))
			for _, known := range seen {
				if !known {
					missed++
				}
			}
			return nil
		}
		beside := func() (results.Row, error) {
			r := row.Number(results.Pipeline, rowsStrategy, results.QNotFiltered, "", float64(missed))
			return r.Expect(0).Among(all), nil
		}
		ways = append(ways, way{[]results.Condition{by.Log.Is(log), by.Candidates.Is("")}, perRequest, once, beside})
	}
	return s.times(ctx, results.Pipeline, results.QUntilFiltered, ways)
}

type asker func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error

// A protocol is a way to get at histories, which are shipped or asked.
type protocol struct {
	name, way string
	ask       asker
}

func (s *site) protocols(dial dialer) (all []protocol) {
	reader := local.New(s.layout, s.secret)
	shipped := func(fetch func(context.Context, string) (client.Vector, error)) asker {
		return func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
			v, err := fetch(ctx, user)
			if err != nil {
				return err
			}
			return reader.Seen(v, candidates, seen)
		}
	}
	for _, name := range []string{"Connect", "gRPC"} {
		grpc := name == "gRPC"
		c := calling(client.Options{HTTP1: !grpc, GRPC: grpc, Dial: dial}, s.at[byEmbedded].Address)
		all = append(all, protocol{name, "shipped", shipped(c.Vector)}, protocol{name, "asked", c.Seen})
	}
	return all
}

// audience records full histories in the service, and returns candidates: one in ten was shown, as in ship.
func (s *site) audience(ctx context.Context) (users []string, candidates [][]strategies.ID, err error) {
	population, err := workload.NewFull(results.DefaultSeed, 2*people)
	if err != nil {
		return nil, nil, err
	}
	filler := calling(client.Options{}, s.at[byEmbedded].Address)
	for n := people; n < 2*people; n++ { // pipeline had the others
		shown := articles(population, n, 0, full)
		asked := articles(population, n, full, slices.Max(sizes))
		for i := 0; i < len(asked); i += 10 {
			asked[i] = shown[len(shown)-1-i/10%len(shown)]
		}
		if err := filler.Record(ctx, userName(n), shown); err != nil {
			return nil, nil, err
		}
		users, candidates = append(users, userName(n)), append(candidates, asked)
	}
	return users, candidates, nil
}

func (s *site) ship(ctx context.Context) ([]results.Row, error) {
	users, candidates, err := s.audience(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(s.out, "ship: times and bytes")
	var passed atomic.Int64
	answers := map[int][]bool{} // by the number of candidates, of all users
	var ways []way
	for _, p := range s.protocols(counting(&passed)) {
		for _, size := range sizes {
			next := 0
			ask := func() (seen []bool, err error) {
				n := next % len(users)
				next++
				seen = make([]bool, size)
				return seen, p.ask(ctx, users[n], candidates[n][:size], seen)
			}
			once := func() error { _, err := ask(); return err }
			beside := func() (results.Row, error) {
				next = 0
				before := passed.Load()
				var answer []bool
				for range users {
					seen, err := ask()
					if err != nil {
						return results.Row{}, err
					}
					answer = append(answer, seen...)
				}
				n := int64(len(users))
				r := row.Number(results.Ship, rowsStrategy, results.QBytes, results.Bytes, row.Mean(passed.Load()-before, n))
				if answers[size] == nil {
					answers[size] = answer
				}
				if !slices.Equal(answers[size], answer) {
					return r, fmt.Errorf("%s, %s: %d candidates: the answers differ from those of another way", p.way, p.name, size)
				}
				return r.Among(n), nil
			}
			where := []results.Condition{by.Way.Is(p.way), by.Protocol.Is(p.name), by.Candidates.At(float64(size))}
			ways = append(ways, way{where, size, once, beside})
		}
	}
	return s.times(ctx, results.Ship, results.QRequestTime, ways)
}

type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// counting connects, and counts what passes, both ways: all that the protocols add but the network's own headers.
func counting(passed *atomic.Int64) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &counted{conn, passed}, err
	}
}

type counted struct {
	net.Conn
	passed *atomic.Int64
}

func (c *counted) count(n int, err error) (int, error) {
	c.passed.Add(int64(n))
	return n, err
}

func (c *counted) Read(b []byte) (int, error)  { return c.count(c.Conn.Read(b)) }
func (c *counted) Write(b []byte) (int, error) { return c.count(c.Conn.Write(b)) }
