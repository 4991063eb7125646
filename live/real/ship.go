package real

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"dejavu/experiments/row"
	"dejavu/live/client"
	"dejavu/live/client/local"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// sizes are the candidates of a request, as ship has them.
var sizes = []int{40, 400, 4000}

// A way is how a caller gets at histories.
type way struct {
	name    string
	shipped func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error
	asked   func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error // nil: it cannot
}

// ways are all, at these addresses.
func (s *site) ways(ctx context.Context, service, redis string) (all []way, err error) {
	reader := local.New(s.layout, s.secret)
	for _, name := range []string{results.ByConnect, results.ByGRPC} {
		c, err := caller(service, name == results.ByGRPC)
		if err != nil {
			return nil, err
		}
		all = append(all, way{name, func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
			v, err := c.Vector(ctx, user)
			if err != nil {
				return err
			}
			return reader.Seen(v, candidates, seen)
		}, c.Seen})
	}
	if s.redis == nil {
		return all, nil
	}
	c, err := caller(service, false)
	if err != nil {
		return nil, err
	}
	v, err := c.Vector(ctx, userName(0)) // for the layout
	if err != nil {
		return nil, err
	}
	r, err := s.histories(ctx, redis)
	if err != nil {
		return nil, err
	}
	return append(all, way{results.ByRedis, func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error {
		history, err := r.History(ctx, user)
		if err != nil {
			return err
		}
		return reader.Seen(client.Vector{User: user, History: history, Layout: v.Layout}, candidates, seen)
	}, nil}), nil
}

// A reading is users whose histories are full, and candidates of which one in ten was
// shown, as ship has them.
type reading struct {
	users      []string
	candidates [][]strategies.ID // by user, the most that are asked
	next       int
}

func newReading(ctx context.Context, records ...func(ctx context.Context, user string, articles []strategies.ID) error) (*reading, error) {
	population, err := workload.NewFull(results.DefaultSeed, 2*people)
	if err != nil {
		return nil, err
	}
	r := &reading{}
	for n := people; n < 2*people; n++ { // pipeline had the others
		shown := articles(population, n, 0, full)
		asked := articles(population, n, full, slices.Max(sizes))
		for i := 0; i < len(asked); i += 10 {
			asked[i] = shown[len(shown)-1-i/10%len(shown)]
		}
		for _, record := range records {
			if err := record(ctx, userName(n), shown); err != nil {
				return nil, err
			}
		}
		r.users, r.candidates = append(r.users, userName(n)), append(r.candidates, asked)
	}
	return r, nil
}

// ask asks about the next user.
func (r *reading) ask(ctx context.Context, q question, seen []bool) error {
	n := r.next % len(r.users)
	r.next++
	return q.ask(ctx, r.users[n], r.candidates[n][:q.size], seen[:q.size])
}

// A question is a way and a number of candidates, shipped or asked.
type question struct {
	way         string
	bytes, time string // quantities
	size        int
	ask         func(ctx context.Context, user string, candidates []strategies.ID, seen []bool) error
}

func questions(ways []way) (all []question) {
	for _, w := range ways {
		for _, size := range sizes {
			all = append(all, question{w.name, results.QShippedBytes, results.QShipped, size, w.shipped})
			if w.asked != nil {
				all = append(all, question{w.name, results.QAskedBytes, results.QAsked, size, w.asked})
			}
		}
	}
	return all
}

// ship takes the times of all questions in turns, and their bytes through relays.
func (s *site) ship(ctx context.Context) (rows []results.Row, err error) {
	service, redis := s.at[results.LiveLogs[0]].Address, ""
	filler, err := caller(service, false)
	if err != nil {
		return nil, err
	}
	records := []func(context.Context, string, []strategies.ID) error{filler.Record}
	if s.redis != nil {
		redis = s.redis.Address
		r, err := s.histories(ctx, redis)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		records = append(records, func(ctx context.Context, user string, articles []strategies.ID) error {
			return r.Record(ctx, user, 0, articles)
		})
	}
	users, err := newReading(ctx, records...)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(s.Progress, "ship: times")
	ways, err := s.ways(ctx, service, redis)
	if err != nil {
		return nil, err
	}
	all := questions(ways)
	seen := make([]bool, slices.Max(sizes))
	var works []stopwatch.Work
	for _, q := range all {
		works = append(works, stopwatch.Work{Candidates: q.size, Batch: 1, Turn: func(t *stopwatch.Timer) {
			for range s.Times {
				began := time.Now()
				if err == nil {
					err = users.ask(ctx, q, seen)
				}
				t.Record(time.Since(began))
			}
		}})
	}
	latencies, failed := stopwatch.Interleaved(ctx, works)
	if err := cmp.Or(err, failed); err != nil {
		return nil, fmt.Errorf("ship: %w", err)
	}
	for i, q := range all {
		rows = append(rows, timed(results.Ship, q.time, q.way, latencies[i])...)
	}
	counted, err := s.shipBytes(ctx, users, service, redis)
	return append(rows, counted...), err
}

// shipBytes counts them, with all that the protocols add but the network's own headers,
// and sees to it that all ways give the same answers.
func (s *site) shipBytes(ctx context.Context, users *reading, service, redis string) (rows []results.Row, err error) {
	fmt.Fprintln(s.Progress, "ship: bytes")
	passed := &atomic.Int64{}
	through := map[string]string{}
	for _, to := range []string{service, redis} {
		if to == "" {
			continue
		}
		relay, err := newRelay(to, passed)
		if err != nil {
			return nil, err
		}
		defer relay.Close()
		through[to] = relay.Addr().String()
	}
	ways, err := s.ways(ctx, through[service], through[redis])
	if err != nil {
		return nil, err
	}
	answers := map[int][]bool{} // by the number of candidates, of all users
	for _, q := range questions(ways) {
		if err := users.ask(ctx, q, make([]bool, q.size)); err != nil { // connects
			return nil, err
		}
		users.next = 0
		before := passed.Load()
		var all []bool
		for range users.users {
			seen := make([]bool, q.size)
			if err := users.ask(ctx, q, seen); err != nil {
				return nil, err
			}
			all = append(all, seen...)
		}
		n := int64(len(users.users))
		rows = append(rows, row.Number(results.Ship, strategy, q.bytes+q.way, results.Bytes, row.Mean(passed.Load()-before, n)).At(float64(q.size)).Among(n))
		if answers[q.size] == nil {
			answers[q.size] = all
		}
		if !slices.Equal(answers[q.size], all) {
			return nil, fmt.Errorf("ship: %s%s: %d candidates: the answers differ from those of another way", q.time, q.way, q.size)
		}
	}
	return rows, nil
}
