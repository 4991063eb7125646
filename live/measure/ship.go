package measure

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"dejavu/experiments/row"
	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// sizes are the candidates of a request, as ship has them.
var sizes = []int{40, 400, 4000}

// An asker sets which of the candidates a user has seen.
type asker func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error

// A question is a way to get at histories and a number of candidates, shipped or asked.
type question struct {
	way      results.Condition
	protocol string
	size     int
	ask      asker
}

// Values of the dimension Way.
var (
	shipped = by.Way.Is("shipped")
	asked   = by.Way.Is("asked")
)

// where is under which conditions its rows are found.
func (q question) where() []results.Condition {
	return []results.Condition{q.way, by.Protocol.Is(q.protocol), by.Candidates.At(float64(q.size))}
}

// questions are all, over such connections.
func (s *site) questions(ctx context.Context, dial dialer) (all []question, err error) {
	add := func(way results.Condition, protocol string, ask asker) {
		for _, size := range sizes {
			all = append(all, question{way, protocol, size, ask})
		}
	}
	reader := local.New(s.layout, s.secret)
	var v client.Vector // for the layout
	for _, protocol := range []string{"Connect", "gRPC"} {
		grpc := protocol == "gRPC"
		c, err := client.New(client.Options{
			Addresses: []string{s.at[byEmbedded].Address}, HTTP1: !grpc, GRPC: grpc, Dial: dial,
		})
		if err != nil {
			return nil, err
		}
		if v, err = c.Vector(ctx, userName(0)); err != nil {
			return nil, err
		}
		add(shipped, protocol,
			func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
				v, err := c.Vector(ctx, user)
				if err != nil {
					return err
				}
				return reader.Seen(v, candidates, seen)
			})
		add(asked, protocol, c.Seen)
	}
	if s.redis == nil {
		return all, nil
	}
	r, err := s.histories(ctx, dial)
	if err != nil {
		return nil, err
	}
	add(shipped, byRedis,
		func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
			history, err := r.History(ctx, user)
			if err != nil {
				return err
			}
			return reader.Seen(client.Vector{User: user, History: history, Layout: v.Layout}, candidates, seen)
		})
	return all, nil
}

// An audience is users whose histories are full, and candidates of which one in ten was
// shown, as ship has them.
type audience struct {
	users      []string
	candidates [][]strategies.ID // by user, the most that are asked
	next       int
}

// audience records the histories, in the service and in Redis.
func (s *site) audience(ctx context.Context) (*audience, error) {
	population, err := workload.NewFull(results.DefaultSeed, 2*people)
	if err != nil {
		return nil, err
	}
	filler, err := caller(s.at[byEmbedded].Address)
	if err != nil {
		return nil, err
	}
	record := filler.Record
	if s.redis != nil {
		r, err := s.histories(ctx, nil)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		record = func(ctx context.Context, user string, articles []strategies.ID) error {
			return cmp.Or(filler.Record(ctx, user, articles), r.Record(ctx, user, 0, articles))
		}
	}
	a := &audience{}
	for n := people; n < 2*people; n++ { // pipeline had the others
		shown := articles(population, n, 0, full)
		asked := articles(population, n, full, slices.Max(sizes))
		for i := 0; i < len(asked); i += 10 {
			asked[i] = shown[len(shown)-1-i/10%len(shown)]
		}
		if err := record(ctx, userName(n), shown); err != nil {
			return nil, err
		}
		a.users, a.candidates = append(a.users, userName(n)), append(a.candidates, asked)
	}
	return a, nil
}

// ask asks about the next user.
func (a *audience) ask(ctx context.Context, q question) (seen []bool, err error) {
	n := a.next % len(a.users)
	a.next++
	seen = make([]bool, q.size)
	return seen, q.ask(ctx, a.users[n], a.candidates[n][:q.size], seen)
}

// ship takes the times of all questions in turns, and their bytes.
func (s *site) ship(ctx context.Context) (rows []results.Row, err error) {
	users, err := s.audience(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(s.out, "ship: times and bytes")
	var passed atomic.Int64
	all, err := s.questions(ctx, counting(&passed))
	if err != nil {
		return nil, err
	}
	var works []stopwatch.Work
	for _, q := range all {
		works = append(works, stopwatch.Work{Candidates: q.size, Batch: 1, Turn: func(t *stopwatch.Timer) {
			for range s.Times {
				began := time.Now()
				if err == nil {
					_, err = users.ask(ctx, q)
				}
				t.Record(time.Since(began))
			}
		}})
	}
	latencies, failed := stopwatch.Interleaved(ctx, works)
	if err := cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	answers := map[int][]bool{} // by the number of candidates, of all users
	for i, q := range all {
		rows = append(rows, timed(results.Ship, results.QRequestTime, latencies[i], q.where()...)...)
		users.next = 0
		before := passed.Load()
		var answer []bool
		for range users.users {
			seen, err := users.ask(ctx, q)
			if err != nil {
				return nil, err
			}
			answer = append(answer, seen...)
		}
		n := int64(len(users.users))
		bytes := row.Number(results.Ship, rowsStrategy, results.QBytes, results.Bytes, row.Mean(passed.Load()-before, n))
		rows = append(rows, bytes.Among(n).With(q.where()...))
		if answers[q.size] == nil {
			answers[q.size] = answer
		}
		if !slices.Equal(answers[q.size], answer) {
			return nil, fmt.Errorf("ship: %s, %s: %d candidates: the answers differ from those of another way",
				q.way.Value, q.protocol, q.size)
		}
	}
	return rows, nil
}

// A dialer connects.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// counting connects, and counts what passes, both ways: all that the protocols add but the
// network's own headers.
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

// Read implements net.Conn.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.passed.Add(int64(n))
	return n, err
}

// Write implements net.Conn.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.passed.Add(int64(n))
	return n, err
}
