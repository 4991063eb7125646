package main

import (
	daylanes "dejavu/beyond/daily"
	"dejavu/bloom"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// A monthTimes is what the lanes cost beside one filter, in turns.
type monthTimes struct {
	Names           []string
	Latencies       [][]measure.Latency // of requests, by name, by monthSizes
	Expire, Rebuild measure.Latency     // of a day's end
}

// plus is m: times are the first one's.
func (m monthTimes) plus(monthTimes) monthTimes { return m }

// monthSizes are the candidates of a request at the lecture's scale, and fewer.
var monthSizes = []int{400, 4000}

// A spread is a Dated strategy at the end of a full month: what it is shown at
// first counts as so many articles a day.
type spread struct {
	strategies.Strategy // as it is on the month's last day
	on                  []strategies.Strategy
}

func newSpread(dated strategies.Dated) spread {
	var s spread
	for day := range measure.MonthDays {
		s.on = append(s.on, dated.On(day))
	}
	s.Strategy = s.on[measure.MonthDays-1]
	return s
}

// Record spreads a newcomer's articles over the days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day, on := range s.on {
		history = on.Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}

// monthTimes times requests to a full month, and a day's end.
func (s *suite) monthTimes() (monthTimes, error) {
	return measured(s, monthTimesName, func() (m monthTimes, err error) {
		if !s.timed() {
			return m, nil
		}
		lanes, err := daylanes.New(daylanes.Month)
		if err != nil {
			return m, err
		}
		const articles = measure.MonthDays * workload.PerDay
		best := lanes.One(articles)
		subjects := []measure.Subject{{Name: results.Beyond + "daily", Strategy: newSpread(lanes), Theory: lanes}}
		for _, f := range []struct {
			name     string
			geometry bloom.Geometry
		}{{rebuilt, best}, {sameHashes, bloom.Geometry{Bits: best.Bits, Hashes: lanes.Geometry.Hashes}}} {
			one, err := single.New(single.Config{Capacity: articles, Geometry: f.geometry})
			if err != nil {
				return m, err
			}
			subjects = append(subjects, measure.Subject{Name: f.name, Strategy: one, Theory: one})
		}
		for _, subject := range subjects {
			m.Names = append(m.Names, subject.Name)
		}
		if m.Latencies, err = measure.Hot(s.ctx, subjects, articles, monthSizes, s.seed); err != nil {
			return m, err
		}
		m.Expire, m.Rebuild, err = dayEnds(s, lanes, best)
		return m, err
	})
}

// dayEnds times what the end of a day costs a reader of a full month: the masked
// clear, and the filter built anew from the log of the days that are left.
func dayEnds(s *suite, lanes *daylanes.Filter, best bloom.Geometry) (expire, rebuild measure.Latency, err error) {
	population, err := workload.NewMonth(s.seed, 1)
	if err != nil {
		return expire, rebuild, err
	}
	reader := population.Reader(0)
	var history []byte
	var log [][]strategies.ID
	for day := range measure.MonthDays {
		ids := make([]strategies.ID, workload.PerDay)
		reader.IDs(ids, day*workload.PerDay)
		history = lanes.On(day).Record(history, ids)
		log = append(log, ids)
	}
	filter := daylanes.Rebuild(best, nil, log)
	header := append([]byte(nil), history[len(history)-lanes.HeaderBytes():]...)
	times, err := measure.Turns(s.ctx, []func(){
		func() {
			lanes.Expire(history, measure.MonthDays)
			copy(history[len(history)-len(header):], header) // the day is there again, blank
		},
		func() { filter = daylanes.Rebuild(best, filter, log[1:]) },
	}, []int{200, 5})
	if err != nil {
		return expire, rebuild, err
	}
	return times[0], times[1], nil
}

// rows are the times, and those of the lanes as multiples of one filter's.
func (m monthTimes) rows() (timing []results.Row) {
	add := func(name, quantity string, l measure.Latency, each float64) {
		r := number(results.Month, name, quantity, results.Nanoseconds, l.P50/each)
		if low, high, ok := l.Between(); ok {
			r.Low, r.High = results.Num(low/each), results.Num(high/each)
		}
		r.X, r.Count = results.Num(float64(l.Candidates)), l.Requests
		timing = append(timing, r)
	}
	ratio := func(name, quantity string, l, other measure.Latency) {
		r := over(name, quantity, l, other)
		r.Experiment = results.Month
		timing = append(timing, r)
	}
	for i, name := range m.Names {
		for j, l := range m.Latencies[i] {
			add(name, results.QQueryNanos, l, float64(l.Candidates))
			if i > 0 {
				ratio(m.Names[0], results.QQueryNanos+results.QOver+name, m.Latencies[0][j], l)
			}
		}
	}
	expire, rebuild := m.Expire, m.Rebuild
	expire.Candidates, rebuild.Candidates = 1, 1
	add(m.Names[0], results.QDayEnd, expire, 1)
	add(rebuilt, results.QDayEnd, rebuild, 1)
	ratio(rebuilt, results.QDayEnd+results.QOver+m.Names[0], rebuild, expire)
	return timing
}
