package delivery

import (
	"cmp"
	"context"
	"slices"

	daylanes "dejavu/beyond/daily"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
)

// Ship compares two ways to use an exposure service: shipping a user's history to the recall server, or asking about
// candidates. Answers must be equal; bytes and times differ.
var Ship = experiment.Experiment{
	Name: results.Ship, About: "a user's history sent to the recall server, or candidates to the history: bytes " +
		"and time",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{shipCounts, shipTimes} },
	Dimensions: []results.Dimension{by.Candidates, by.Way, by.Network, by.Statistic},
	Rows:       shipRows, Tables: shipTables,
}

var shipSizes = []int{40, 400, 4000}

// Requests is the number of requests of a kind in a batch, of some 500. Tests reduce it.
var Requests = 19

// wires lists networks: bits per second, and nanoseconds for a round trip.
var wires = []struct {
	name                 string
	bandwidth, roundTrip float64
}{
	{"1 Gbit/s and 0.1 ms", 1e9, 1e5},
	{"10 Gbit/s and 0.5 ms", 1e10, 5e5},
}

// A shipping is a strategy whose histories are shipped.
type shipping struct {
	measure.Subject
	shown int // articles in a history
	bytes int // its expected length
}

// shippings returns the compared strategies: the paper's three kinds, full, and a month of lanes.
func shippings() (all []shipping) {
	for _, subject := range catalogue.Subjects("queue", "single", "chain") {
		all = append(all, shipping{subject, shared.HotShown, subject.Theory.Bytes(shared.HotShown)})
	}
	lanes := catalogue.Must(daylanes.New(daylanes.Month))
	month := measure.Subject{Name: lanesName, Strategy: fullMonth(lanes), Theory: lanes}
	return append(all, shipping{month, articles, lanes.BytesDays(days)})
}

// shipCounts counts bytes and differences by strategy, then by size. shipTimes times both ways.
var (
	shipCounts = engine.Measurement[[][]shipCount]{
		Name: "ship", Users: func(engine.Scope) int { return shipUsers }, Cost: 4000,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all [][]shipCount, err error) {
			err = routed(r.Seed, func(routes []*route) (err error) {
				all, err = shared.Collect(r, users, routes, func(route *route) (of []shipCount, err error) {
					of = make([]shipCount, len(shipSizes))
					for i, size := range shipSizes {
						if of[i], err = route.count(ctx, users, size); err != nil {
							return nil, err
						}
					}
					r.Progress().Add(users.Len())
					return of, nil
				})
				return err
			})
			return all, err
		},
	}
	shipTimes = engine.Measurement[[][]shipTime]{
		Name: "ship-times", Cost: 9e5,
		Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t [][]shipTime, err error) {
			err = routed(r.Seed, func(routes []*route) (err error) {
				t, err = timeShip(ctx, routes, shipSizes)
				return err
			})
			return t, err
		},
	}
)

var (
	shipped   = by.Way.Is("shipped")
	shipAsked = by.Way.Is("asked")
)

func shipRows(r *engine.Run) (rows, timing []results.Row) {
	counted, took := shipCounts.Of(r), shipTimes.Of(r)
	for i, s := range shippings() {
		number := func(quantity, unit string, value, theory float64, count int64, where ...results.Condition) {
			rows = append(rows, row.Number(s.Name, quantity, unit, value).Expect(theory).Among(count).With(where...))
		}
		rows = append(rows, row.Theory(s.Name, results.QBreakEven, "", float64(breakEven(s.bytes))))
		for j, c := range counted[i] {
			at, t := by.Candidates.At(float64(shipSizes[j])), took[i][j]
			there, back := shippedBytes(s.bytes), askedBytes(shipSizes[j])
			number(results.QBytes, results.Bytes, row.Mean(c.Shipped, c.Requests), float64(there), c.Requests, at, shipped)
			number(results.QBytes, results.Bytes, row.Mean(c.Asked, c.Requests), float64(back), c.Requests, at, shipAsked)
			number(results.QDiffering, "", float64(c.Apart), 0, c.Checked, at)
			for _, n := range wires { // theory: a round trip, and the transfer
				time := func(bytes int, way results.Condition) results.Row {
					nanos := n.roundTrip + 8e9*float64(bytes)/n.bandwidth
					r := row.Theory(s.Name, results.QRequestTime, results.Nanoseconds, nanos)
					return r.With(at, by.Network.Is(n.name), way)
				}
				rows = append(rows, time(there, shipped), time(back, shipAsked))
			}
			p50 := by.Statistic.Is("p50")
			timing = append(timing,
				row.Time(s.Name, results.QRequestTime, t.Shipped, 1).With(shipped, p50),
				row.Time(s.Name, results.QRequestTime, t.Asked, 1).With(shipAsked, p50),
				row.Over(s.Name, results.QTimeRatio, t.Asked, t.Shipped))
		}
	}
	return rows, timing
}

// shipUsers is the number of users. It is small so that their histories stay in the cache.
const shipUsers = 32

// A shipCount sums over requests with one number of candidates.
type shipCount struct {
	Requests int64 `json:"requests"` // in each of the two ways
	Shipped  int64 `json:"shipped"`  // bytes in both directions
	Asked    int64 `json:"asked"`
	Checked  int64 `json:"checked"` // candidates
	Apart    int64 `json:"apart"`   // candidates with different answers from shipping, asking and the store itself
}

func (r *route) count(ctx context.Context, users measure.Range, candidates int) (c shipCount, err error) {
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
		r.histories.Seen(user, 0, ids, here[:0])
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

type shipTime struct {
	Shipped stopwatch.Latency `json:"shipped"` // with validating and querying the history
	Asked   stopwatch.Latency `json:"asked"`   // with unpacking the answer
}

// timeShip times requests of all sizes over all routes in both ways, in turns.
func timeShip(ctx context.Context, routes []*route, sizes []int) ([][]shipTime, error) {
	var works []func()
	for _, r := range routes {
		for _, size := range sizes {
			works = append(works, r.work(size, r.ship), r.work(size, r.ask))
		}
	}
	took, err := stopwatch.Turns(ctx, works, slices.Repeat([]int{Requests}, len(works)))
	for _, r := range routes {
		err = cmp.Or(err, r.err)
	}
	if err != nil {
		return nil, err
	}
	times := make([][]shipTime, len(routes))
	for i := range routes {
		for _, size := range sizes {
			took[0].Candidates, took[1].Candidates = size, size
			times[i], took = append(times[i], shipTime{took[0], took[1]}), took[2:]
		}
	}
	return times, nil
}

// work returns a function that serves the next user. After an error it does nothing.
func (r *route) work(candidates int, serve func(user int, ids []strategies.ID, seen []bool) error) func() {
	seen := make([]bool, candidates)
	return func() {
		if r.err == nil {
			user := r.next
			r.next = (r.next + 1) % shipUsers
			r.err = serve(user, r.asked[user][:candidates], seen)
		}
	}
}

var bySize = []string{"40", "400", "4000"}

var shipTables = []text.Table{
	{
		Title: "Ship the history or ask for the candidates: bytes of request and answer, of asking by the number " +
			"of candidates",
		Lines: results.Q("ship: break-even"),
		Columns: slices.Concat(
			[]text.Column{
				text.Strategy("strategy"),
				text.Value("shipped, any number", "bytes at way=shipped, candidates=40", text.Of),
			},
			text.Each("bytes at way=asked", by.Candidates, text.Of, bySize...),
			[]text.Column{text.Value("shipping takes fewer from", "break-even", text.Of)},
		),
	},
	{
		Title: "A request over the loopback of one machine, by candidates: shipped / asked (asked over shipped " +
			"within a turn)",
		Lines: results.Q("ship: time ratio at candidates=40"),
		Columns: text.ByStrategy(by.Candidates, bySize, bothWays,
			"request time at statistic=p50, way=shipped", "request time at statistic=p50, way=asked", "time ratio"),
	},
}

// bothWays returns "shipped / asked (ratio, its interval)", without an unknown ratio.
func bothWays(r ...results.Row) string {
	said := text.Of(r[0]) + " / " + text.Of(r[1])
	if r[2].Value.IsSet() {
		said += " (" + text.Ratio(r[2]) + ")"
	}
	return said
}
