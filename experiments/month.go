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
		for days := 1; days <= measure.MonthEnd; days++ {
			rows = append(rows, results.Row{
				Experiment: results.Month, Strategy: way.Name, X: results.Num(float64(days)), Quantity: results.QFPRExact,
				Unit: results.Ratio, Theory: results.Num(way.fpr(way.counting(population, days))),
			})
		}
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
