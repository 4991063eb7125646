// Package ship measures the two ways of an exposure service: a user's history sent to the recall server, or
// the candidates sent to the history. Both must give the same answers; they differ in bytes and time.
package ship

import (
	"cmp"
	"context"
	"slices"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
)

// Counts is what requests of so many candidates take: whole numbers, the same on every machine.
type Counts struct {
	Candidates int   `json:"candidates" sum:"same"`
	Requests   int64 `json:"requests"` // in each of the two ways
	Shipped    int64 `json:"shipped"`  // bytes of both directions
	Asked      int64 `json:"asked"`

	// Candidates asked for, and those of them on which the answers were not all the same: of the two ways,
	// and of the histories here.
	Checked int64 `json:"checked"`
	Apart   int64 `json:"apart"`
}

// Count takes each of these users through both ways, with so many candidates.
func (r *Route) Count(ctx context.Context, users measure.Range, candidates int) (Counts, error) {
	c := Counts{Candidates: candidates}
	here, shipped, asked := make([]bool, candidates), make([]bool, candidates), make([]bool, candidates)
	for user := users.From; user < users.To; user++ {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		ids := r.asked[user][:candidates]
		if err := r.ship(user, ids, shipped); err != nil {
			return c, err
		}
		c.Shipped += int64(requestBytes + answerBytes + len(r.answer))
		if err := r.ask(user, ids, asked); err != nil {
			return c, err
		}
		c.Asked += int64(requestBytes + len(r.body) + answerBytes + len(r.answer))
		r.histories.Seen(user, 0, ids, here)
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

// Time times requests of these numbers of candidates over these routes, so many of each kind in a batch; all
// of them take turns, and users too. The times are by route, then by number of candidates; trip is the time
// of a newcomer's history.
func Time(
	ctx context.Context, routes []*Route, sizes []int, times int,
) (by [][]Times, trip stopwatch.Latency, err error) {
	var works []func()
	for _, r := range routes {
		for _, size := range sizes {
			works = append(works,
				r.work(size, r.ship),
				r.work(size, r.ask),
				r.work(size, r.test))
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
	seen := make([]bool, candidates)
	return func() {
		if r.err == nil {
			user := r.next
			r.next = (r.next + 1) % Users
			r.err = serve(user, r.asked[user][:candidates], seen)
		}
	}
}
