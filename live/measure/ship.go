package measure

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"sync/atomic"

	"dejavu/experiments/row"
	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// sizes are the candidates of a request, as ship has them.
var sizes = []int{40, 400, 4000}

type asker func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error

// A protocol is a way to get at histories, which are shipped or asked.
type protocol struct {
	name, way string
	ask       asker
}

func (s *site) protocols(ctx context.Context, dial dialer) (all []protocol, err error) {
	reader := local.New(s.layout, s.secret)
	var v client.Vector // for the layout
	for _, name := range []string{"Connect", "gRPC"} {
		grpc := name == "gRPC"
		c, err := client.New(client.Options{
			Addresses: []string{s.at[byEmbedded].Address}, HTTP1: !grpc, GRPC: grpc, Dial: dial,
		})
		if err != nil {
			return nil, err
		}
		if v, err = c.Vector(ctx, userName(0)); err != nil {
			return nil, err
		}
		ship := func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
			v, err := c.Vector(ctx, user)
			if err != nil {
				return err
			}
			return reader.Seen(v, candidates, seen)
		}
		all = append(all, protocol{name, "shipped", ship}, protocol{name, "asked", c.Seen})
	}
	if s.database == nil {
		return all, nil
	}
	r, err := s.histories(ctx, dial)
	if err != nil {
		return nil, err
	}
	ship := func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
		history, err := r.History(ctx, user)
		if err != nil {
			return err
		}
		return reader.Seen(client.Vector{User: user, History: history, Layout: v.Layout}, candidates, seen)
	}
	return append(all, protocol{byRedis, "shipped", ship}), nil
}

// audience records full histories, in the service and in Redis. It returns candidates for each of the users, of which
// one in ten was shown, as ship has them.
func (s *site) audience(ctx context.Context) (users []string, candidates [][]strategies.ID, err error) {
	population, err := workload.NewFull(results.DefaultSeed, 2*people)
	if err != nil {
		return nil, nil, err
	}
	filler, err := caller(s.at[byEmbedded].Address)
	if err != nil {
		return nil, nil, err
	}
	record := filler.Record
	if s.database != nil {
		r, err := s.histories(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		defer r.Close()
		record = func(ctx context.Context, user string, articles []strategies.ID) error {
			return cmp.Or(filler.Record(ctx, user, articles), r.Record(ctx, user, 0, articles))
		}
	}
	for n := people; n < 2*people; n++ { // pipeline had the others
		shown := articles(population, n, 0, full)
		asked := articles(population, n, full, slices.Max(sizes))
		for i := 0; i < len(asked); i += 10 {
			asked[i] = shown[len(shown)-1-i/10%len(shown)]
		}
		if err := record(ctx, userName(n), shown); err != nil {
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
	protocols, err := s.protocols(ctx, counting(&passed))
	if err != nil {
		return nil, err
	}
	answers := map[int][]bool{} // by the number of candidates, of all users
	var ways []way
	for _, p := range protocols {
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
