package main

import (
	"slices"

	daylanes "dejavu/beyond/daily"
	"dejavu/measure"
	"dejavu/measure/wire"
	"dejavu/results"
	"dejavu/workload"
)

const shipName = "ship"

// shipSizes are the candidates of a request, up to the lecture's thousands, and
// shipGrid those at which arithmetic has a point.
var (
	shipSizes = []int{40, 400, 4000}
	shipGrid  = []int{40, 70, 100, 200, 400, 700, 1000, 2000, 4000}
)

// shipTimes is how many requests of a kind a batch has: so many that there are a
// thousand in all.
var shipTimes = 19

// A network is what a wire between two machines is taken for: so many bits a second,
// and so many nanoseconds there and back.
type network struct {
	name      string // behind a quantity
	bandwidth float64
	roundTrip float64
}

// networks are those of one data centre.
var networks = []network{
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
func (s *suite) shippings() (all []shipping, err error) {
	for _, e := range entries {
		if !slices.Contains([]string{"queue", "single", "chain"}, e.Name) {
			continue
		}
		subject, err := s.subject(e)
		if err != nil {
			return nil, err
		}
		all = append(all, shipping{subject, hotShown, subject.Theory.Bytes(hotShown)})
	}
	lanes, err := daylanes.New(daylanes.Month)
	if err != nil {
		return nil, err
	}
	month := measure.Subject{Name: results.Beyond + "daily", Strategy: newSpread(lanes), Theory: lanes}
	return append(all, shipping{month, measure.MonthDays * workload.PerDay, lanes.BytesDays(measure.MonthDays)}), nil
}

// A shipResult is by shipping, then by size.
type shipResult struct {
	Counts    [][]measure.ShipCounts
	Times     [][]measure.ShipTimes // none where another shard has them
	RoundTrip measure.Latency
}

func (r shipResult) plus(next shipResult) shipResult {
	for i := range r.Counts {
		for j := range r.Counts[i] {
			r.Counts[i][j].Add(next.Counts[i][j])
		}
	}
	return r
}

// shipped measures both ways, with the exposure service in a process of its own, over
// one connection of TCP for each strategy, one request after the other.
func (s *suite) shipped() (shipResult, error) {
	return measured(s, shipName, func() (r shipResult, err error) {
		all, err := s.shippings()
		if err != nil {
			return r, err
		}
		service, err := startService(s.ctx, s.seed, all)
		if err != nil {
			return r, err
		}
		defer service.stop()
		readers := s.share(measure.ShipReaders)
		s.progress.expect(readers.Len() * len(all))
		var routes []*measure.Route
		for i, shipping := range all {
			route, err := measure.NewRoute(wire.NewClient(service.conns[i]), shipping.Subject, shipping.shown, slices.Max(shipSizes), s.seed)
			if err != nil {
				return r, err
			}
			routes = append(routes, route)
			var counts []measure.ShipCounts
			for _, size := range shipSizes {
				c, err := route.Count(s.ctx, readers, size)
				if err != nil {
					return r, service.why(err)
				}
				counts = append(counts, c)
			}
			r.Counts = append(r.Counts, counts)
			s.progress.add(readers.Len())
		}
		if s.timed() {
			r.Times, r.RoundTrip, err = measure.TimeShip(s.ctx, routes, shipSizes, shipTimes)
		}
		return r, service.why(err)
	})
}

// ship is what it takes to bring a reader's history and the candidates together.
func ship(s *suite) (rows, timing []results.Row, err error) {
	all, err := s.shippings()
	if err != nil {
		return nil, nil, err
	}
	r, err := s.shipped()
	if err != nil {
		return nil, nil, err
	}
	for i, shipping := range all {
		rows = append(rows, shipping.counted(r.Counts[i])...)
		rows = append(rows, shipping.modelled()...)
		if r.Times != nil {
			timing = append(timing, shipping.timed(r.Times[i])...)
		}
	}
	if r.Times != nil {
		trip := number(results.Ship, "", results.QRoundTrip, results.Nanoseconds, r.RoundTrip.P50)
		between(&trip, r.RoundTrip)
		trip.Count = r.RoundTrip.Requests
		timing = append(timing, trip)
	}
	return rows, timing, nil
}

// counted are the bytes, beside the closed form, and what the answers were.
func (s shipping) counted(counts []measure.ShipCounts) (rows []results.Row) {
	even := results.Row{
		Experiment: results.Ship, Strategy: s.Name, Quantity: results.QBreakEven, Theory: results.Num(float64(wire.BreakEven(s.bytes))),
	}
	rows = append(rows, even)
	for _, c := range counts {
		add := func(quantity, unit string, value, theory float64, count int64) {
			r := number(results.Ship, s.Name, quantity, unit, value)
			r.X, r.Theory, r.Count = results.Num(float64(c.Candidates)), results.Num(theory), count
			rows = append(rows, r)
		}
		add(results.QShippedBytes, results.Bytes, perUser(c.Shipped, c.Requests), float64(wire.ShippedBytes(s.bytes)), c.Requests)
		add(results.QAskedBytes, results.Bytes, perUser(c.Asked, c.Requests), float64(wire.AskedBytes(c.Candidates)), c.Requests)
		add(results.QAnswersApart, "", float64(c.Apart), 0, c.Checked)
	}
	return rows
}

// modelled is how long the bytes take on each of the networks, by arithmetic alone.
func (s shipping) modelled() (rows []results.Row) {
	for _, n := range networks {
		for _, size := range shipGrid {
			for _, way := range []struct {
				quantity string
				bytes    int
			}{
				{results.QShippedModel, wire.ShippedBytes(s.bytes)},
				{results.QAskedModel, wire.AskedBytes(size)},
			} {
				rows = append(rows, results.Row{
					Experiment: results.Ship, Strategy: s.Name, X: results.Num(float64(size)), Quantity: way.quantity + n.name,
					Unit: results.Nanoseconds, Theory: results.Num(n.nanos(way.bytes)),
				})
			}
		}
	}
	return rows
}

// timed are the times, and asking's over shipping's in the same turn.
func (s shipping) timed(times []measure.ShipTimes) (timing []results.Row) {
	for _, t := range times {
		for _, way := range []struct {
			quantity string
			measure.Latency
		}{{results.QShipped, t.Shipped}, {results.QAsked, t.Asked}, {results.QInProcess, t.InProcess}} {
			r := number(results.Ship, s.Name, way.quantity, results.Nanoseconds, way.P50)
			between(&r, way.Latency)
			r.X, r.Count = results.Num(float64(way.Candidates)), way.Requests
			timing = append(timing, r)
		}
		r := over(s.Name, results.QAskedOver, t.Asked, t.Shipped)
		r.Experiment = results.Ship
		timing = append(timing, r)
	}
	return timing
}
