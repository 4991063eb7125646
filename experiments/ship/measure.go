// Package ship measures the two ways of an exposure service: a user's history sent
// to the recall server, or the candidates sent to the history. Both must give the
// same answers; they differ in bytes and time.
package ship

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"dejavu/experiments/ship/wire"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// Users is how many users an exposure service has here: few, so that what
// is timed is the way and not the memory that the histories lie in. They are numbered
// from 0, and one more, the newcomer, has no history.
const Users = 32

// repeatEvery is that one candidate in so many was shown.
const repeatEvery = 10

// Exposures makes the histories of an exposure service: those of Users who were
// shown so many articles each, and a newcomer.
func Exposures(s strategies.Strategy, shown int, seed uint64) (wire.Service, error) {
	histories, err := store.New[int](store.Config{Unsalted: true, Strategy: s, Users: Users + 1})
	if err != nil {
		return wire.Service{}, err
	}
	population, err := workload.NewFull(seed, Users)
	if err != nil {
		return wire.Service{}, err
	}
	ids := make([]strategies.ID, shown)
	for user := range Users {
		population.Reader(user).IDs(ids, 0)
		histories.Record(user, 0, ids)
	}
	return wire.Service{Histories: histories, Users: Users + 1}, nil
}

// A Route is a connection to a service that Exposures made, the same histories here,
// and room for a recall server's work.
type Route struct {
	measure.Subject

	client  *wire.Client
	local   wire.Service
	asked   [][]strategies.ID // by user
	history []byte
	seen    [2][]bool
	next    int // user
	err     error
}

// NewRoute returns a route over a connection whose other end has the histories that
// Exposures makes of the same strategy, articles and seed. Requests have at most so
// many candidates.
func NewRoute(client *wire.Client, s measure.Subject, shown, most int, seed uint64) (*Route, error) {
	local, err := Exposures(s.Strategy, shown, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	population, err := workload.NewFull(seed, Users)
	if err != nil {
		return nil, err
	}
	r := &Route{Subject: s, client: client, local: local}
	for i := range r.seen {
		r.seen[i] = make([]bool, most)
	}
	for i := range Users {
		reader, ids := population.Reader(i), make([]strategies.ID, most)
		reader.IDs(ids, workload.Fresh)
		for k := 0; k < most; k += repeatEvery { // the newest first, which all remember
			ids[k] = reader.ID(shown - 1 - k/repeatEvery%shown)
		}
		r.asked = append(r.asked, ids)
	}
	return r, nil
}

// ship fetches a user's history, validates it, and tests the candidates here.
func (r *Route) ship(user int, candidates []strategies.ID, seen []bool) (err error) {
	if r.history, err = r.client.Ship(user, r.history[:0]); err != nil {
		return err
	}
	if err := r.Strategy.Validate(r.history); err != nil {
		return fmt.Errorf("%s: the reply is not a valid history: %w", r.Name, err)
	}
	r.Strategy.Seen(r.history, candidates, seen)
	return nil
}

// Counts is what requests of so many candidates take on the wire: whole
// numbers, the same on every machine.
type Counts struct {
	Candidates int   `json:"candidates" sum:"same"`
	Requests   int64 `json:"requests"` // in each of the two ways
	Shipped    int64 `json:"shipped"`  // bytes of both directions
	Asked      int64 `json:"asked"`

	// Candidates asked for, and those of them on which the answers were not all
	// the same: of the two ways, and of the histories here.
	Checked int64 `json:"checked"`
	Apart   int64 `json:"apart"`
}

// Count takes each of these users through both ways, with so many candidates.
func (r *Route) Count(ctx context.Context, users measure.Range, candidates int) (Counts, error) {
	c := Counts{Candidates: candidates}
	here := make([]bool, candidates)
	shipped, asked := r.seen[0][:candidates], r.seen[1][:candidates]
	bytes := func() int64 {
		sent, received := r.client.Bytes()
		return sent + received
	}
	for user := users.From; user < users.To; user++ {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		ids := r.asked[user][:candidates]
		before := bytes()
		if err := r.ship(user, ids, shipped); err != nil {
			return c, err
		}
		between := bytes()
		if err := r.client.Ask(user, ids, asked); err != nil {
			return c, err
		}
		c.Shipped += between - before
		c.Asked += bytes() - between
		r.local.Histories.Seen(user, 0, ids, here)
		for i, s := range here {
			if s != shipped[i] || s != asked[i] {
				c.Apart++
			}
		}
		c.Requests++
		c.Checked += int64(candidates)
	}
	return c, nil
}

// Times is the time of a request, by way, in turns.
type Times struct {
	Shipped   stopwatch.Latency `json:"shipped"`    // the history validated and tested where it came to
	Asked     stopwatch.Latency `json:"asked"`      // the answers' bits unpacked
	InProcess stopwatch.Latency `json:"in_process"` // the histories here, and no wire at all
}

// Time times requests of these numbers of candidates over these routes, so many
// of each kind in a batch; all of them take turns, and users too. The times are by
// route, then by number of candidates; trip is the time of a newcomer's history.
func Time(ctx context.Context, routes []*Route, sizes []int, times int) (by [][]Times, trip stopwatch.Latency, err error) {
	var works []func()
	for _, r := range routes {
		for _, size := range sizes {
			works = append(works,
				r.work(size, r.ship),
				r.work(size, r.client.Ask),
				r.work(size, func(user int, ids []strategies.ID, seen []bool) error {
					r.local.Histories.Seen(user, 0, ids, seen)
					return nil
				}))
		}
	}
	first := routes[0]
	works = append(works, first.work(0, func(int, []strategies.ID, []bool) error { return first.ship(Users, nil, nil) }))
	latencies, err := stopwatch.Turns(ctx, works, slices.Repeat([]int{times}, len(works)))
	for _, r := range routes {
		err = cmp.Or(err, r.err)
	}
	if err != nil {
		return nil, trip, err
	}
	for range routes {
		var times []Times
		for _, size := range sizes {
			for i := range 3 {
				latencies[i].Candidates = size
			}
			times = append(times, Times{latencies[0], latencies[1], latencies[2]})
			latencies = latencies[3:]
		}
		by = append(by, times)
	}
	trip = latencies[0]
	trip.Candidates = 0
	return by, trip, nil
}

// work serves the next user, unless something has gone wrong on the route.
func (r *Route) work(candidates int, serve func(user int, ids []strategies.ID, seen []bool) error) func() {
	return func() {
		if r.err != nil {
			return
		}
		user := r.next
		r.next = (r.next + 1) % Users
		r.err = serve(user, r.asked[user][:candidates], r.seen[0][:candidates])
	}
}
