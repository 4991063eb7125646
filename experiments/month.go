package main

import (
	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	monthName      = "month"
	monthTimesName = "month-times"

	// One filter beside the days' lanes, as long as they are: built anew every
	// night, as the lecture has it, or never.
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	neverRebuilt = "one filter, never rebuilt"
	sameHashes   = "one filter, as many hashes"
)

// monthReaders is how many readers live two months with each way.
func monthReaders(users int) int { return max(50, users/20_000) }

// A monthWay is a way to remember a month, with its theory: the rate by the articles
// of each day that counts, and the bytes by days gone by.
type monthWay struct {
	measure.Monthly
	fpr   func(counts []int) float64
	all   bool // every day counts, for ever
	bytes func(days int) int
}

// monthWays are those that are compared.
func monthWays() (ways []monthWay, err error) {
	lanes, err := daylanes.New(daylanes.Month)
	if err != nil {
		return nil, err
	}
	ways = append(ways, monthWay{
		Monthly: measure.Monthly{Name: results.Beyond + "daily", Strategy: lanes},
		fpr:     lanes.FPRDays,
		bytes:   func(days int) int { return lanes.BytesDays(min(days, measure.MonthDays)) },
	})
	for _, reading := range []struct {
		name   string
		config layered.Config
	}{{"layered", layered.Month}, {"layered-moved", layered.MonthMoved}} {
		layers, err := layered.New(reading.config)
		if err != nil {
			return nil, err
		}
		ways = append(ways, monthWay{
			Monthly: measure.Monthly{Name: results.Beyond + reading.name, Strategy: layers},
			fpr:     layers.FPRDays, all: true, bytes: layers.BytesDays,
		})
		if reading.config.Moved {
			continue
		}
		g := layers.One(measure.MonthDays * workload.PerDay)
		one, err := single.New(single.Config{Capacity: measure.MonthDays * workload.PerDay, Geometry: g})
		if err != nil {
			return nil, err
		}
		ways = append(ways, monthWay{
			Monthly: measure.Monthly{Name: asLong, Strategy: one},
			fpr:     func(counts []int) float64 { return bloom.Exact(total(counts), g) },
			all:     true, bytes: func(int) int { return one.Bytes(1) },
		})
	}
	geometry := lanes.One(measure.MonthDays * workload.PerDay)
	one, err := single.New(single.Config{Capacity: measure.MonthDays * workload.PerDay, Geometry: geometry})
	if err != nil {
		return nil, err
	}
	exact := func(counts []int) float64 { return bloom.Exact(total(counts), geometry) }
	length := func(int) int { return one.Bytes(1) }
	return append(ways,
		monthWay{
			Monthly: measure.Monthly{
				Name: rebuilt, Strategy: one,
				Nightly: func(history []byte, log [][]strategies.ID) []byte { return daylanes.Rebuild(geometry, history, log) },
			},
			fpr: exact, bytes: length,
		},
		monthWay{Monthly: measure.Monthly{Name: neverRebuilt, Strategy: one}, fpr: exact, all: true, bytes: length},
	), nil
}

func total(counts []int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// counting are the articles of the days that count for a way after so many days.
func (w monthWay) counting(population workload.Month, days int) (counts []int) {
	first := 0
	if !w.all {
		first = max(0, days-measure.MonthDays)
	}
	for day := first; day < days; day++ {
		counts = append(counts, population.Articles(day))
	}
	return counts
}

// A monthResult has a member for each way.
type monthResult struct{ Counts []measure.MonthCounts }

func (r monthResult) plus(next monthResult) monthResult {
	for i := range r.Counts {
		r.Counts[i].Add(next.Counts[i])
	}
	return r
}

// months measures all ways.
func (s *suite) months() (monthResult, error) {
	return measured(s, monthName, func() (r monthResult, err error) {
		users := monthReaders(s.users)
		population, err := workload.NewMonth(s.seed, users)
		if err != nil {
			return r, err
		}
		ways, err := monthWays()
		if err != nil {
			return r, err
		}
		readers := s.share(users)
		s.progress.expect(readers.Len() * len(ways))
		for _, way := range ways {
			counts, err := measure.Month(s.ctx, s.options, way.Monthly, population, readers)
			if err != nil {
				return r, err
			}
			r.Counts = append(r.Counts, counts)
		}
		return r, nil
	})
}

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

// month is two months of reading at the lecture's scale, forgotten day by day.
func month(s *suite) (rows, timing []results.Row, err error) {
	ways, err := monthWays()
	if err != nil {
		return nil, nil, err
	}
	measured, err := s.months()
	if err != nil {
		return nil, nil, err
	}
	population, err := workload.NewMonth(s.seed, 1)
	if err != nil {
		return nil, nil, err
	}
	for i, way := range ways {
		for _, p := range measured.Counts[i] {
			x := results.Num(float64(p.Days))
			theory := way.fpr(way.counting(population, p.Days))
			fresh := rate(results.Month, way.Name, results.QFPR, p.Fresh)
			fresh.X, fresh.Theory = x, results.Num(theory)
			bytes := number(results.Month, way.Name, results.QBytesPerUser, results.Bytes, perUser(p.Bytes, p.Fresh.Users))
			bytes.X, bytes.Theory, bytes.Count = x, results.Num(float64(way.bytes(p.Days))), p.Fresh.Users
			misses := number(results.Month, way.Name, results.QInside, "", float64(p.WindowMisses))
			misses.X, misses.Theory, misses.Count = x, results.Num(0), p.WindowChecks
			rows = append(rows, fresh, bytes, misses)
			if p.Expired.Queries > 0 {
				old := rate(results.Month, way.Name, results.QExpired, p.Expired)
				old.X, old.Theory = x, results.Num(theory)
				if way.all {
					old.Theory = results.Num(1)
				}
				rows = append(rows, old)
			}
		}
	}
	times, err := s.monthTimes()
	if err != nil || len(times.Names) == 0 {
		return rows, nil, err
	}
	return rows, times.rows(), nil
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
