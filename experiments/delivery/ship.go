package delivery

import (
	"cmp"
	"context"

	daylanes "dejavu/beyond/daily"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Ship measures two ways of an exposure service: sending a user's history to the recall server, or sending the
// candidates to the history. Both must give the same answers; they differ in bytes and time.
var Ship = experiment.Experiment{
	Name: results.Ship, About: "a user's history sent to the recall server, or candidates to the history: bytes " +
		"and time",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{shipCounts, shipTimes} },
	Dimensions: []results.Dimension{by.Candidates, by.Way, by.Network, by.Statistic},
	Rows:       shipRows, Figures: shipFigures, Tables: shipTables,
}

// shipSizes are the measured numbers of candidates of a request, and grid those of the computed times.
var (
	shipSizes = []int{40, 400, 4000}
	grid      = []int{40, 70, 100, 200, 400, 700, 1000, 2000, 4000}
)

// Requests is the number of requests of a kind in a batch, which makes a thousand in all. A test makes it smaller.
var Requests = 19

// A network is an idle wire between two machines: bits per second, and nanoseconds there and back.
type network struct {
	name                 string
	bandwidth, roundTrip float64
}

var wires = []network{
	{"1 Gbit/s and 0.1 ms", 1e9, 1e5},
	{"1 Gbit/s and 0.5 ms", 1e9, 5e5},
	{"10 Gbit/s and 0.1 ms", 1e10, 1e5},
	{"10 Gbit/s and 0.5 ms", 1e10, 5e5},
}

// A shipping is a strategy whose histories are shipped.
type shipping struct {
	measure.Subject
	shown int // articles that a history holds
	bytes int // expected length of such a history
}

// shippings returns the compared strategies: the paper's three kinds, full, and a month of lanes.
func shippings() (all []shipping) {
	for _, subject := range catalogue.Subjects("queue", "single", "chain") {
		all = append(all, shipping{subject, shared.HotShown, subject.Theory.Bytes(shared.HotShown)})
	}
	lanes := catalogue.Must(daylanes.New(daylanes.Month))
	month := measure.Subject{Name: results.Beyond + "daily", Strategy: shared.FullMonth(lanes), Theory: lanes}
	return append(all, shipping{month, shared.MonthDays * workload.PerDay, lanes.BytesDays(shared.MonthDays)})
}

// shipCounts serves users in both ways, one request after the other. Its counts are by shipping, then by size.
var shipCounts = engine.Measurement[[][]ShipCounts]{
	Name: "ship", Users: func(engine.Scope) int { return Users }, Cost: 4000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all [][]ShipCounts, err error) {
		err = routed(r.Seed, func(routes []*Route) (err error) {
			all, err = shared.Collect(r, users, routes, func(route *Route) (of []ShipCounts, err error) {
				of = make([]ShipCounts, len(shipSizes))
				for i, size := range shipSizes {
					if of[i], err = route.Count(ctx, users, size); err != nil {
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

var shipTimes = engine.Measurement[shipTimed]{
	Name: "ship-times", Cost: 1.3e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t shipTimed, err error) {
		err = routed(r.Seed, func(routes []*Route) (err error) {
			t, err = Time(ctx, routes, shipSizes, Requests)
			return err
		})
		return t, err
	},
}

func shipRows(r *engine.Run) (rows, timing []results.Row, err error) {
	counted, countsErr := shipCounts.Of(r)
	took, timesErr := shipTimes.Of(r)
	if err := cmp.Or(countsErr, timesErr); err != nil {
		return nil, nil, err
	}
	for i, s := range shippings() {
		rows = append(rows, s.counted(counted[i])...)
		for _, n := range wires { // a round trip, and the bytes
			for _, size := range grid {
				add := func(way results.Condition, bytes int) {
					nanos := n.roundTrip + 8e9*float64(bytes)/n.bandwidth
					r := row.Theory(results.Ship, s.Name, results.QRequestTime, results.Nanoseconds, nanos)
					rows = append(rows, r.With(way, by.Network.Is(n.name), by.Candidates.At(float64(size))))
				}
				add(shipped, shippedBytes(s.bytes))
				add(shipAsked, askedBytes(size))
			}
		}
		for _, t := range took.Times[i] {
			add := func(way results.Condition, l stopwatch.Latency) {
				r := row.Time(results.Ship, s.Name, results.QRequestTime, l, 1)
				timing = append(timing, r.With(way, by.Statistic.Is("p50")))
			}
			add(shipped, t.Shipped)
			add(shipAsked, t.Asked)
			add(inProcess, t.InProcess)
			timing = append(timing, row.Over(results.Ship, s.Name, results.QTimeRatio, t.Asked, t.Shipped))
		}
	}
	trip := row.Time(results.Ship, "", "round trip", took.RoundTrip, 1)
	return rows, append(timing, trip.With(by.Candidates.Is(""))), nil
}

// Values of the dimension Way.
var (
	shipped   = by.Way.Is("shipped")
	shipAsked = by.Way.Is("asked")
	inProcess = by.Way.Is("in process")
)

// counted returns rows of bytes, with the expected ones, and of differing answers.
func (s shipping) counted(counts []ShipCounts) (rows []results.Row) {
	rows = append(rows, row.Theory(results.Ship, s.Name, results.QBreakEven, "", float64(breakEven(s.bytes))))
	for _, c := range counts {
		add := func(quantity, unit string, value, theory float64, count int64, where ...results.Condition) {
			r := row.Number(results.Ship, s.Name, quantity, unit, value).Expect(theory).Among(count)
			rows = append(rows, r.With(by.Candidates.At(float64(c.Candidates))).With(where...))
		}
		there, back := shippedBytes(s.bytes), askedBytes(c.Candidates)
		add(results.QBytes, results.Bytes, row.Mean(c.Shipped, c.Requests), float64(there), c.Requests, shipped)
		add(results.QBytes, results.Bytes, row.Mean(c.Asked, c.Requests), float64(back), c.Requests, shipAsked)
		add(results.QDiffering, "", float64(c.Apart), 0, c.Checked)
	}
	return rows
}
