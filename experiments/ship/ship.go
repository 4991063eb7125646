package ship

import (
	"context"

	daylanes "dejavu/beyond/daily"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/ship/wire"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/workload"
)

// Experiment is ship.
var Experiment = experiment.Experiment{
	Name: results.Ship, About: "a user's history sent to the recall server, or candidates to the history: bytes and time",
	Needs: func(run.Scope) []run.Task { return []run.Task{counts.Task(), times.Task()} },
	Rows:  rows, Figures: Figures, Tables: tables,
}

// sizes are the candidates of a request, up to the lecture's thousands, and grid those
// at which arithmetic has a point.
var (
	sizes = []int{40, 400, 4000}
	grid  = []int{40, 70, 100, 200, 400, 700, 1000, 2000, 4000}
)

// Requests is how many requests of a kind a batch has: so many that there are a
// thousand in all. A test makes it fewer.
var Requests = 19

// A network is what a wire between two machines is taken for: so many bits a second,
// and so many nanoseconds there and back.
type network struct {
	name      string // behind a quantity
	bandwidth float64
	roundTrip float64
}

// wires are those of one data centre.
var wires = []network{
	{", 1 Gbit/s and 0.1 ms", 1e9, 1e5},
	{", 1 Gbit/s and 0.5 ms", 1e9, 5e5},
	{", 10 Gbit/s and 0.1 ms", 1e10, 1e5},
	{", 10 Gbit/s and 0.5 ms", 1e10, 5e5},
}

// nanos is how long an exchange of so many bytes takes, on an idle network and with
// nothing to do at its ends.
func (n network) nanos(bytes int) float64 { return n.roundTrip + 8e9*float64(bytes)/n.bandwidth }

// A shipping is a strategy whose histories are shipped, and the articles they hold.
type shipping struct {
	measure.Subject
	shown int
	bytes int // of such a history, by theory
}

// shippings are those that are compared: the paper's three kinds, full, and a month
// of lanes.
func shippings() (all []shipping, err error) {
	for _, name := range []string{"queue", "single", "chain"} {
		e, err := catalogue.Find(name)
		if err != nil {
			return nil, err
		}
		subject, err := e.Subject()
		if err != nil {
			return nil, err
		}
		all = append(all, shipping{subject, shared.HotShown, subject.Theory.Bytes(shared.HotShown)})
	}
	lanes, err := daylanes.New(daylanes.Month)
	if err != nil {
		return nil, err
	}
	month := measure.Subject{Name: results.Beyond + "daily", Strategy: shared.FullMonth(lanes), Theory: lanes}
	return append(all, shipping{month, shared.MonthDays * workload.PerDay, lanes.BytesDays(shared.MonthDays)}), nil
}

// counted is by shipping, then by size.
type counted = [][]Counts

// counts takes users through both ways, over one connection of TCP for each strategy,
// one request after the other.
var counts = run.Measurement[counted]{
	Name: "ship", Users: func(run.Scope) int { return Users }, Cost: 1000,
	Make: func(ctx context.Context, r *run.Run, users measure.Range) (all counted, err error) {
		service, err := connect(ctx, r.Seed, inProcess)
		if err != nil {
			return nil, err
		}
		defer service.stop()
		r.Expect(users.Len() * len(service.routes))
		for _, route := range service.routes {
			var of []Counts
			for _, size := range sizes {
				c, err := route.Count(ctx, users, size)
				if err != nil {
					return nil, service.why(err)
				}
				of = append(of, c)
			}
			all = append(all, of)
			r.Progress().Add(users.Len())
		}
		return all, nil
	},
}

// A timed is by shipping, then by size.
type timed struct {
	Times     [][]Times
	RoundTrip stopwatch.Latency
}

// times takes turns over both ways, with the exposure service in a process of its own.
var times = run.Timing[timed]{
	Name: "ship-times", Cost: 3e6,
	Make: func(ctx context.Context, r *run.Run) (t timed, err error) {
		service, err := connect(ctx, r.Seed, startProcess)
		if err != nil {
			return t, err
		}
		defer service.stop()
		t.Times, t.RoundTrip, err = Time(ctx, service.routes, sizes, Requests)
		return t, service.why(err)
	},
}

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	all, err := shippings()
	if err != nil {
		return nil, nil, err
	}
	counted, err := counts.Of(r)
	if err != nil {
		return nil, nil, err
	}
	took, err := times.Of(r)
	if err != nil {
		return nil, nil, err
	}
	for i, s := range all {
		rows = append(rows, s.counted(counted[i])...)
		rows = append(rows, s.modelled()...)
		timing = append(timing, s.timed(took.Times[i])...)
	}
	trip := row.Time(results.Ship, "", results.QRoundTrip, took.RoundTrip, 1)
	trip.X = results.Number{}
	return rows, append(timing, trip), nil
}

// counted are the bytes, beside the closed form, and what the answers were.
func (s shipping) counted(counts []Counts) (rows []results.Row) {
	rows = append(rows, row.Theory(results.Ship, s.Name, results.QBreakEven, "", float64(wire.BreakEven(s.bytes))))
	for _, c := range counts {
		add := func(quantity, unit string, value, theory float64, count int64) {
			r := row.Number(results.Ship, s.Name, quantity, unit, value)
			rows = append(rows, r.At(float64(c.Candidates)).Expect(theory).Among(count))
		}
		add(results.QShippedBytes, results.Bytes, row.Mean(c.Shipped, c.Requests), float64(wire.ShippedBytes(s.bytes)), c.Requests)
		add(results.QAskedBytes, results.Bytes, row.Mean(c.Asked, c.Requests), float64(wire.AskedBytes(c.Candidates)), c.Requests)
		add(results.QAnswersApart, "", float64(c.Apart), 0, c.Checked)
	}
	return rows
}

// modelled is how long the bytes take on each of the networks, by arithmetic alone.
func (s shipping) modelled() (rows []results.Row) {
	for _, n := range wires {
		for _, size := range grid {
			at := func(quantity string, bytes int) results.Row {
				return row.Theory(results.Ship, s.Name, quantity+n.name, results.Nanoseconds, n.nanos(bytes)).At(float64(size))
			}
			rows = append(rows, at(results.QShippedModel, wire.ShippedBytes(s.bytes)), at(results.QAskedModel, wire.AskedBytes(size)))
		}
	}
	return rows
}

// timed are the times, and asking's over shipping's in the same turn.
func (s shipping) timed(times []Times) (timing []results.Row) {
	for _, t := range times {
		timing = append(timing,
			row.Time(results.Ship, s.Name, results.QShipped, t.Shipped, 1),
			row.Time(results.Ship, s.Name, results.QAsked, t.Asked, 1),
			row.Time(results.Ship, s.Name, results.QInProcess, t.InProcess, 1),
			row.Over(results.Ship, s.Name, results.QAskedOver, t.Asked, t.Shipped))
	}
	return timing
}
