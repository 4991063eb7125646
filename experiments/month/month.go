package month

import (
	"context"

	daylanes "dejavu/beyond/daily"
	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is month.
var Experiment = experiment.Experiment{
	Name: results.Month, About: "two months at several thousand articles a month: lanes by the day, and a filter rebuilt nightly",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{counts.Task(), times.Task()} },
	Dimensions: []results.Dimension{by.Day, by.Candidates, by.Over, by.Formula},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

const (
	lanesName = results.Beyond + "daily"

	// One filter beside the days' lanes, as long as they are: built anew every
	// night, as the lecture has it, or never.
	asLong       = "one filter, as long as the layers"
	rebuilt      = "one filter, rebuilt nightly"
	neverRebuilt = "one filter, never rebuilt"
	sameHashes   = "one filter, as many hashes"
)

// usersOf is how many users live two months with each way.
func usersOf(s engine.Scope) int { return max(50, s.Users/20_000) }

// A compared way has its theory: the rate by the articles of each day that counts,
// and the bytes by days gone by.
type compared struct {
	Way
	fpr   func(counts []int) float64
	all   bool // every day counts, for ever
	bytes func(days int) int
}

// comparedWays are those that are compared.
func comparedWays() (ways []compared, err error) {
	lanes, err := daylanes.New(daylanes.Month)
	if err != nil {
		return nil, err
	}
	ways = append(ways, compared{
		Way:   Way{Name: lanesName, Strategy: lanes},
		fpr:   lanes.FPRDays,
		bytes: func(days int) int { return lanes.BytesDays(min(days, Days)) },
	})
	for _, reading := range []struct {
		name   string
		config layered.Config
	}{{"layered", layered.Month}, {"layered-moved", layered.MonthMoved}} {
		layers, err := layered.New(reading.config)
		if err != nil {
			return nil, err
		}
		ways = append(ways, compared{
			Way: Way{Name: results.Beyond + reading.name, Strategy: layers},
			fpr: layers.FPRDays, all: true, bytes: layers.BytesDays,
		})
		if reading.config.Moved {
			continue
		}
		g := layers.One(Days * workload.PerDay)
		one, err := single.New(single.Config{Capacity: Days * workload.PerDay, Geometry: g})
		if err != nil {
			return nil, err
		}
		ways = append(ways, compared{
			Way: Way{Name: asLong, Strategy: one},
			fpr: func(counts []int) float64 { return bloom.Exact(row.Sum(counts), g) },
			all: true, bytes: func(int) int { return one.Bytes(1) },
		})
	}
	geometry := lanes.One(Days * workload.PerDay)
	one, err := single.New(single.Config{Capacity: Days * workload.PerDay, Geometry: geometry})
	if err != nil {
		return nil, err
	}
	exact := func(counts []int) float64 { return bloom.Exact(row.Sum(counts), geometry) }
	length := func(int) int { return one.Bytes(1) }
	return append(ways,
		compared{
			Way: Way{
				Name: rebuilt, Strategy: one,
				Nightly: func(history []byte, log [][]strategies.ID) []byte { return daylanes.Rebuild(one, history, log) },
			},
			fpr: exact, bytes: length,
		},
		compared{Way: Way{Name: neverRebuilt, Strategy: one}, fpr: exact, all: true, bytes: length},
	), nil
}

// counting are the articles of the days that count for a way after so many days.
func (w compared) counting(population workload.Month, days int) (counts []int) {
	first := 0
	if !w.all {
		first = max(0, days-Days)
	}
	for day := first; day < days; day++ {
		counts = append(counts, population.Articles(day))
	}
	return counts
}

// counted has a member for each way.
type counted = []Counts

// counts measures all ways.
var counts = engine.Measurement[counted]{
	Name: "month", Users: usersOf, Cost: 8000,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (all counted, err error) {
		population, err := workload.NewMonth(r.Seed, usersOf(r.Scope))
		if err != nil {
			return nil, err
		}
		ways, err := comparedWays()
		if err != nil {
			return nil, err
		}
		r.Expect(users.Len() * len(ways))
		for _, way := range ways {
			c, err := Measure(ctx, r.Options, way.Way, population, users)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return all, nil
	},
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	ways, err := comparedWays()
	if err != nil {
		return nil, nil, err
	}
	all, err := counts.Of(r)
	if err != nil {
		return nil, nil, err
	}
	population, err := workload.NewMonth(r.Seed, 1)
	if err != nil {
		return nil, nil, err
	}
	for i, way := range ways {
		rows = append(rows, way.theory(population)...)
		for _, p := range all[i] {
			rows = append(rows, way.rows(population, p)...)
		}
	}
	took, err := times.Of(r)
	if err != nil {
		return nil, nil, err
	}
	return rows, took.rows(), nil
}

// theory is the rate by closed forms, day by day.
func (w compared) theory(population workload.Month) (rows []results.Row) {
	for days := 1; days <= End; days++ {
		fpr := w.fpr(w.counting(population, days))
		rows = append(rows, row.Theory(results.Month, w.Name, results.QFPR, results.Ratio, fpr).
			With(by.Day.At(float64(days)), by.Formula.Is(results.ExactFormula)))
	}
	return rows
}

// rows are those of a day.
func (w compared) rows(population workload.Month, p Point) []results.Row {
	day, theory := by.Day.At(float64(p.Days)), w.fpr(w.counting(population, p.Days))
	bytes := row.Number(results.Month, w.Name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Fresh.Users))
	rows := []results.Row{
		row.Rate(results.Month, w.Name, results.QFPR, p.Fresh).With(day).Expect(theory),
		bytes.With(day).Expect(float64(w.bytes(p.Days))).Among(p.Fresh.Users),
		row.Number(results.Month, w.Name, results.QInside, "", float64(p.WindowMisses)).With(day).Expect(0).Among(p.WindowChecks),
	}
	if p.Expired.Queries > 0 {
		if w.all {
			theory = 1
		}
		rows = append(rows, row.Rate(results.Month, w.Name, results.QExpired, p.Expired).With(day).Expect(theory))
	}
	return rows
}
